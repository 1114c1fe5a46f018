---Full text: the sessions in which something was said or done, as the host finds them.
local catalog = require("pivi.catalog")

local M = {}

---What is looked for in full text: words, a phrase in quotes, or a regular expression between slashes.
---@param text string
---@return string pattern
---@return boolean regex
local function split(text)
  local regex = text:match("^/(.-)/?$")
  return regex or text, regex ~= nil
end

---What stands for it in a window. Case counts as in the search; a regular expression is Python's, and here Vim's.
---@param text string
---@return string? pattern nil where Vim has no such one
function M.pattern(text)
  local sought, regex = split(text)
  local capital = regex and sought:gsub("\\.", "") or sought
  local case = capital == vim.fn.tolower(capital) and "\\c" or "\\C"
  if regex then
    local pattern = case .. "\\v" .. sought
    return sought ~= "" and pcall(vim.regex, pattern) and pattern or nil
  end
  local terms = {}
  local rest = sought:gsub('"([^"]+)"?', function(phrase)
    terms[#terms + 1] = phrase
    return " "
  end)
  vim.list_extend(terms, vim.split(rest, "%s+", { trimempty = true }))
  for i, term in ipairs(terms) do
    terms[i] = vim.fn.escape(term, "\\")
  end
  return #terms > 0 and case .. "\\V\\%(" .. table.concat(terms, "\\|") .. "\\)" or nil
end

---Searches for the text of the browser's query.
---@param b pivi.Browser
---@param changed fun(b: pivi.Browser)
function M.search(b, changed)
  catalog.leave(b.search)
  b.search, b.hits = nil, nil
  if not b.query.text then
    return
  end
  local pattern, regex = split(b.query.text)
  local query, hits = b.query, {}
  b.hits = hits
  b.search = catalog.search(b.cwd, b.scope, pattern, regex, {
    take = function(found)
      for _, hit in ipairs(found) do
        hits[hit.path] = hits[hit.path] or hit
      end
      changed(b)
    end,
    over = function(problem)
      b.search, query.problem = nil, problem
      changed(b)
    end,
  })
end

return M
