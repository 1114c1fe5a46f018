---Where each block of a transcript lies: one extmark a block, its id the block's number.
local M = {}

---@class pivi.Block
---@field kind string
---@field fold integer what its own fold is at first

---@class pivi.Page
---@field total integer rows; 0 while the buffer has only Neovim's own empty line
---@field tick integer the buffer's change count after our last write
---@field lost boolean the text is not what the host believes
---@field blocks table<integer, pivi.Block>
---@field groups table<integer, {last: integer, fold: integer}> by the number of the first block
---@field asked? string the first prompt's first words, once somebody wanted them
---@field ends table<integer, table<integer, true>> numbers of the first blocks, by that of the last

---Integers of one block in a patch: rows, number, kind, fold, how many marks.
M.FIELDS = 5

M.NO_FOLD, M.OPEN, M.CLOSED = 0, 1, 2

local ns = vim.api.nvim_create_namespace("pivi.blocks")

---@class pivi.Names what the host's numbers and headings mean
---@field groups [string, string][] highlight groups, and what they are linked to
---@field kinds string[] of blocks
---@field tools table<string, pivi.Tool> those whose calls name a path

---@param c pivi.Conversation
---@param names pivi.Names
function M.know(c, names)
  c.names = require("pivi.highlight").define(names.groups)
  c.kinds, c.tools = names.kinds, names.tools
end

---@param c pivi.Conversation
function M.reset(c)
  c.page = { total = 0, tick = -1, lost = false, blocks = {}, groups = {}, ends = {} }
  if vim.api.nvim_buf_is_valid(c.buf) then
    vim.api.nvim_buf_clear_namespace(c.buf, ns, 0, -1)
  end
end

---@param page pivi.Page
---@param first integer
local function drop_group(page, first)
  local known = page.groups[first]
  if known then
    page.groups[first] = nil
    page.ends[known.last][first] = nil
  end
end

---@param page pivi.Page
---@param first integer
---@param last integer
---@param fold integer
local function add_group(page, first, last, fold)
  drop_group(page, first)
  page.groups[first] = { last = last, fold = fold }
  page.ends[last] = page.ends[last] or {}
  page.ends[last][first] = true
end

---Neovim copies the options; a new table for each block costs more than the mark.
local extent = { id = 0, end_row = 0, end_col = 0 }

---Remembers the blocks of a patch whose rows have just been written.
---@param c pivi.Conversation
---@param patch pivi.Patch
function M.take(c, patch)
  local buf, blocks = c.buf, c.page.blocks
  for _, number in ipairs(patch.gone) do
    blocks[number] = nil
    drop_group(c.page, number)
    vim.api.nvim_buf_del_extmark(buf, ns, number + 1)
  end
  local set = vim.api.nvim_buf_set_extmark
  local flat = patch.blocks
  local first = patch.row
  for i = 1, #flat, M.FIELDS do
    local rows, number = flat[i], flat[i + 1]
    -- Neovim's own ids start at 1.
    extent.id, extent.end_row = number + 1, first + rows - 1
    set(buf, ns, first, 0, extent)
    blocks[number] = { kind = c.kinds[flat[i + 2] + 1] or "", fold = flat[i + 3] }
    first = first + rows
  end
  for i = 1, #patch.groups, 3 do
    add_group(c.page, patch.groups[i], patch.groups[i + 1], patch.groups[i + 2])
  end
  c.page.total = patch.total
end

---@param c pivi.Conversation
---@param number integer
---@return integer? first 0-based row, the empty one
---@return integer? last 0-based row
function M.rows(c, number)
  local mark = vim.api.nvim_buf_get_extmark_by_id(c.buf, ns, number + 1, { details = true })
  if mark[1] then
    return mark[1], mark[3].end_row
  end
end

---Blocks whose first row lies in the rows given, in order.
---@param c pivi.Conversation
---@param first integer 0-based
---@param last integer 0-based, inclusive
---@param limit? integer
---@return {number: integer, first: integer, last: integer}[]
function M.within(c, first, last, limit)
  local found = {}
  if last < first then
    return found
  end
  local marks = vim.api.nvim_buf_get_extmarks(
    c.buf,
    ns,
    { first, 0 },
    { last, 0 },
    { details = true, limit = limit }
  )
  for i, mark in ipairs(marks) do
    found[i] = { number = mark[1] - 1, first = mark[2], last = mark[4].end_row }
  end
  return found
