---`:Pi grep`: what was said or done in all sessions, streamed into the quickfix list.
local catalog = require("pivi.catalog")
local cells = require("pivi.cells")
local hits = require("pivi.hits")
local line = require("pivi.browser.line")
local log = require("pivi.log")
local safe = require("pivi.safe")
local window = require("pivi.window")

local M = {}

---Cells of a title before each hit.
local TITLE = 30

---@type {look?: integer, list: integer}?
local running

---Opens the list. Who has gone on elsewhere until something was found stays there.
---@param from integer the window in which it was asked for
---@param mods? table
local function open_list(from, mods)
  local function open()
    local win = vim.api.nvim_get_current_win()
    vim.cmd.copen({ mods = mods })
    if win ~= from or vim.api.nvim_get_mode().mode ~= "n" then
      vim.api.nvim_set_current_win(win)
    end
  end
  if not window.after_cmdwin(open) then
    open()
  end
end

---@param hit pivi.Hit
---@return table
local function item(hit)
  local age = hit.active and line.age(os.time() - hit.active) or ""
  local title = cells.cut(safe.line(hit.title), TITLE)
  return {
    -- One for all hits of a session: the entry is told by the list's item.
    filename = hits.SCHEME .. hit.path,
    lnum = 1,
    col = 1,
    text = safe.line(hit.line),
    user_data = {
      path = hit.path,
      entry = hit.entry,
      session = title,
      age = age,
      role = hit.role and safe.line(hit.role),
      sought = { line = hit.line, col = hit.col },
    },
  }
end

---@class pivi.QuickfixInfo as Neovim gives it to 'quickfixtextfunc'
---@field quickfix 0|1 0 for a location list
---@field winid integer of that list's window
---@field id integer
---@field start_idx integer
---@field end_idx integer

---@param info pivi.QuickfixInfo
---@return table[]
local function items_of(info)
  local function get(what)
    what.id, what.items = info.id, 1
    return (info.quickfix == 1 and vim.fn.getqflist(what) or vim.fn.getloclist(info.winid, what)).items
  end
  if info.start_idx == 1 then
    return get({})
  end
  -- All that there are would be copied for the few that are new.
  local items = {}
  for i = info.start_idx, info.end_idx do
    items[i] = get({ idx = i })[1]
  end
  return items
end

---'quickfixtextfunc' of the list: session, age and role before each line, not the buffer's name.
---@param info pivi.QuickfixInfo
---@return string[]
function M.text(info)
  local items = items_of(info)
  local lines = {}
  for i = info.start_idx, info.end_idx do
    local found = items[i]
    local data = type(found.user_data) == "table" and found.user_data or {}
    lines[#lines + 1] = ("%s|%s %s| %s"):format(
      data.session or "",
      data.age or "",
      data.role or "",
      found.text
    )
  end
  return lines
end

---@param text string
---@return string pattern
---@return boolean regex
local function pattern_of(text)
  local regex = text:match("^/(.+)/$")
  return regex or text, regex ~= nil
end

---@param title string
---@param count integer
---@param progress pivi.Progress
---@param over boolean
---@return string
local function heading(title, count, progress, over)
  local state = over and "" or ", searching"
  local skipped = (progress.skipped or 0) > 0 and (", %d files skipped"):format(progress.skipped) or ""
  return ("%s (%d found%s%s)"):format(title, count, state, skipped)
end

function M.stop()
  if running then
    catalog.leave(running.look)
    running = nil
  end
end

---@param opts pivi.GrepOptions
function M.run(opts)
  M.stop()
  local pattern, regex = pattern_of(opts.text)
  local title = "Pi grep " .. safe.line(opts.title)
  local count, last = 0, {}
  vim.fn.setqflist({}, " ", {
    title = heading(title, 0, {}, false),
    items = {},
    quickfixtextfunc = "v:lua.require'pivi.grep'.text",
  })
  local list = vim.fn.getqflist({ id = 0 }).id
  local shown, from = false, vim.api.nvim_get_current_win()
  local function tell(over)
    vim.fn.setqflist({}, "a", { id = list, title = heading(title, count, last, over) })
  end
  local look = catalog.search(vim.fn.getcwd(), opts.scope or "directory", pattern, regex, {
    take = function(found, progress)
      -- The user may have thrown the list away meanwhile.
      if vim.fn.getqflist({ id = list }).id ~= list then
        return M.stop()
      end
      last, count = progress, count + #found
      if #found > 0 then
        vim.fn.setqflist({}, "a", { id = list, items = vim.tbl_map(item, found) })
        if not shown then
          shown = true
          open_list(from, opts.mods)
        end
      end
      tell(false)
    end,
    over = function(problem)
      running = nil
      tell(true)
      if problem then
        log.error(problem)
      elseif count == 0 then
        log.say(("nothing found: %s"):format(opts.text))
      end
    end,
  }, opts.target)
  running = { look = look, list = list }
end

return M
