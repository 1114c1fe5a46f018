---`:Pi files`: the files that a session read and changed, in the quickfix list.
local absolute = require("pivi.absolute")
local conversations = require("pivi.conversations")
local host = require("pivi.host")
local log = require("pivi.log")
local safe = require("pivi.safe")

local M = {}

---@class pivi.Touched
---@field path string as the model gave it
---@field line integer
---@field did string
---@field changed boolean

---'quickfixtextfunc': as Neovim itself has it, but that a path is one safe line.
---@param info {id: integer, start_idx: integer, end_idx: integer}
---@return string[]
function M.lines(info)
  local items = vim.fn.getqflist({ id = info.id, items = 0 }).items
  local lines = {}
  for i = info.start_idx, info.end_idx do
    local path = vim.fn.fnamemodify(vim.fn.bufname(items[i].bufnr), ":.")
    lines[#lines + 1] = ("%s|%d| %s"):format(safe.line(path), items[i].lnum, items[i].text)
  end
  return lines
end

---@param c pivi.Conversation
---@param files pivi.Touched[]
---@param from integer the window that they were asked for in
function M.show(c, files, from)
  local items = {}
  for _, file in ipairs(files) do
    -- No path of a file has a NUL, and no function of Neovim takes it.
    local path = absolute.of(c, file.path):gsub("%z", "␀")
    local gone = not vim.uv.fs_stat(path) and " (not there now)" or ""
    items[#items + 1] = { filename = path, lnum = file.line, text = safe.line(file.did) .. gone }
  end
  if #items == 0 then
    return log.say("no file was read or changed in this session", vim.log.levels.INFO)
  end
  local title = ("Files of %s"):format(require("pivi.title")(c))
  vim.fn.setqflist({}, " ", {
    title = title,
    items = items,
    quickfixtextfunc = "v:lua.require'pivi.files'.lines",
  })
  local win = vim.api.nvim_get_current_win()
  vim.cmd("botright copen")
  if win ~= from or vim.api.nvim_get_mode().mode ~= "n" then
    vim.api.nvim_set_current_win(win)
  end
end

function M.open()
  local c = conversations.current()
  if not c or not c.conv then
    return log.error("there is no conversation here; :Pi opens one")
  end
  local from = vim.api.nvim_get_current_win()
  host.request("files", { conv = c.conv }, function(value, err, gone)
    if not value then
      return host.report(value, err, gone)
    end
    M.show(c, value, from)
  end)
end

return M
