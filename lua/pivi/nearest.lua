---The right word nearest to a misspelt one.
local M = {}

---Steps (insert, delete, replace, swap of neighbours) from one word to the other.
---@param a string
---@param b string
---@return integer
local function distance(a, b)
  local rows = { [0] = {} }
  for j = 0, #b do
    rows[0][j] = j
  end
  for i = 1, #a do
    rows[i] = { [0] = i }
    for j = 1, #b do
      local same = a:byte(i) == b:byte(j)
      local best = math.min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (same and 0 or 1))
      if i > 1 and j > 1 and a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j) then
        best = math.min(best, rows[i - 2][j - 2] + 1)
      end
      rows[i][j] = best
    end
  end
  return rows[#a][#b]
end

---@param word string
---@param words string[]
---@return string? nil where none is near
function M.find(word, words)
  local found, steps
  for _, candidate in ipairs(words) do
    local d = distance(word:lower(), candidate:lower())
    if vim.startswith(candidate, word) then
      d = math.min(d, 1)
    end
    if d <= math.max(2, math.floor(#candidate / 3)) and (not steps or d < steps) then
      found, steps = candidate, d
    end
  end
  return found
end

---@param what string e.g. "option"
---@param word string
---@param words string[]
---@return string sentence
function M.unknown(what, word, words)
  local near = M.find(word, words)
  if near then
    return ("unknown %s '%s'; did you mean '%s'?"):format(what, word, near)
  end
  return ("unknown %s '%s'; there are %s"):format(what, word, table.concat(words, ", "))
end

return M
