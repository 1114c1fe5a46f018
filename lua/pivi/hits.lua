---A place that a search has found is gone to: from its item in a quickfix or location list to the transcript.
local conversations = require("pivi.conversations")
local log = require("pivi.log")
local window = require("pivi.window")

local M = {}

---Names the buffer of all hits in a session, behind it the session's file.
M.SCHEME = "pivi-hit://"

---The window that was made in this very command.
---@type integer?
local made

vim.api.nvim_create_autocmd("WinNew", {
  group = vim.api.nvim_create_augroup("pivi.hits", {}),
  desc = "Know a window that was made for a place that a search has found",
  callback = function()
    made = vim.api.nvim_get_current_win()
    vim.schedule(function()
      made = nil
    end)
  end,
})

---@class pivi.HitData what an item of the list tells of its hit
---@field path string
---@field entry string
---@field session string
---@field age string
---@field role string
---@field sought pivi.Sought

---The hit that was gone to, in the quickfix list or in a copy of it that a window has.
---@param buf integer
---@param win integer
---@return pivi.HitData?
local function hit_in(buf, win)
  local function here(what)
    return vim.fn.getloclist(win, what)
  end
  for _, get in ipairs({ vim.fn.getqflist, here }) do
    local found = get({ idx = get({ idx = 0 }).idx, items = 1 }).items[1]
    if found and found.bufnr == buf and type(found.user_data) == "table" then
      return found.user_data
    end
  end
end

---A window shows again what it did before the hit, else nothing.
---@param win integer
---@param buf integer the hit's
local function take_back(win, buf)
  local before = vim.api.nvim_win_call(win, function()
    return vim.fn.bufnr("#")
  end)
  local is_there = before > 0 and before ~= buf and vim.api.nvim_buf_is_loaded(before)
  vim.api.nvim_win_set_buf(win, is_there and before or vim.api.nvim_create_buf(true, false))
end

---The window in which a hit's transcript is to be seen. A transcript is no window for Neovim to put a hit into: it
---makes one, which is not needed where the session is shown already; else the session takes the hit's place.
---@param path string
---@param win integer the hit's
---@param is_made boolean
---@return integer win
local function place_for(path, win, is_made)
  local c = conversations.by_file(path)
  if not c or not vim.api.nvim_buf_is_loaded(c.buf) then
    return win
  end
  local tab = vim.api.nvim_win_get_tabpage(win)
  for _, other in ipairs(is_made and window.fixed(tab) or {}) do
    if vim.api.nvim_win_get_buf(other) == c.buf then
      vim.api.nvim_set_current_win(other)
      vim.api.nvim_win_close(win, true)
      return other
    end
  end
  vim.api.nvim_win_set_buf(win, c.buf)
  return win
end

---A hit's buffer is shown (`:cnext`, Enter in the quickfix window): its transcript takes its place, at the entry.
---@param buf integer
function M.jump(buf)
  -- It is read again each time that it is gone to.
  vim.bo[buf].bufhidden = "unload"
  vim.bo[buf].buftype = "nofile"
  vim.bo[buf].buflisted = false
  vim.bo[buf].swapfile = false
  local path = vim.api.nvim_buf_get_name(buf):sub(#M.SCHEME + 1)
  if not vim.startswith(path, "/") then
    return log.error("this is no place in a session")
  end
  local is_made = made == vim.api.nvim_get_current_win()
  vim.schedule(function()
    local wins, here = vim.fn.win_findbuf(buf), vim.api.nvim_get_current_win()
    local win = vim.list_contains(wins, here) and here or wins[1]
    if win then
      local hit = hit_in(buf, win) or {}
      -- No other window keeps it, nor one that floats, which is no place for a transcript.
      for _, other in ipairs(wins) do
        if other ~= win or vim.fn.win_gettype(other) ~= "" then
          take_back(other, buf)
        end
      end
      if vim.fn.win_gettype(win) == "" then
        win = place_for(path, win, is_made)
      end
      vim.api.nvim_win_call(win, function()
        -- From hit to hit of one session this buffer is not read again while it is shown.
        require("pivi.place").view(path, hit.entry, hit.sought, function(entry, sought)
          local now = vim.api.nvim_win_is_valid(win) and hit_in(buf, win)
          if now then
            return now.entry, now.sought
          end
          return entry, sought
        end)
      end)
    end
  end)
end

return M
