---Folds of transcripts. The truth is the page (a block's own fold, groups of blocks); each window's manual folds
---are made after it. What the reader opened or closed stays so, in the window and when it has to be made anew.
local log = require("pivi.log")
local manual = require("pivi.manual")
local page = require("pivi.page")
local wanted = require("pivi.wanted")

---@class pivi.WindowFolds
---@field made table<integer, true> folds that this window has: a block's number, or for a group -1 - its first
---@field tick integer the page's tick when the window last showed it
---@field broken? boolean a fold was not where it should be: all are made anew
---@field place? pivi.Place where the window left the buffer
---@field level? integer 'foldlevel' when its first folds were made: |zM|, |zR| and their kin change it
---@field queue? integer number of the block whose folds are made next, while some are missing
---@field due? true the next slice of them comes by itself

local M = {}

local SLICE = 500
---Rows above and below a window whose folds are made at once with its own.
local NEAR = 200
---Rows above and below the cursor whose folds are looked at when a window is left, which must not take long.
local AROUND = 20000

---@param c pivi.Conversation
---@param win integer
---@param list pivi.Fold[]
---@param late? boolean they are of older text, which comes to a reader who may have closed or opened all by then
local function make_in(c, win, list, late)
  local record, level = c.windows[win], vim.wo[win].foldlevel
  list = vim.tbl_filter(function(fold)
    return not record.made[fold.key]
  end, list)
  if #list == 0 then
    return
  end
  record.level = record.level or level
  for _, fold in ipairs(list) do
    record.made[fold.key] = true
    if late and level ~= record.level and not fold.wished then
      fold.open = level > 0
    end
  end
  manual.make(list)
end

---Folds of blocks, and of the groups that begin with them.
---@param c pivi.Conversation
---@param blocks {number: integer, first: integer, last: integer}[]
---@param firsts? table<integer, true> first blocks of other groups to be made with them
---@return pivi.Fold[] inner before outer
local function folds_of(c, blocks, firsts)
  firsts = firsts or {}
  local list, groups = {}, {}
  for _, block in ipairs(blocks) do
    list[#list + 1] = wanted.of_block(c, block)
    if c.page.groups[block.number] then
      firsts[block.number] = true
    end
  end
  for first in pairs(firsts) do
    groups[#groups + 1] = wanted.of_group(c, first)
  end
  wanted.sort(groups)
  return vim.list_extend(list, groups)
end

---Makes the next folds of a window that lacks some, a slice at a time from the top.
---@param c pivi.Conversation
---@param win integer
local function continue(c, win)
  local record = c.windows[win]
  local from = record and record.queue
  if not from or not vim.api.nvim_win_is_valid(win) or vim.api.nvim_win_get_buf(win) ~= c.buf then
    return
  end
  -- A block that is gone meanwhile has no row: all is looked through again, which costs little.
  local blocks = page.within(c, page.rows(c, from) or 0, c.page.total, SLICE + 1)
  local rest = table.remove(blocks, SLICE + 1)
  record.queue = rest and rest.number
  vim.api.nvim_win_call(win, function()
    make_in(c, win, folds_of(c, blocks), true)
  end)
  if rest and not record.due then
    record.due = true
    vim.defer_fn(function()
      record.due = nil
      if c.windows[win] == record then
        log.guard("folding", continue, c, win)
      end
    end, 2)
  end
end

---A window shows the buffer again: folds that it still lacked when it was left are made too.
---@param c pivi.Conversation
---@param win integer
function M.go_on(c, win)
  continue(c, win)
end

---Makes all folds that a window lacks: what it shows now, the rest in slices.
---@param c pivi.Conversation
---@param win integer
function M.complete(c, win)
  local record = c.windows[win]
  record.tick = c.page.tick
  local top, bottom = vim.fn.line("w0", win), vim.fn.line("w$", win)
  local _, from = page.at(c, top - 1)
  local shown = page.within(c, math.max((from or 0) - NEAR, 0), bottom + NEAR, SLICE)
  vim.api.nvim_win_call(win, function()
    make_in(c, win, folds_of(c, shown), true)
  end)
  local first = page.within(c, 0, c.page.total, 1)[1]
  record.queue = first and first.number
  continue(c, win)
end

---A window has no folds of ours any more.
---@param c pivi.Conversation
---@param win integer
function M.clear(c, win)
  local record = c.windows[win]
  record.made, record.queue = {}, nil
  vim.api.nvim_win_call(win, function()
    vim.wo[win][0].foldmethod = "manual"
    vim.cmd("normal! zE")
  end)
end

---Whether the reader of a window has closed or opened all: folds that are as they were told may be exceptions then.
---@param c pivi.Conversation
---@param win integer
---@return boolean
local function has_set_all(c, win)
  return vim.wo[win].foldlevel ~= c.windows[win].level
end

---The window may stop showing the buffer: where text comes meanwhile its folds have to be made anew.
---@param c pivi.Conversation
---@param win integer
function M.leave(c, win)
  local made, exact = c.windows[win].made, has_set_all(c, win)
  local row = vim.api.nvim_win_get_cursor(win)[1] - 1
  local near = page.many_within(c, math.max(0, row - AROUND), row + AROUND)
  vim.api.nvim_win_call(win, function()
    for _, block in ipairs(near) do
      local number = block.number
      local fold = made[number] and wanted.of_block(c, block)
      if fold then
        wanted.observe(c, fold, c.page.blocks[number].fold, exact)
      end
      fold = made[wanted.group_key(number)] and wanted.of_group(c, number)
      if fold then
        wanted.observe(c, fold, c.page.groups[number].fold, exact)
      end
    end
  end)
end

---The page is empty again; the numbers of its blocks mean nothing any more.
---@param c pivi.Conversation
function M.reset(c)
  wanted.forget(c)
  for _, win in ipairs(vim.fn.win_findbuf(c.buf)) do
    if c.windows[win] then
      M.clear(c, win)
    end
  end
end

---Groups whose fold does not follow by itself when these rows are written: their first blocks.
---@param c pivi.Conversation
---@param patch pivi.Patch
---@param going {number: integer}[]
---@return table<integer, true>
local function unsettled(c, patch, going)
  local found, touched = {}, {}
  for _, block in ipairs(going) do
    touched[block.number] = true
  end
  local newest = patch.blocks[#patch.blocks - page.FIELDS + 2]
  for number in pairs(touched) do
    if c.page.groups[number] then
      found[number] = true
    end
    for first in pairs(c.page.ends[number] or {}) do
      -- The rows of a group's last block may grow and shrink: its fold does too.
      if number ~= newest or going[#going].number ~= number then
        found[first] = true
      end
    end
  end
  for i = 1, #patch.groups, 3 do
    local known = c.page.groups[patch.groups[i]]
    if known and known.last ~= patch.groups[i + 1] then
      found[patch.groups[i]] = true
    end
  end
  return found
end

---Before rows are written: what the reader did to the folds that go is kept, and those of groups that can't follow
---are taken away.
---@param c pivi.Conversation
---@param patch pivi.Patch
---@return table<integer, true> firsts first blocks of the groups to be made again
function M.before(c, patch)
  local going = page.within(c, patch.row, patch.row + patch.old - 1)
  local firsts = unsettled(c, patch, going)
  for _, win in ipairs(vim.fn.win_findbuf(c.buf)) do
    local record = c.windows[win]
    if record and (#going > 0 or next(firsts)) then
      local exact = has_set_all(c, win)
      vim.api.nvim_win_call(win, function()
        for _, block in ipairs(going) do
          local fold = record.made[block.number] and wanted.of_block(c, block)
          if fold then
            wanted.observe(c, fold, c.page.blocks[block.number].fold, exact)
          end
          record.made[block.number] = nil
        end
        for first in pairs(firsts) do
          local fold = record.made[wanted.group_key(first)] and wanted.of_group(c, first)
          if fold then
            wanted.observe(c, fold, c.page.groups[first].fold, exact)
            record.broken = not manual.remove(fold) or record.broken
          end
          record.made[wanted.group_key(first)] = nil
        end
      end)
    end
  end
  for _, number in ipairs(patch.gone) do
    wanted.forget_block(c, number)
    firsts[number] = nil
  end
  return firsts
end

---After rows were written: the folds of the new blocks, in every window.
---@param c pivi.Conversation
---@param patch pivi.Patch
---@param firsts table<integer, true> what `before` gave
function M.after(c, patch, firsts)
  local windows = vim.fn.win_findbuf(c.buf)
  if #windows == 0 then
    return
  end
  for i = 1, #patch.groups, 3 do
    firsts[patch.groups[i]] = true
  end
  local list = folds_of(c, page.of_patch(patch), firsts)
  local late = patch.old == 0 and patch.row + patch.new < patch.total
  for _, win in ipairs(windows) do
    local record = c.windows[win]
    if not record then
      require("pivi.window").entered(c, win)
    elseif record.broken then
      record.broken = nil
      M.clear(c, win)
      M.complete(c, win)
    else
      record.tick = c.page.tick
      if #list > 0 then
        vim.api.nvim_win_call(win, function()
          make_in(c, win, list, late)
        end)
      end
    end
  end
end

return M
