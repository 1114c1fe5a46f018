---Lines of the current window's transcript that are found again after a restart, by how they start.
local page = require("pivi.page")
local wanted = require("pivi.wanted")

local M = {}

---Characters of a line that tell it from others.
local START = 40
---Folds that are looked at: those so many rows around the reader, and how many of them are kept.
local AROUND, FOLDS = 20000, 64
---How far from its place a line is looked for where something came or went above it.
local SEARCH = 300

---@param lnum integer
---@return string
function M.start(lnum)
  return vim.fn.strcharpart(vim.fn.getline(lnum), 0, START)
end

---Where a line is now: at its place, else the nearest one that starts as it did.
---@param lnum integer
---@param text string
---@return integer?
function M.find(lnum, text)
  for distance = 0, text ~= "" and SEARCH or 0 do
    for _, at in ipairs({ lnum - distance, lnum + distance }) do
      if at >= 1 and at <= vim.fn.line("$") and M.start(at) == text then
        return at
      end
    end
  end
end

---What the reader made of the folds of the current window.
---@param c pivi.Conversation
---@return {lnum: integer, text: string, open: boolean}[]
function M.folds(c)
  local found = {}
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  ---@param fold? pivi.Fold
  ---@param told integer
  local function look(fold, told)
    if not fold or #found >= FOLDS then
      return
    end
    local top = vim.fn.foldclosed(fold.first)
    local open = top == -1
    local seen = open or (top == fold.first and vim.fn.foldclosedend(fold.first) == fold.last)
    if seen and open ~= (told == page.OPEN) then
      found[#found + 1] = { lnum = fold.first, text = M.start(fold.first), open = open }
    end
  end
  for _, block in ipairs(page.many_within(c, math.max(0, row - AROUND), row + AROUND)) do
    local runs = c.page.groups[block.number]
    look(runs and wanted.of_group(c, block.number), runs and runs.fold or page.OPEN)
    local known = c.page.blocks[block.number]
    look(wanted.of_block(c, block), known and known.fold or page.OPEN)
  end
  return found
end

---@param known {folds: any}
function M.restore_folds(known)
  for _, fold in ipairs(type(known.folds) == "table" and known.folds or {}) do
    local lnum = M.find(fold.lnum, fold.text)
    if lnum and vim.fn.foldlevel(lnum) > 0 then
      local top = vim.fn.foldclosed(lnum)
      if fold.open and top == lnum then
        vim.cmd(("%dfoldopen"):format(lnum))
      elseif not fold.open and top == -1 then
        vim.cmd(("%dfoldclose"):format(lnum))
      end
    end
  end
end

return M
