---What can be done with the sessions of the list. Each action takes the session that was under the cursor when its
---key was pressed, whatever the list shows by the time it is done.
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

---@param row pivi.SessionRow
---@return string
local function title(row)
  local text = row.name or row.title
  return text ~= "" and vim.fn.strcharpart(text, 0, 60) or row.id
end

---@param row pivi.SessionRow
---@return {size: integer, mtime: number}
local function seen(row)
  return { size = row.size, mtime = row.mtime }
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
  if not row then
    return
  end
  vim.ui.input({ prompt = "Name of the session: ", default = row.name or "" }, function(name)
    if not name or name == (row.name or "") then
      return
    end
    host.request("rename", { path = row.path, name = name, seen = seen(row) }, function(value, err, gone)
      host.report(value, err, gone)
      if not err then
        browser.read(b)
      end
    end)
  end)
end

---@param b pivi.Browser
---@param rows pivi.SessionRow[]
function M.trash(b, rows)
  if #rows == 0 then
    return log.say("there is no session on this line")
  end
  local names = {}
  for i, row in ipairs(rows) do
    names[i] = i <= 10 and "  " .. title(row) or nil
  end
  if #rows > 10 then
    names[#names + 1] = ("  and %d more"):format(#rows - 10)
  end
  local what = #rows == 1 and "this session" or ("these %d sessions"):format(#rows)
  local question = ("Move %s to the trash?\n%s"):format(what, table.concat(names, "\n"))
  if vim.fn.confirm(question, "&Move\n&Keep", 2) ~= 1 then
    return
  end
  local paths, sights = {}, {}
  for i, row in ipairs(rows) do
    paths[i], sights[i] = row.path, seen(row)
  end
  host.request("trash", { paths = paths, seen = sights }, function(value, err, gone)
    host.report(value, err, gone)
    if value and value.token then
      b.trashed[#b.trashed + 1] = value.token
    end
    for _, refused in ipairs(value and value.refused or {}) do
      log.error(refused)
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
      b.trashed[#b.trashed + 1] = token
    end
    browser.read(b)
  end)
end

---@type table<string, fun(row: pivi.SessionRow): string>
local YANKS = {
  id = function(row)
    return row.id
  end,
  path = function(row)
    return row.path
  end,
  command = function(row)
    return ("cd %s && pi --session %s"):format(vim.fn.shellescape(row.cwd), vim.fn.shellescape(row.path))
  end,
}

---@param b pivi.Browser
---@param what "id"|"path"|"command"
function M.yank(b, what)
  local register, row = vim.v.register, current(b)
  if row then
    local text = YANKS[what](row)
    vim.fn.setreg(register, text)
    log.say("yanked " .. text)
  end
end

---Pi makes an HTML page of the session.
---@param b pivi.Browser
function M.export(b)
  local row = current(b)
  if not row then
    return
  end
  local default = vim.fs.joinpath(vim.fn.getcwd(), vim.fs.basename(row.path):gsub("%.jsonl$", "") .. ".html")
  vim.ui.input({ prompt = "Export as: ", default = default, completion = "file" }, function(path)
    if not path or path == "" then
      return
    end
    local pi = require("pivi.config").for_host().pi
    local command = type(pi.command) == "string" and { pi.command } or vim.list_slice(pi.command)
    vim.list_extend(command, { "--export", row.path, vim.fn.fnamemodify(path, ":p") })
    local started, problem = pcall(vim.system, command, { env = pi.env, text = true }, function(done)
      local said = vim.trim(done.code == 0 and done.stdout or done.stderr)
      local say = done.code == 0 and log.say or log.error
      say(said:match("[^\n]*$"))
    end)
    if not started then
      log.error(tostring(problem))
    end
  end)
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
