---Transcript buffers: nothing else writes into them.
local bookmarks = require("pivi.bookmarks")
local conversations = require("pivi.conversations")
local folds = require("pivi.folds")
local marks = require("pivi.marks")
local naming = require("pivi.naming")
local page = require("pivi.page")
local rereading = require("pivi.rereading")
local selection = require("pivi.selection")
local view = require("pivi.view")
local window = require("pivi.window")

local M = {}

local group = vim.api.nvim_create_augroup("pivi.buffer", {})

---What a transcript can't do without.
---@param buf integer
local function secure(buf)
  local bo = vim.bo[buf]
  bo.buftype = "nofile"
  bo.bufhidden = "hide"
  bo.swapfile = false
  bo.undofile = false
  bo.undolevels = -1
  bo.modifiable = false
end

---@param buf integer
function M.prepare(buf)
  secure(buf)
  local bo = vim.bo[buf]
  bo.buflisted = true
  bo.modeline = false
  bo.readonly = false
  bo.textwidth = 0
end

---@param c pivi.Conversation
local function watch(c)
  vim.api.nvim_clear_autocmds({ group = group, buffer = c.buf })
  local function on(events, callback)
    vim.api.nvim_create_autocmd(events, { group = group, buffer = c.buf, callback = callback })
  end
  on({ "BufWinEnter", "BufEnter", "WinNew", "WinEnter" }, function(event)
    window.entered(c, vim.api.nvim_get_current_win(), event.event == "WinEnter")
  end)
  on("BufEnter", function()
    conversations.used(c)
  end)
  on("BufWriteCmd", function(event)
    require("pivi.export").write(c, event.match)
  end)
  on({ "FileWriteCmd", "FileAppendCmd" }, function(event)
    require("pivi.export").write_lines(c, event.match, event.event == "FileAppendCmd")
  end)
  on("BufFilePost", function()
    -- Until it has written, the file's name is the buffer's.
    vim.schedule(function()
      require("pivi.log").guard("naming", naming.keep, c)
    end)
  end)
  -- The latter does not come where another window goes on showing the buffer.
  on({ "BufLeave", "BufWinLeave" }, function()
    window.left(c, vim.api.nvim_get_current_win())
  end)
  on("BufUnload", function()
    rereading.keep(c, true)
    bookmarks.keep(c)
    page.reset(c)
    -- `:edit` unloads too, and has read the buffer again by then.
    vim.schedule(function()
      conversations.unloaded(c)
    end)
  end)
end

---@class pivi.OpenInfo: pivi.Names
---@field file string
---@field session_id string
---@field title string
---@field cwd string
---@field view? string it is only read, up to the entry of that id; "" for all of it

---A session file that was read by its name keeps that.
---@param c pivi.Conversation
---@return boolean
local function is_named_by_file(c)
  local name = vim.api.nvim_buf_get_name(c.buf)
  return name ~= "" and c.file ~= "" and conversations.real(name) == conversations.real(c.file)
end

---@param c pivi.Conversation
---@param info pivi.OpenInfo
local function describe(c, info)
  c.view = info.view
  c.file = info.file or ""
  c.session_id = info.session_id or ""
  c.title = info.title or ""
  c.cwd = info.cwd or ""
end

---The buffer of a session: the one that its file has already or had, the given one, or a new one.
---@param conv integer
---@param info pivi.OpenInfo
---@param buf? integer
---@return pivi.Conversation
function M.open(conv, info, buf)
  local c = conversations.by_file(info.file or "", info.view) or (buf and conversations.by_buf(buf))
  local fresh = not c
  if not c then
    if not (buf and vim.api.nvim_buf_is_valid(buf)) then
      buf = conversations.deleted(info.file or "", info.view) or vim.api.nvim_create_buf(true, false)
    end
    c = { buf = buf, status = {}, windows = {} } --[[@as pivi.Conversation]]
    page.reset(c)
  end
  if not vim.api.nvim_buf_is_loaded(c.buf) then
    -- To read it would be to ask for the session once more.
    local ignored = vim.o.eventignore
    vim.o.eventignore = "all"
    M.prepare(c.buf)
    vim.fn.bufload(c.buf)
    vim.o.eventignore = ignored
  end
  describe(c, info)
  page.know(c, info)
  conversations.renumber(c, conv)
  M.prepare(c.buf)
  if not is_named_by_file(c) then
    naming.set(c.buf, c.session_id, c.view)
  end
  c.name = vim.api.nvim_buf_get_name(c.buf)
  conversations.add(c)
  watch(c)
  if fresh then
    require("pivi.keys").map(c.buf)
    window.watch()
    require("pivi.render").watch()
    require("pivi.places").watch(c)
    require("pivi.seek").watch()
  end
  return c
end

---The buffer belongs to another file now.
---@param c pivi.Conversation
---@param info pivi.OpenInfo
function M.rename(c, info)
  describe(c, info)
  naming.set(c.buf, c.session_id)
  c.name = vim.api.nvim_buf_get_name(c.buf)
  conversations.used(c)
end

