---Session files that are read: as transcripts without Pi, or as the text that they are.
local conversations = require("pivi.conversations")
local host = require("pivi.host")
local log = require("pivi.log")
local named = require("pivi.named")
local open = require("pivi.open")

local M = {}

---The file of the current buffer's session, be it shown as text.
---@return string? path
function M.here()
  local c = conversations.by_buf(0)
  local raw = vim.b.pivi_raw and vim.api.nvim_buf_get_name(0) or nil
  return c and c.file ~= "" and c.file or raw
end

---The session that was to be read is a conversation already, which was shown instead.
---@param c? pivi.Conversation
local function say_open(c)
  if c and not c.view then
    local ended = c.status.phase == "stopped" or c.status.phase == "failed"
    log.say(
      ended and "this session is open here, its Pi has ended: that buffer is shown"
        or "this session is open and running here: that buffer is shown"
    )
  end
end

---@param opts pivi.OpenOptions
---@param tells? boolean whether it is said that the session is open as a conversation
function M.view(opts, tells)
  opts.target = opts.target or M.here()
  open.view(opts, tells and function(value, err, gone)
    host.report(value, err, gone)
    say_open(value and conversations.by_conv(value.conv))
  end or nil)
end

---Puts another buffer in the place of one that goes, in every window that shows it.
---@param buf integer
---@param other integer
local function exchange(buf, other)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local fixed = vim.wo[win].winfixbuf
    vim.wo[win].winfixbuf = false
    vim.api.nvim_win_set_buf(win, other)
    vim.wo[win].winfixbuf = fixed
  end
  vim.api.nvim_buf_delete(buf, { force = true })
end

---The file is read as text from now on, though its name and its text are those of a session.
---@param buf integer
local function mark_raw(buf)
  vim.b[buf].pivi_raw = true
  vim.api.nvim_clear_autocmds({ group = "pivi.files", event = "BufReadCmd", buffer = buf })
end

---A buffer that shows the file as text, read when it is entered. A transcript of that name goes.
---@param path string
---@param old integer the buffer of that name, -1 for none
---@return integer buf
local function as_text(path, old)
  local between = vim.api.nvim_create_buf(false, true)
  if old ~= -1 then
    exchange(old, between)
  end
  local buf = vim.fn.bufadd(path)
  vim.bo[buf].buflisted = true
  mark_raw(buf)
  exchange(between, buf)
  return buf
end

---Shows a session's file as text.
---@param path? string that of the current buffer's session
function M.raw(path)
  path = path and require("pivi.absolute").typed(path) or M.here()
  if not path then
    return log.error("there is no session here; name its file: :Pi raw {path}")
  elseif vim.fn.filereadable(path) == 0 then
    return log.error(("there is no such file: %s"):format(vim.fn.fnamemodify(path, ":~")))
  end
  local buf = named(path)
  -- One that is not loaded was a transcript, or would be one.
  if buf == -1 or conversations.by_buf(buf) or not vim.api.nvim_buf_is_loaded(buf) then
    buf = as_text(path, buf)
  end
  mark_raw(buf)
  if vim.wo.winfixbuf and vim.api.nvim_get_current_buf() ~= buf then
    vim.cmd.sbuffer(buf)
  else
    vim.api.nvim_win_set_buf(0, buf)
  end
end

---A buffer was to take a session: where that is open in another one, this is shown in its place.
---@param buf integer
---@param value? {conv: integer} the host's answer
---@return pivi.Conversation? opened
function M.settle(buf, value)
  local c = value and conversations.by_conv(value.conv)
  if c and c.buf ~= buf and vim.api.nvim_buf_is_valid(buf) then
    say_open(c)
    exchange(buf, c.buf)
  end
  return c
end

---`:edit` of a session file: a transcript in the buffer of that name.
---@param buf integer
function M.read(buf)
  if conversations.by_buf(buf) then
    return conversations.read(buf)
  end
  local path = vim.api.nvim_buf_get_name(buf)
  require("pivi.buffer").prepare(buf)
  open.view({ target = path, buf = buf, reading = true }, function(value, err, gone)
    if not M.settle(buf, value) and vim.api.nvim_buf_is_valid(buf) then
      host.report(value, err, gone)
      as_text(path, buf)
    end
  end)
end

return M
