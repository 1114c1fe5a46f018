---The buffer that `:Pi log` opens.
local log = require("pivi.log")
local named = require("pivi.named")

local M = {}

local NAME = "pivi-log://"

---@param lines string[]
---@param mods? table
local function show(lines, mods)
  local buf = named(NAME)
  if buf == -1 then
    buf = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(buf, NAME)
    vim.bo[buf].undolevels = -1
    vim.bo[buf].modeline = false
  end
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
  local win = vim.fn.win_findbuf(buf)[1]
  if win then
    vim.api.nvim_set_current_win(win)
  else
    vim.cmd.sbuffer({ args = { tostring(buf) }, mods = mods })
    win = vim.api.nvim_get_current_win()
  end
  vim.api.nvim_win_set_cursor(win, { #lines, 0 })
end

---@param mods? table
function M.open(mods)
  local lines = log.lines()
  lines = #lines > 0 and lines or { "nothing to tell" }
  if not require("pivi.window").after_cmdwin(function()
    show(lines, mods)
  end) then
    show(lines, mods)
  end
end

return M