end

---The same where many are wanted: where each ends is taken from the next one, which costs a fifth.
---@param c pivi.Conversation
---@param first integer 0-based
---@param last integer 0-based, inclusive
---@return {number: integer, first: integer, last: integer}[]
function M.many_within(c, first, last)
  local found = {}
  for i, mark in ipairs(vim.api.nvim_buf_get_extmarks(c.buf, ns, { first, 0 }, { last, 0 }, {})) do
    found[i] = { number = mark[1] - 1, first = mark[2], last = mark[2] }
    if i > 1 then
      found[i - 1].last = mark[2] - 1
    end
  end
  local final = found[#found]
  if final then
    final.last = select(2, M.rows(c, final.number))
  end
  return found
end

---All blocks of these kinds, in order.
---@param c pivi.Conversation
---@param kinds table<string, true>
---@return {number: integer, first: integer, kind: string}[]
function M.of_kinds(c, kinds)
  local found, blocks = {}, c.page.blocks
  -- Where they end is not asked for: a table for each of many thousand marks costs more than all the rest.
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(c.buf, ns, 0, -1, {})) do
    local block = blocks[mark[1] - 1]
    if block and kinds[block.kind] then
      found[#found + 1] = { number = mark[1] - 1, first = mark[2], kind = block.kind }
    end
  end
  return found
end

---The blocks that a patch has just brought, as `within` would find them.
---@param patch pivi.Patch
---@return {number: integer, first: integer, last: integer}[]
function M.of_patch(patch)
  local found, flat, first = {}, patch.blocks, patch.row
  for i = 1, #flat, M.FIELDS do
    local rows = flat[i]
    found[#found + 1] = { number = flat[i + 1], first = first, last = first + rows - 1 }
    first = first + rows
  end
  return found
end

---How many rows of a block that is painted again stay as they are from its first one on: what streams in changes its
---end. Where the block has a fold of its own, that is made anew with all of them.
---@param c pivi.Conversation
---@param patch pivi.Patch
---@return integer rows less than it had and than it gets
function M.unchanged(c, patch)
  local number = patch.blocks[2]
  local known = #patch.blocks == M.FIELDS and patch.old > 0 and c.page.blocks[number]
  local first, last = nil, nil
  if known and known.fold == M.NO_FOLD then
    first, last = M.rows(c, number)
  end
  local count, most = 0, math.min(patch.old, #patch.lines) - 1
  if first == patch.row and last == patch.row + patch.old - 1 then
    local lines = vim.api.nvim_buf_get_lines(c.buf, patch.row, patch.row + most, false)
    while count < most and lines[count + 1] == patch.lines[count + 1] do
      count = count + 1
    end
  end
  -- Folds of the reader's own go with text that is another one.
  return 2 * count >= patch.old and count or 0
end

---The block that a row belongs to.
---@param c pivi.Conversation
---@param row integer 0-based
---@return integer? number
---@return integer? first
function M.at(c, row)
  -- A search backwards gathers every mark up to the start of the buffer, whatever its limit.
  local span = 64
  repeat
    local from = math.max(0, row - span)
    local marks = vim.api.nvim_buf_get_extmarks(c.buf, ns, { from, 0 }, { row, 0 }, {})
    local mark = marks[#marks]
    if mark then
      return mark[1] - 1, mark[2]
    end
    span = span * 8
  until from == 0
end

---Rows that are looked through at once on the way up.
local SPAN = 512

---The nearest block of one of these kinds before or after a row.
---@param c pivi.Conversation
---@param row integer 0-based; a block that starts there does not count
---@param kinds table<string, true>
---@param step 1|-1
---@return integer? first 0-based row of that block
function M.next(c, row, kinds, step)
  local get, blocks = vim.api.nvim_buf_get_extmarks, c.page.blocks
  local from, last = row + step, c.page.total - 1
  while from >= 0 and from <= last do
    local stop = math.max(0, math.min(last, from + step * SPAN))
    local found = get(c.buf, ns, { math.min(from, stop), 0 }, { math.max(from, stop), -1 }, {})
    for i = step > 0 and 1 or #found, step > 0 and #found or 1, step do
      local block = blocks[found[i][1] - 1]
      if block and kinds[block.kind] then
        return found[i][2]
      end
    end
    from = stop + step
  end
end

return M
