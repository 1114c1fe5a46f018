---The outline: a location list of the prompts, each with the first words of its answer.
local conversations = require("pivi.conversations")
local page = require("pivi.page")

local M = {}

local ANSWERS = { answer = true }
---Width that a prompt's and an answer's words are cut at, in cells.
local PROMPT, ANSWER = 60, 60

---The first line of a block that says something.
---@param c pivi.Conversation
---@param block {first: integer, last: integer}
---@param from integer rows that are passed over
---@return string
local function words(c, block, from)
  for _, line in ipairs(vim.api.nvim_buf_get_lines(c.buf, block.first + from, block.last + 1, false)) do
    if line:find("%S") then
      return vim.trim(line)
    end
  end
  return ""
end

---@param text string
---@param cells integer
---@param ellipsis string
---@return string
local function cut(text, cells, ellipsis)
  if vim.fn.strdisplaywidth(text) <= cells then
    return text
  end
  local short = vim.fn.strcharpart(text, 0, cells)
  while vim.fn.strdisplaywidth(short) > cells - #ellipsis do
    short = vim.fn.strcharpart(short, 0, vim.fn.strchars(short) - 1)
  end
  return short .. ellipsis
end

---@param c pivi.Conversation
---@return {lnum: integer, text: string}[]
function M.entries(c)
  local ascii = require("pivi.config").get().icons == "ascii"
  local arrow, ellipsis = ascii and " -> " or " → ", ascii and "..." or "…"
  local found, open = {}, nil
  for _, block in ipairs(page.within(c, 0, c.page.total)) do
    local known = c.page.blocks[block.number]
    if known and known.kind == "prompt" then
      open =
        { lnum = block.first + 2, text = cut(words(c, block, 2), PROMPT, ellipsis), user_data = "prompt" }
      found[#found + 1] = open
    elseif known and open and ANSWERS[known.kind] then
      open.text = open.text .. arrow .. cut(words(c, block, 1), ANSWER, ellipsis)
      open = nil
    end
  end
  return found
end

---'quickfixtextfunc': the words alone, since all lines are of one buffer.
---@param info {id: integer, winid: integer, start_idx: integer, end_idx: integer}
---@return string[]
function M.lines(info)
  local items = vim.fn.getloclist(info.winid, { id = info.id, items = 0 }).items
  local lines = {}
  for i = info.start_idx, info.end_idx do
    lines[#lines + 1] = items[i].text
  end
  return lines
end

---Opens the location list, on the prompt that the cursor is in or below.
function M.open()
  local c = conversations.by_buf(0)
  if not c then
    return
  end
  local entries = M.entries(c)
  local lnum, current = vim.api.nvim_win_get_cursor(0)[1], 1
  for i, entry in ipairs(entries) do
    entry.bufnr, entry.col = c.buf, 1
    current = entry.lnum <= lnum and i or current
  end
  vim.fn.setloclist(0, {}, " ", {
    title = ("Prompts of %s"):format(c.title ~= "" and c.title or c.session_id),
    items = entries,
    idx = current,
    quickfixtextfunc = "v:lua.require'pivi.outline'.lines",
  })
  vim.cmd.lopen()
  -- The list shows text of a session: nothing in it is looked at as a path and a line.
  vim.wo[0][0].wrap = false
  vim.api.nvim_win_set_cursor(0, { math.max(1, math.min(current, vim.api.nvim_buf_line_count(0))), 0 })
end

return M
