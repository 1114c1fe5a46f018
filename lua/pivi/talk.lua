---What is said to Pi, and what ends it.
local conversations = require("pivi.conversations")
local host = require("pivi.host")
local log = require("pivi.log")
local prompt = require("pivi.prompt")
local unsent = require("pivi.unsent")

local M = {}

---@param conv integer
---@param text string
---@param key integer of the words in pivi.unsent
local function post(conv, text, key)
  unsent.meant_for(key, conversations.by_conv(conv))
  host.request("send", {
    conv = conv,
    text = text,
    words = key,
    cwd = vim.fn.getcwd(),
    options = require("pivi.config").for_host(),
  }, function(value, err)
    if value and value.gone then
      require("pivi.gone").ask(value.gone, {}, function(opened, why)
        if opened and opened.conv then
          return post(opened.conv, text, key)
        end
        prompt.return_words(key, why or "")
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
  local key = unsent.keep(text, conversations.current())
  require("pivi.open").with_conversation(function(conv)
    post(conv, text, key)
  end, function(err)
    prompt.return_words(key, err)
  end)
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
