---`:Pi install`: makes the plugin's own `.venv` in the background.
local log = require("pivi.log")
local python = require("pivi.python")

local M = {}

local SCRIPT = python.ROOT .. "/pivi/install.py"
---No package index is that slow; only a run without a user interface waits.
local PATIENCE = 600000

---@type vim.SystemObj?
local job

---@param done vim.SystemCompleted
local function finished(done)
  job = nil
  if done.code == 0 then
    require("pivi.host").forget_interpreters()
    return log.say("installed; :Pi is ready")
  end
  local last = vim.trim(done.stderr or ""):match("[^\n]*$")
  log.error(("the installation failed (status %d): %s (:Pi log has the whole)"):format(done.code, last))
end

---@param interpreter string
local function install(interpreter)
  log.say("installing into " .. python.ROOT .. "/.venv …")
  local stderr = {}
  job = vim.system({ interpreter, SCRIPT }, {
    text = true,
    stdout = function(_, data)
      if data then
        vim.schedule(function()
          log.say(vim.trim(data))
        end)
      end
    end,
    stderr = function(_, data)
      if data then
        stderr[#stderr + 1] = data
        vim.schedule(function()
          log.add(data)
        end)
      end
    end,
  }, function(done)
    done.stderr = table.concat(stderr)
    vim.schedule(function()
      finished(done)
    end)
  end)
  if #vim.api.nvim_list_uis() == 0 then
    -- A plugin manager's build step: it ends the editor as soon as the command returns.
    vim.wait(PATIENCE, function()
      return job == nil
    end, 50)
  end
end

---The interpreter that makes the environment: any Python will do.
---@return string?
local function interpreter()
  local own = python.ROOT .. "/.venv/bin/python"
  for _, candidate in ipairs(python.candidates()) do
    -- An environment can't be made anew by the interpreter within it.
    if candidate.path ~= own and vim.fn.executable(candidate.path) == 1 then
      return candidate.path
    end
  end
  return vim.fn.executable("python3") == 1 and "python3" or nil
end

---@param opts {ask?: boolean, because?: string}
function M.run(opts)
  if job then
    return log.say("the installation is still running")
  end
  local found = interpreter()
  if not found then
    return log.error("python3 was not found; pivi needs Python 3.10 or newer")
  end
  if opts.ask == false or #vim.api.nvim_list_uis() == 0 then
    return install(found)
  end
  local question = ("pivi: install %s into %s/.venv?"):format(
    table.concat(python.PACKAGES, ", "),
    python.ROOT
  )
  local answered = false
  vim.ui.select({ "Yes", "No" }, { prompt = question }, function(choice)
    if choice == "Yes" and not answered then
      answered = true
      install(found)
    end
  end)
end

---@type boolean
local offered = false

---The host can't start: says what is missing, and offers once to install it.
---@param why string
function M.offer(why)
  log.error(
    ("pivi's Python host can't start: %s. :Pi install makes an environment with all it needs"):format(why)
  )
  if not offered and #vim.api.nvim_list_uis() > 0 then
    offered = true
    vim.schedule(function()
      M.run({})
    end)
  end
end

return M
