---Requests that open a conversation, and where it will be shown.
local config = require("pivi.config")
local conversations = require("pivi.conversations")
local host = require("pivi.host")

local M = {}

---@type table<integer, pivi.Where>
local wanted = {}

---Where the answer to a request is shown. Its window takes the cursor along only while the user is still there.
---@param id integer
---@param buf integer
---@return pivi.Where
function M.where(id, buf)
  local where = wanted[id] or {}
  if where.win and not vim.api.nvim_win_is_valid(where.win) then
    where.win = nil
  end
  if where.into then
    local seen = vim.fn.win_findbuf(buf)[1]
    where.nowhere = where.reading and not seen
    where.win = seen or where.win
  end
  where.focus = where.win == nil or where.win == vim.api.nvim_get_current_win() or nil
  return where
end

---@class pivi.OpenOptions
---@field target? string
---@field or_new? boolean a new session where there is none to resume
---@field buf? integer the buffer that takes it
---@field mods? table
---@field name? string
---@field id? string
---@field ephemeral? boolean
---@field leaf? string the entry up to which it is read
---@field anywhere? boolean a whole id may be that of another directory's session
---@field reading? boolean the buffer is being read, and shown only where it is already
---@field conv? integer
---@field asked? fun() called before the user is asked where it is to go on
---@field cwd? string the directory that it is about, by default the current window's

---@param method "resume"|"view"|"new"|"fork"
---@param opts pivi.OpenOptions
---@param answer? pivi.Answer
local function request(method, opts, answer)
  -- One whose buffer has gone in this very command is not gone to.
  vim.tbl_map(conversations.unloaded, conversations.all())
  local win = vim.api.nvim_get_current_win()
  local params = {
    target = opts.target,
    or_new = opts.or_new,
    buf = opts.buf,
    name = opts.name,
    id = opts.id,
    ephemeral = opts.ephemeral,
    conv = opts.conv,
    leaf = opts.leaf,
    anywhere = opts.anywhere,
    rows = vim.fn.winheight(win),
    cwd = opts.cwd or vim.fn.getcwd(),
    options = config.for_host(),
  }
  local id
  id = host.request(method, params, function(value, err, gone)
    if id then
      wanted[id] = nil
    end
    local use = answer or host.report
    if value and value.gone then
      if opts.asked then
        opts.asked()
      end
      return require("pivi.gone").ask(value.gone, opts, use)
    end
    use(value, err, gone)
  end)
  if id then
    wanted[id] = { win = win, mods = opts.mods, into = opts.buf ~= nil, reading = opts.reading }
  end
end

---@param opts pivi.OpenOptions
---@param answer? pivi.Answer
function M.resume(opts, answer)
  request("resume", opts, answer)
end

---@param opts pivi.OpenOptions
---@param answer? pivi.Answer
function M.view(opts, answer)
  request("view", opts, answer)
end

---@param opts pivi.OpenOptions
---@param answer? pivi.Answer
function M.new(opts, answer)
  request("new", opts, answer)
end

---@param opts pivi.OpenOptions
---@param answer? pivi.Answer
function M.fork(opts, answer)
  request("fork", opts, answer)
end

---The conversation that words are meant for; where there is none, one is opened.
---@param use fun(conv: integer)
---@param refused fun(err: string) tells why; "" was told already
---@param asked fun() a question comes first
function M.with_conversation(use, refused, asked)
  local c = conversations.current()
  if c and c.conv and not (c.view and c.restored) then
    return use(c.conv)
  end
  local into = c and { target = c.file ~= "" and c.file or nil, buf = c.buf } or {}
  into.or_new, into.asked = true, asked
  M.resume(into, function(value, err)
    if value and value.conv then
      return use(value.conv)
    end
    refused(err or "")
  end)
end

return M
