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

---Raises an error where options of Lua have a scope or an order that there is not.
---@param options pivi.BrowserOptions
function M.check(options)
  for name, known in pairs({ scope = browser.SCOPES, order = browser.ORDERS }) do
    local value = options[name]
    if value ~= nil and not vim.list_contains(known, value) then
      error(("%s: %s, got %s"):format(name, table.concat(known, ", "), vim.inspect(value)), 0)
    end
  end
end

---@class pivi.GrepOptions
---@field text string words, or a /regular expression/
---@field title string what was typed
---@field scope? pivi.Scope
---@field target? string the one session that is searched
---@field mods? table

M.GREP = { "++directory", "++repository", "++all", "++session=" }

---A session's name as an argument: its blanks are escaped.
---@param target string
---@return string
function M.escape(target)
  return vim.fn.escape(target, " \t\\")
end

---@param text string
---@return string
function M.unescape(text)
  return (text:gsub("\\([ \t\\])", "%1"))
end

---@param text string
---@return string? word up to the first blank that is not escaped
---@return string rest
local function first_word(text)
  local stop = vim.regex([[^++\%(\\.\|\S\)*]])
  local _, last = stop:match_str(text)
  if not last then
    return nil, text
  end
  return text:sub(1, last), vim.trim(text:sub(last + 1))
end

---@return string? file of the session that this buffer is about
local function here()
  local c = require("pivi.conversations").here()
  return vim.b.pivi_raw and require("pivi.file").here() or (c and c.file ~= "" and c.file) or nil
end

---@param text string `++scope` or `++session`, then what is to be found
---@param bang boolean all directories
---@return pivi.GrepOptions? options
---@return string? problem
function M.grep(text, bang)
  local word, rest = first_word(text)
  local options = { text = rest, title = text, scope = bang and "all" or nil }
  local target = word and word:match("^%+%+session=(.*)$")
  if word == "++session" or target then
    options.target = target and M.unescape(target) or here()
    if bang then
      return nil, ":Pi grep ++session takes no !, it searches one session"
    elseif not options.target or options.target == "" then
      return nil, "which session? :Pi grep ++session={id, name or path} {words}"
    end
  elseif word and not vim.list_contains(M.GREP, word) then
    return nil, nearest.unknown("argument", word, vim.list_extend({ "++session" }, M.GREP))
  elseif word then
    options.scope = word:sub(3)
  end
  if rest == "" then
    return nil, "what is to be found? :Pi grep {words} or :Pi grep /{pattern}/"
  end
  return options
end

return M
