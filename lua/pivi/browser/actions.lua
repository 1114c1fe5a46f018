---What can be done with the sessions of the list. Each action takes the session that was under the cursor when its
---key was pressed, whatever the list shows by the time it is done.
local acts = require("pivi.acts")
local browser = require("pivi.browser")
local host = require("pivi.host")
local log = require("pivi.log")
local paint = require("pivi.browser.paint")

local M = {}

---@param b pivi.Browser
---@return pivi.SessionRow?
local function current(b)
  local row = paint.row_at(b)
  if not row then
    log.say("there is no session on this line")
  end
  return row
end

---@param b pivi.Browser
---@param mods? table
function M.resume(b, mods)
  local row = current(b)
  if row then
    require("pivi.open").resume({ target = row.path, mods = mods })
  end
end

---@param b pivi.Browser
function M.view(b)
  local row = current(b)
  local hit = row and b.hits and b.hits[row.path]
  if row then
    require("pivi.place").view(row.path, hit and hit.entry, hit)
  end
end

---@param b pivi.Browser
function M.fork(b)
  local row = current(b)
  if row then
    require("pivi.open").fork({ target = row.path })
  end
end

---@param b pivi.Browser
function M.rename(b)
  local row = current(b)
  if row then
    acts.rename(row, function()
      browser.read(b)
    end)
  end
end

---@param b pivi.Browser
---@param rows pivi.SessionRow[]
function M.trash(b, rows)
  if #rows == 0 then
    return log.say("there is no session on this line")
  end
  acts.trash(rows, function(token, what)
    b.trashed[#b.trashed + 1] = token
    if what then
      log.say(
        token and ("in the trash, u brings it back: %s"):format(what) or ("in the trash: %s"):format(what)
      )
    end
    browser.read(b)
  end)
end

---Brings back what was moved to the trash last.
---@param b pivi.Browser
function M.untrash(b)
  local token = table.remove(b.trashed)
  if not token then
    return log.say("nothing was moved to the trash here")
  end
  host.request("untrash", { token = token }, function(value, err, gone)
    host.report(value, err, gone)
    if err then
      -- Below the others: what can't come back must not keep those from it.
      table.insert(b.trashed, 1, token)
    end
    browser.read(b)
  end)
end

---@param b pivi.Browser
---@param what "id"|"path"|"command"
function M.yank(b, what)
  local register, row = vim.v.register, current(b)
  if row then
    acts.yank(row, what, register)
  end
end

---@param b pivi.Browser
function M.export(b)
  local row = current(b)
  if row then
    acts.export(row)
  end
end

---@param b pivi.Browser
function M.directory(b)
  local row = current(b)
  if row then
    local _, problem = vim.ui.open(vim.fs.dirname(row.path))
    if problem then
      log.error(problem)
    end
  end
end

return M
