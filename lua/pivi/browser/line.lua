---One session as a line of text, its parts at fixed columns, and where its colours are.
local cells = require("pivi.cells")
local matched = require("pivi.browser.matched")
local safe = require("pivi.safe")

local M = {}

M.ICONS = {
  unicode = {
    running = "●",
    elsewhere = "○",
    named = "◆",
    branches = "├",
    fork = "└ ",
    cut = "…",
  },
  ascii = { running = "*", elsewhere = "o", named = "#", branches = "Y", fork = "- ", cut = "~" },
}

---A directory as it is shown.
---@param cwd string
---@return string
function M.place(cwd)
  return vim.fn.fnamemodify(safe.line(cwd), ":~")
end

local UNITS = { { 86400 * 365, "y" }, { 86400 * 30, "mo" }, { 86400, "d" }, { 3600, "h" }, { 60, "m" } }

---@param seconds number
---@return string
function M.age(seconds)
  for _, unit in ipairs(UNITS) do
    if seconds >= unit[1] then
      return ("%d%s"):format(math.floor(seconds / unit[1]), unit[2])
    end
  end
  return "now"
end

---@param bytes number
---@return string
function M.size(bytes)
  for _, unit in ipairs({ { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" } }) do
    if bytes >= unit[1] then
      local number = bytes / unit[1]
      return (number < 10 and "%.1f%s" or "%.0f%s"):format(number, unit[2])
    end
  end
  return ("%dB"):format(bytes)
end

---A text as wide as the column, by display width.
---@param text string
---@param width integer
---@param cut string what stands for the rest
---@return string
function M.fit(text, width, cut)
  local kept, wide = cells.cut(text, width, cut)
  return kept .. (" "):rep(width - wide)
end

---@class pivi.Column
---@field from integer columns of the window that it needs to be shown
---@field width integer
---@field group string
---@field text fun(row: pivi.SessionRow, icons: table<string, string>): string

---What stands right of the title.
---@type pivi.Column[]
local COLUMNS = {
  {
    from = 40,
    width = 4,
    group = "PiviSessionMark",
    text = function(row, icons)
      return (row.branches or 0) > 1 and icons.branches .. row.branches or ""
    end,
  },
  {
    from = 120,
    width = 22,
    group = "PiviSessionMeta",
    text = function(row)
      return row.model and safe.line(row.model):match("[^/]*$") or ""
    end,
  },
  {
    from = 140,
    width = 8,
    group = "PiviSessionMeta",
    text = function(row)
      return (row.cost or 0) >= 0.005 and ("$%.2f"):format(row.cost) or ""
    end,
  },
  {
    from = 100,
    width = 6,
    group = "PiviSessionMeta",
    text = function(row)
      return M.size(row.size)
    end,
  },
  {
    from = 60,
    width = 12,
    group = "PiviSessionMeta",
    text = function(row)
      if not row.messages then
        return ""
      end
      return row.prompts and ("%d/%d msgs"):format(row.prompts, row.messages) or row.messages .. " msgs"
    end,
  },
}

---@class pivi.Layout
---@field title integer width of the title's column
---@field columns pivi.Column[]
---@field icons table<string, string>
---@field now number
---@field project? integer width of a column for the project

---@param width integer of the window's text
---@param icons string
---@param project boolean whether each line names its project
---@return pivi.Layout
function M.layout(width, icons, project)
  local columns, left = {}, width - 10
  for _, column in ipairs(COLUMNS) do
    if width >= column.from then
      columns[#columns + 1] = column
      left = left - column.width - 1
    end
  end
  local place = project and math.floor(left / 3) or nil
  return {
    title = math.max(10, left - (place and place + 1 or 0)),
    columns = columns,
    icons = M.ICONS[icons],
    now = os.time(),
    project = place,
  }
end

---@class pivi.Line
---@field text string
---@field title pivi.Span what is shown of the title
---@field place? pivi.Span what is shown of the directory
---@field spans [integer, integer, string][] first byte, the one after the last, highlight group
---@field marks? pivi.Span[] what a filter has found, in a line that was made for that

---A right-aligned text: its column is never wider than it.
---@param text string
---@param width integer
---@param cut string
---@return string
local function right(text, width, cut)
  local fitted = M.fit(text, width, cut)
  local bare = fitted:gsub("%s+$", "")
  return (" "):rep(#fitted - #bare) .. bare
end

---What was sought, where it can be seen in a line that was made without regard to it.
---@param made pivi.Line
---@param found pivi.Span[][]
---@return pivi.Span[]? marks nil where some of it could be seen only in another line
function M.marks(made, found)
  local marks = {}
  for i, shown in ipairs({ made.title, {}, made.place or {} }) do
    for n, span in ipairs(found[i]) do
      local first, last = span[1] + (shown[1] or 0), span[2] + (shown[1] or 0)
      if last <= (shown[2] or 0) then
        marks[#marks + 1] = { first, last }
      elseif n == 1 and (i == 2 or shown[1]) then
        return nil
      end
    end
  end
  return marks
end

---@param row pivi.SessionRow
---@param layout pivi.Layout
---@param depth? integer of a fork in its thread
---@param found? pivi.Span[][] what was sought, by the parts of the session, to be shown
---@return pivi.Line
function M.make(row, layout, depth, found)
  local icons, parts, at, spans, marks = layout.icons, {}, 0, {}, {}
  local function put(text, group)
    parts[#parts + 1] = text
    if group then
      spans[#spans + 1] = { at, at + #text, group }
    end
    at = at + #text
  end
  ---@return pivi.Span
  local function put_fitted(fitted, group)
    local from = at
    for _, span in ipairs(fitted.spans) do
      marks[#marks + 1] = { from + span[1], from + span[2] }
    end
    put(fitted.text, group)
    return { from, from + fitted.shown }
  end
  local mark = row.running and icons.running or row.elsewhere and icons.elsewhere or " "
  put(mark, "PiviSessionOpen")
  put(row.name and icons.named or " ", "PiviSessionMark")
  put(" ")
  put(right(M.age(layout.now - (row.active or row.mtime)), 5, icons.cut), "PiviSessionAge")
  put("  ")
  local indent = depth and depth > 0 and ("  "):rep(math.min(depth, 8) - 1) .. icons.fork or ""
  local room = math.max(layout.title - vim.fn.strdisplaywidth(indent), 4)
  put(indent, "PiviSessionMeta")
  local title = row.name or row.title
  local empty = title == ""
  local text, sought = empty and safe.line(row.id) or title, found and vim.list_slice(found[1]) or {}
  local target = sought[1]
  if found and found[2][1] then
    -- Behind the name, what the filter has found in the first prompt.
    text = title .. "  " .. row.prompt
    for _, span in ipairs(found[2]) do
      sought[#sought + 1] = { #title + 2 + span[1], #title + 2 + span[2] }
    end
    target = sought[#found[1] + 1]
  end
  local fitted = matched.fit(text, room, icons.cut, sought, target)
  local shown = put_fitted(fitted)
  local name = shown[1] + (#text > #title and not empty and math.min(#title, fitted.head) or #fitted.text)
  spans[#spans + 1] = { shown[1], name, empty and "PiviSessionMeta" or row.name and "PiviSessionName" or nil }
  if name < at then
    spans[#spans + 1] = { name, at, "PiviSessionMeta" }
  end
  local place
  if layout.project then
    put(" ")
    local sights = found and found[3] or {}
    local fitting = matched.fit(M.place(row.cwd), layout.project, icons.cut, sights, sights[1])
    place = put_fitted(fitting, "PiviSessionProject")
  end
  for _, column in ipairs(layout.columns) do
    put(" ")
    put(right(column.text(row, icons), column.width, icons.cut), column.group)
  end
  return {
    text = (table.concat(parts):gsub("%s+$", "")),
    title = shown,
    place = place,
    spans = spans,
    marks = found and marks or nil,
  }
end

---A heading over the sessions of one project.
---@param cwd string
---@param count integer
---@param width integer
---@param found pivi.Span[] what was sought in it
---@param cut string what stands for what is not shown
---@return pivi.Line
function M.heading(cwd, count, width, found, cut)
  local number = (" %d"):format(count)
  local fitted = matched.fit(M.place(cwd), math.max(10, width - #number), cut, found, found[1])
  local path = fitted.text:gsub("%s+$", "")
  return {
    text = path .. number,
    title = { 0, #path },
    spans = { { 0, #path, "PiviSessionProject" }, { #path, #path + #number, "PiviSessionMeta" } },
    marks = fitted.spans,
  }
end

return M