---Everything else is set: what the user hangs on the file type has the last word, but for what would empty or lose
---the text.
---@param c pivi.Conversation
function M.set_filetype(c)
  if vim.bo[c.buf].filetype ~= "pivi" then
    vim.bo[c.buf].filetype = "pivi"
    secure(c.buf)
  end
end

---The text is gone or not ours any more.
---@param c pivi.Conversation
function M.lost(c)
  M.prepare(c.buf)
  page.reset(c)
  c.page.lost = true
end

---Rows in place of others, such that the folds around them grow and shrink with them and those within go.
---
---`nvim_buf_set_lines` is the fastest way in above a block, whose empty first row is in no fold that starts there.
---It leaves folds over replaced lines and stretches one that ends with the buffer, so in a buffer that is shown
---other changes keep the row above, and go line by line.
---@param c pivi.Conversation
---@param patch pivi.Patch
local function write(c, patch)
  local buf, kept = c.buf, page.unchanged(c, patch)
  local row, old = patch.row + kept, patch.old - kept
  local lines = kept > 0 and vim.list_slice(patch.lines, kept + 1) or patch.lines
  if c.page.total == 0 then
    vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  elseif #vim.fn.win_findbuf(buf) == 0 or (old == 0 and row < c.page.total) then
    vim.api.nvim_buf_set_lines(buf, row, row + old, false, lines)
  elseif old == 0 then
    vim.fn.appendbufline(buf, row, lines)
  elseif #lines == 0 then
    vim.fn.deletebufline(buf, row + 1, row + old)
  else
    if old > 1 then
      vim.fn.deletebufline(buf, row + 2, row + old)
    end
    local final = table.remove(lines)
    if #lines > 0 then
      vim.fn.appendbufline(buf, row, lines)
    end
    vim.fn.setbufline(buf, row + #lines + 1, final)
  end
end

---@class pivi.Patch fields are those of `Patch` in pivi/view/patch.py
---@field row integer
---@field old integer
---@field lines string[] none where they are already in the buffer
---@field new integer
---@field blocks integer[]
---@field gone integer[]
---@field marks integer[]
---@field strings string[]
---@field groups integer[]
---@field total integer
---@field fresh? boolean the buffer is emptied first

---What an open patch needs in the end.
---@class pivi.Begun
---@field patch pivi.Patch
---@field selected? pivi.Selection
---@field views pivi.Place[]
---@field unsettled table<integer, true>

---Makes the buffer ready for the rows of a patch.
---@param c pivi.Conversation
---@param patch pivi.Patch
---@return boolean taken false where the text is not what the host believes: all has to be sent again
---@return pivi.Begun? begun nil where nothing is to be written
function M.begin(c, patch)
  local buf = c.buf
  if not vim.api.nvim_buf_is_loaded(buf) then
    return true
  end
  if patch.fresh then
    bookmarks.lift(c)
    page.reset(c)
    folds.reset(c)
  elseif c.page.lost or c.page.tick ~= vim.api.nvim_buf_get_changedtick(buf) then
    local told = c.page.lost
    c.page.lost = true
    return told or false
  end
  local selected = selection.lift(c)
  local views = view.save(c, patch, selected and selected.win)
  local unsettled = folds.before(c, patch)
  vim.bo[buf].modifiable = true
  vim.bo[buf].readonly = false
  if patch.fresh then
    vim.api.nvim_buf_clear_namespace(buf, -1, 0, -1)
    vim.api.nvim_buf_set_lines(buf, 0, -1, false, {})
  end
  if patch.old > 0 then
    marks.clear(buf, patch.row, patch.row + patch.old)
  end
  return true, { patch = patch, selected = selected, views = views, unsettled = unsettled }
end

---The rows are written: what lies on them follows.
---@param c pivi.Conversation
---@param begun pivi.Begun
function M.finish(c, begun)
  local buf, patch = c.buf, begun.patch
  vim.bo[buf].modifiable = false
  vim.bo[buf].modified = false
  page.take(c, patch)
  marks.set(c, patch)
  c.page.tick = vim.api.nvim_buf_get_changedtick(buf)
  folds.after(c, patch, begun.unsettled)
  view.restore(c, begun.views, patch)
  rereading.painted(c)
  bookmarks.put_back(c)
  selection.put_back(c, patch, begun.selected)
end

---@param c pivi.Conversation
---@param patch pivi.Patch
---@return boolean taken as of `begin`
function M.apply(c, patch)
  local taken, begun = M.begin(c, patch)
  if begun then
    write(c, patch)
    M.finish(c, begun)
  end
  return taken
end

---Text, blocks and marks alone, in a buffer whose windows are somebody else's.
---@param c pivi.Conversation
---@param patch pivi.Patch a fresh one
function M.fill(c, patch)
  page.reset(c)
  marks.clear(c.buf, 0, -1)
  vim.bo[c.buf].modifiable = true
  vim.api.nvim_buf_set_lines(c.buf, 0, -1, false, patch.lines)
  page.take(c, patch)
  marks.set(c, patch)
end

return M
