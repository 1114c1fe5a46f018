---The reader's place in each session, and the folds they opened and closed, over restarts.
local conversations = require("pivi.conversations")
local landmarks = require("pivi.landmarks")
local log = require("pivi.log")
local memory = require("pivi.memory")
local view = require("pivi.view")

local M = {}

local group = vim.api.nvim_create_augroup("pivi.places", {})

---@class pivi.PlaceState
---@field moved boolean the reader did something before the place was restored
---@field placed boolean the place was in what was painted first
---@field complete boolean the buffer holds all of the session

---@type table<pivi.Conversation, pivi.PlaceState>
local states = setmetatable({}, { __mode = "k" })

---@param c pivi.Conversation
---@param win integer
local function keep(c, win)
  local state = states[c]
  if c.file == "" or not state or not state.complete or vim.api.nvim_win_get_buf(win) ~= c.buf then
    return
  end
  vim.api.nvim_win_call(win, function()
    local lnum, col = unpack(vim.api.nvim_win_get_cursor(0))
    local last = vim.fn.line("$")
    memory.put(conversations.real(c.file), {
      at_end = lnum >= last or vim.fn.foldclosedend(lnum) >= last or nil,
      lnum = lnum,
      col = col,
      above = vim.fn.winline(),
      below = last - lnum,
      text = landmarks.start(lnum),
      before = lnum > 1 and landmarks.start(lnum - 1) or nil,
      folds = landmarks.folds(c),
    })
  end)
end

---@param known pivi.Memory
---@param lnum integer
local function go(known, lnum)
  view.go(lnum, tonumber(known.col) or 0, tonumber(known.above) or 1)
end

---The reader did nothing yet, and stands where a painted session puts them.
---@param c pivi.Conversation
---@return integer? win
local function waiting_window(c)
  local win = vim.fn.win_findbuf(c.buf)[1]
  if win and not states[c].moved then
    local lnum = vim.api.nvim_win_get_cursor(win)[1]
    return lnum == vim.api.nvim_buf_line_count(c.buf) and win or nil
  end
end

---What is painted first may hold the place already: counted from the end, and sure by the line before it.
---@param c pivi.Conversation
local function painted(c)
  local known = c.file ~= "" and memory.get(conversations.real(c.file))
  local win = known and not known.at_end and waiting_window(c)
  if not known or not win or not known.below then
    return
  end
  vim.api.nvim_win_call(win, function()
    local lnum = vim.fn.line("$") - known.below
    local same = lnum > 2
      and landmarks.start(lnum) == known.text
      and landmarks.start(lnum - 1) == known.before
    if same and known.text ~= "" then
      go(known, lnum)
      states[c].placed = true
    end
  end)
end

---@param c pivi.Conversation
local function complete(c)
  local state = states[c]
  if state.complete then
    return
  end
  local known = c.file ~= "" and memory.get(conversations.real(c.file))
  local win = vim.fn.win_findbuf(c.buf)[1]
  if known and win and not state.moved then
    local waits = state.placed or waiting_window(c) ~= nil
    vim.api.nvim_win_call(win, function()
      landmarks.restore_folds(known)
      local lnum = waits and not known.at_end and landmarks.find(known.lnum, known.text or "")
      if lnum then
        go(known, lnum)
      end
    end)
  end
  state.complete = true
end

---@param c pivi.Conversation
local function watch_keys(c)
  local state = states[c]
  local ns = vim.api.nvim_create_namespace(("pivi.places.%d"):format(c.buf))
  vim.on_key(function(_, typed)
    if state.complete or state.moved or not vim.api.nvim_buf_is_valid(c.buf) then
      vim.on_key(nil, ns)
    elseif typed ~= nil and typed ~= "" and vim.api.nvim_get_current_buf() == c.buf then
      state.moved = true
    end
  end, ns)
end

---The reader was led to another place.
---@param c pivi.Conversation
function M.led(c)
  if states[c] then
    states[c].moved = true
  end
end

---@param c pivi.Conversation
function M.watch(c)
  states[c] = { moved = false, placed = false, complete = false }
  watch_keys(c)
  vim.api.nvim_clear_autocmds({ group = group, buffer = c.buf })
  vim.api.nvim_create_autocmd("BufWinLeave", {
    group = group,
    buffer = c.buf,
    callback = function()
      -- When Neovim ends, the window that is current need not be one of the buffer's.
      local win = vim.api.nvim_get_current_win()
      if vim.api.nvim_win_get_buf(win) ~= c.buf then
        win = vim.fn.win_findbuf(c.buf)[1]
      end
      if win then
        log.guard("keeping the place", keep, c, win)
      end
    end,
  })
end

---@param pattern string
---@param act fun(c: pivi.Conversation)
local function on_event(pattern, act)
  vim.api.nvim_create_autocmd("User", {
    group = group,
    pattern = pattern,
    callback = function(event)
      local c = event.data and conversations.by_buf(event.data.buf)
      if c and states[c] then
        log.guard("going back to the place", act, c)
      end
    end,
  })
end

on_event("PiviPainted", painted)
on_event("PiviBackfilled", complete)
return M
