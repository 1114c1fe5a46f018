---What is said to Pi, and what ends it.
local conversations = require("pivi.conversations")
local host = require("pivi.host")
local log = require("pivi.log")
local prompt = require("pivi.prompt")
local unsent = require("pivi.unsent")

local M = {}

---@type fun(conv: integer, text: string, key: integer)
local post

---@class pivi.Saying what becomes of words
---@field asked fun() a question comes first, and may never be answered: until then they are seen in their buffer
---@field go fun(conv: integer)
---@field come_back fun(why: string) a sentence, "" where that was told already

---@param text string
---@param key integer of the words in pivi.unsent
---@return pivi.Saying
local function saying(text, key)
  local session, buf = unsent.session(key), nil
  return {
    asked = function()
      buf = prompt.keep(session, text)
      unsent.forget(key)
    end,
    go = function(conv)
      if not buf then
        return post(conv, text, key)
      end
      prompt.drop(buf, text)
      M.post(conv, text)
    end,
    come_back = function(why)
      if not buf then
        return prompt.return_words(key, why)
      end
      prompt.drop(buf, text)
      prompt.give_back(session, text, why)
    end,
  }
end

---@param conv integer
---@param text string
---@param key integer of the words in pivi.unsent
function post(conv, text, key)
  unsent.meant_for(key, conversations.by_conv(conv))
  host.request("send", {
    conv = conv,
    text = text,
    words = key,
    cwd = vim.fn.getcwd(),
    options = require("pivi.config").for_host(),
  }, function(value, err)
    if value and value.gone then
      local words = saying(text, key)
      words.asked()
      require("pivi.gone").ask(value.gone, {}, function(opened, why)
        if opened and opened.conv then
          return words.go(opened.conv)
        end
        words.come_back(why or "")
      end)
    elseif err then
      prompt.return_words(key, err)
    end
  end)
end

---Says something in a conversation.
---@param conv integer
---@param text string
function M.post(conv, text)
  post(conv, text, unsent.keep(text, conversations.by_conv(conv)))
end

---@param text string
function M.send(text)
  if vim.trim(text) == "" then
    return log.error("nothing to send")
  end
  local words = saying(text, unsent.keep(text, conversations.current()))
  require("pivi.open").with_conversation(words.go, words.come_back, words.asked)
end

---A request about the conversation that is meant; said where there is none.
---@param method string
---@param params? table
function M.ask(method, params)
  local c = conversations.current()
  if not c then
    return log.error("there is no conversation here; :Pi opens one")
  end
  if not c.conv then
    return log.error("the host ended; :Pi resume picks the conversation up")
  end
  host.request(method, vim.tbl_extend("error", { conv = c.conv }, params or {}))
end

return M
