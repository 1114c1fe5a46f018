---A place in a transcript: an entry of a session, gone to once it is in the buffer.
local conversations = require("pivi.conversations")
local host = require("pivi.host")
local page = require("pivi.page")

local M = {}

local group = vim.api.nvim_create_augroup("pivi.place", {})

---@param c pivi.Conversation
---@param number integer of a block
local function go(c, number)
  local win = vim.fn.win_findbuf(c.buf)[1]
  local row = page.rows(c, number)
  if win and row then
    vim.api.nvim_win_call(win, function()
      -- A block's own first line is below the empty one that parts it from what is before.
      vim.api.nvim_win_set_cursor(0, { math.min(row + 2, vim.api.nvim_buf_line_count(c.buf)), 0 })
      vim.cmd("normal! zvzz")
    end)
  end
end

---@param c pivi.Conversation
---@param entry string
local function find(c, entry)
  if c.conv then
    host.request("locate", { conv = c.conv, entry = entry }, function(value, err, gone)
      if value and value.number then
        return go(c, value.number)
      end
      host.report(nil, err, gone)
    end)
  end
end

---Goes to an entry as soon as the transcript is complete.
---@param path string
---@param entry string
local function follow(path, entry)
  vim.api.nvim_clear_autocmds({ group = group })
  local function try()
    local c = conversations.by_file(path)
    local phase = c and c.status.phase
    if c and phase and not c.status.reading then
      vim.api.nvim_clear_autocmds({ group = group })
      find(c, entry)
      return true
    end
  end
  if not try() then
    vim.api.nvim_create_autocmd("User", {
      group = group,
      pattern = "PiviBackfilled",
      desc = "Go to the entry that was found",
      callback = function()
        try()
      end,
    })
  end
end

---Shows a session without starting Pi, at an entry where one is named.
---@param path string
---@param entry? string
function M.view(path, entry)
  require("pivi").view(path)
  if entry then
    follow(path, entry)
  end
end

return M
