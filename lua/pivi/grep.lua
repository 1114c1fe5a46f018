---`:Pi grep`: what was said or done in all sessions, streamed into the quickfix list.
local catalog = require("pivi.catalog")
local cells = require("pivi.cells")
local conversations = require("pivi.conversations")
local line = require("pivi.browser.line")
local log = require("pivi.log")
local safe = require("pivi.safe")
local window = require("pivi.window")

local M = {}

---Cells of a title before each hit.
local TITLE = 40

local SCHEME = "pivi-hit://"

---@type {look?: integer, list: integer}?
local running

---The window that was made in this very command.
---@type integer?
local made

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
  local title = cells.cut(safe.line(hit.title), TITLE, "")
  return {
    -- One for all hits of a session: the entry is told by the list's item.
    filename = SCHEME .. hit.path,
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

---@param id integer
---@param first integer
---@param last integer
---@return table[]
local function items_of(id, first, last)
  if first == 1 then
    return vim.fn.getqflist({ id = id, items = 1 }).items
  end
  -- All that there are would be copied for the few that are new.
  local items = {}
  for i = first, last do
    items[i] = vim.fn.getqflist({ id = id, idx = i, items = 1 }).items[1]
  end
  return items
end

---'quickfixtextfunc' of the list: session, age and role before each line, not the buffer's name.
---@param info {id: integer, start_idx: integer, end_idx: integer, quickfix: integer}
---@return string[]
function M.text(info)
  local items = items_of(info.id, info.start_idx, info.end_idx)
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

vim.api.nvim_create_autocmd("WinNew", {
  group = vim.api.nvim_create_augroup("pivi.grep", {}),
  desc = "Know a window that was made for a place that a search has found",
  callback = function()
    made = vim.api.nvim_get_current_win()
    vim.schedule(function()
      made = nil
    end)
  end,
})

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
    take = function(hits, progress)
      -- The user may have thrown the list away meanwhile.
      if vim.fn.getqflist({ id = list }).id ~= list then
        return M.stop()
      end
      last, count = progress, count + #hits
      if #hits > 0 then
        vim.fn.setqflist({}, "a", { id = list, items = vim.tbl_map(item, hits) })
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

---@class pivi.HitData what an item of the list tells of its hit
---@field path string
---@field entry string
---@field session string
---@field age string
---@field role string
---@field sought pivi.Sought

---The hit that was gone to, in the quickfix list or in a copy of it that a window has.
---@param buf integer
---@param win integer
---@return pivi.HitData?
local function hit_in(buf, win)
  local function here(what)
    return vim.fn.getloclist(win, what)
  end
  for _, get in ipairs({ vim.fn.getqflist, here }) do
    local found = get({ idx = get({ idx = 0 }).idx, items = 1 }).items[1]
    if found and found.bufnr == buf and type(found.user_data) == "table" then
      return found.user_data
    end
  end
end

---The window in which a hit's transcript is to be seen. A transcript is no window for Neovim to put a hit into: it
---makes one, which is not needed where the session is shown already; else the session takes the hit's place.
---@param path string
---@param win integer the hit's
---@param is_made boolean
---@return integer win
local function place_for(path, win, is_made)
  local c = conversations.by_file(path)
  if not c or not vim.api.nvim_buf_is_loaded(c.buf) then
    return win
  end
  local tab = vim.api.nvim_win_get_tabpage(win)
  for _, other in ipairs(is_made and window.fixed(tab) or {}) do
    if vim.api.nvim_win_get_buf(other) == c.buf then
      vim.api.nvim_set_current_win(other)
      vim.api.nvim_win_close(win, true)
      return other
    end
  end
  vim.api.nvim_win_set_buf(win, c.buf)
  return win
end

---A hit's buffer is shown (`:cnext`, Enter in the quickfix window): its transcript takes its place, at the entry.
---@param buf integer
function M.jump(buf)
  -- It is read again each time that it is gone to.
  vim.bo[buf].bufhidden = "unload"
  vim.bo[buf].buftype = "nofile"
  vim.bo[buf].buflisted = false
  vim.bo[buf].swapfile = false
  local path = vim.api.nvim_buf_get_name(buf):match("^pivi%-hit://(/.*)$")
  if not path then
    return log.error("this is no place in a session")
  end
  local is_made = made == vim.api.nvim_get_current_win()
  vim.schedule(function()
    local win = vim.fn.win_findbuf(buf)[1]
    if win then
      local hit = hit_in(buf, win) or {}
      win = place_for(path, win, is_made)
      vim.api.nvim_win_call(win, function()
        -- From hit to hit of one session this buffer is not read again while it is shown.
        require("pivi.place").view(path, hit.entry, hit.sought, function(entry, sought)
          local now = vim.api.nvim_win_is_valid(win) and hit_in(buf, win)
          if now then
            return now.entry, now.sought
          end
          return entry, sought
        end)
      end)
    end
  end)
end

return M
