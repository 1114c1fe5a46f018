---What stands at the window's right edge beside a heading gives way to it where both have no room.
local M = {}

---Before 0.11 what stands at the right edge covers a line that is too long for the window.
M.COVERS = vim.fn.has("nvim-0.11") == 0
M.RIGHT = M.COVERS and "right_align" or "eol_right_align"
---Cells between a heading and what is beside it.
local GAP = 2

---The columns of the narrowest window of a buffer, of the screen where none shows it.
---@param buf integer
---@return integer
function M.columns(buf)
  local columns = vim.o.columns
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local info = vim.fn.getwininfo(win)[1]
    columns = math.min(columns, info.width - info.textoff)
  end
  return columns
end

---Where it is shown: `virt_text_pos`.
---@param heading string
---@param text string
---@param columns integer
---@return string
function M.position(heading, text, columns)
  -- What is cut at the window's edge is better than a heading that is covered.
  local fits = not M.COVERS or vim.fn.strdisplaywidth(heading .. text) + GAP <= columns
  return fits and M.RIGHT or "eol"
end

---Words and behind them, maybe, a directory, in so many cells: the directory loses its beginning and then goes, and
---then the last words.
---@param text string
---@param room integer cells
---@return string "" where nothing has room
function M.fitted(text, room)
  local at = (" " .. text):find(" /", 1, true)
  local words = at and text:sub(1, at - 1) or text
  local path = at and vim.fn.fnamemodify(text:sub(at), ":~") or ""
  local ellipsis = require("pivi.config").get().icons == "ascii" and ".../" or "…/"
  local rest = path
  while vim.fn.strdisplaywidth(words .. path) > room do
    rest = rest and rest:match("^[^/]*/(.+)$")
    if rest then
      path = ellipsis .. rest
    else
      path = ""
      words = words:match("^(.*) · ") or words:match("^(.*), ") or ""
      if words == "" then
        break
      end
    end
  end
  return words .. path
end

---The same beside a heading.
---@param heading string
---@param text string
---@param columns integer
---@return string
function M.beside(heading, text, columns)
  return M.fitted(text, columns - vim.fn.strdisplaywidth(heading) - GAP)
end

return M
