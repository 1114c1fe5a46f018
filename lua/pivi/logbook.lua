---The buffer that `:Pi log` opens: what the editor's side noted, then the host's and Pi's.
local conversations = require("pivi.conversations")
local host = require("pivi.host")
local log = require("pivi.log")

local M = {}

local NAME = "pivi-log://"

---@param lines string[]
---@param mods? table
local function show(lines, mods)
  local buf = vim.fn.bufnr("^" .. NAME .. "$")
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
  local lines = vim.list_extend({ "# Editor and host" }, log.lines())
  if not host.is_running() then
    return show(lines, mods)
  end
  local c = conversations.current()
  host.request("log", { conv = c and c.conv }, function(value, err)
    lines[#lines + 1] = ""
    lines[#lines + 1] = "# Pi"
    if err and err ~= "" then
      lines[#lines + 1] = err
    end
    local text = type(value) == "table" and table.concat(value, "\n") or value or ""
    for line in vim.gsplit(text, "\n", { plain = true }) do
      -- A terminal sequence in Pi's stderr stays visible text.
      lines[#lines + 1] = (line:gsub("%z", "^@"))
    end
    show(lines, mods)
  end)
end

return M
