---`:edit` empties a transcript and has it painted anew: the reader of each window stays where they were.
local landmarks = require("pivi.landmarks")

local M = {}

---@class pivi.Reader
---@field col integer
---@field above integer screen rows from the window's top to the cursor, 1 for none
---@field below integer lines from the cursor's to the last one, since what is painted first are the last ones
---@field text string how the line starts
---@field total integer lines of the buffer
---@field folds {lnum: integer, text: string, open: boolean}[]
---@field placed boolean

---@type table<pivi.Conversation, table<integer, pivi.Reader>> by window
local readers = setmetatable({}, { __mode = "k" })

---The text is about to go.
---@param c pivi.Conversation
function M.keep(c)
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
        placed = lnum == last or vim.fn.foldclosedend(lnum) == last,
      }
    end)
  end
  readers[c] = next(known) and known or nil
end

---@param reader pivi.Reader
local function place(reader)
  local last = vim.fn.line("$")
  local complete = last >= reader.total
  if not reader.placed and vim.fn.line(".") < last then
    -- They have moved meanwhile.
    reader.placed = true
  end
  local lnum = last - reader.below
  if not reader.placed and lnum >= 1 and (complete or landmarks.start(lnum) == reader.text) then
    landmarks.go(landmarks.find(lnum, reader.text) or lnum, reader.col, reader.above)
    reader.placed = true
  end
  if complete then
    local view = vim.fn.winsaveview()
    landmarks.restore_folds(reader)
    vim.fn.winrestview(view)
  end
  return complete
end

---More of the text is there again.
---@param c pivi.Conversation
function M.painted(c)
  for win, reader in pairs(readers[c] or {}) do
    local gone = not vim.api.nvim_win_is_valid(win) or vim.api.nvim_win_get_buf(win) ~= c.buf
    if gone or vim.api.nvim_win_call(win, function()
      return place(reader)
    end) then
      readers[c][win] = nil
    end
  end
  if readers[c] and not next(readers[c]) then
    readers[c] = nil
  end
end

return M
