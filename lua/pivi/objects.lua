---Text objects: the message, the tool's output, the code block around the cursor. Rows are 0-based, both included.
local conversations = require("pivi.conversations")
local fences = require("pivi.fences")
local page = require("pivi.page")

local M = {}

---Kinds of blocks that begin with a heading of their own.
local HEADED = {
  prompt = true,
  reply = true,
  thinking = true,
  summary = true,
  custom = true,
  system = true,
  shell = true,
  tool_call = true,
  result = true,
}
local TOOLS = { tool_call = true, result = true, shell = true }

---@class pivi.Around
---@field kind string
---@field number integer
---@field first integer the block's own first row, below the empty one
---@field last integer
---@field lines string[] from `first` to `last`

---@param c pivi.Conversation
---@param row integer
---@return pivi.Around?
function M.around(c, row)
  local number, first = page.at(c, row)
  local block = number and page.within(c, first, first, 1)[1]
  local known = number and c.page.blocks[number]
  if not block or not known or known.kind == "title" then
    return nil
  end
  local top = math.min(block.first + 1, block.last)
  return {
    kind = known.kind,
    number = number,
    first = top,
    last = block.last,
    lines = vim.api.nvim_buf_get_lines(c.buf, top, block.last + 1, false),
  }
end

---Rows without the blank ones at both ends.
---@param buf integer
---@param first integer
---@param last integer
---@return integer? first
---@return integer? last
local function trimmed(buf, first, last)
  local lines = vim.api.nvim_buf_get_lines(buf, first, last + 1, false)
  while #lines > 0 and not lines[#lines]:find("%S") do
    lines[#lines] = nil
  end
  local top = 1
  while top <= #lines and not lines[top]:find("%S") do
    top = top + 1
  end
  if top <= #lines then
    return first + top - 1, first + #lines - 1
  end
end

---A section from its heading to the row before the next one.
---@param c pivi.Conversation
---@param block pivi.Around
---@return integer last
local function section_end(c, block)
  local target = require("pivi.motions").TARGETS.section(c, block.first, 1)
  return target and target - 2 or c.page.total - 1
end

---What was said: of a reply's heading all of the section, else the block at the cursor.
---@param c pivi.Conversation
---@param row integer
---@param inner boolean without the heading
---@return integer? first
---@return integer? last
function M.message(c, row, inner)
  local block = M.around(c, row)
  if not block then
    return nil
  end
  local last = block.kind == "reply" and section_end(c, block) or block.last
  local heading = inner and HEADED[block.kind]
  return trimmed(c.buf, block.first + (heading and 1 or 0), last)
end

---The fence at a row of a block; on none, the block's last one where `any`.
---@param block pivi.Around
---@param row integer
---@param any? boolean
---@return pivi.Fence?
local function fence_at(block, row, any)
  local found = fences.find(block.lines)
  for _, fence in ipairs(found) do
    if row >= block.first + fence.first - 1 and row <= block.first + fence.last - 1 then
      return fence
    end
  end
  return any and found[#found] or nil
end

---@param block pivi.Around
---@param fence pivi.Fence
---@param inner boolean
---@return integer? first
---@return integer? last
local function rows_of(block, fence, inner)
  local first, last = block.first + fence.first - 1, block.first + fence.last - 1
  if inner then
    first, last = first + 1, fence.closed and last - 1 or last
  end
  if first <= last then
    return first, last
  end
end

---@param c pivi.Conversation
---@param row integer
---@param inner boolean without the fences
---@return integer? first
---@return integer? last
function M.code(c, row, inner)
  local block = M.around(c, row)
  local fence = block and fence_at(block, row)
  if block and fence then
    return rows_of(block, fence, inner)
  end
end

---A tool's call with all that belongs to it; within it the output: the fence at the cursor, or its last one.
---@param c pivi.Conversation
---@param row integer
---@param inner boolean
---@return integer? first
---@return integer? last
function M.output(c, row, inner)
  local block = M.around(c, row)
  if not block or not TOOLS[block.kind] then
    return nil
  end
  if not inner then
    return trimmed(c.buf, block.first, block.last)
  end
  local fence = fence_at(block, row, true)
  if fence then
    return rows_of(block, fence, true)
  end
end

---@param name "message"|"code"|"output"
---@param inner boolean
---@return integer? first
---@return integer? last
function M.find(name, inner)
  local c = conversations.by_buf(0)
  if c then
    return M[name](c, vim.api.nvim_win_get_cursor(0)[1] - 1, inner)
  end
end

---Selects an object. Folds that hide it open: an operator would take a closed one as a whole.
---@param name "message"|"code"|"output"
---@param inner boolean
function M.select(name, inner)
  local first, last = M.find(name, inner)
  if not first or not last then
    return
  end
  if vim.fn.mode():find("^[vV\22]") then
    vim.cmd("normal! \27")
  end
  vim.api.nvim_win_set_cursor(0, { first + 1, 0 })
  vim.cmd("normal! zvV")
  vim.api.nvim_win_set_cursor(0, { last + 1, 0 })
  vim.cmd("normal! zv")
end

return M
