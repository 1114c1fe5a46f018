---Full text: the sessions in which something was said or done, as the host finds them.
local catalog = require("pivi.catalog")

local M = {}

---Searches for the text of the browser's query.
---@param b pivi.Browser
---@param changed fun(b: pivi.Browser)
function M.search(b, changed)
  catalog.leave(b.search)
  b.search, b.hits = nil, nil
  local pattern = b.query.text
  if not pattern then
    return
  end
  local query, hits = b.query, {}
  b.hits = hits
  local regex = pattern:match("^/(.-)/?$")
  b.search = catalog.search(b.cwd, b.scope, regex or pattern, regex ~= nil, {
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
