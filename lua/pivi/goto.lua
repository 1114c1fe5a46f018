---`gf` and its kin: from a path in a transcript to the file, in the session's directory, on the line it tells.
local absolute = require("pivi.absolute")
local conversations = require("pivi.conversations")
local fences = require("pivi.fences")
local log = require("pivi.log")
local objects = require("pivi.objects")
local paths = require("pivi.paths")

local M = {}

---@param c pivi.Conversation
---@param path string
---@return string? absolute, of something that is there
local function existing(c, path)
  local full = absolute.of(c, path)
  return vim.uv.fs_stat(full) and full or nil
end

---The line of a file that a row of a tool's output stands for: in a diff the line's own number, in what was read
---its place below the first.
---@param block pivi.Around
---@param row integer
---@param from integer number of the first line
---@return integer?
local function line_of(block, row, from)
  local index = row - block.first + 1
  for _, fence in ipairs(fences.find(block.lines)) do
    if index > fence.first and index < fence.last then
      if fence.info == "diff" then
        return tonumber(block.lines[index]:match("^[ +-]%s*(%d+)"))
      end
      return from + index - fence.first - 1
    end
  end
end

---What the cursor's tool works on.
---@param c pivi.Conversation
---@param row integer
---@return pivi.Path?
local function of_tool(c, row)
  local block = objects.around(c, row)
  if not block or block.kind ~= "tool_call" then
    return nil
  end
  local target, lines = paths.of_heading(c.tools, block.lines[1])
  if target and lines and row > block.first then
    target.lnum = line_of(block, row, target.lnum or 1) or target.lnum
  end
  return target
end

---@param c pivi.Conversation
---@return pivi.Path?
---@return string? tried what is not there
function M.target(c)
  local row, col = unpack(vim.api.nvim_win_get_cursor(0))
  local line = vim.api.nvim_get_current_line()
  local tried
  local candidates = paths.at(line, col + 1)
  candidates[#candidates + 1] = of_tool(c, row - 1)
  for _, candidate in ipairs(candidates) do
    local full = existing(c, candidate.path)
    if full then
      return { path = full, lnum = candidate.lnum, col = candidate.col }
    end
    -- What is under the cursor may be nothing but a sign of Markdown.
    tried = tried or (candidate.path:find("%w") and candidate.path or nil)
  end
  return nil, tried
end

---@param split? "horizontal"|"tab" where it is shown, nil for this window unless that is fixed to its buffer
function M.file(split)
  local c = conversations.by_buf(0)
  if not c then
    return
  end
  local target, tried = M.target(c)
  if not target then
    return log.error(tried and ("no such file: %s"):format(tried) or "no path here")
  end
  local fixed = vim.wo.winfixbuf
  local command = split == "tab" and vim.cmd.tabedit or (split or fixed) and vim.cmd.split or vim.cmd.edit
  vim.cmd("normal! m'")
  command({ args = { target.path }, magic = { file = false, bar = false } })
  if target.lnum then
    local lnum = math.max(1, math.min(target.lnum, vim.api.nvim_buf_line_count(0)))
    vim.api.nvim_win_set_cursor(0, { lnum, math.max(0, (target.col or 1) - 1) })
    vim.cmd("normal! zv")
  end
end

return M
