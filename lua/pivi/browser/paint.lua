---The list on the screen: only what differs is written, and each window's selection stays on its session.
local line = require("pivi.browser.line")
local list = require("pivi.browser.list")
local matched = require("pivi.browser.matched")
local safe = require("pivi.safe")
local slices = require("pivi.slices")

local M = {}

local ns = vim.api.nvim_create_namespace("pivi.browser")
---@type table<integer, pivi.Browser>
local by_buf = {}

---@param b pivi.Browser
---@return integer
local function width(b)
  local widest
  for _, win in ipairs(vim.fn.win_findbuf(b.buf)) do
    local info = vim.fn.getwininfo(win)[1]
    local room = info.width - info.textoff
    widest = math.min(widest or room, room)
  end
  return widest or vim.o.columns
end

---@class pivi.RowSelection
---@field win integer
---@field path? string
---@field lnum integer
---@field below integer lines from the window's first one

---@param b pivi.Browser
---@return pivi.RowSelection[]
local function selections(b)
  local found = {}
  for _, win in ipairs(vim.fn.win_findbuf(b.buf)) do
    local lnum = vim.api.nvim_win_get_cursor(win)[1]
    local item = b.list.items[lnum]
    -- A session that a filter hides is gone back to when it is shown again.
    local path = b.wanted or (item and item.row and item.row.path)
    found[#found + 1] = { win = win, path = path, lnum = lnum, below = lnum - vim.fn.line("w0", win) }
  end
  return found
end

---The first line of a list that holds a session.
---@param items pivi.Item[]
---@return integer
local function first_row(items)
  return items[1] and not items[1].row and #items > 1 and 2 or 1
end

---The first line of a window such that there is no room left below the list's last one.
---@param win integer
---@param top integer that is wished for
---@param count integer lines of the list
---@return integer
local function filled(win, top, count)
  return math.max(1, math.min(top, count - vim.fn.getwininfo(win)[1].height + 1))
end

---@param b pivi.Browser
---@param was pivi.RowSelection
local function select(b, was)
  local items, lnum = b.list.items, nil
  for i, item in ipairs(items) do
    if was.path and item.row and item.row.path == was.path then
      lnum = i
      break
    end
  end
  b.moved = b.moved or (lnum ~= nil and b.wanted ~= nil)
  b.wanted = not lnum and was.path or nil
  lnum = lnum or (b.fresh and first_row(items)) or math.max(1, math.min(was.lnum, #items))
  b.placed = lnum
  vim.api.nvim_win_call(was.win, function()
    -- The heading over the first session is seen with it.
    local top = lnum <= first_row(items) and 1 or lnum - was.below
    vim.fn.winrestview({ lnum = lnum, col = 0, topline = filled(was.win, top, #items) })
  end)
end

---@param buf integer
---@param lines string[]
local function write(buf, lines)
  local old = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  local first, tail = 1, 0
  while first <= #lines and first <= #old and lines[first] == old[first] do
    first = first + 1
  end
  while tail < #lines - first + 1 and tail < #old - first + 1 and lines[#lines - tail] == old[#old - tail] do
    tail = tail + 1
  end
  if first > #lines - tail and first > #old - tail then
    return
  end
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, first - 1, #old - tail, false, vim.list_slice(lines, first, #lines - tail))
  vim.bo[buf].modifiable = false
  vim.bo[buf].modified = false
end

---@param b pivi.Browser
---@return string[]
local function message(b)
  if b.look then
    return { "" }
  elseif b.progress.problem then
    return { safe.line(b.progress.problem) }
  elseif next(b.rows) then
    return { "No session matches." }
  end
  return { "No sessions here; :Pi new starts one." }
end

---@class pivi.Painting: pivi.Slices
---@field top? boolean
---@field again? boolean more has come meanwhile

---@class pivi.Made
---@field list pivi.List
---@field lines pivi.Line[]
---@field texts string[]

---@param b pivi.Browser
---@param made pivi.Made
---@param top boolean
---@param final boolean all that was read is in it
local function put(b, made, top, final)
  if not vim.api.nvim_buf_is_loaded(b.buf) then
    return
  end
  by_buf[b.buf] = b
  local places, texts = selections(b), made.texts
  b.list, b.lines = made.list, made.lines
  write(b.buf, #texts > 0 and texts or message(b))
  for _, place in ipairs(places) do
    -- Which session came first means nothing to a reader who has not moved yet.
    if top or not (b.moved or b.wanted) then
      place.path, place.lnum, place.below = nil, first_row(b.list.items), 0
    end
    select(b, place)
  end
  b.fresh = b.fresh and #b.list.items == 0
  b.moved = b.moved or final
  vim.cmd.redrawstatus({ bang = true })
  require("pivi.browser.preview").follow(b)
end

---Paints the list as it is now. Of many sessions that takes some slices; what was begun before is given up.
---@param b pivi.Browser
---@param top? boolean the first session is to be selected
function M.paint(b, top)
  if b.painting then
    top = top or b.painting.top
    b.painting.cancel()
    b.painting = nil
  end
  local over, final, from = false, not b.look, vim.uv.hrtime()
  local painting = slices.run("sessions", function(pause)
    local made = list.make(b, pause)
    local lines, texts = list.lines(b, made, width(b), pause), {}
    for i, one in ipairs(lines) do
      texts[i] = one.text
    end
    return { list = made, lines = lines, texts = texts }
  end, function(made)
    over = true
    b.took = math.floor((vim.uv.hrtime() - from) / 1e6)
    local again = b.painting and b.painting.again
    b.painting = nil
    put(b, made, top or false, final)
    if again then
      M.paint(b)
    end
  end)
  if not over then
    painting.top = top
    b.painting = painting
  end
end

---Paints what has come meanwhile: after what is being painted, where there is such.
---@param b pivi.Browser
function M.renew(b)
  if b.painting then
    b.painting.again = true
  else
    M.paint(b)
  end
end

---What is on the screen is what was asked for last.
---@param b pivi.Browser
function M.finish(b)
  while b.painting do
    b.painting.finish()
  end
end

---@param b pivi.Browser
---@param win? integer
---@return pivi.SessionRow? row a copy: what happens meanwhile does not change it
function M.row_at(b, win)
  local item = b.list.items[vim.api.nvim_win_get_cursor(win or 0)[1]]
  return item and item.row and vim.deepcopy(item.row)
end

---@param b pivi.Browser
---@param first integer 1-based
---@param last integer
---@return pivi.SessionRow[] copies
function M.rows_in(b, first, last)
  local found = {}
  for lnum = math.min(first, last), math.max(first, last) do
    local item = b.list.items[lnum]
    if item and item.row then
      found[#found + 1] = vim.deepcopy(item.row)
    end
  end
  return found
end

---@param buf integer
---@param row integer 0-based
local function colour(buf, row)
  local b = by_buf[buf]
  local made, item = b.lines[row + 1], b.list.items[row + 1]
  if not made then
    return
  end
  local limit = #made.text
  local function mark(first, last, group, priority)
    if group and first < math.min(last, limit) then
      vim.api.nvim_buf_set_extmark(buf, ns, row, first, {
        end_col = math.min(last, limit),
        hl_group = group,
        ephemeral = true,
        priority = priority,
      })
    end
  end
  for _, span in ipairs(made.spans) do
    mark(span[1], span[2], span[3], 100)
  end
  local found = item and item.row and b.list.found[item.row]
  local marks = made.marks or (found and line.marks(made, matched.spans(b.query, found)))
  for _, span in ipairs(marks or {}) do
    mark(span[1], span[2], "PiviSessionMatch", 110)
  end
end

-- Only lines that are drawn cost anything, however many there are.
vim.api.nvim_set_decoration_provider(ns, {
  on_win = function(_, _, buf)
    return by_buf[buf] ~= nil
  end,
  on_line = function(_, _, buf, row)
    colour(buf, row)
  end,
})

---@param b pivi.Browser
function M.forget(b)
  if b.painting then
    b.painting.cancel()
    b.painting = nil
  end
  by_buf[b.buf] = nil
end

return M
