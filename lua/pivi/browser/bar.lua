---Over the list which sessions and in which order; in its footer how many, and how far the reading is. Where the reader
---has a status line of their own, or none, the list has no footer, and all stands over it.
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

---'statusline' of a window that has the footer.
local FOOTER = " %{%v:lua.require'pivi.browser.bar'.footer()%}"

---@param win integer a window that shows the list, or its preview, which has nothing to tell there
---@param is_list boolean
function M.give_footer(win, is_list)
  if vim.go.statusline == vim.api.nvim_get_option_info2("statusline", {}).default then
    vim.wo[win][0].statusline = is_list and FOOTER or " "
  end
end

---@param win integer
---@return boolean
local function has_footer(win)
  return vim.o.laststatus == 2 and vim.wo[win].statusline == FOOTER
end

---What stands at the right.
---@param b pivi.Browser
---@param win integer
---@return string
function M.right(b, win)
  local parts = { b.named and b.order .. ", named" or b.order }
  if not has_footer(win) then
    table.insert(parts, 1, counts(b))
    vim.list_extend(parts, states(b))
  end
  return table.concat(parts, " · ") .. "  g? "
end

---@return string
function M.footer()
  local b = require("pivi.browser").of(0)
  return b and safe.bar(table.concat({ counts(b), unpack(states(b)) }, " · ")) or ""
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
  return (" %%<%%#PiviPhase#%s%%*%s%%=%s"):format(
    safe.bar(where),
    filtered,
    safe.bar(M.right(b, vim.api.nvim_get_current_win())) .. " "
  )
end

return M
