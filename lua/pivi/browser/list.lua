---What a browser shows: its sessions in order, filtered, grouped by project.
local filter = require("pivi.browser.filter")
local line = require("pivi.browser.line")
local matched = require("pivi.browser.matched")
local order = require("pivi.browser.order")

local M = {}

---@class pivi.Item a line of the list: a session, or the heading of a project
---@field row? pivi.SessionRow
---@field depth? integer
---@field cwd? string
---@field count? integer

---@class pivi.List
---@field items pivi.Item[]
---@field found table<pivi.SessionRow, pivi.Found>
---@field matches integer sessions in it
---@field flat boolean no headings: each line names its project where there are several

---How deep each fork stands among these: under the nearest of the sessions that it came from which is one of them.
---@param rows pivi.SessionRow[] forks behind those sessions
---@param above? table<pivi.SessionRow, pivi.SessionRow>
---@param pause pivi.Pause
---@return table<pivi.SessionRow, integer> depths empty where no threads are shown
local function depths_of(rows, above, pause)
  local depths = {}
  for _, row in ipairs(above and rows or {}) do
    pause()
    local parent = above and above[row]
    while parent and not depths[parent] do
      parent = above and above[parent]
    end
    depths[row] = parent and depths[parent] + 1 or 0
  end
  return depths
end

---@param rows pivi.SessionRow[]
---@param above? table<pivi.SessionRow, pivi.SessionRow>
---@param pause pivi.Pause
---@return pivi.Item[]
local function grouped(rows, above, pause)
  local groups, by_cwd = {}, {}
  for _, row in ipairs(rows) do
    pause()
    local group = by_cwd[row.cwd]
    if not group then
      group = { cwd = row.cwd, rows = {} }
      by_cwd[row.cwd] = group
      groups[#groups + 1] = group
    end
    group.rows[#group.rows + 1] = row
  end
  local items = {}
  for _, group in ipairs(groups) do
    items[#items + 1] = { cwd = group.cwd, count = #group.rows }
    local depths = depths_of(group.rows, above, pause)
    for _, row in ipairs(group.rows) do
      pause()
      items[#items + 1] = { row = row, depth = depths[row] }
    end
  end
  return items
end

---@param b pivi.Browser
---@param pause pivi.Pause
---@return pivi.List
function M.make(b, pause)
  -- Equals stay in the order in which they were first told.
  local by_rank, rows = {}, {}
  -- Rows come in a pause, and must not while the table is gone through.
  for path, row in pairs(b.rows) do
    by_rank[b.ranks[path]] = row
  end
  for rank = 1, b.last_rank do
    pause()
    local row = by_rank[rank]
    if row and (row.name or not b.named) then
      rows[#rows + 1] = row
    end
  end
  local ordered, above = order.apply(rows, b.order, pause)
  local kept, found = filter.apply(ordered, b.query, b.hits, pause, b.scope ~= "directory")
  -- The best match of words comes first, wherever it was said.
  local flat = b.scope == "directory" or b.query.words ~= ""
  if not flat then
    return { items = grouped(kept, above, pause), found = found, matches = #kept, flat = false }
  end
  local items = {}
  local depths = depths_of(kept, b.query.words == "" and above or nil, pause)
  for i, row in ipairs(kept) do
    pause()
    items[i] = { row = row, depth = depths[row] }
  end
  return { items = items, found = found, matches = #kept, flat = true }
end

---@param b pivi.Browser
---@param list pivi.List
---@param width integer
---@param pause pivi.Pause
---@return pivi.Line[]
function M.lines(b, list, width, pause)
  local project = list.flat and b.scope ~= "directory"
  local layout = line.layout(width, b.icons, project)
  -- A line is made again when its session, the window or its age may have changed.
  local key = ("%d %s %s %d"):format(width, b.icons, project, math.floor(layout.now / 60))
  if b.cached ~= key then
    b.cached, b.cache = key, setmetatable({}, { __mode = "k" })
  end
  local made, cache = {}, b.cache
  for i, item in ipairs(list.items) do
    pause()
    local row = item.row
    local found = row and list.found[row]
    if not row then
      local spans = matched.spans(b.query, { parts = { "", "", line.place(item.cwd) } })
      made[i] = line.heading(item.cwd, item.count, width, spans[3], layout.icons.cut)
    elseif item.depth then
      made[i] = line.make(row, layout, item.depth)
    else
      made[i] = cache[row] or line.make(row, layout)
      cache[row] = made[i]
    end
    if found and not matched.within(found, made[i].title[2] - made[i].title[1]) then
      local spans = matched.spans(b.query, found)
      made[i] = line.marks(made[i], spans) and made[i] or line.make(row, layout, item.depth, spans)
    end
  end
  return made
end

return M
