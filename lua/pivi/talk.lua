---What is said to Pi, and what ends it.
local conversations = require("pivi.conversations")
local host = require("pivi.host")
local log = require("pivi.log")
local prompt = require("pivi.prompt")
local unsent = require("pivi.unsent")

local M = {}

---@param text string
function M.send(text)
  if vim.trim(text) == "" then
    return log.error("nothing to send")
  end
  local key = unsent.keep(text, conversations.current())
  local function refused(err)
    prompt.return_words(key, err)
  end
  require("pivi.open").with_conversation(function(conv)
    unsent.meant_for(key, conversations.by_conv(conv))
    host.request("send", { conv = conv, text = text, words = key }, function(_, err)
      if err then
        refused(err)
      end
    end)
  end, refused)
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
