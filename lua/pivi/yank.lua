---Yanks what is at the cursor without what Markdown and pivi put around it.
local conversations = require("pivi.conversations")
local fences = require("pivi.fences")
local objects = require("pivi.objects")

local M = {}

local ns = vim.api.nvim_create_namespace("pivi.yank")

---How long the yanked lines are lit, in milliseconds.
local LIT = 150

---@param c pivi.Conversation
---@param first integer 0-based row
---@param last integer 0-based row
---@param lines string[]
---@param what string
local function take(c, first, last, lines, what)
  vim.fn.setreg(vim.v.register, lines, "l")
  vim.api.nvim_buf_set_extmark(c.buf, ns, first, 0, {
    end_row = last + 1,
    hl_group = "IncSearch",
    hl_eol = true,
    strict = false,
  })
  vim.defer_fn(function()
    if vim.api.nvim_buf_is_valid(c.buf) then
      vim.api.nvim_buf_clear_namespace(c.buf, ns, 0, -1)
    end
  end, LIT)
  local count = #lines == 1 and "1 line" or ("%d lines"):format(#lines)
  vim.api.nvim_echo({ { ("%s of %s yanked"):format(count, what) } }, false, {})
end

---@param what string
---@param find fun(c: pivi.Conversation, row: integer): integer?, integer?, string[]?
local function yank(what, find)
  local c = conversations.by_buf(0)
  local first, last, lines
  if c then
    first, last, lines = find(c, vim.api.nvim_win_get_cursor(0)[1] - 1)
  end
  if not c or not first or not last then
    return vim.api.nvim_echo({ { ("pivi: no %s here"):format(what), "WarningMsg" } }, false, {})
  end
  take(c, first, last, lines or vim.api.nvim_buf_get_lines(c.buf, first, last + 1, false), what)
end

---The message at the cursor; of a tool its output.
function M.message()
  yank("the message", function(c, row)
    local first, last = objects.output(c, row, true)
    if first then
      return first, last
    end
    return objects.message(c, row, true)
  end)
end

---The code block at the cursor, without the blanks that stand before its fence.
function M.code()
  yank("code", function(c, row)
    local first, last = objects.code(c, row, false)
    if not first or not last then
      return nil
    end
    local lines = vim.api.nvim_buf_get_lines(c.buf, first, last + 1, false)
    return first, last, fences.code(lines, fences.find(lines)[1])
  end)
end

return M
