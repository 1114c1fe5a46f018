---'foldtext': the heading as it is shown, with what tells what the fold holds.
local aside = require("pivi.aside")
local conversations = require("pivi.conversations")
local marks = require("pivi.marks")
local page = require("pivi.page")

local M = {}

local TOOLS = { tool_call = true, result = true }
---Blocks of a section that are looked at.
local MOST = 400
---Cells of an answer's first words, where there is room for so many.
local WORDS = 60

---What a closed section tells of itself.
---@class pivi.Gist
---@field said string the first words of its answer
---@field tools integer
---@field number integer the answer's, -1 for none
---@field block? pivi.Block the answer as it was

---@type table<table, pivi.Gist> by the group in the page
local gists = setmetatable({}, { __mode = "k" })

---@param c pivi.Conversation
---@param group table
---@param first integer 0-based
---@param last integer 0-based
---@return pivi.Gist
local function gist(c, group, first, last)
  local known = gists[group]
  if known and known.block == c.page.blocks[known.number] then
    return known
  end
  local outline = require("pivi.outline")
  known = { said = "", tools = 0, number = -1 }
  for _, block in ipairs(page.within(c, first, last, MOST)) do
    local told = c.page.blocks[block.number]
    if told and TOOLS[told.kind] then
      known.tools = known.tools + 1
    elseif told and told.kind == "answer" and not (known.block and known.block.fold == page.NO_FOLD) then
      -- What is left out of the model's context is closed; an answer that counts is better.
      if not known.block or told.fold == page.NO_FOLD then
        known.said, known.number, known.block = outline.answer(c, block), block.number, told
      end
    end
  end
  gists[group] = known
  return known
end

---Lines between the heading and the fold's end, those apart that only stand around the text.
---@param first integer 1-based
---@param last integer 1-based
---@param thinking boolean a rule ends it
---@return string
local function count(first, last, thinking)
  local from, to = first + 1, last
  if thinking and vim.fn.getline(to) == "---" then
    to = to - 1
  end
  while from < to and vim.fn.getline(from) == "" do
    from = from + 1
  end
  while to > from and vim.fn.getline(to) == "" do
    to = to - 1
  end
  local lines = math.max(1, to - from + 1)
  return lines == 1 and "1 line" or ("%d lines"):format(lines)
end

---How long ago the last of the dates in a text was; it is worked out when it is shown, since a text keeps.
---@param text string
---@return string? nil where there is no date
local function age(text)
  local year, month, day, hour, minute = text:match(".*(%d%d%d%d)%-(%d%d)%-(%d%d) (%d%d):(%d%d)")
  local at = year and os.time({ year = year, month = month, day = day, hour = hour, min = minute })
  local told = at and require("pivi.browser.line").age(os.time() - at)
  return told and (told == "now" and "just now" or ("%s ago"):format(told)) or nil
end

---@return [string, string][] chunks
function M.text()
  local buf, first, last = vim.api.nvim_get_current_buf(), vim.v.foldstart, vim.v.foldend
  local seen = marks.on_row(buf, first - 1)
  local ground = seen.group or "Folded"
  local chunks = { { vim.fn.getline(first), ground } }
  ---@param chunk [string, string]
  local function add(chunk)
    chunks[#chunks + 1] = { " ", ground }
    chunks[#chunks + 1] = chunk
  end
  ---@param ... string?
  local function tell(...)
    local parts = vim.tbl_filter(function(part)
      return part ~= ""
    end, { ... })
    if #parts > 0 then
      local parting = require("pivi.config").get().icons == "ascii" and ", " or " · "
      add({ table.concat(parts, parting), "PiviMeta" })
    end
  end
  vim.tbl_map(add, seen.behind)
  local c = conversations.by_buf(buf)
  local number, row = nil, nil
  if c then
    number, row = page.at(c, first - 1)
  end
  local kind = c and number and c.page.blocks[number] and c.page.blocks[number].kind
  local group = c and number and c.page.groups[number]
  local columns = vim.fn.winwidth(0) - vim.fn.getwininfo(vim.fn.win_getid())[1].textoff
  if c and kind == "reply" and group and row then
    local told = gist(c, group, row, last - 1)
    local words = require("pivi.cells").cut(told.said, math.min(WORDS, columns - 24))
    local tools = told.tools > 0 and ("%d %s"):format(told.tools, told.tools == 1 and "tool" or "tools")
      or nil
    tell(words, tools)
  elseif kind == "branch" then
    local dated = seen.right[1] or seen.behind[1] or { "" }
    tell(count(first, last, false), age(dated[1]))
  elseif not seen.ended then
    tell(count(first, last, kind == "thinking"))
  end
  -- What is aligned so before 0.11 is shown by Neovim on a closed fold too.
  return M.with_right(chunks, aside.COVERS and {} or seen.right, ground, columns)
end

---@param chunks [string, string][]
---@param right [string, string][]
---@param ground string
---@param columns integer
---@return [string, string][] chunks with what stands at the right edge, where it has room
function M.with_right(chunks, right, ground, columns)
  local used = 0
  for _, chunk in ipairs(chunks) do
    used = used + vim.fn.strdisplaywidth(chunk[1])
  end
  for _, chunk in ipairs(right) do
    local text = aside.fitted(chunk[1], columns - used - 2)
    if text ~= "" then
      chunks[#chunks + 1] = { (" "):rep(columns - used - vim.fn.strdisplaywidth(text)), ground }
      chunks[#chunks + 1] = { text, chunk[2] }
    end
  end
  return chunks
end

return M
