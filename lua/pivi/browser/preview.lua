---The session under the cursor, painted beside the list as its transcript is.
local buffer = require("pivi.buffer")
local config = require("pivi.config")
local host = require("pivi.host")
local log = require("pivi.log")
local preview = require("pivi.preview")
local safe = require("pivi.safe")

local M = {}

---How long the cursor must rest on a line, in milliseconds.
local PAUSE = 50
---From so many columns on the preview stands at the right, else below.
local WIDE = 120

---@class pivi.Preview
---@field buf integer
---@field win integer
---@field c pivi.Conversation what the renderer takes for one
---@field path? string what it shows or was asked for
---@field entry? string
---@field asked integer
---@field marked? string pattern of what is looked for

---@type table<integer, pivi.Preview> by the browser's buffer
local previews = {}

---@param b pivi.Browser
---@return pivi.Preview?
local function shown(b)
  local p = previews[b.buf]
  return p and vim.api.nvim_win_is_valid(p.win) and vim.api.nvim_win_get_buf(p.win) == p.buf and p or nil
end

---@param b pivi.Browser
---@param list integer
---@return pivi.Preview
local function open(b, list)
  local buf = vim.api.nvim_create_buf(false, true)
  local wide = vim.api.nvim_win_get_width(list) >= WIDE
  local height = vim.api.nvim_win_get_height(list)
  local win = vim.api.nvim_open_win(buf, false, {
    split = wide and "right" or "below",
    win = list,
    width = wide and math.floor(vim.api.nvim_win_get_width(list) / 2) or nil,
    height = not wide and math.max(3, math.floor(height * 0.55)) or nil,
  })
  buffer.prepare(buf)
  vim.bo[buf].buflisted = false
  vim.bo[buf].bufhidden = "wipe"
  vim.api.nvim_buf_set_name(buf, ("pivi-preview://%d"):format(buf))
  vim.keymap.set("n", "q", function()
    M.toggle(b)
  end, { buffer = buf, nowait = true, desc = "pivi: close the preview" })
  require("pivi.browser.bar").give_footer(win, false)
  local p = { buf = buf, win = win, c = preview.stand_in(buf), asked = 0 }
  previews[b.buf] = p
  return p
end

---Marks what was said and is looked for.
---@param b pivi.Browser
---@param p pivi.Preview
---@param hit? pivi.Hit
local function mark(b, p, hit)
  local pattern = hit and b.query.text and require("pivi.browser.said").pattern(b.query.text) or nil
  if pattern ~= p.marked then
    p.marked = pattern
    vim.fn.clearmatches(p.win)
    if pattern then
      vim.fn.matchadd("PiviSessionMatch", pattern, 10, -1, { window = p.win })
    end
  end
end

---@param p pivi.Preview
---@param row pivi.SessionRow
---@param value pivi.PreviewValue
local function paint(p, row, value)
  preview.paint(p.c, value, true)
  local wo = vim.wo[p.win][0]
  local title = safe.bar(row.name or row.title)
  wo.winbar = " %#PiviSessionName#" .. title .. "%*"
  if value.at then
    vim.api.nvim_win_call(p.win, function()
      vim.api.nvim_win_set_cursor(0, { math.min(value.at + 1, vim.api.nvim_buf_line_count(p.buf)), 0 })
      vim.cmd("normal! zvzt")
      -- A long message may hold it far below its beginning.
      if p.marked and vim.fn.search(p.marked, "cW") > 0 then
        vim.cmd("normal! zv")
      end
    end)
  end
end

---@param b pivi.Browser
---@param p pivi.Preview
local function ask(b, p)
  local list = vim.fn.win_findbuf(b.buf)[1]
  local row = list and require("pivi.browser.paint").row_at(b, list)
  local hit = row and b.hits and b.hits[row.path]
  local entry = hit and hit.entry or nil
  mark(b, p, hit or nil)
  if not row or (p.path == row.path and p.entry == entry) then
    return
  end
  p.path, p.entry, p.asked = row.path, entry, p.asked + 1
  local number = p.asked
  host.request("preview", {
    path = row.path,
    entry = entry,
    rows = vim.api.nvim_win_get_height(p.win) * 2,
    options = config.for_host(),
  }, function(value, err)
    if shown(b) ~= p or p.asked ~= number then
      return
    end
    if value then
      -- More may be known of it by now.
      return paint(p, b.rows[row.path] or row, value)
    end
    vim.wo[p.win][0].winbar = " %#PiviError#" .. safe.bar(err or "")
  end)
end

---The cursor is on another session, or may be.
---@param b pivi.Browser
function M.follow(b)
  local p = shown(b)
  if not p then
    return
  end
  vim.defer_fn(function()
    if shown(b) == p then
      log.guard("preview", ask, b, p)
    end
  end, PAUSE)
end

---@param b pivi.Browser
function M.close(b)
  local p = shown(b)
  previews[b.buf] = nil
  if not p then
    return
  elseif require("pivi.window").is_last(p.win) then
    -- Something has to be shown.
    vim.wo[p.win].winfixbuf = false
    vim.api.nvim_win_set_buf(p.win, vim.api.nvim_create_buf(true, false))
  else
    vim.api.nvim_win_close(p.win, true)
  end
end

---@param b pivi.Browser
function M.toggle(b)
  if shown(b) then
    b.preview = false
    return M.close(b)
  end
  local list = vim.fn.win_findbuf(b.buf)[1]
  if list then
    b.preview = true
    open(b, list)
    M.follow(b)
  end
end

---The list is shown, perhaps again: so is its preview, where the reader wants it or the window has the room.
---@param b pivi.Browser
function M.returned(b)
  local list = vim.fn.win_findbuf(b.buf)[1]
  if b.preview == nil then
    b.preview = list ~= nil and vim.api.nvim_win_get_width(list) >= WIDE
  end
  if list and b.preview and not shown(b) then
    open(b, list)
  end
  M.follow(b)
end

return M
