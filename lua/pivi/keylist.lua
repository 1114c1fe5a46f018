---A list of keys, in a window that the next `q` or Escape closes.
local M = {}

local ns = vim.api.nvim_create_namespace("pivi.keys")

---@param title string
---@param keys {key: string, does: string}[]
---@param rest string a last line
function M.show(title, keys, rest)
  local lines, width = {}, 0
  for _, known in ipairs(keys) do
    lines[#lines + 1] = (" %-7s %s "):format(known.key, known.does)
    width = math.max(width, vim.fn.strdisplaywidth(lines[#lines]))
  end
  lines[#lines + 1] = (" %s "):format(rest)
  width = math.max(width, vim.fn.strdisplaywidth(lines[#lines]))
  local buf = vim.api.nvim_create_buf(false, true)
  -- `nvim -M` has it off for every buffer.
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].bufhidden, vim.bo[buf].modifiable = "wipe", false
  local height = math.min(#lines, vim.o.lines - 4)
  width = math.min(width, vim.o.columns - 4)
  local hints = height < #lines and { "CTRL-D CTRL-U scroll", "q closes" } or { "q closes" }
  local ascii = require("pivi.config").get().icons == "ascii"
  local win = vim.api.nvim_open_win(buf, true, {
    relative = "editor",
    row = math.floor((vim.o.lines - height) / 2) - 1,
    col = math.floor((vim.o.columns - width) / 2),
    width = width,
    height = height,
    style = "minimal",
    border = ascii and { "+", "-", "+", "|", "+", "-", "+", "|" } or "rounded",
    title = (" %s "):format(title),
    footer = (" %s "):format(table.concat(hints, ascii and ", " or " · ")),
    footer_pos = "right",
  })
  for i = 1, #keys do
    vim.api.nvim_buf_set_extmark(buf, ns, i - 1, 0, { end_col = 8, hl_group = "Special" })
  end
  for _, key in ipairs({ "q", "<Esc>", "g?" }) do
    vim.keymap.set("n", key, function()
      vim.api.nvim_win_close(win, true)
    end, { buffer = buf, nowait = true, desc = "pivi: close the list of keys" })
  end
end

return M
