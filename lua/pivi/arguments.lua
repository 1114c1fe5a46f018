---Words that say which sessions are meant, and in which order: arguments of `:Pi sessions` and `:Pi grep`.
local browser = require("pivi.browser")
local nearest = require("pivi.nearest")

local M = {}

---@return string[]
function M.words()
  local words = { "named" }
  vim.list_extend(words, browser.SCOPES)
  return vim.list_extend(words, browser.ORDERS)
end

---@param text string words, then what is to be sought after a `/`
---@param bang boolean all directories
---@return pivi.BrowserOptions? options
---@return string? problem
function M.sessions(text, bang)
  local options = { scope = bang and "all" or nil }
  local words, sought = text:match("^(.-)/(.*)$")
  options.filter = sought
  for word in (words or text):gmatch("%S+") do
    if word == "named" then
      options.named = true
    elseif vim.list_contains(browser.SCOPES, word) then
      options.scope = word
    elseif vim.list_contains(browser.ORDERS, word) then
      options.order = word
    else
      return nil, nearest.unknown("argument", word, M.words())
    end
  end
  return options
end

return M
