---`:checkhealth pivi`.
local config = require("pivi.config")
local host = require("pivi.host")
local python = require("pivi.python")
local safe = require("pivi.safe")

local M = {}

---How long the host's own report is waited for, in milliseconds: it asks Pi and Node for their versions.
local PATIENCE = 20000

---What is reported, paths and what programs said in it, as safe lines.
---@type table<string, fun(text: string, advice?: string)>
local tell = setmetatable({}, {
  __index = function(_, how)
    return function(text, ...)
      vim.health[how](safe.line(text), ...)
    end
  end,
})

local function check_neovim()
  vim.health.start("Neovim")
  local version = tostring(vim.version())
  if vim.fn.has("nvim-0.10") == 1 then
    tell.ok("Neovim " .. version)
  else
    tell.error("Neovim " .. version .. " is too old", "pivi needs 0.10 or newer")
  end
  local _, problems = config.check(vim.g.pivi)
  for _, problem in ipairs(problems) do
    tell.error("vim.g.pivi: " .. problem)
  end
end

---@return boolean usable
local function check_python()
  vim.health.start("Python")
  local usable = false
  for _, candidate in ipairs(python.candidates()) do
    local named = ("%s (%s)"):format(candidate.path, candidate.from)
    if vim.fn.executable(candidate.path) == 0 then
      tell.warn(named .. " was not found")
    else
      local code = python.CHECK
        .. python.CHECK_HOST
        .. 'print("Python " + sys.version.split()[0])\n'
        .. ('import importlib.util\nif not importlib.util.find_spec("%s"): print("no trash")'):format(
          python.TRASH
        )
      local done = vim
        .system({ candidate.path, "-c", code }, { text = true, cwd = python.ROOT, timeout = 10000 })
        :wait()
      local said = vim.trim(done.code == 0 and done.stdout or done.stderr)
      local version = said:match("^[^\n]*")
      if done.code ~= 0 then
        local report = usable and tell.info or tell.warn
        report(("%s: %s"):format(named, said:match("[^\n]*$")))
      elseif usable then
        tell.info(("%s: %s, not used"):format(named, version))
      else
        usable = true
        local has_trash = version == said
        local packages = vim.list_extend({}, python.PACKAGES)
        packages[#packages + 1] = has_trash and python.TRASH or nil
        tell.ok(("%s: %s with %s"):format(named, version, table.concat(packages, ", ")))
        if not has_trash then
          local what = ("%s is missing: no session can be moved to the trash"):format(python.TRASH)
          tell.warn(what, ":Pi install brings it")
        end
      end
    end
  end
  if not usable then
    tell.error("no interpreter has all that the host needs", ":Pi install makes an environment for it")
  end
  return usable
end

---@class pivi.HealthReport
---@field dir string where sessions of this directory are
---@field found_by string
---@field exists boolean
---@field writable boolean
---@field command? string
---@field pi? string version
---@field node? string version
---@field problem? string

---@return pivi.HealthReport?
---@return string? problem
local function ask_host()
  local report, problem, done
  host.request("health", { cwd = vim.fn.getcwd(), options = config.for_host() }, function(value, err)
    report, problem, done = value, err, true
  end)
  vim.wait(PATIENCE, function()
    return done
  end, 20)
  return report, problem
end

---@param report pivi.HealthReport
local function tell_pi(report)
  vim.health.start("Pi")
  if report.problem then
    tell.error(report.problem)
    return
  end
  tell.info("command: " .. vim.inspect(report.command))
  local function version(name, found, minimum, advice)
    if not found then
      tell.error(("%s was not found or did not tell its version"):format(name), advice)
    elseif vim.version.lt(found, minimum) then
      tell.error(("%s %s is too old"):format(name, found), ("pivi needs %s or newer"):format(minimum))
    else
      tell.ok(("%s %s"):format(name, found))
      return true
    end
  end
  -- Without its Node Pi can't say anything of itself.
  local has_node =
    version("Node", report.node, "22.19.0", "put it on PATH, or on the PATH of pi.env in vim.g.pivi")
  if report.pi or has_node then
    version("Pi", report.pi, "0.87.1", "set pi.command in vim.g.pivi")
  else
    tell.info("Pi can't run on this Node, so its version is not known")
  end
end

---What can be found out without the host.
---@return pivi.HealthReport
local function look_alone()
  local pi = config.get().pi
  local words = pi.command
  if type(words) == "string" then
    words = vim.fn.executable(words) == 1 and { words } or vim.split(words, "%s+", { trimempty = true })
  end
  local function told(argv)
    -- `env` looks on the PATH of pi.env.
    local started, process = pcall(
      vim.system,
      vim.iter({ "env", argv, "--version" }):flatten():totable(),
      { text = true, env = pi.env, timeout = PATIENCE / 4 }
    )
    local done = started and process:wait() or { code = 1 }
    return done.code ~= 127 and (done.stdout or ""):match("%d+%.%d+%.%d+") or nil, done.code
  end
  local report = { command = words }
  local status
  report.node = told({ "node" })
  report.pi, status = told(words)
  -- A script whose interpreter is missing ends so too.
  if status == 127 and report.node then
    report.problem = ("there is no program %s: install Pi, or set pi.command in vim.g.pivi"):format(words[1])
  end
  return report
end

---@param report pivi.HealthReport
local function tell_sessions(report)
  vim.health.start("Sessions")
  tell.info(("sessions of %s: %s (by %s)"):format(vim.fn.getcwd(), report.dir, report.found_by))
  if not report.exists then
    tell.info("that directory does not exist yet; Pi makes it")
  end
  if report.writable then
    tell.ok("Pi can write there")
  else
    tell.error("Pi can't write there", "check the permissions of that directory")
  end
end

local function check_host()
  local report, problem = ask_host()
  vim.health.start("Host")
  if not report then
    local said = problem and problem ~= "" and problem or "the host did not answer"
    tell.error(said, ":Pi log has what it said")
    return
  end
  tell.ok("the host answers")
  tell_pi(report)
  tell_sessions(report)
end

function M.check()
  check_neovim()
  if check_python() then
    check_host()
  else
    tell_pi(look_alone())
  end
end

return M
