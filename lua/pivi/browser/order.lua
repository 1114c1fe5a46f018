---The orders of a list of sessions.
local slices = require("pivi.slices")

local M = {}

---@param row pivi.SessionRow
---@return number
function M.active(row)
  return row.active or row.mtime
end

---What is greater comes first.
---@type table<string, fun(row: pivi.SessionRow): number>
local NUMBERS = {
  recent = M.active,
  created = function(row)
    return row.created or row.mtime
  end,
  size = function(row)
    return row.size
  end,
}

M.NAMES = { "recent", "created", "name", "size", "threads" }

---Stable, and several times as fast as `table.sort`, whose comparisons are never compiled.
---@generic T
---@param list T[]
---@param keys table<T, number|string> the smaller comes first
---@param pause? pivi.Pause
---@return T[]
function M.sort(list, keys, pause)
  pause = pause or slices.none
  local from, to, width, count = list, {}, 1, #list
  while width < count do
    for start = 1, count, 2 * width do
      pause()
      local a, b = start, math.min(start + width, count + 1)
      local a_end, b_end = b, math.min(start + 2 * width, count + 1)
      for i = start, b_end - 1 do
        if a < a_end and (b >= b_end or keys[from[a]] <= keys[from[b]]) then
          to[i], a = from[a], a + 1
        else
          to[i], b = from[b], b + 1
        end
      end
    end
    from, to, width = to, from == list and {} or from, width * 2
  end
  return from
end

---@param rows pivi.SessionRow[]
---@param number fun(row: pivi.SessionRow): number
---@param pause pivi.Pause
---@return pivi.SessionRow[]
local function descending(rows, number, pause)
  local keys = {}
  for _, row in ipairs(rows) do
    pause()
    keys[row] = -number(row)
  end
  return M.sort(rows, keys, pause)
end

---Forks under the session that they came from; a thread's place is that of its newest session.
---@param rows pivi.SessionRow[]
---@param pause pivi.Pause
---@return pivi.SessionRow[]
---@return table<pivi.SessionRow, pivi.SessionRow> above the session that each fork stands under
local function threads(rows, pause)
  local by_path, forks, roots = {}, {}, {}
  for _, row in ipairs(rows) do
    pause()
    by_path[row.path] = row
    by_path[row.id] = by_path[row.id] or row
  end
  local newest_first = descending(rows, M.active, pause)
  for _, row in ipairs(newest_first) do
    pause()
    local parent = row.parent and by_path[row.parent]
    if parent and parent ~= row then
      forks[parent] = forks[parent] or {}
      table.insert(forks[parent], row)
    else
      roots[#roots + 1] = row
    end
  end
  local above, found, seen = {}, {}, {}
  ---@return number newest
  local function walk(root, into)
    local stack, newest = { { root } }, 0
    while #stack > 0 do
      pause()
      local row, parent = unpack(table.remove(stack))
      if not seen[row] then
        seen[row], above[row] = true, parent
        into[#into + 1] = row
        newest = math.max(newest, M.active(row))
        for i = #(forks[row] or {}), 1, -1 do
          stack[#stack + 1] = { forks[row][i], row }
        end
      end
    end
    return newest
  end
  local lists, keys = {}, {}
  for _, root in ipairs(roots) do
    local list = {}
    keys[list] = -walk(root, list)
    lists[#lists + 1] = list
  end
  for _, list in ipairs(M.sort(lists, keys, pause)) do
    pause()
    vim.list_extend(found, list)
  end
  -- Sessions that name each other as parents hang on no root.
  for _, row in ipairs(newest_first) do
    pause()
    if not seen[row] then
      walk(row, found)
    end
  end
  return found, above
end

---@param rows pivi.SessionRow[]
---@param order string one of NAMES
---@param pause? pivi.Pause
---@return pivi.SessionRow[] a new list
---@return table<pivi.SessionRow, pivi.SessionRow>? above the session that each fork stands under, for threads
function M.apply(rows, order, pause)
  pause = pause or slices.none
  rows = vim.list_slice(rows)
  if order == "threads" then
    return threads(rows, pause)
  elseif order ~= "name" then
    return descending(rows, NUMBERS[order], pause)
  end
  local keys = {}
  for _, row in ipairs(rows) do
    -- Sessions with a name of their own come before those known by what was said first.
    pause()
    keys[row] = (row.name and "0" or "1") .. vim.fn.tolower(row.name or row.title)
  end
  return M.sort(descending(rows, M.active, pause), keys, pause)
end

return M
