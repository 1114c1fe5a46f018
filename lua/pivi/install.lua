---`:Pi install`: makes the plugin's own `.venv` in the background.
local config = require("pivi.config")
local log = require("pivi.log")
local python = require("pivi.python")
local safe = require("pivi.safe")

local M = {}

local SCRIPT = python.ROOT .. "/pivi/install.py"
local OWN = python.ROOT .. "/.venv/bin/python"
---How long a run without a user interface waits, in milliseconds. No package index is that slow.
local PATIENCE = 600000

---Whether an interpreter can make an environment. Debian's lacks ensurepip without python3-venv, macOS brings 3.9.
local CAN = "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))"
local NAMES = { "python3", "python3.14", "python3.13", "python3.12", "python3.11", "python3.10" }

---@type vim.SystemObj?
local job

---A plugin manager's build step, or a shell: whoever waits there sees no `:Pi log`.
---@return boolean
local function alone()
  return #vim.api.nvim_list_uis() == 0
end

---@param done vim.SystemCompleted
---@return string? problem
local function finished(done)
  if done.code ~= 0 then
    local last = vim.trim(done.stderr or ""):match("[^\n]*$")
    return ("the installation failed (status %d): %s"):format(done.code, last)
  end
  require("pivi.host").forget_interpreters()
  local ok, why = pcall(vim.cmd.helptags, python.ROOT .. "/doc")
  if not ok then
    log.add("help tags: " .. tostring(why))
  end
  local option = config.get().python
  if option and vim.fs.normalize(option) ~= OWN then
    log.say(("installed, but option 'python' names another interpreter: %s"):format(option))
  else
    log.say("installed; :Pi is ready")
  end
end

---Raises what went wrong where there is no user interface, so that a build step fails with it.
---@param interpreter string
local function install(interpreter)
  log.say(("installing into %s/.venv …"):format(vim.fn.fnamemodify(python.ROOT, ":~")))
  local headless = alone()
  local stderr, problem = {}, nil
  job = vim.system({ interpreter, SCRIPT }, {
    text = true,
    stdout = function(_, data)
      if data then
        log.say(vim.trim(data))
      end
    end,
    stderr = function(_, data)
      if data then
        stderr[#stderr + 1] = data
        local tell = headless and log.say or log.add
        tell(data)
      end
    end,
  }, function(done)
    done.stderr = table.concat(stderr)
    vim.schedule(function()
      job = nil
      problem = finished(done)
      if problem and not headless then
        log.error(problem .. " (:Pi log has the whole)")
      end
    end)
  end)
  if not headless then
    return
  end
  -- The editor would end, and the installation with it, as soon as the command returns.
  local ended = vim.wait(PATIENCE, function()
    return job == nil
  end, 50)
  if not ended and job then
    job:kill("sigterm")
    problem = "the installation did not end"
  end
  if problem then
    error("pivi: " .. problem, 0)
  end
end

---The interpreter that makes the environment: the first that can, else the first there is, which says why not.
---@return string?
local function interpreter()
  local paths = {}
  for _, candidate in ipairs(python.candidates()) do
    -- An environment can't be made anew by the interpreter within it.
    if candidate.path ~= OWN then
      paths[#paths + 1] = candidate.path
    end
  end
  local first
  for _, path in ipairs(vim.list_extend(paths, NAMES)) do
    if vim.fn.executable(path) == 1 then
      first = first or path
      if vim.system({ path, "-c", CAN }, { cwd = python.ROOT, timeout = 10000 }):wait().code == 0 then
        return path
      end
    end
  end
  return first
end

---@param opts {ask?: boolean}
function M.run(opts)
  if job then
    return log.say("the installation is still running")
  end
  local found = interpreter()
  if not found then
    local problem = "python3 was not found; pivi needs Python 3.10 or newer"
    return alone() and error("pivi: " .. problem, 0) or log.error(problem)
  end
  if opts.ask == false or alone() then
    return install(found)
  end
  local packages = table.concat(python.PACKAGES, ", ") .. ", " .. python.TRASH
  local question = ("pivi: install %s into %s/.venv?"):format(packages, python.ROOT)
  local answered = require("pivi.choose").once(function(choice)
    if choice == "Yes" then
      -- Another question may have been answered meanwhile.
      M.run({ ask = false })
    end
  end)
  vim.ui.select({ "Yes", "No" }, { prompt = safe.line(question) }, answered)
end

---@type boolean
local offered = false

---The host can't start: says what is missing, and offers once to install it.
---@param why string
function M.offer(why)
  local missing = "run :Pi install, pivi's Python part has no environment it can run in"
  local sentence = ("%s: %s; :checkhealth pivi tells more"):format(missing, why)
  -- One message for both: the next would take its place on the screen.
  if not require("pivi.prompt").host_died(sentence) then
    log.error(sentence)
  end
  if not offered and not alone() then
    offered = true
    vim.schedule(function()
      M.run({})
    end)
  end
end

return M
