---Where a transcript tells of something that failed: a mark for each place, found without looking at all others.
local M = {}

local ns = vim.api.nvim_create_namespace("pivi.errors")

---Highlight groups that only what failed has.
M.GROUPS = { PiviFailed = true, PiviError = true, PiviDamage = true }

---Rows that are looked through at once on the way up; Neovim gathers all marks of a range that is read backwards.
local SPAN = 4096

---@param buf integer
---@param first integer 0-based row
---@param stop integer 0-based row, not included
function M.clear(buf, first, stop)
  vim.api.nvim_buf_clear_namespace(buf, ns, first, stop)
end

---@param buf integer
---@param row integer 0-based
function M.add(buf, row)
  vim.api.nvim_buf_set_extmark(buf, ns, row, 0, {})
end

---@param buf integer
---@param row integer 0-based; a place on it counts
---@param step 1|-1
---@return integer? row
function M.next(buf, row, step)
  local get = vim.api.nvim_buf_get_extmarks
  if step > 0 then
    local mark = get(buf, ns, { row, 0 }, -1, { limit = 1 })[1]
    return mark and mark[2]
  end
  local stop = row
  while stop >= 0 do
    local from = math.max(stop - SPAN, 0)
    local found = get(buf, ns, { from, 0 }, { stop, -1 }, {})
    if #found > 0 then
      return found[#found][2]
    end
    stop = from - 1
  end
end

return M
