---Where what a filter has found stands: in a session's title, in its first prompt, in its directory.
local cells = require("pivi.cells")

local M = {}

---Bytes that are shown before what was found, where a text does not fit.
local BEFORE = 8

---@alias pivi.Span [integer, integer] 0-based first byte and the one after the last

---@class pivi.Parts what a filter looks into, as it is shown; "" where it is not
---@field [1] string name, else title
---@field [2] string first prompt of a session with a name
---@field [3] string directory

---@class pivi.Found what was found in a session
---@field parts pivi.Parts
---@field chars? integer[] 0-based characters of the parts, joined by one character each

---@param spans pivi.Span[][]
---@param parts pivi.Parts
---@param chars integer[]
local function add_chars(spans, parts, chars)
  local from = 0
  for i, part in ipairs(parts) do
    -- A character with what combines with it counts once, as in `matchfuzzypos()`.
    local plain = not part:find("[\128-\255]")
    local count = plain and #part or vim.fn.strchars(part, true)
    for _, char in ipairs(chars) do
      local at = char - from
      if at >= 0 and at < count then
        local first = plain and at or vim.fn.byteidx(part, at)
        spans[i][#spans[i] + 1] = { first, plain and at + 1 or vim.fn.byteidx(part, at + 1) }
      end
    end
    from = from + count + 1
  end
end

---The spans of each part, in its order.
---@param query pivi.Query
---@param found pivi.Found
---@return pivi.Span[][]
function M.spans(query, found)
  local spans = { {}, {}, {} }
  for i, part in ipairs(found.parts) do
    local lower = #query.phrases > 0 and vim.fn.tolower(part) or part
    -- Where that takes other bytes, places in it are none in the text.
    for _, phrase in ipairs(#lower == #part and query.phrases or {}) do
      local first, last = lower:find(phrase, 1, true)
      if first then
        spans[i][#spans[i] + 1] = { first - 1, last }
      end
    end
    local first, last = nil, nil
    if query.re then
      first, last = query.re:match_str(part)
    end
    if first and last > first then
      spans[i][#spans[i] + 1] = { first, last }
    end
  end
  add_chars(spans, found.parts, found.chars or {})
  for i = 1, 3 do
    if #spans[i] > 1 then
      table.sort(spans[i], function(a, b)
        return a[1] < b[1]
      end)
    end
  end
  return spans
end

---Whether words were found in the beginning of a title and nowhere else: so it is for most sessions, and quickly said.
---@param found pivi.Found
---@param count integer bytes
---@return boolean
function M.within(found, count)
  if not found.chars or found.parts[1]:find("[\128-\255]") then
    return false
  end
  for _, char in ipairs(found.chars) do
    if char >= count then
      return false
    end
  end
  return true
end

---@class pivi.Fitted
---@field text string as wide as its column
---@field shown integer bytes of it that are the text's own
---@field head integer bytes that are its beginning: fewer where a part in the middle is not shown
---@field spans pivi.Span[] what can be seen of them

---A text as wide as its column. One that is too long is cut in its middle where else `target` could not be seen.
---@param text string
---@param width integer cells
---@param cut string what stands for what is not shown
---@param spans? pivi.Span[] of the text
---@param target? pivi.Span
---@return pivi.Fitted
function M.fit(text, width, cut, spans, target)
  local kept, wide = cells.cut(text, width, cut)
  local shown = kept == text and #kept or #kept - #cut
  local head, from = shown, shown
  local start = target and target[2] > shown and cells.cut(text, math.floor(width / 3), cut)
  if start and target and target[1] - BEFORE > #start - #cut then
    head = #start - #cut
    from = target[1] - BEFORE
    from = from + vim.str_utf_start(text, from + 1)
    local joined = start .. text:sub(from + 1)
    kept, wide = cells.cut(joined, width, cut)
    shown = kept == joined and #kept or #kept - #cut
  end
  local seen, moved = {}, head < from and head + #cut - from or 0
  for _, span in ipairs(spans or {}) do
    -- What the gap parts is seen on both its sides.
    if span[1] < head then
      seen[#seen + 1] = { span[1], math.min(span[2], head) }
    end
    local first = math.max(span[1], from) + moved
    if span[2] > from and first < shown then
      seen[#seen + 1] = { first, math.min(span[2] + moved, shown) }
    end
  end
  return { text = kept .. (" "):rep(width - wide), shown = shown, head = head, spans = seen }
end

return M
