---The conversations of this Neovim: by the host's number, by buffer, by file, and the last one used in a directory.
local log = require("pivi.log")

---@class pivi.Conversation
---@field conv? integer the host's number; nil where the host forgot it
---@field buf integer
---@field name string the buffer's
---@field file string "" for one that is not stored
---@field session_id string
---@field title string
---@field cwd string
---@field names string[] highlight groups, as the host counts them
---@field kinds string[] kinds of blocks, as the host counts them
---@field tools table<string, pivi.Tool> tools whose calls name a path, by their names
---@field status table what `b:pivi` holds
---@field page pivi.Page
---@field windows table<integer, pivi.WindowFolds>
---@field failures? integer times that painting has failed since it last did not
---@field beside? pivi.Beside
---@field begun? pivi.Begun a patch whose rows are being written
---@field view? string it is only read, up to the entry of that id; "" for all of it
---@field restored? boolean it came back with a Vim session: what is said in it takes it up

local M = {}

---@type table<integer, pivi.Conversation>
local by_conv = {}
---@type table<integer, pivi.Conversation>
local by_buf = {}
---The conversation last used, by the real path of a directory.
---@type table<string, pivi.Conversation>
local last = {}

---@param path string
---@return string
function M.real(path)
  return vim.uv.fs_realpath(path) or vim.fs.normalize(path)
end

---The directory that commands mean.
---@return string
function M.cwd()
  return M.real(vim.fn.getcwd())
end

---@param c pivi.Conversation
function M.add(c)
  by_buf[c.buf] = c
  if c.conv then
    by_conv[c.conv] = c
  end
  M.used(c)
end

---@param conv integer
---@return pivi.Conversation?
function M.by_conv(conv)
  return by_conv[conv]
end

---@param buf? integer
---@return pivi.Conversation?
function M.by_buf(buf)
  return by_buf[(not buf or buf == 0) and vim.api.nvim_get_current_buf() or buf]
end

---@param file string
---@param view? string
---@return pivi.Conversation?
function M.by_file(file, view)
  if file == "" then
    return nil
  end
  local real = M.real(file)
  for _, c in pairs(by_buf) do
    if c.file ~= "" and (c.view or "") == (view or "") and M.real(c.file) == real then
      return c
    end
  end
end

---The buffer that a session's file had until it was deleted: its name is taken still.
---@param file string
---@param view? string
---@return integer? buf
function M.deleted(file, view)
  for _, buf in ipairs(file ~= "" and vim.api.nvim_list_bufs() or {}) do
    if not vim.api.nvim_buf_is_loaded(buf) and not by_buf[buf] then
      local was = vim.b[buf].pivi_file
      local ours = was and vim.startswith(vim.api.nvim_buf_get_name(buf), "pivi://")
      if ours and vim.b[buf].pivi_view == view and M.real(was) == M.real(file) then
        return buf
      end
    end
  end
end

---@return pivi.Conversation[]
function M.all()
  return vim.tbl_values(by_buf)
end

---@param c pivi.Conversation
---@param conv? integer
function M.renumber(c, conv)
  if c.conv then
    by_conv[c.conv] = nil
  end
  c.conv = conv
  if conv then
    by_conv[conv] = c
  end
end

---@param c pivi.Conversation
function M.used(c)
  if c.view then
    return
  end
  last[M.cwd()] = c
  if c.cwd ~= "" then
    last[M.real(c.cwd)] = c
  end
end

---The one that the current buffer belongs to: a transcript, words that wait, a block that was opened whole, the
---file's text.
---@return pivi.Conversation?
function M.here()
  return by_buf[vim.api.nvim_get_current_buf()]
    or require("pivi.prompt").conversation()
    or by_buf[vim.b.pivi_block_of]
    or (vim.b.pivi_raw and M.by_file(vim.api.nvim_buf_get_name(0)))
    or nil
end

---The one that a command without a target means: this buffer's, else the last one used in this directory.
---@return pivi.Conversation?
function M.current()
  return M.here() or last[M.cwd()]
end

---The buffer is gone: so is the conversation.
---@param c pivi.Conversation
function M.close(c)
  if c.conv then
    require("pivi.host").notify("close", { conv = c.conv })
  end
  M.renumber(c, nil)
  by_buf[c.buf] = nil
  for dir, other in pairs(last) do
    if other == c then
      last[dir] = nil
    end
  end
end

---The buffer's text is gone, and nothing reads it again.
---@param c pivi.Conversation
function M.unloaded(c)
  if vim.api.nvim_buf_is_loaded(c.buf) or by_buf[c.buf] ~= c then
    return
  end
  if vim.api.nvim_buf_is_valid(c.buf) then
    vim.b[c.buf].pivi_file = c.file ~= "" and c.file or nil
    vim.b[c.buf].pivi_view = c.view
  end
  M.close(c)
end

---The host's numbers mean nothing any more; what was painted stays and can be resumed into its buffer.
function M.host_died()
  require("pivi.catalog").host_died()
  for _, c in pairs(by_buf) do
    M.renumber(c, nil)
    if not c.view and c.status.phase ~= "stopped" and c.status.phase ~= "failed" then
      local status = vim.tbl_extend("force", c.status, { phase = "failed", error = "the Python host ended" })
      status.reading = nil
      log.guard("status", require("pivi.status").set, c, status, {})
    end
  end
end

---The text of a `pivi://` buffer was asked for (`:edit`, a restored Vim session, an unloaded buffer).
---@param buf integer
function M.read(buf)
  local c = by_buf[buf]
  local host = require("pivi.host")
  if c and c.conv then
    require("pivi.buffer").lost(c)
    return host.notify("repaint", { conv = c.conv })
  end
  local name = vim.api.nvim_buf_get_name(buf):gsub("^pivi://", ""):gsub("~%d+$", "")
  local id, leaf = name:match("^(.+)@(.*)$")
  local target = (c and c.file ~= "" and c.file) or vim.b[buf].pivi_file or id or name
  local restored = not c and vim.b[buf].pivi_restored
  -- Windows that come back with a Vim session do not each start a Pi.
  local seen = c and c.view or vim.b[buf].pivi_view or leaf or (restored and "" or nil)
  require("pivi.buffer").prepare(buf)
  local open, opts = require("pivi.open"), { target = target, leaf = seen, buf = buf, reading = true }
  opts.anywhere = restored
  local function answer(value, err, gone)
    local opened = require("pivi.file").settle(buf, value)
    if opened and restored then
      opened.restored = opened.view == ""
    elseif not opened then
      host.report(value, err, gone)
    end
  end
  if seen then
    open.view(opts, answer)
  else
    open.resume(opts, answer)
  end
end

---A Vim session was loaded: its transcripts have names and no text.
---@param buf integer a loaded buffer of the session, of which some are not ours
function M.restore(buf)
  local name = vim.api.nvim_buf_get_name(buf)
  local empty = vim.api.nvim_buf_line_count(buf) == 1
    and vim.api.nvim_buf_get_lines(buf, 0, 1, false)[1] == ""
  if not by_buf[buf] and empty and (name:find("^pivi") or name:find("%.jsonl$")) then
    vim.api.nvim_buf_call(buf, function()
      vim.cmd("silent edit")
    end)
  end
end

return M
