---A place in a transcript: an entry of a session, gone to as soon as it is in the buffer.
local conversations = require("pivi.conversations")
local host = require("pivi.host")
local page = require("pivi.page")

local M = {}

local group = vim.api.nvim_create_augroup("pivi.place", {})

---How many words are looked for together; with fewer they are still found where the transcript breaks lines.
local WORDS = { 8, 4, 2, 1 }

---@class pivi.Sought the line that was found, as a search tells it
---@field line string
---@field col? integer 0-based, characters: where what was sought begins

---@param sought pivi.Sought
---@return vim.regex[] the most telling first
local function patterns(sought)
  local rest = vim.fn.strcharpart(sought.line, sought.col or 0):gsub("…$", "")
  local words, found = vim.split(vim.trim(rest), "%s+"), {}
  for _, count in ipairs(WORDS) do
    if count <= #words or count == 1 then
      local some = vim.list_slice(words, 1, count)
      for i, word in ipairs(some) do
        some[i] = vim.fn.escape(word, "\\")
      end
      found[#found + 1] = vim.regex("\\C\\V" .. table.concat(some, "\\s\\+"))
    end
  end
  return found
end

---Where the words stand in these blocks.
---@param c pivi.Conversation
---@param numbers integer[]
---@param sought pivi.Sought
---@return integer? row 0-based
---@return integer? col
local function find_words(c, numbers, sought)
  for _, pattern in ipairs(patterns(sought)) do
    for _, number in ipairs(numbers) do
      local first, last = page.rows(c, number)
      for row = first or 0, last or -1 do
        local col = pattern:match_line(c.buf, row)
        if col then
          return row, col
        end
      end
    end
  end
end

---@param c pivi.Conversation
---@param numbers integer[] of the blocks that may hold what was sought
---@param sought? pivi.Sought
local function go(c, numbers, sought)
  local here = vim.api.nvim_get_current_win()
  local win = vim.api.nvim_win_get_buf(here) == c.buf and here or vim.fn.win_findbuf(c.buf)[1]
  local first = page.rows(c, numbers[1])
  if not win or not first then
    return
  end
  local row, col = nil, nil
  if sought then
    row, col = find_words(c, numbers, sought)
  end
  require("pivi.places").led(c)
  vim.api.nvim_win_call(win, function()
    -- A block's own first line is below the empty one that parts it from what is before.
    local lnum = row and row + 1 or math.min(first + 2, vim.api.nvim_buf_line_count(c.buf))
    vim.api.nvim_win_set_cursor(0, { lnum, col or 0 })
    vim.cmd("normal! zvzz")
  end)
end

---@param c pivi.Conversation
---@param entry string
---@param sought? pivi.Sought
local function find(c, entry, sought)
  host.request("locate", { conv = c.conv, entry = entry }, function(value, err, gone)
    if value then
      go(c, value.numbers, sought)
    elseif conversations.by_buf(c.buf) == c then
      host.report(nil, err, gone)
    end
  end)
end

---Goes to an entry as soon as it is painted.
---@param path string
---@param entry string
---@param sought? pivi.Sought
---@param latest? pivi.Latest
local function follow(path, entry, sought, latest)
  vim.api.nvim_clear_autocmds({ group = group })
  local function try()
    local c = conversations.by_file(path)
    if c and c.conv and c.page.total > 0 then
      vim.api.nvim_clear_autocmds({ group = group })
      if latest then
        entry, sought = latest(entry, sought)
      end
      find(c, entry, sought)
      return true
    end
  end
  if not try() then
    vim.api.nvim_create_autocmd("User", {
      group = group,
      pattern = "PiviPainted",
      desc = "Go to the entry that was found",
      callback = function()
        try()
      end,
    })
  end
end

---@alias pivi.Latest fun(entry: string, sought?: pivi.Sought): string, pivi.Sought?

---Shows a session without starting Pi, at an entry where one is named.
---@param path string
---@param entry? string
---@param sought? pivi.Sought what the cursor is put on
---@param latest? pivi.Latest which place of the session is meant by the time that it is painted
function M.view(path, entry, sought, latest)
  local c = conversations.by_buf(0)
  -- The host's answer would bring it here once more, when the reader may have gone on.
  if not (c and c.conv and c == conversations.by_file(path)) then
    require("pivi").view(path)
  end
  if entry then
    follow(path, entry, sought, latest)
  end
end

return M
