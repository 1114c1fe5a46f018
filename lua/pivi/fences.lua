---Fenced code in lines of Markdown, as the Markdown standard has it. Pure.
local M = {}

---@class pivi.Fence
---@field first integer index (1-based) of the line that opens it
---@field last integer index of the line that closes it, or of the last line where none does
---@field closed boolean
---@field info string what stands behind the opening fence
---@field indent integer blanks before the opening fence

---@param line string
---@return string? blanks
---@return string? fence
---@return string? info
local function opening(line)
  local blanks, fence, info = line:match("^( *)(```+)%s*(.-)%s*$")
  if not fence then
    blanks, fence, info = line:match("^( *)(~~~+)%s*(.-)%s*$")
  elseif info:find("`", 1, true) then
    return nil
  end
  return blanks, fence, info
end

---@param lines string[]
---@return pivi.Fence[]
function M.find(lines)
  local found = {}
  local open, mark
  for i, line in ipairs(lines) do
    if open then
      local fence, rest = line:match("^ *([`~]+)(.*)$")
      if fence and fence:sub(1, 1) == mark:sub(1, 1) and #fence >= #mark and not rest:find("%S") then
        open.last, open.closed = i, true
        open = nil
      end
    else
      local blanks, fence, info = opening(line)
      if fence then
        open = { first = i, last = #lines, closed = false, info = info, indent = #blanks }
        mark = fence
        found[#found + 1] = open
      end
    end
  end
  return found
end

---The lines of code within a fence, without the fence's own indentation.
---@param lines string[]
---@param fence pivi.Fence
---@return string[]
function M.code(lines, fence)
  local code = {}
  for i = fence.first + 1, fence.closed and fence.last - 1 or fence.last do
    local blanks = math.min(#lines[i]:match("^ *"), fence.indent)
    code[#code + 1] = lines[i]:sub(blanks + 1)
  end
  return code
end

return M
