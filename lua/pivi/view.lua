---What the reader looks at stays where it is while text comes and goes; a reader at the end follows it.
local page = require("pivi.page")

local M = {}

---Where a line is, by the block that it belongs to.
---@class pivi.At
---@field number? integer the block
---@field offset integer rows from that block's first one

---@class pivi.Place: pivi.At of the cursor
---@field win integer
---@field view vim.fn.winsaveview.ret
---@field at_end boolean
---@field above integer screen rows from the window's top to the cursor, 1 for none

---@param c pivi.Conversation
---@param lnum integer
---@return pivi.At
function M.at(c, lnum)
  local number, first = page.at(c, lnum - 1)
  return { number = number, offset = lnum - 1 - (first or 0) }
end

---@param c pivi.Conversation
---@param win integer
---@return pivi.Place
local function place(c, win)
  return vim.api.nvim_win_call(win, function()
    local saved = vim.fn.winsaveview()
    local lines = vim.api.nvim_buf_line_count(c.buf)
    local at = M.at(c, saved.lnum)
    return {
      win = win,
      view = saved,
      above = vim.fn.winline(),
      at_end = saved.lnum >= lines or vim.fn.foldclosedend(saved.lnum) >= lines,
      number = at.number,
      offset = at.offset,
    }
  end)
end

---Where the windows are that a patch may move. Neovim itself keeps those still that show only what lies below lines
---that are put in.
---@param c pivi.Conversation
---@param patch pivi.Patch
---@param selects? integer a window with a selection, which is not to grow: its reader does not follow the end
---@return pivi.Place[]
function M.save(c, patch, selects)
  local places = {}
  for _, win in ipairs(vim.fn.win_findbuf(c.buf)) do
    if patch.old > 0 or vim.fn.line("w0", win) <= patch.row + 1 then
      local here = place(c, win)
      here.at_end = here.at_end and win ~= selects
      places[#places + 1] = here
    end
  end
  return places
end

---The line to show first in the current window so that `lnum` lies `rows` screen rows below the top.
---@param lnum integer
---@param rows integer
---@return integer
local function top_for(lnum, rows)
  local win = vim.api.nvim_get_current_win()
  local top, room = lnum, rows
  while true do
    local folded = vim.fn.foldclosed(top)
    local height = 1
    if folded ~= -1 then
      top = folded
    else
      height = vim.api.nvim_win_text_height(win, { start_row = top - 1, end_row = top - 1 }).all
    end
    room = room - height
    if top == 1 or room < 0 then
      return room < 0 and math.min(top + 1, lnum) or top
    end
    if room == 0 then
      return top
    end
    top = top - 1
  end
end

---Puts the cursor of the current window there, and the window around it.
---@param lnum integer
---@param col integer
---@param above integer screen rows from the window's top to the cursor, 1 for none
function M.go(lnum, col, above)
  local top = top_for(lnum, math.min(above, vim.fn.winheight(0)))
  vim.fn.winrestview({ lnum = lnum, col = col, topline = top, skipcol = 0 })
end

---Where a line is after a patch.
---@param c pivi.Conversation
---@param patch pivi.Patch
---@param lnum integer
---@param at? pivi.At where it was, if its block may have been painted anew
---@return integer
function M.moved(c, patch, lnum, at)
  if lnum > patch.row + patch.old then
    return lnum + patch.new - patch.old
  end
  if lnum <= patch.row then
    return lnum
  end
  local first, last = nil, nil
  if at and at.number then
    first, last = page.rows(c, at.number)
  end
  if at and first then
    return math.min(first + at.offset, last) + 1
  end
  return math.min(lnum, patch.row + math.max(patch.new, 1))
end

---@param c pivi.Conversation
---@param views pivi.Place[] from before the patch
---@param patch pivi.Patch
function M.restore(c, views, patch)
  local total = vim.api.nvim_buf_line_count(c.buf)
  local before = patch.total - patch.new + patch.old
  for _, was in ipairs(views) do
    if vim.api.nvim_win_is_valid(was.win) then
      local saved = was.view
      local lnum = M.moved(c, patch, saved.lnum, was)
      local top = M.moved(c, patch, saved.topline, saved.topline == saved.lnum and was or nil)
      local follows = was.at_end and (patch.fresh or patch.row + patch.old >= before)
      if follows then
        lnum = total
      end
      vim.api.nvim_win_call(was.win, function()
        if follows or (was.at_end and saved.topline <= patch.row + patch.old) then
          top = top_for(lnum, vim.fn.winheight(0))
        elseif top == saved.topline and lnum ~= saved.lnum then
          top = top_for(lnum, was.above)
        end
        saved.lnum, saved.topline = math.min(lnum, total), math.max(1, math.min(top, total))
        vim.fn.winrestview(saved)
      end)
    end
  end
end

---Where Neovim has put the cursor of a window that is new, nil at the start of the buffer: that is nowhere.
---@param c pivi.Conversation
---@param win integer
---@return pivi.Place?
function M.here(c, win)
  local here = c.page.total > 0 and place(c, win) or nil
  return here and here.view.lnum > 1 and here or nil
end

---A window stops showing the buffer: the place is kept, since Neovim does not move it while text comes.
---@param c pivi.Conversation
---@param win integer
function M.leave(c, win)
  if vim.api.nvim_win_get_buf(win) == c.buf and c.windows[win] then
    c.windows[win].place = place(c, win)
  end
end

---Back to the place where the window left the buffer, or to the end where it never was.
---@param c pivi.Conversation
---@param win integer
---@param was? pivi.Place
function M.back(c, win, was)
  local total = vim.api.nvim_buf_line_count(c.buf)
  local lnum, rows = total, vim.fn.winheight(win)
  if was and not was.at_end and was.number then
    local first, last = page.rows(c, was.number)
    if first then
      lnum, rows = math.min(first + was.offset, last) + 1, was.above
    end
  end
  vim.api.nvim_win_call(win, function()
    M.go(lnum, 0, rows)
  end)
end

return M
