---Windows that show a transcript: where it is opened, and their options.
local conversations = require("pivi.conversations")
local folds = require("pivi.folds")
local view = require("pivi.view")

local M = {}

local group = vim.api.nvim_create_augroup("pivi.window", {})

local FOLDTEXT = "v:lua.require'pivi.foldtext'.text()"

---Sections are level 1 and open, what lies in them is level 2 and closed: what `zX` goes back to.
local OPTIONS = {
  foldmethod = "manual",
  foldtext = FOLDTEXT,
  foldlevel = 1,
  foldminlines = 0,
  foldenable = true,
  diff = false,
  scrollbind = false,
  cursorbind = false,
  wrap = true,
  linebreak = true,
  breakindent = true,
  list = false,
  spell = false,
  number = false,
  relativenumber = false,
  colorcolumn = "",
  winbar = "%{%v:lua.require'pivi.winbar'.text()%}",
}

---@param win integer
local function set_options(win)
  local wo = vim.wo[win][0]
  if wo.foldtext ~= FOLDTEXT then
    for name, value in pairs(OPTIONS) do
      wo[name] = value
    end
    -- The last one counts.
    wo.fillchars = vim.o.fillchars .. (vim.o.fillchars == "" and "" or ",") .. "fold: "
  elseif wo.foldmethod ~= "manual" then
    wo.foldmethod = "manual"
  end
end

---A window shows the buffer, for the first time or again.
---@param c pivi.Conversation
---@param win integer
---@param stayed? boolean the cursor alone was elsewhere
function M.entered(c, win, stayed)
  if not vim.api.nvim_win_is_valid(win) or vim.api.nvim_win_get_buf(win) ~= c.buf then
    return
  end
  local record = c.windows[win]
  -- Where nothing is painted, the folds come with the text.
  local settled = record and (record.tick == c.page.tick or c.page.total == 0)
  if record and settled and (stayed or not record.place) then
    record.place = nil
    return
  end
  set_options(win)
  local place = record and record.place
  if record and record.tick == c.page.tick then
    record.place = nil
    folds.go_on(c, win)
    return
  end
  if not record then
    place = view.here(c, win)
    local from = M.copied_from(c)
    local made = from and vim.deepcopy(from.made) or {}
    record = { made = made, tick = c.page.tick, level = from and from.level }
    c.windows[win] = record
    if from and M.has_folds(c, win) then
      return
    end
  end
  record.place = nil
  folds.clear(c, win)
  folds.complete(c, win)
  view.back(c, win, place)
end

---A window may stop showing the buffer.
---@param c pivi.Conversation
---@param win integer
function M.left(c, win)
  local record = vim.api.nvim_win_get_buf(win) == c.buf and c.windows[win]
  if record and record.tick == c.page.tick then
    folds.leave(c, win)
  end
  view.leave(c, win)
end

---The window whose folds a new one may have: `:split` takes them along, also into another tab page.
---@param c pivi.Conversation
---@return pivi.WindowFolds?
function M.copied_from(c)
  local before = c.windows[vim.fn.win_getid(vim.fn.winnr("#"))]
  for _, from in pairs(before and { before } or c.windows) do
    if from.tick == c.page.tick and not from.queue and next(from.made) then
      return from
    end
  end
end

---Whether the window really has the folds that it should: its last one is looked at.
---@param c pivi.Conversation
---@param win integer
---@return boolean
function M.has_folds(c, win)
  local page = require("pivi.page")
  local made = c.windows[win].made
  for key in pairs(made) do
    local first = key >= 0 and page.rows(c, key) or page.rows(c, -1 - key)
    if first then
      return vim.api.nvim_win_call(win, function()
        return vim.fn.foldlevel(first + 2) > 0
      end)
    end
  end
  return true
end

