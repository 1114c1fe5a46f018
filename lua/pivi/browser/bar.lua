---One line over the list: which sessions, in which order, how many, and how far the reading is.
local safe = require("pivi.safe")

local M = {}

local SCOPES = { repository = "this repository", all = "all directories" }

---@param b pivi.Browser
---@return string
local function counts(b)
  local total = vim.tbl_count(b.rows)
  if b.text == "" and not b.named then
    return ("%d session%s"):format(total, total == 1 and "" or "s")
  end
  return ("%d of %d"):format(b.list.matches, total)
end

---@param b pivi.Browser
---@return string[]
local function states(b)
  local progress, found = b.progress, {}
  if b.look then
    local total = progress.total or 0
    found[#found + 1] = total > 0 and ("reading %d%%"):format(math.floor(100 * (progress.done or 0) / total))
      or "reading"
  end
  if b.search then
    found[#found + 1] = "searching"
  end
  if (progress.skipped or 0) > 0 then
    found[#found + 1] = ("%d skipped"):format(progress.skipped)
  end
  found[#found + 1] = b.query.problem or progress.problem
  return found
end

---What stands at the right.
---@param b pivi.Browser
---@return string
function M.right(b)
  local parts = { counts(b), b.named and b.order .. ", named" or b.order }
  vim.list_extend(parts, states(b))
  return table.concat(parts, " · ") .. "  g? "
end

---The winbar of the window that is being drawn.
---@return string
function M.text()
  local b = require("pivi.browser").of(0)
  if not b then
    return ""
  end
  local where = SCOPES[b.scope] or vim.fn.fnamemodify(b.cwd, ":~")
  local filtered = b.text ~= "" and ("  %%#PiviSessionMatch#%s%%*"):format(safe.bar(b.text)) or ""
  return (" %%<%%#PiviPhase#%s%%*%s%%=%s"):format(safe.bar(where), filtered, safe.bar(M.right(b)) .. " ")
end

return M
