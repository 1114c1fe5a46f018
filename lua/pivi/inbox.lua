---What the host calls. Each function here is one message of its protocol; nothing else is.
local buffer = require("pivi.buffer")
local conversations = require("pivi.conversations")
local host = require("pivi.host")
local log = require("pivi.log")
local prompt = require("pivi.prompt")
local unsent = require("pivi.unsent")

local M = {}

---How often a transcript that can't be painted is tried again.
local TRIES = 3

---`vim.NIL` is truthy: it never gets further than this.
---@param value any
---@return any
local function strip(value)
  if value == vim.NIL then
    return nil
  end
  if type(value) ~= "table" then
    return value
  end
  local clean = {}
  for key, item in pairs(value) do
    clean[key] = strip(item)
  end
  return clean
end

---The answer to a request.
---@param id integer
---@param value any
---@param err? string
function M.answer(id, value, err)
  host.answered(id, strip(value), strip(err))
end

---A session is to be shown, in the window that request `id` came from.
---@param id integer
---@param conv integer
---@param info pivi.OpenInfo
function M.open(id, conv, info)
  local request = host.pending(id)
  local params = request and request.params or {}
  local c = buffer.open(conv, strip(info), params.buf)
  require("pivi.window").show(c, require("pivi.open").where(id, c.buf))
  buffer.set_filetype(c)
end

---The session is open already.
---@param id integer
---@param conv integer
function M.focus(id, conv)
  local c = conversations.by_conv(conv)
  if c then
    local where = require("pivi.open").where(id, c.buf)
    if where.reading then
      return
    end
    where.focus = where.focus ~= false
    require("pivi.window").show(c, where)
    conversations.used(c)
  end
end

---The conversation's buffer belongs to another file now.
---@param conv integer
---@param info pivi.OpenInfo
function M.rename(conv, info)
  local c = conversations.by_conv(conv)
  if c then
    buffer.rename(c, strip(info))
  end
end

---@param conv integer
local function repaint(conv)
  vim.defer_fn(function()
    host.notify("repaint", { conv = conv })
  end, 100)
end

---@param conv integer
---@param seq integer
---@param c? pivi.Conversation
local function acknowledge(conv, seq, c)
  host.notify("ack", { conv = conv, seq = seq, buf = c and c.buf })
end

---Paints, and has all of it sent again where that went wrong.
---@param c pivi.Conversation
---@param conv integer
---@param f fun(c: pivi.Conversation, arg: any): boolean?, pivi.Begun?
---@param arg any
---@return pivi.Begun?
local function paint(c, conv, f, arg)
  local ok, taken, begun = xpcall(function()
    return f(c, arg)
  end, debug.traceback)
  if ok then
    c.failures = nil
    if taken == false then
      repaint(conv)
    end
    return begun
  end
  local err = tostring(taken)
  buffer.lost(c)
  -- Neovim lets nobody write while it evaluates certain expressions: later it does.
  local locked = err:find("E523:", 1, true) or err:find("E565:", 1, true)
  if not locked then
    log.caught("painting", err)
    c.failures = (c.failures or 0) + 1
  end
  if locked or c.failures <= TRIES then
    repaint(conv)
  else
    log.error("The transcript can't be painted; :edit tries again, :Pi log tells more")
  end
end

---@param conv integer
---@param seq integer
---@param packed string a pivi.Patch in MessagePack: one string crosses faster than its thousands of integers
function M.patch(conv, seq, packed)
  local c = conversations.by_conv(conv)
  local patch = vim.mpack.decode(packed)
  if c then
    paint(c, conv, buffer.apply, patch)
  end
  acknowledge(conv, seq, c)
end

