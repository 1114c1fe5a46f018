---The lines of a diff that were added and taken away, and which of their words differ. Pure.
local M = {}

---More of a line than this changed: telling its words apart helps nobody.
local MOST = 0.7
---Longer lines are not looked into, in bytes.
local LONGEST = 500

local diff = vim.text and vim.text.diff or vim.diff

---A line's words and signs, with where each starts.
---@param line string
---@param from integer
---@return string[] tokens
---@return integer[] starts 0-based bytes, one more than there are tokens
local function tokens(line, from)
  local found, starts = {}, {}
  local at = from
  while at <= #line do
    local stop = select(2, line:find("^[%w_\128-\255]+", at)) or select(2, line:find("^%s+", at)) or at
    found[#found + 1] = line:sub(at, stop)
    starts[#starts + 1] = at - 1
    at = stop + 1
  end
  starts[#starts + 1] = #line
  return found, starts
end

---@param old string
---@param new string
---@param from_old integer 1-based byte where the text begins, behind sign and number
---@param from_new integer
---@return integer[][]? old first and end column of each changed place
---@return integer[][]? new
local function words(old, new, from_old, from_new)
  if #old > LONGEST or #new > LONGEST then
    return nil
  end
  local a, a_starts = tokens(old, from_old)
  local b, b_starts = tokens(new, from_new)
  if #a == 0 or #b == 0 then
    return nil
  end
  local hunks =
    diff(table.concat(a, "\n") .. "\n", table.concat(b, "\n") .. "\n", { result_type = "indices" })
  local gone, come, changed = {}, {}, 0
  for _, hunk in
    ipairs(hunks --[[@as integer[][] ]])
  do
    local a_first, a_count, b_first, b_count = unpack(hunk)
    if a_count > 0 then
      gone[#gone + 1] = { a_starts[a_first], a_starts[a_first + a_count] }
      changed = changed + gone[#gone][2] - gone[#gone][1]
    end
    if b_count > 0 then
      come[#come + 1] = { b_starts[b_first], b_starts[b_first + b_count] }
      changed = changed + come[#come][2] - come[#come][1]
    end
  end
  if changed <= MOST * (#old + #new - from_old - from_new + 2) then
    return gone, come
  end
end

---Where the text of a line of Pi's diffs begins: behind its sign and its line number.
---@param line string
---@return integer
local function start(line)
  return select(2, line:find("^[+-]%s*%d+ ")) and select(2, line:find("^[+-]%s*%d+ ")) + 1 or 2
end

---Whether a line tells which file is changed: two such lines follow each other.
---@param lines string[]
---@param i integer
---@return boolean
local function is_head(lines, i)
  local line, before, following = lines[i], lines[i - 1] or "", lines[i + 1] or ""
  return (vim.startswith(line, "--- ") and vim.startswith(following, "+++ "))
    or (vim.startswith(line, "+++ ") and vim.startswith(before, "--- "))
end

---@param lines string[]
---@param i integer
---@return "+"|"-"|nil
local function sign(lines, i)
  local first = lines[i] and lines[i]:sub(1, 1)
  return (first == "+" or first == "-") and not is_head(lines, i) and first or nil
end

---@param lines string[] of a diff
---@return pivi.Span[]
function M.spans(lines)
  local spans = {}
  for i = 1, #lines do
    local known = sign(lines, i)
    if known then
      local group = known == "+" and "PiviDiffAdd" or "PiviDiffDelete"
      spans[#spans + 1] = { i - 1, 0, i - 1, 0, line = group }
    end
  end
  local i = 1
  while i <= #lines do
    local gone = i
    while sign(lines, i) == "-" do
      i = i + 1
    end
    local come = i
    while i > gone and sign(lines, i) == "+" do
      i = i + 1
    end
    for k = 0, math.min(come - gone, i - come) - 1 do
      local old, new = lines[gone + k], lines[come + k]
      local old_spans, new_spans = words(old, new, start(old), start(new))
      for _, span in ipairs(old_spans or {}) do
        spans[#spans + 1] = { gone + k - 1, span[1], gone + k - 1, span[2], group = "PiviDiffDeleteText" }
      end
      for _, span in ipairs(new_spans or {}) do
        spans[#spans + 1] = { come + k - 1, span[1], come + k - 1, span[2], group = "PiviDiffAddText" }
      end
    end
    i = math.max(i, gone + 1)
  end
  return spans
end

return M
