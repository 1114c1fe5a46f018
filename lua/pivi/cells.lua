---Text by the cells that it takes on the screen.
local M = {}

---@param text string
---@return integer cells
function M.width(text)
  -- Of plain ASCII a byte is a cell.
  return text:find("[^\32-\126]") and vim.fn.strdisplaywidth(text) or #text
end

---@return string
function M.ellipsis()
  return require("pivi.config").get().icons == "ascii" and "..." or "…"
end

---A text cut to a width.
---@param text string
---@param cells integer
---@param rest? string what stands for what is cut off, an ellipsis by default; not shorter than this
---@return string
---@return integer cells
function M.cut(text, cells, rest)
  rest = rest or M.ellipsis()
  -- No screen shows more characters; a text may have any number.
  local start = #text > cells * 8 and vim.fn.strcharpart(text, 0, cells + 1, true) or text
  local wide = M.width(start)
  if wide <= cells and #start == #text then
    return text, wide
  end
  local ending = M.width(rest)
  local room = math.max(0, cells - ending)
  -- What is seen as one character is never parted: the third argument counts those.
  local kept, chars = 0, math.min(vim.fn.strchars(start, true), room + 1)
  while kept < chars do
    local half = math.ceil((kept + chars) / 2)
    if M.width(vim.fn.strcharpart(start, 0, half, true)) <= room then
      kept = half
    else
      chars = half - 1
    end
  end
  start = vim.fn.strcharpart(start, 0, kept, true)
  return start .. rest, M.width(start) + ending
end

return M
