---A transcript is painted anew (`:edit`, which empties it; a conversation that is only read from now on): the reader
---of each window stays where they were.
local landmarks = require("pivi.landmarks")
local view = require("pivi.view")

local M = {}

---@class pivi.Reader
---@field col integer
---@field above integer screen rows from the window's top to the cursor, 1 for none
---@field below integer lines from the cursor's to the last one, since what is painted first are the last ones
---@field text string how the line starts
---@field total integer lines of the buffer
---@field folds {lnum: integer, text: string, open: boolean}[]
---@field placed boolean
---@field rests? integer lines from the cursor to the last one while they wait, nil before the first text is there

---@type table<pivi.Conversation, table<integer, pivi.Reader>> by window
local readers = setmetatable({}, { __mode = "k" })

---The text is about to go.
---@param c pivi.Conversation
---@param emptied boolean it is gone before the new text comes, which leaves the reader at the end
function M.keep(c, emptied)
  local known = {}
  for _, win in ipairs(c.page.total > 0 and vim.fn.win_findbuf(c.buf) or {}) do
    known[win] = vim.api.nvim_win_call(win, function()
      local lnum, col = unpack(vim.api.nvim_win_get_cursor(0))
      local last = vim.fn.line("$")
      return {
        col = col,
        above = vim.fn.winline(),
        below = last - lnum,
        text = landmarks.start(lnum),
        total = last,
        folds = landmarks.folds(c),
        rests = emptied and 0 or nil,
        placed = lnum == last or vim.fn.foldclosedend(lnum) == last,
      }
    end)
  end
  readers[c] = next(known) and known or nil
end

---@param reader pivi.Reader
---@param whole boolean no more comes
---@return boolean complete
local function place(reader, whole)
  local last = vim.fn.line("$")
  local complete = whole or last >= reader.total
  if not reader.placed and reader.rests and last - vim.fn.line(".") ~= reader.rests then
    -- They have moved meanwhile.
    reader.placed = true
  end
  -- What is new since then stands at the end.
  local lnum = math.min(last, (complete and reader.total or last) - reader.below)
  if not reader.placed and lnum >= 1 and (complete or landmarks.start(lnum) == reader.text) then
    view.go(landmarks.find(lnum, reader.text) or lnum, reader.col, reader.above)
    reader.placed = true
  end
  reader.rests = last - vim.fn.line(".")
  if complete then
    local saved = vim.fn.winsaveview()
    landmarks.restore_folds(reader)
    vim.fn.winrestview(saved)
  end
  return complete
end

---More of the text is there again, or it is known that no more comes.
---@param c pivi.Conversation
---@param whole? boolean the host says so, even where there are fewer lines than before
function M.painted(c, whole)
  for win, reader in pairs(readers[c] or {}) do
    local gone = not vim.api.nvim_win_is_valid(win) or vim.api.nvim_win_get_buf(win) ~= c.buf
    if gone or vim.api.nvim_win_call(win, function()
      return place(reader, whole or false)
    end) then
      readers[c][win] = nil
    end
  end
  if readers[c] and not next(readers[c]) then
    readers[c] = nil
  end
end

return M
