---Motions over what a transcript is made of, with counts, in normal, visual and operator-pending mode.
local conversations = require("pivi.conversations")
local errors = require("pivi.errors")
local fences = require("pivi.fences")
local page = require("pivi.page")

local M = {}

---Kinds of blocks whose text is what somebody said, in Markdown.
M.SAID = { prompt = true, answer = true, summary = true, custom = true, system = true }

---@alias pivi.Target fun(c: pivi.Conversation, row: integer, step: 1|-1): integer? row the next one, 0-based

---A block's heading is the row below its empty one.
---@param kinds table<string, true>
---@return pivi.Target
local function blocks(kinds)
  return function(c, row, step)
    local first = page.next(c, row - 1, kinds, step)
    return first and first + 1
  end
end

---@param c pivi.Conversation
---@param row integer
---@param step 1|-1
---@return integer?
local function next_error(c, row, step)
  local at = row
  while true do
    at = errors.next(c.buf, at + step, step)
    if not at then
      return nil
    end
    local _, first = page.at(c, at)
    local heading = first and (first == 0 and at or first + 1) or at
    -- One block may have several marks, and its heading may lie on the other side of the cursor.
    if (heading - row) * step > 0 then
      return heading
    end
  end
end

---The nearest opening fence of a message's block beyond a row.
---@param c pivi.Conversation
---@param block {first: integer, last: integer}
---@param row integer
---@param step 1|-1
---@return integer?
local function fence_beyond(c, block, row, step)
  local found = fences.find(vim.api.nvim_buf_get_lines(c.buf, block.first, block.last + 1, false))
  for i = step > 0 and 1 or #found, step > 0 and #found or 1, step do
    local top = block.first + found[i].first - 1
    if (top - row) * step > 0 then
      return top
    end
  end
end

---Neovim's own search finds what may be a fence; its block tells whether it is one, and is passed over if not.
---@param c pivi.Conversation
---@param row integer
---@param step 1|-1
---@return integer?
local function next_code(c, row, step)
  local view = vim.fn.winsaveview()
  local flags = step > 0 and "W" or "bW"
  local at, target = row, nil
  repeat
    local line = vim.api.nvim_buf_get_lines(c.buf, at, at + 1, false)[1]
    vim.api.nvim_win_set_cursor(0, { at + 1, step > 0 and #line or 0 })
    local found = vim.fn.search([[^[ >0-9.)*+-]*\(```\|\~\~\~\)]], flags)
    local _, first = page.at(c, found - 1)
    local block = found > 0 and first and page.within(c, first, first, 1)[1]
    if block then
      local known = c.page.blocks[block.number]
      target = known and M.SAID[known.kind] and fence_beyond(c, block, row, step) or nil
      at = step > 0 and block.last or block.first
    end
  until target or not block
  vim.fn.winrestview(view)
  return target
end

---@type table<string, pivi.Target>
M.TARGETS = {
  section = blocks({
    prompt = true,
    reply = true,
    shell = true,
    summary = true,
    custom = true,
    system = true,
  }),
  prompt = blocks({ prompt = true }),
  tool = blocks({ tool_call = true, result = true, shell = true }),
  error = next_error,
  code = next_code,
}

---What a motion goes to.
---@type table<string, string>
local THINGS = {
  section = "sections",
  prompt = "prompts",
  tool = "tools",
  error = "errors",
  code = "code blocks",
}

---Where a motion leads, with the count that was typed.
---@param name string one of TARGETS
---@param step 1|-1
---@return integer? row
---@return boolean all whether there were as many as the count
function M.find(name, step)
  local c = conversations.by_buf(0)
  if not c or c.page.total == 0 then
    return nil, false
  end
  local row, target = vim.api.nvim_win_get_cursor(0)[1] - 1, nil
  for _ = 1, vim.v.count1 do
    local found = M.TARGETS[name](c, target or row, step)
    if not found then
      return target, false
    end
    target = math.min(found, c.page.total - 1)
  end
  return target, true
end

---Says that a motion came to its end. In Visual mode 'showmode' may have its line.
---@param name string one of TARGETS
---@param step 1|-1
function M.say_end(name, step)
  local c = conversations.by_buf(0)
  local text = ("pivi: no more %s %s"):format(THINGS[name], step > 0 and "below" or "above")
  if step < 0 and c and c.status.reading then
    text = text .. " yet, the session is still being read"
  end
  -- What is said before an operator is given up does not stay.
  vim.schedule(function()
    vim.api.nvim_echo({ { text, "WarningMsg" } }, false, {})
  end)
end

---A fold that a motion opened where it led to: it closes when the next one leads away from there.
---@type {win: integer, buf: integer, number: integer}?
local opened

---@param c pivi.Conversation
---@param number? integer the block that the motion leads to
local function close_opened(c, number)
  local was, win = opened, vim.api.nvim_get_current_win()
  opened = nil
  if not was or was.win ~= win or was.buf ~= c.buf or was.number == number then
    return
  end
  local here, first = page.at(c, vim.api.nvim_win_get_cursor(win)[1] - 1)
  -- Who went elsewhere meanwhile wants to come back to it.
  if here == was.number and first and vim.fn.foldclosed(first + 2) == -1 then
    vim.cmd(("silent! %dfoldclose"):format(first + 2))
  end
end

---@param target integer 0-based row
local function jump(target)
  local c = conversations.by_buf(0)
  local number = c and page.at(c, target)
  local alone = vim.api.nvim_get_mode().mode == "n"
  if c and alone then
    close_opened(c, number)
  end
  vim.cmd("normal! m'")
  vim.api.nvim_win_set_cursor(0, { target + 1, 0 })
  if c and number and alone and vim.fn.foldclosed(target + 1) == target + 1 then
    opened = { win = vim.api.nvim_get_current_win(), buf = c.buf, number = number }
  end
  vim.cmd("normal! zv")
end

---@param name string one of TARGETS
---@param step 1|-1
function M.go(name, step)
  if name == "code" and vim.wo.diff then
    -- There the key means a change, as everywhere.
    vim.cmd(("normal! %d%sc"):format(vim.v.count1, step > 0 and "]" or "["))
    return
  end
  local target, all = M.find(name, step)
  if target then
    jump(target)
  end
  if not all then
    M.say_end(name, step)
  end
end

return M
