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

---The session as a file: Markdown, or Pi's HTML where the name ends so.
---@param row pivi.SessionRow
function M.export_row(row)
  local stem = (row.name or vim.fs.basename(row.path):gsub("%.jsonl$", "")):gsub("[%s/\\%%#*?]+", "-")
  local default = vim.fs.joinpath(vim.fn.getcwd(), stem .. ".md")
  local prompt = "Export as (.md, or .html by Pi): "
  vim.ui.input({ prompt = prompt, default = default, completion = "file" }, function(typed)
    if not typed or typed == "" then
      return
    end
    local path = vim.fn.fnamemodify(vim.fs.normalize(typed), ":p")
    local there = vim.uv.fs_stat(path) ~= nil
    if there and vim.fn.confirm(("Write over %s?"):format(path), "&Write\n&Keep", 2) ~= 1 then
      return
    end
    local params = { path = row.path, to = path, force = there, options = require("pivi.config").for_host() }
    host.request("export_closed", params, function(_, err, gone)
      if err then
        return host.report(nil, err, gone)
      end
      log.say(("written: %s"):format(vim.fn.fnamemodify(path, ":~:.")))
    end)
  end)
end

---@param b pivi.Browser
function M.export(b)
  local row = current(b)
  if row then
    M.export_row(row)
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
