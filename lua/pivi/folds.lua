---Folds of transcripts. The truth is the page (a block's own fold, groups of blocks); each window's manual folds
---are made after it. What the reader opened or closed stays so, in the window and when it has to be made anew.
local manual = require("pivi.manual")
local page = require("pivi.page")
local wanted = require("pivi.wanted")

---@class pivi.WindowFolds
---@field made table<integer, true> folds that this window has: a block's number, or for a group -1 - its first
---@field tick integer the page's tick when the window last showed it
---@field place? pivi.Place where the window left the buffer
---@field queue? pivi.Fold[] folds that are still to be made

local M = {}

local SLICE = 500

---@param c pivi.Conversation
---@param win integer
---@param list pivi.Fold[]
local function make_in(c, win, list)
  local made = c.windows[win].made
  list = vim.tbl_filter(function(fold)
    return not made[fold.key]
  end, list)
  for _, fold in ipairs(list) do
    made[fold.key] = true
  end
  manual.make(list)
end

---Makes the next folds of a window that lacks some, a slice at a time.
---@param c pivi.Conversation
---@param win integer
local function continue(c, win)
  local record = c.windows[win]
  if
    not (
      record
      and record.queue
      and vim.api.nvim_win_is_valid(win)
      and vim.api.nvim_win_get_buf(win) == c.buf
    )
  then
    return
  end
  local slice = vim.list_slice(record.queue, 1, SLICE)
  record.queue = #record.queue > SLICE and vim.list_slice(record.queue, SLICE + 1) or nil
  local tick = record.tick
  vim.api.nvim_win_call(win, function()
    make_in(c, win, slice)
  end)
  if record.queue then
    vim.defer_fn(function()
      -- Where text moved meanwhile the rest has other lines.
      if c.windows[win] == record and record.queue then
        if tick ~= c.page.tick then
          M.complete(c, win)
        else
          continue(c, win)
        end
      end
    end, 2)
  end
end

---Makes all folds that a window lacks: what it shows now, the rest in slices.
---@param c pivi.Conversation
---@param win integer
function M.complete(c, win)
  local record = c.windows[win]
  record.tick = c.page.tick
  local blocks, groups = wanted.all(c)
  local made, near, far, outer_near, outer_far = record.made, {}, {}, {}, {}
  local top, bottom = vim.fn.line("w0", win), vim.fn.line("w$", win)
  for _, group in ipairs(groups) do
    if not made[group.key] then
      local list = group.first <= bottom and group.last >= top and outer_near or outer_far
      list[#list + 1] = group
    end
  end
  for _, block in ipairs(blocks) do
    if not made[block.key] then
      local list = block.first <= bottom and block.last >= top and near or far
      list[#list + 1] = block
    end
  end
  vim.list_extend(near, outer_near)
  vim.list_extend(far, outer_far)
  if #near > 0 then
    vim.api.nvim_win_call(win, function()
      make_in(c, win, near)
    end)
  end
  record.queue = #far > 0 and far or nil
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

---The page is empty again; the numbers of its blocks mean nothing any more.
---@param c pivi.Conversation
function M.reset(c)
  wanted.forget(c)
  for _, win in ipairs(vim.fn.win_findbuf(c.buf)) do
    if c.windows[win] then
      M.clear(c, win)
    end
  end
  for win in pairs(c.windows) do
    if not vim.api.nvim_win_is_valid(win) then
      c.windows[win] = nil
    end
  end
end

---Before rows are written: what the reader did to the folds that go is kept, and what can't follow is named.
---@param c pivi.Conversation
---@param patch pivi.Patch
---@return boolean broken some group's fold has to be taken away, so each window's folds are made anew
function M.before(c, patch)
  local windows = vim.tbl_filter(function(win)
    return c.windows[win] ~= nil
  end, vim.fn.win_findbuf(c.buf))
  local going = page.within(c, patch.row, patch.row + patch.old - 1)
  local touched = {}
  for _, block in ipairs(going) do
    touched[block.number] = true
  end
  local retold = {}
  for i = 1, #patch.groups, 3 do
    retold[patch.groups[i]] = patch.groups[i + 1]
  end
  local broken, whole_groups = false, {}
  for first, group in pairs(#going + #patch.groups > 0 and c.page.groups or {}) do
    local at_first, at_last = touched[first], touched[group.last]
    if at_first and at_last then
      whole_groups[#whole_groups + 1] = first
    elseif at_first or (at_last and going[#going].number ~= group.last) then
      broken = true
    elseif retold[first] and retold[first] ~= group.last then
      broken = true
    end
  end
  local seen_blocks, seen_groups = going, whole_groups
  if broken then
    seen_blocks = page.within(c, 0, c.page.total)
    seen_groups = vim.tbl_keys(c.page.groups)
  end
  for _, win in ipairs(windows) do
    local made = c.windows[win].made
    vim.api.nvim_win_call(win, function()
      for _, block in ipairs(seen_blocks) do
        local fold = made[block.number] and wanted.of_block(c, block)
        if fold then
          wanted.observe(c, fold, c.page.blocks[block.number].fold)
        end
      end
      for _, first in ipairs(seen_groups) do
        local fold = made[wanted.group_key(first)] and wanted.of_group(c, first)
        if fold then
          wanted.observe(c, fold, c.page.groups[first].fold)
        end
      end
    end)
  end
  for _, record in pairs(c.windows) do
    for _, block in ipairs(going) do
      record.made[block.number] = nil
    end
    for _, first in ipairs(whole_groups) do
      record.made[wanted.group_key(first)] = nil
    end
  end
  for _, number in ipairs(patch.gone) do
    wanted.forget_block(c, number)
  end
  return broken
end

---After rows were written: the folds of the new blocks, in every window.
---@param c pivi.Conversation
---@param patch pivi.Patch
---@param broken boolean
function M.after(c, patch, broken)
  local windows = vim.fn.win_findbuf(c.buf)
  if #windows == 0 then
    return
  end
  local list, groups, firsts = {}, {}, {}
  for _, block in ipairs(page.within(c, patch.row, patch.row + patch.new - 1)) do
    list[#list + 1] = wanted.of_block(c, block)
    firsts[block.number] = c.page.groups[block.number] and true or nil
  end
  for i = 1, #patch.groups, 3 do
    firsts[patch.groups[i]] = true
  end
  for first in pairs(firsts) do
    groups[#groups + 1] = wanted.of_group(c, first)
  end
  wanted.sort(groups)
  vim.list_extend(list, groups)
  for _, win in ipairs(windows) do
    local record = c.windows[win]
    if not record then
      require("pivi.window").entered(c, win)
    elseif broken then
      record.tick = c.page.tick
      M.clear(c, win)
      M.complete(c, win)
    else
      record.tick = c.page.tick
      if #list > 0 then
        vim.api.nvim_win_call(win, function()
          make_in(c, win, list)
        end)
      end
    end
  end
end

return M
