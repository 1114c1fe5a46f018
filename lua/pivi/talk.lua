---What is said to Pi, and what ends it.
local conversations = require("pivi.conversations")
local host = require("pivi.host")
local log = require("pivi.log")

local M = {}

---@param conv integer
---@param text string
local function post(conv, text)
  local params =
    { conv = conv, text = text, cwd = vim.fn.getcwd(), options = require("pivi.config").for_host() }
  host.request("send", params, function(value, err, gone)
    if gone then
      -- The host can't give the words back itself any more.
      require("pivi.prompt").give_back(nil, text)
    elseif value and value.gone then
      require("pivi.gone").ask(value.gone, {}, function(opened, why, lost)
        if opened and opened.conv then
          return post(opened.conv, text)
        end
        require("pivi.prompt").give_back(conversations.by_conv(conv), text)
        host.report(nil, why, lost)
      end)
    else
      host.report(nil, err)
    end
  end)
end

---@param text string
function M.send(text)
  if vim.trim(text) == "" then
    return log.error("nothing to send")
  end
  require("pivi.open").with_conversation(function(conv)
    post(conv, text)
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
