---What is said to Pi, and what ends it.
local conversations = require("pivi.conversations")
local host = require("pivi.host")
local log = require("pivi.log")

local M = {}

---@param text string
function M.send(text)
  if vim.trim(text) == "" then
    return log.error("nothing to send")
  end
  require("pivi.open").with_conversation(function(conv)
    host.request("send", { conv = conv, text = text }, function(_, err, gone)
      if gone then
        -- The host can't give the words back itself any more.
        require("pivi.prompt").give_back(nil, text)
      else
        host.report(nil, err)
      end
    end)
  end, function()
    require("pivi.prompt").give_back(nil, text)
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
