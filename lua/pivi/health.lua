---`:checkhealth pivi`.
local config = require("pivi.config")
local host = require("pivi.host")
local python = require("pivi.python")

local M = {}

---How long the host's own report is waited for, in milliseconds: it asks Pi and Node for their versions.
local PATIENCE = 20000

---@class pivi.HealthItem
---@field level "ok"|"info"|"warn"|"error"
---@field text string
---@field advice? string|string[]

---@param item pivi.HealthItem
local function tell(item)
  local report = vim.health[item.level] or vim.health.info
  if item.advice and (item.level == "warn" or item.level == "error") then
    report(item.text, item.advice)
  else
    report(item.text)
  end
end

local function check_neovim()
  vim.health.start("Neovim")
  local version = tostring(vim.version())
  if vim.fn.has("nvim-0.10") == 1 then
    vim.health.ok("Neovim " .. version)
  else
    vim.health.error("Neovim " .. version .. " is too old", "pivi needs 0.10 or newer")
  end
  local _, problems = config.check(vim.g.pivi)
  for _, problem in ipairs(problems) do
    vim.health.error("vim.g.pivi: " .. problem)
  end
end

---@return boolean usable
local function check_python()
  vim.health.start("Python")
  local usable = false
  for _, candidate in ipairs(python.candidates()) do
    local named = ("%s (%s)"):format(candidate.path, candidate.from)
    if vim.fn.executable(candidate.path) == 0 then
      vim.health.warn(named .. " was not found")
    else
      local code = python.CHECK .. 'print("Python " + sys.version.split()[0])'
      local done = vim
        .system({ candidate.path, "-c", code }, { text = true, cwd = python.ROOT, timeout = 10000 })
        :wait()
      local said = vim.trim(done.code == 0 and done.stdout or done.stderr)
      if done.code ~= 0 then
        local report = usable and vim.health.info or vim.health.warn
        report(("%s: %s"):format(named, said:match("[^\n]*$")))
      elseif usable then
        vim.health.info(("%s: %s, not used"):format(named, said))
      else
        usable = true
        vim.health.ok(("%s: %s with %s"):format(named, said, table.concat(python.PACKAGES, ", ")))
      end
    end
  end
  if not usable then
    vim.health.error("no interpreter has all that the host needs", ":Pi install makes an environment for it")
  end
  return usable
end

local function check_host()
  local sections, problem, done
  host.request("health", { cwd = vim.fn.getcwd(), options = config.for_host() }, function(value, err)
    sections, problem, done = value, err, true
  end)
  vim.wait(PATIENCE, function()
    return done
  end, 20)
  if not sections then
    vim.health.start("Host")
    vim.health.error(
      problem and problem ~= "" and problem or "the host did not answer",
      ":Pi log has what it said"
    )
    return
  end
  for _, section in ipairs(sections) do
    vim.health.start(section.name)
    for _, item in ipairs(section.items) do
      tell(item)
    end
  end
end

function M.check()
  check_neovim()
  if check_python() then
    check_host()
  end
end

return M
