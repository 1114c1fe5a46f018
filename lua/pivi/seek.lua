---A search whose words are not in what is painted so far goes on by itself once all of the session is there.
local conversations = require("pivi.conversations")
local log = require("pivi.log")

local M = {}

---@class pivi.Seek
---@field win integer
---@field pattern string
---@field flags string of search()
---@field below integer lines from the cursor to the end of the buffer: those above it grow
---@field col integer

---@type table<pivi.Conversation, pivi.Seek>
local waiting = setmetatable({}, { __mode = "k" })

---In place of what Neovim itself has just said: two messages would have to be confirmed.
---@param text string
local function say(text)
  vim.cmd.redraw()
  log.say(text)
end

---@return integer below
---@return integer col
local function place()
  local cursor = vim.api.nvim_win_get_cursor(0)
  return vim.api.nvim_buf_line_count(0) - cursor[1], cursor[2]
end

---A search has just been made in the current window.
---@param c pivi.Conversation
---@param flags string
local function searched(c, flags)
  local pattern = vim.fn.getreg("/")
  if pattern == "" or vim.api.nvim_get_mode().mode ~= "n" or vim.api.nvim_get_current_buf() ~= c.buf then
    return
  end
  local ok, lnum = pcall(vim.fn.search, pattern, "nw")
  -- Of a pattern that is none Neovim itself has told.
  if not c.status.reading or not ok or lnum > 0 then
    return
  end
  local below, col = place()
  waiting[c] =
    { win = vim.api.nvim_get_current_win(), pattern = pattern, flags = flags, below = below, col = col }
  say(("Not in the %d %% painted so far; the search goes on"):format(c.status.reading))
end

---All of the session is there. A reader who has moved on is left alone.
---@param c pivi.Conversation
function M.go_on(c)
  local seek = waiting[c]
  waiting[c] = nil
  if not seek or not vim.api.nvim_win_is_valid(seek.win) or vim.api.nvim_win_get_buf(seek.win) ~= c.buf then
    return
  end
  vim.api.nvim_win_call(seek.win, function()
    local below, col = place()
    if below ~= seek.below or col ~= seek.col or vim.fn.getreg("/") ~= seek.pattern then
      return
    end
    local lnum = vim.fn.search(seek.pattern, seek.flags .. "s")
    if lnum > 0 then
      vim.cmd("normal! zv")
    end
    say((lnum > 0 and "Found: %s" or "Pattern not found: %s"):format(seek.pattern))
  end)
end

---Looks after searches in all transcripts.
function M.watch()
  vim.api.nvim_create_autocmd("CmdlineLeave", {
    group = vim.api.nvim_create_augroup("pivi.seek", {}),
    pattern = { "/", "?" },
    desc = "Let a search wait for what pivi is still painting",
    callback = function(event)
      local c = conversations.by_buf(vim.api.nvim_get_current_buf())
      if c and c.status.reading and not vim.v.event.abort then
        -- The search itself comes after this event.
        vim.schedule(function()
          log.guard("search", searched, c, event.match == "?" and "b" or "")
        end)
      end
    end,
  })
end

return M