---What is known of a window goes with it: no other one ever has its number.
function M.watch()
  vim.api.nvim_clear_autocmds({ group = group, event = "WinClosed" })
  vim.api.nvim_create_autocmd("WinClosed", {
    group = group,
    desc = "Forget the folds of a transcript's window",
    callback = function(event)
      for _, c in ipairs(conversations.all()) do
        c.windows[tonumber(event.match)] = nil
      end
    end,
  })
end

---@param win integer
---@return boolean
local function can_take(win)
  if not vim.api.nvim_win_is_valid(win) or vim.fn.win_gettype(win) ~= "" or vim.wo[win].winfixbuf then
    return false
  end
  local buf = vim.api.nvim_win_get_buf(win)
  local hides = vim.o.hidden or vim.bo[buf].bufhidden ~= ""
  return hides or not vim.bo[buf].modified or #vim.fn.win_findbuf(buf) > 1
end

---@class pivi.Where
---@field win? integer the window that the command was given in
---@field mods? string|table the command's modifiers: a split, where and of which kind
---@field into? boolean the buffer is to take it, wherever that is shown
---@field reading? boolean the buffer was read, which shows it nowhere
---@field nowhere? boolean it is not shown
---@field focus? boolean whether the cursor goes there too

---Shows a buffer.
---The windows of a tab page that are its own: one of them must stay, whatever floats above.
---@param tab? integer the current one by default
---@return integer[]
function M.fixed(tab)
  return vim.tbl_filter(function(win)
    return vim.api.nvim_win_get_config(win).relative == ""
  end, vim.api.nvim_tabpage_list_wins(tab or 0))
end

---@param win integer
---@return boolean
function M.is_last(win)
  local fixed = M.fixed(vim.api.nvim_win_get_tabpage(win))
  return #fixed == 1 and fixed[1] == win and #vim.api.nvim_list_tabpages() == 1
end

---In the command-line window no other one can be touched: it is done when that is left.
---@param act fun()
---@return boolean waits
function M.after_cmdwin(act)
  if vim.fn.getcmdwintype() == "" then
    return false
  end
  vim.api.nvim_create_autocmd(
    "CmdwinLeave",
    { group = group, once = true, callback = vim.schedule_wrap(act) }
  )
  return true
end

---@param buf integer
---@param where pivi.Where
---@param shown_in fun(win: integer)
function M.put(buf, where, shown_in)
  if M.after_cmdwin(function()
    M.put(buf, where, shown_in)
  end) then
    return
  end
  local mods = where.mods
  local splits = type(mods) == "table"
    and (mods.vertical or mods.horizontal or mods.split ~= "" or mods.tab >= 0)
  local shown = vim.fn.win_findbuf(buf)
  local win = where.win or vim.api.nvim_get_current_win()
  if not splits and shown[1] and not vim.list_contains(shown, win) then
    local here = vim.tbl_filter(function(candidate)
      return vim.api.nvim_win_get_tabpage(candidate) == vim.api.nvim_get_current_tabpage()
    end, shown)
    win = here[1] or (where.focus and shown[1]) or win
  end
  if splits or not can_take(win) then
    local focus = vim.api.nvim_win_is_valid(win) and win or vim.api.nvim_get_current_win()
    if vim.fn.win_gettype(focus) ~= "" then
      focus = vim.fn.win_getid(1)
    end
    vim.api.nvim_set_current_win(focus)
    vim.cmd.sbuffer({ args = { tostring(buf) }, mods = splits and mods or nil })
    win = vim.api.nvim_get_current_win()
  elseif vim.api.nvim_win_get_buf(win) ~= buf then
    vim.api.nvim_win_set_buf(win, buf)
  end
  if where.focus then
    vim.api.nvim_set_current_win(win)
  end
  shown_in(win)
end

---Shows the conversation.
---@param c pivi.Conversation
---@param where pivi.Where
function M.show(c, where)
  if where.nowhere then
    return
  end
  M.put(c.buf, where, function(win)
    M.entered(c, win)
  end)
end

return M
