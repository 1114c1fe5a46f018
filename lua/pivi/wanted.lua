---The folds that a page should have: as they were told, and then as the reader wanted them.
local page = require("pivi.page")

local M = {}

---What the reader made of a fold, where it differs from how it was told.
---@type table<integer, table<integer, boolean>>
local reader = {}

---@param c pivi.Conversation
---@return table<integer, boolean>
local function wishes(c)
  reader[c.buf] = reader[c.buf] or {}
  return reader[c.buf]
end

---@param first integer number of a group's first block
---@return integer
function M.group_key(first)
  return -1 - first
end

---@param c pivi.Conversation
---@param key integer
---@param first integer 1-based line
---@param last integer 1-based line
---@param fold integer as told
---@return pivi.Fold
local function wanted(c, key, first, last, fold)
  local wish = wishes(c)[key]
  local open = fold == page.OPEN
  if wish ~= nil then
    open = wish
  end
  return { key = key, first = first, last = last, open = open, wished = wish ~= nil }
end

---@param c pivi.Conversation
---@param block {number: integer, first: integer, last: integer}
---@return pivi.Fold?
function M.of_block(c, block)
  local known = c.page.blocks[block.number]
  if known and known.fold ~= page.NO_FOLD and block.last > block.first then
    return wanted(c, block.number, block.first + 2, block.last + 1, known.fold)
  end
end

---@param c pivi.Conversation
---@param first integer number of a block
---@return pivi.Fold?
function M.of_group(c, first)
  local group = c.page.groups[first]
  if not group then
    return nil
  end
  local top = page.rows(c, first)
  local _, bottom = page.rows(c, group.last)
  if top and bottom and bottom > top and group.fold ~= page.NO_FOLD then
    return wanted(c, M.group_key(first), top + 2, bottom + 1, group.fold)
  end
end

---Inner groups come first: those that start later, and of two that start together the shorter one.
---@param list pivi.Fold[]
function M.sort(list)
  table.sort(list, function(a, b)
    return a.first == b.first and a.last < b.last or a.first > b.first
  end)
end

---What the reader did to a fold of the current window, where that can be seen.
---@param c pivi.Conversation
---@param fold pivi.Fold
---@param told integer
---@param exact boolean what is as it was told is what the reader wants, too
function M.observe(c, fold, told, exact)
  local top = vim.fn.foldclosed(fold.first)
  local open
  if top == -1 then
    open = true
  elseif top == fold.first and vim.fn.foldclosedend(fold.first) == fold.last then
    open = false
  else
    return
  end
  if exact or open ~= (told == page.OPEN) then
    wishes(c)[fold.key] = open
  else
    wishes(c)[fold.key] = nil
  end
end

---@param c pivi.Conversation
---@param number integer
function M.forget_block(c, number)
  wishes(c)[number] = nil
  wishes(c)[M.group_key(number)] = nil
end

---@param c pivi.Conversation
function M.forget(c)
  reader[c.buf] = nil
end

return M
