---Fenced code in lines of Markdown, as the Markdown standard has it, also within quotes and items of lists. Pure.
local M = {}

---@class pivi.Fence
---@field first integer index (1-based) of the line that opens it
---@field last integer index of the line that closes it, or of the last line where none does
---@field closed boolean
---@field info string what stands behind the opening fence
---@field before (">"|integer)[] what it lies in on its first line: a quote, or an item whose text is so many bytes in
---@field indent integer blanks before the opening fence

---@class pivi.Opening
---@field before (">"|integer)[]
---@field blanks string
---@field mark string
---@field info string

---@param line string
---@return boolean
local function may_open(line)
  return line:find("```", 1, true) ~= nil or line:find("~~~", 1, true) ~= nil
end

---@param line string
---@return pivi.Opening?
local function opening(line)
  local before, at = {}, 1
  while true do
    local text = line:match("^ *> ?()", at)
    local item = not text and (line:match("^ *[-*+] +()", at) or line:match("^ *%d+[.)] +()", at))
    if not text and not item then
      break
    end
    before[#before + 1] = text and ">" or item - at
    at = text or item
  end
  local blanks, mark, info = line:match("^( *)(```+)%s*(.-)%s*$", at)
  if not mark then
    blanks, mark, info = line:match("^( *)(~~~+)%s*(.-)%s*$", at)
  elseif info:find("`", 1, true) then
    return nil
  end
  return mark and { before = before, blanks = blanks, mark = mark, info = info } or nil
end

---Where the text of a line begins within what a fence lies in.
---@param line string
---@param before (">"|integer)[]
---@return integer? byte 1-based; nil where the line lies in it no more
local function within(line, before)
  local at = 1
  for _, one in ipairs(before) do
    if one == ">" then
      local text = line:match("^ *> ?()", at)
      if not text then
        return nil
      end
      at = text
    else
      local blanks = #line:match("^ *", at)
      if blanks < one and line:find("%S", at) then
        return nil
      end
      at = at + math.min(blanks, one)
    end
  end
  return at
end

---@param lines string[]
---@return pivi.Fence[]
function M.find(lines)
  local found = {}
  local open, mark
  for i, line in ipairs(lines) do
    local closes = false
    if open then
      local at = within(line, open.before)
      if not at then
        open.last, open = i - 1, nil
      else
        local fence, rest = line:match("^ *([`~]+)(.*)$", at)
        if fence and fence:sub(1, 1) == mark:sub(1, 1) and #fence >= #mark and not rest:find("%S") then
          open.last, open.closed = i, true
          open, closes = nil, true
        end
      end
    end
    if not open and not closes and may_open(line) then
      local known = opening(line)
      if known then
        open = {
          first = i,
          last = #lines,
          closed = false,
          info = known.info,
          before = known.before,
          indent = #known.blanks,
        }
        mark = known.mark
        found[#found + 1] = open
      end
    end
  end
  return found
end

---How much of a line of a fence is not code: what it lies in, and its own indentation.
---@param line string
---@param fence pivi.Fence
---@return integer bytes
function M.before(line, fence)
  local at = within(line, fence.before) or 1
  return at - 1 + math.min(#line:match("^ *", at), fence.indent)
end

---The lines of code within a fence, without what the fence lies in and its own indentation.
---@param lines string[]
---@param fence pivi.Fence
---@return string[]
function M.code(lines, fence)
  local code = {}
  for i = fence.first + 1, fence.closed and fence.last - 1 or fence.last do
    code[#code + 1] = lines[i]:sub(M.before(lines[i], fence) + 1)
  end
  return code
end

return M
