---A block's text in pieces that are small enough to be rendered one at a time. Pure.
local fences = require("pivi.fences")

local M = {}

---@class pivi.Piece
---@field first integer index (1-based) into the block's lines
---@field last integer
---@field fence? pivi.Fence the piece is code of this fence; its fence lines lie in the first and the last piece

M.PROSE_LINES, M.CODE_LINES, M.BYTES = 25, 60, 4096

---@param lines string[]
---@param first integer
---@param last integer
---@param into pivi.Piece[]
local function prose(lines, first, last, into)
  local from, size = first, 0
  for i = first, last do
    size = size + #lines[i] + 1
    local following = lines[i + 1]
    -- Between two paragraphs, but not where the next one may belong to a list.
    local apart = lines[i] == "" and following and following:find("^[^%s]")
    if (i - from >= M.PROSE_LINES and apart) or i - from >= 3 * M.PROSE_LINES or size > M.BYTES then
      into[#into + 1] = { first = from, last = i }
      from, size = i + 1, 0
    end
  end
  if from <= last then
    into[#into + 1] = { first = from, last = last }
  end
end

---@param lines string[]
---@param fence pivi.Fence
---@param into pivi.Piece[]
local function code(lines, fence, into)
  local from, size = fence.first, 0
  for i = fence.first, fence.last do
    size = size + #lines[i] + 1
    if i - from >= M.CODE_LINES or size > M.BYTES then
      into[#into + 1] = { first = from, last = i, fence = fence }
      from, size = i + 1, 0
    end
  end
  if from <= fence.last then
    into[#into + 1] = { first = from, last = fence.last, fence = fence }
  end
end

---@param lines string[]
---@param from integer index of the first line that counts
---@return pivi.Piece[] all lines from there on, in order
function M.cut(lines, from)
  local found, done = {}, from - 1
  for _, fence in ipairs(fences.find(lines)) do
    prose(lines, done + 1, fence.first - 1, found)
    code(lines, fence, found)
    done = fence.last
  end
  prose(lines, done + 1, #lines, found)
  return found
end

return M
