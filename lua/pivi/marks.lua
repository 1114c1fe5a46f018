---Highlights and decorations: flat integers from the host become extmarks.
local M = {}

local ns = vim.api.nvim_create_namespace("pivi.marks")

local WHOLE_LINE, AT_END, AT_RIGHT = -1, -2, -3

---@param buf integer
---@param first integer 0-based row
---@param stop integer 0-based row, not included
function M.clear(buf, first, stop)
  vim.api.nvim_buf_clear_namespace(buf, ns, first, stop)
end

---@param c pivi.Conversation
---@param patch pivi.Patch
function M.set(c, patch)
  local set, buf, names, strings, flat =
    vim.api.nvim_buf_set_extmark, c.buf, c.names, patch.strings, patch.marks
  for i = 1, #flat, 5 do
    local row, column, stop = patch.row + flat[i], flat[i + 1], flat[i + 2]
    local name, text = names[flat[i + 3] + 1], strings[flat[i + 4] + 1]
    if stop >= 0 then
      set(buf, ns, row, column, { end_col = stop, hl_group = name })
    elseif stop == WHOLE_LINE then
      set(buf, ns, row, column, { line_hl_group = name })
    elseif stop == AT_END then
      set(
        buf,
        ns,
        row,
        column,
        { virt_text = { { text, name } }, virt_text_pos = "eol", hl_mode = "combine" }
      )
    elseif stop == AT_RIGHT then
      set(
        buf,
        ns,
        row,
        column,
        { virt_text = { { text, name } }, virt_text_pos = "right_align", hl_mode = "combine" }
      )
    end
  end
end

---What decorates a row, and how its text starts.
---@param buf integer
---@param row integer 0-based
---@return [string, string][] chunks decorations
---@return string? group of the text at column 0
function M.on_row(buf, row)
  local chunks, group = {}, nil
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buf, ns, { row, 0 }, { row, -1 }, { details = true })) do
    local details = mark[4]
    if details.virt_text then
      vim.list_extend(chunks, details.virt_text)
    elseif mark[3] == 0 then
      group = details.hl_group or details.line_hl_group or group
    end
  end
  return chunks, group
end

return M
