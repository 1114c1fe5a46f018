---What is done to stored sessions, from the browser and from pickers. Each act is on the rows that it is given,
---whatever a list shows by the time it is done.
local cells = require("pivi.cells")
local host = require("pivi.host")
local log = require("pivi.log")
local once = require("pivi.choose").once
local safe = require("pivi.safe")

local M = {}

---Cells of a title in a sentence.
local TITLE = 60

---@param row pivi.SessionRow
---@return string
local function title(row)
  local text = cells.cut(safe.line(row.name or row.title), TITLE)
  return text ~= "" and text or safe.line(row.id)
end

---@param row pivi.SessionRow
---@return boolean whether it is open in this Neovim
local function is_open(row)
  local conversations = require("pivi.conversations")
  local real = conversations.real(row.path)
  return vim.iter(conversations.all()):any(function(c)
    return c.file ~= "" and conversations.real(c.file) == real
  end)
end

---@param row pivi.SessionRow
---@return {size: integer, mtime: number}
local function seen(row)
  return { size = row.size, mtime = row.mtime }
end

---Asks for a name, and gives it.
---@param row pivi.SessionRow
---@param done fun() whatever came of it
function M.rename(row, done)
  local known = safe.line(row.name or "")
  local named = once(function(name)
    if not name or name == known then
      return done()
    end
    host.request("rename", { path = row.path, name = name, seen = seen(row) }, function(value, err, gone)
      host.report(value, err, gone)
      done()
    end)
  end)
  vim.ui.input({ prompt = "Name of the session: ", default = known }, named)
end

---Moves sessions to the trash, if that is wanted.
---@param rows pivi.SessionRow[]
---@param done fun(token?: string, what?: string) the token brings back what was moved; `what` that was, in words
function M.trash(rows, done)
  local free, names = {}, {}
  for _, row in ipairs(rows) do
    if is_open(row) then
      log.error(("close it first (:bdelete), it is open here: %s"):format(title(row)))
    else
      free[#free + 1] = row
    end
  end
  rows = free
  if #rows == 0 then
    return done()
  end
  for i, row in ipairs(rows) do
    names[i] = i <= 10 and "  " .. title(row) or nil
  end
  if #rows > 10 then
    names[#names + 1] = ("  and %d more"):format(#rows - 10)
  end
  local what = #rows == 1 and "this session" or ("these %d sessions"):format(#rows)
  local question = ("Move %s to the trash?\n%s"):format(what, table.concat(names, "\n"))
  if vim.fn.confirm(question, "&Move\n&Keep", 2) ~= 1 then
    return done()
  end
  local paths, sights = {}, {}
  for i, row in ipairs(rows) do
    paths[i], sights[i] = row.path, seen(row)
  end
  host.request("trash", { paths = paths, seen = sights }, function(value, err, gone)
    host.report(value, err, gone)
    for _, refused in ipairs(value and value.refused or {}) do
      log.error(refused)
    end
    local moved = value and value.moved and #value.moved or 0
    local one = moved == 1 and #rows == 1
    done(
      value and value.token,
      moved > 0 and (one and title(rows[1]) or ("%d sessions"):format(moved)) or nil
    )
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
    local cwd = row.cwd:gsub("%z", "␀")
    return ("cd %s && pi --session %s"):format(vim.fn.shellescape(cwd), vim.fn.shellescape(row.path))
  end,
}

---@param row pivi.SessionRow
---@param what "id"|"path"|"command"
---@param register string
function M.yank(row, what, register)
  -- A NUL is no byte of a string there, and a line feed within a line of a register stands for it.
  vim.fn.setreg(register, { (YANKS[what](row):gsub("%z", "\n")) }, "v")
  log.say(("yanked the %s of %s"):format(what, title(row)))
end

---The session as a file whose name is asked for: Markdown, or Pi's HTML where it ends so.
---@param row pivi.SessionRow
function M.export(row)
  local stem = row.name or vim.fs.basename(row.path):gsub("%.jsonl$", "")
  stem = safe.line(stem):gsub("[%s/\\%%#*?]+", "-")
  local default = vim.fs.joinpath(vim.fn.getcwd(), stem .. ".md")
  local prompt = "Export as (.md, or .html by Pi): "
  local typed_in = once(function(typed)
    if not typed or typed == "" then
      return
    end
    -- What is a name of ours may hold any sign.
    local path = typed == default and typed or require("pivi.absolute").typed(typed)
    local there = vim.uv.fs_stat(path) ~= nil
    if there and vim.fn.confirm(("Write over %s?"):format(safe.line(path)), "&Write\n&Keep", 2) ~= 1 then
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
  vim.ui.input({ prompt = prompt, default = default, completion = "file" }, typed_in)
end

return M
