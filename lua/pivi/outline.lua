---The outline: a location list of the prompts, each with the first words of its answer.
local cells = require("pivi.cells")
local conversations = require("pivi.conversations")
local page = require("pivi.page")
local safe = require("pivi.safe")

local M = {}

local KINDS = { prompt = true, answer = true }
---Cells of a line that are looked at: no window shows more.
local LONGEST = 400

---The words of a line of Markdown without its signs; those within code stay.
---@param line string
---@return string
local function plain(line)
  local text = vim.trim(line):gsub("^[#>]+%s+", ""):gsub("^[-*+]%s+", "")
  if not text:find("[`*_~%[]") then
    return text
  end
  local parts, at = {}, 1
  while at <= #text do
    local first, last, _, code = text:find("(`+)(.-)%1", at)
    local words = text:sub(at, (first or 0) - 1)
    words = words
      :gsub("!?%[([^%]]*)%]%([^)%s]*%)", "%1")
      :gsub("%*%*(%S[^*]*)%*%*", "%1")
      :gsub("%f[*]%*(%S[^*]*)%*%f[^*]", function(inner)
        return inner:find("%s$") and ("*%s*"):format(inner) or inner
      end)
      :gsub("%f[%w_]_(%w[^_]*)_%f[^%w_]", "%1")
      :gsub("~~(%S[^~]*)~~", "%1")
    parts[#parts + 1] = words .. (code and vim.trim(code) or "")
    at = (last or #text) + 1
  end
  return table.concat(parts)
end

---The first words of a block that are no fence.
---@param c pivi.Conversation
---@param block {number: integer, first: integer}
---@param from integer rows that are passed over
---@return string
local function words(c, block, from)
  local _, last = page.rows(c, block.number)
  for _, line in ipairs(vim.api.nvim_buf_get_lines(c.buf, block.first + from, (last or 0) + 1, false)) do
    if line:find("%S") and not line:find("^[ >]*```") and not line:find("^[ >]*~~~") then
      return plain((cells.cut(safe.line(line), LONGEST, "")))
    end
  end
  return ""
end

---The first words of a prompt.
---@param c pivi.Conversation
---@param row integer 0-based row of its block
---@return string
function M.prompt(c, row)
  return words(c, page.within(c, row, row, 1)[1], 2)
end

---The first words of an answer: a line that says that it was left out of the model's context is none.
---@param c pivi.Conversation
---@param block {number: integer, first: integer}
---@return string
function M.answer(c, block)
  local left_out = c.page.blocks[block.number].fold ~= page.NO_FOLD
  return words(c, block, left_out and 2 or 1)
end

---@return string
local function arrow()
  return require("pivi.config").get().icons == "ascii" and " -> " or " → "
end

---A prompt and its answer, each cut where both do not fit; what one does not need the other has.
---@param prompt string
---@param answer? string
---@param room integer cells
---@return string
local function row_of(prompt, answer, room)
  local between = arrow()
  if not answer then
    return (cells.cut(prompt, room))
  end
  room = room - cells.width(between)
  local half = math.floor(room / 2)
  local asked, said = cells.width(prompt), cells.width(answer)
  local short = cells.cut(prompt, math.max(half, room - said))
  return short .. between .. (cells.cut(answer, math.max(room - half, room - asked)))
end

---@class pivi.OutlineEntry
---@field lnum integer
---@field text string
---@field user_data {prompt: string, answer?: string}

---@param c pivi.Conversation
---@return pivi.OutlineEntry[]
function M.entries(c)
  local between = arrow()
  local found, open = {}, nil
  for _, block in ipairs(page.of_kinds(c, KINDS)) do
    if block.kind == "prompt" then
      local prompt = words(c, block, 2)
      open = { lnum = block.first + 2, text = prompt, user_data = { prompt = prompt } }
      found[#found + 1] = open
    elseif open and (not open.user_data.answer or c.page.blocks[block.number].fold == page.NO_FOLD) then
      open.user_data.answer = M.answer(c, block)
      -- One that the model no longer sees stands for the answer only where there is no other.
      if c.page.blocks[block.number].fold == page.NO_FOLD then
        open = nil
      end
    end
  end
  for _, entry in ipairs(found) do
    local answer = entry.user_data.answer
    entry.text = answer and entry.text .. between .. answer or entry.text
  end
  return found
end

---'quickfixtextfunc': the words alone, since all lines are of one buffer, as many as the window has room for.
---@param info {id: integer, winid: integer, start_idx: integer, end_idx: integer}
---@return string[]
function M.lines(info)
  local items = vim.fn.getloclist(info.winid, { id = info.id, items = 0 }).items
  local seen = vim.fn.getwininfo(info.winid)[1]
  local room = seen and seen.width - seen.textoff or vim.o.columns
  local lines = {}
  for i = info.start_idx, info.end_idx do
    local known = items[i].user_data
    lines[#lines + 1] = row_of(known.prompt, known.answer, room)
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
    title = ("Prompts of %s"):format(require("pivi.title")(c)),
    items = entries,
    idx = current,
    quickfixtextfunc = "v:lua.require'pivi.outline'.lines",
  })
  vim.cmd.lopen()
  -- Each line is cut to the window's width.
  vim.wo[0][0].wrap = false
  vim.keymap.set("n", "q", "<Cmd>lclose<CR>", { buffer = 0, nowait = true, desc = "pivi: close the outline" })
  vim.api.nvim_win_set_cursor(0, { math.max(1, math.min(current, vim.api.nvim_buf_line_count(0))), 0 })
end

return M