---The next call in the same message writes the rows of a patch into a buffer, and `inserted` comes after it.
---@param conv integer
---@param seq integer
---@param buf integer
---@param packed string a pivi.Patch in MessagePack, without its lines
---@return boolean wanted false where the rows must not be written
function M.insert(conv, seq, buf, packed)
  local c = conversations.by_conv(conv)
  local patch = vim.mpack.decode(packed)
  local begun
  if c and c.buf == buf then
    begun = paint(c, conv, buffer.begin, patch)
  elseif c then
    -- It has moved to another buffer.
    repaint(conv)
  end
  if not c or not begun then
    acknowledge(conv, seq, c)
    return false
  end
  c.begun = begun
  vim.schedule(function()
    if c.begun == begun then
      -- Neovim did not write: as in `paint`.
      c.begun = nil
      buffer.lost(c)
      repaint(conv)
      acknowledge(conv, seq, c)
    end
  end)
  return true
end

---@param conv integer
---@param seq integer
function M.inserted(conv, seq)
  local c = conversations.by_conv(conv)
  if c and c.begun then
    local begun = c.begun
    c.begun = nil
    paint(c, conv, buffer.finish, begun)
  end
  acknowledge(conv, seq, c)
end

---@param conv integer
---@param status table
---@param events {[1]: string, [2]: table}[]
function M.status(conv, status, events)
  local c = conversations.by_conv(conv)
  if c then
    require("pivi.status").set(c, strip(status), strip(events))
  end
end

---@param conv integer
---@param tools {[1]: integer, [2]: string}[] number of a block, and what is said of its running tool
function M.running(conv, tools)
  local c = conversations.by_conv(conv)
  if c then
    require("pivi.marks").running(c, tools)
  end
end

---Words that Pi did not take.
---@param conv integer
---@param text string
---@param keys integer[] those of pivi.unsent
---@param why string a sentence
function M.words_back(conv, text, keys, why)
  local c = conversations.by_conv(conv)
  prompt.give_back(c and c.session_id or unsent.session(keys[1]), text, why)
  vim.tbl_map(unsent.forget, keys)
end

---Words that Pi has stored.
---@param keys integer[] those of pivi.unsent
function M.words_stored(_, keys)
  vim.tbl_map(prompt.taken, keys)
end

---A prompt that was not sent, since it is doubtful whether the session is this conversation's alone.
---@param conv integer
---@param text string
---@param kind "elsewhere"|"written"|"gone"
---@param sentence string
---@param key integer of the words in pivi.unsent, 0 for none
function M.doubt(conv, text, kind, sentence, key)
  require("pivi.doubt").ask(conversations.by_conv(conv), text, kind, sentence, key)
end

---Sessions that were found, or of which more is known.
---@param look integer
---@param packed string a list of pivi.SessionRow in MessagePack
---@param progress pivi.Progress
function M.rows(look, packed, progress)
  require("pivi.catalog").take(look, strip(vim.mpack.decode(packed)), strip(progress))
end

---What a search has found.
---@param look integer
---@param packed string a list of pivi.Hit in MessagePack
---@param progress pivi.Progress
function M.hits(look, packed, progress)
  require("pivi.catalog").take(look, strip(vim.mpack.decode(packed)), strip(progress))
end

---What Pi wrote to stderr, and what was no record on its stdout.
---@param conv integer
---@param source "stderr"|"stdout"|"pivi"
---@param text string
function M.log(conv, source, text)
  log.add(("pi %d, %s: %s"):format(conv, source, text))
end

---@param level string|integer a name or number of vim.log.levels
---@param text string
function M.say(level, text)
  log.say(text, type(level) == "string" and vim.log.levels[level:upper()] or level --[[@as integer]])
end

---An exception of the host that no request is answered with; its traceback comes by stderr.
---@param text string
function M.failed(text)
  log.caught("host", text)
end

---@param method string
---@param ... any
local function dispatch(_, method, ...)
  host.heard()
  local handler = M[method]
  if not handler then
    return log.caught("inbox", ("no such message: %s"):format(method))
  end
  local _, wanted = log.guard(method, handler, ...)
  if wanted == false then
    -- Ends the message that this call is a part of.
    error("pivi: " .. method, 0)
  end
end

return setmetatable(M, { __call = dispatch })
