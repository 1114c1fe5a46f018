---What is typed to find sessions: `words` (fuzzy), `"a phrase"`, `re:pattern`, `text:what was said`.
local line = require("pivi.browser.line")
local order = require("pivi.browser.order")
local slices = require("pivi.slices")

local M = {}

---Texts that are matched by one call.
local CHUNK = 400

---@class pivi.Query
---@field words string fuzzy
---@field phrases string[] lower case
---@field re? vim.regex
---@field text? string full text, searched for by the host
---@field problem? string

---@param text string
---@return pivi.Query
function M.parse(text)
  local query = { words = "", phrases = {} }
  -- No title has a NUL, and Vim's functions take no string that does.
  local rest = vim.trim((text:gsub("%z", "")))
  if rest:match("^text:") then
    local sought = vim.trim(rest:sub(6))
    query.text = sought ~= "" and sought or nil
    return query
  elseif rest:match("^re:") then
    local pattern = rest:sub(4)
    if pattern ~= "" then
      local case = pattern:find("%u") and "\\C" or "\\c"
      local ok, made = pcall(vim.regex, case .. "\\v" .. pattern)
      query.re = ok and made or nil
      query.problem = not ok and "not a pattern yet" or nil
    end
    return query
  end
  -- A phrase whose end is not typed yet is one already.
  rest = rest:gsub('"([^"]*)"?', function(phrase)
    if phrase ~= "" then
      query.phrases[#query.phrases + 1] = vim.fn.tolower(phrase)
    end
    return " "
  end)
  query.words = vim.trim(rest):gsub("%s+", " ")
  return query
end

---@param query pivi.Query
---@return boolean
function M.is_empty(query)
  return query.words == "" and #query.phrases == 0 and not query.re and not query.text
end

---The title that is shown comes first, then what else a session is known by.
---@param row pivi.SessionRow
---@param places? table<string, string> directories as they are shown; nil where all have the same
---@return pivi.Parts
local function parts_of(row, places)
  if places and not places[row.cwd] then
    places[row.cwd] = line.place(row.cwd)
  end
  return { row.name or row.title, row.name and row.prompt or "", places and places[row.cwd] or "" }
end

---@param parts pivi.Parts
---@param query pivi.Query
---@return boolean
local function has_pattern(parts, query)
  return (query.re:match_str(parts[1]) or query.re:match_str(parts[2]) or query.re:match_str(parts[3])) ~= nil
end

---@param text string
---@param phrases string[]
---@return boolean
local function has_phrases(text, phrases)
  local lower = #phrases > 0 and vim.fn.tolower(text) or text
  for _, phrase in ipairs(phrases) do
    if not lower:find(phrase, 1, true) then
      return false
    end
  end
  return true
end

---@param rows pivi.SessionRow[]
---@param query pivi.Query
---@param hits? table<string, pivi.Hit> sessions in which the text was found, by path
---@param pause? pivi.Pause
---@param placed? boolean their directories are looked into too
---@return pivi.SessionRow[] kept in their order, the best first for words
---@return table<pivi.SessionRow, pivi.Found> found
function M.apply(rows, query, hits, pause, placed)
  pause = pause or slices.none
  if M.is_empty(query) then
    return rows, {}
  end
  local kept, found, texts, row_of, places = {}, {}, {}, {}, placed and {} or nil
  for _, row in ipairs(rows) do
    pause()
    if query.text then
      if hits and hits[row.path] then
        kept[#kept + 1] = row
      end
    else
      local parts = parts_of(row, places)
      local text = table.concat(parts, "\t")
      if (query.re and has_pattern(parts, query)) or (not query.re and has_phrases(text, query.phrases)) then
        kept[#kept + 1], found[row] = row, { parts = parts }
        texts[#texts + 1] = text
        row_of[text] = row_of[text] or {}
        table.insert(row_of[text], row)
      end
    end
  end
  if query.words == "" then
    return kept, found
  end
  return M.fuzzy(texts, row_of, query.words, found, pause)
end

---@param texts string[]
---@param row_of table<string, pivi.SessionRow[]> rows in their order
---@param words string
---@param found table<pivi.SessionRow, pivi.Found>
---@param pause pivi.Pause
---@return pivi.SessionRow[]
---@return table<pivi.SessionRow, pivi.Found>
function M.fuzzy(texts, row_of, words, found, pause)
  local kept, taken, keys = {}, {}, {}
  for from = 1, #texts, CHUNK do
    pause()
    local some = vim.list_slice(texts, from, from + CHUNK - 1)
    local matched, places, scores = unpack(vim.fn.matchfuzzypos(some, words))
    for i, text in ipairs(matched) do
      taken[text] = (taken[text] or 0) + 1
      local row = row_of[text][taken[text]]
      kept[#kept + 1] = row
      found[row].chars, keys[row] = places[i], -scores[i]
    end
  end
  return order.sort(kept, keys, pause), found
end

return M
