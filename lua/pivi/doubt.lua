---Words that were not sent since the session may not be this conversation's alone: what is to become of them.
local conversations = require("pivi.conversations")
local host = require("pivi.host")
local log = require("pivi.log")
local prompt = require("pivi.prompt")
local unsent = require("pivi.unsent")

local M = {}

---Pi is ended, and the buffer shows the file as it is written by others.
---@param c pivi.Conversation
local function only_read(c)
  host.request("stop", { conv = c.conv }, function(_, err, gone)
    if err then
      return host.report(nil, err, gone)
    end
    local conv = c.conv
    conversations.renumber(c, nil)
    host.notify("close", { conv = conv })
    require("pivi.rereading").keep(c, false)
    require("pivi.open").view({ target = c.file, buf = c.buf })
  end)
end

---@param c pivi.Conversation
---@param text string
---@param buf integer where the words are kept
local function fork(c, text, buf)
  require("pivi.open").fork({ conv = c.conv, cwd = c.cwd }, function(value, err, gone)
    if value and value.conv then
      prompt.drop(buf, text)
      return require("pivi.talk").post(value.conv, text)
    end
    host.report(nil, err, gone)
  end)
end

---@param c pivi.Conversation
---@param text string
---@param kind "elsewhere"|"written"
---@param buf integer
---@return pivi.Option[]
local function options(c, text, kind, buf)
  local function kept()
    log.say(("your words are kept in :sbuffer %d"):format(buf))
  end
  local function sends(before)
    return function()
      if not c.conv then
        return log.error("the host ended; :Pi resume picks the conversation up")
      end
      prompt.drop(buf, text)
      if before then
        host.request(before, { conv = c.conv, options = require("pivi.config").for_host() })
      end
      require("pivi.talk").post(c.conv, text)
    end
  end
  return {
    kind == "elsewhere" and {
      text = "Go on there: nothing is sent here",
      run = kept,
    } or { text = "Take in what was written, then send", run = sends("restart") },
    {
      text = "Only read it here",
      run = function()
        only_read(c)
        kept()
      end,
    },
    {
      text = "Go on apart: send it into a fork",
      run = function()
        fork(c, text, buf)
      end,
    },
    { text = "Send it all the same", run = sends() },
  }
end

---@param c pivi.Conversation?
---@param text string
---@param kind "elsewhere"|"written"|"gone"
---@param sentence string
---@param key integer of the words in pivi.unsent, 0 for none
function M.ask(c, text, kind, sentence, key)
  local buf = prompt.keep(c and c.session_id or unsent.session(key), text)
  unsent.forget(key)
  local function say()
    local what = "not sent; :%%Pi send in :sbuffer %d sends your words anyway. %s"
    log.say(what:format(buf, sentence), vim.log.levels.WARN)
  end
  if not c or not c.conv or kind == "gone" or #vim.api.nvim_list_uis() == 0 then
    return say()
  end
  require("pivi.choose").ask(sentence, options(c, text, kind, buf), say)
end

return M
