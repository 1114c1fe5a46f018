---Folds of transcripts. The truth is the page (a block's own fold, groups of blocks); each window's manual folds
---are made after it. What the reader opened or closed stays so, in the window and when it has to be made anew.
local page = require("pivi.page")

---@class pivi.WindowFolds
---@field made table<integer, true> folds that this window has: a block's number, or for a group -1 - its first
---@field tick integer the page's tick when the window last showed it
---@field place? pivi.Place where the window left the buffer
---@field queue? pivi.Fold[] folds that are still to be made

---@class pivi.Fold
---@field key integer
---@field first integer 1-based line
---@field last integer 1-based line
---@field open boolean

local M = {}

local SLICE = 500

---What the reader made of a fold, where it differs from how it was told.
---@type table<integer, table<integer, boolean>>
local reader = {}

---@param c pivi.Conversation
---@return table<integer, boolean>
local function wishes(c)
  reader[c.buf] = reader[c.buf] or {}
  return reader[c.buf]
end

---@param first integer number of a group's first block
---@return integer
local function group_key(first)
  return -1 - first
end

---@param c pivi.Conversation
---@param key integer
---@param fold integer as told
---@return boolean
local function is_open(c, key, fold)
  local wish = wishes(c)[key]
  if wish ~= nil then
    return wish
  end
  return fold == page.OPEN
end

---@param c pivi.Conversation
---@param block {number: integer, first: integer, last: integer}
---@return pivi.Fold?
local function of_block(c, block)
  local known = c.page.blocks[block.number]
  if known and known.fold ~= page.NO_FOLD and block.last > block.first then
    local open = is_open(c, block.number, known.fold)
    return { key = block.number, first = block.first + 2, last = block.last + 1, open = open }
  end
end

---@param c pivi.Conversation
---@param first integer number of a block
---@return pivi.Fold?
local function of_group(c, first)
  local group = c.page.groups[first]
  local top = page.rows(c, first)
  local _, bottom = page.rows(c, group.last)
  if top and bottom and bottom > top and group.fold ~= page.NO_FOLD then
    local open = is_open(c, group_key(first), group.fold)
    return { key = group_key(first), first = top + 2, last = bottom + 1, open = open }
  end
end

---Inner groups come first: those that start later, and of two that start together the shorter one.
---@param list pivi.Fold[]
local function sort_groups(list)
  table.sort(list, function(a, b)
    return a.first == b.first and a.last < b.last or a.first > b.first
  end)
end

---Opens what hides this line of the current window, down to the fold itself.
---@param fold pivi.Fold
---@return integer[] closed first lines of the outer folds that were closed, outermost first
local function open_to(fold)
  local outer = {}
  for _ = 1, 20 do
    local top = vim.fn.foldclosed(fold.first)
    if top == -1 then
      break
    end
    if top == fold.first and vim.fn.foldclosedend(fold.first) == fold.last then
      return outer
    end
    outer[#outer + 1] = top
    vim.cmd(fold.first .. "foldopen")
  end
  return outer
end

---Makes folds in the current window; those that lie within others come before them.
---@param list pivi.Fold[]
local function make(list)
  if #list == 0 then
    return
  end
  local local_wo = vim.wo[vim.api.nvim_get_current_win()][0]
  if local_wo.foldmethod ~= "manual" then
    local_wo.foldmethod = "manual"
  end
  local enabled = local_wo.foldenable
  -- With folding off `:fold` takes its lines as they are; else it would widen them to a closed fold around them.
  local_wo.foldenable = false
  local commands = {}
  for i, fold in ipairs(list) do
    commands[i] = ("%d,%dfold"):format(fold.first, fold.last)
  end
  vim.api.nvim_exec2(table.concat(commands, "\n"), {})
  local_wo.foldenable = true
  -- Outer folds first: an open one hides nothing from the next.
  for i = #list, 1, -1 do
    local fold = list[i]
    if fold.open then
      local outer = open_to(fold)
      if vim.fn.foldclosed(fold.first) ~= -1 then
        vim.cmd(fold.first .. "foldopen")
      end
      for j = #outer, 1, -1 do
        vim.cmd(outer[j] .. "foldclose")
      end
    end
  end
  local_wo.foldenable = enabled
end

---What the reader did to a fold of the current window, where that can be seen.
---@param c pivi.Conversation
---@param fold pivi.Fold
---@param told integer
local function observe(c, fold, told)
  local top = vim.fn.foldclosed(fold.first)
  local open
  if top == -1 then
    open = true
  elseif top == fold.first and vim.fn.foldclosedend(fold.first) == fold.last then
    open = false
  else
    return
  end
  if open ~= (told == page.OPEN) then
    wishes(c)[fold.key] = open
  else
    wishes(c)[fold.key] = nil
  end
end

---Every fold of the page, inner before outer.
---@param c pivi.Conversation
---@return pivi.Fold[] blocks in order
---@return pivi.Fold[] groups
local function all(c)
  local blocks, groups = {}, {}
  for _, block in ipairs(page.within(c, 0, c.page.total)) do
    blocks[#blocks + 1] = of_block(c, block)
  end
  for first in pairs(c.page.groups) do
    groups[#groups + 1] = of_group(c, first)
  end
  sort_groups(groups)
  return blocks, groups
end

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
  make(list)
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
  local blocks, groups = all(c)
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
  reader[c.buf] = nil
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
        local fold = made[block.number] and of_block(c, block)
        if fold then
          observe(c, fold, c.page.blocks[block.number].fold)
        end
      end
      for _, first in ipairs(seen_groups) do
        local fold = made[group_key(first)] and of_group(c, first)
        if fold then
          observe(c, fold, c.page.groups[first].fold)
        end
      end
    end)
  end
  for _, record in pairs(c.windows) do
    for _, block in ipairs(going) do
      record.made[block.number] = nil
    end
    for _, first in ipairs(whole_groups) do
      record.made[group_key(first)] = nil
    end
  end
  for _, number in ipairs(patch.gone) do
    wishes(c)[number] = nil
    wishes(c)[group_key(number)] = nil
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
    list[#list + 1] = of_block(c, block)
    firsts[block.number] = c.page.groups[block.number] and true or nil
  end
  for i = 1, #patch.groups, 3 do
    firsts[patch.groups[i]] = true
  end
  for first in pairs(firsts) do
    groups[#groups + 1] = of_group(c, first)
  end
  sort_groups(groups)
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

---'foldtext': the first line as it is shown, with its decorations.
---@return [string, string][] chunks
function M.text()
  local buf, row = vim.api.nvim_get_current_buf(), vim.v.foldstart - 1
  local decorations, group = require("pivi.marks").on_row(buf, row)
  local line = vim.fn.getline(vim.v.foldstart)
  local chunks = { { line, group or "Folded" } }
  for _, chunk in ipairs(decorations) do
    chunks[#chunks + 1] = { " ", "Folded" }
    chunks[#chunks + 1] = chunk
  end
  if #decorations == 0 then
    chunks[#chunks + 1] = { (" %d lines"):format(vim.v.foldend - vim.v.foldstart + 1), "Comment" }
  end
  return chunks
end

return M
