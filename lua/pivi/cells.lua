---Text by the cells that it takes on the screen.
local M = {}

---@param text string
---@return integer cells
function M.width(text)
  -- Of plain ASCII a byte is a cell.
  return text:find("[^\32-\126]") and vim.fn.strdisplaywidth(text) or #text
end

---A text cut to a width.
---@param text string
---@param cells integer
---@param rest string what stands for what is cut off; not shorter than this
---@return string
---@return integer cells
function M.cut(text, cells, rest)
  -- No screen shows more characters; a text may have any number.
  local start = #text > cells * 8 and vim.fn.strcharpart(text, 0, cells + 1, true) or text
  local wide = M.width(start)
  if wide <= cells and #start == #text then
    return text, wide
  end
  local ending = M.width(rest)
  local room = math.max(0, cells - ending)
  local chars = math.min(vim.fn.strchars(start, true), room)
  repeat
    start = vim.fn.strcharpart(start, 0, chars, true)
    wide = M.width(start)
    chars = chars - 1
  until wide <= room
  return start .. rest, wide + ending
end

return M
