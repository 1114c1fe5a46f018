---Manual folds of the current window.
---@class pivi.Fold
---@field key integer
---@field first integer 1-based line
---@field last integer 1-based line
---@field open boolean
---@field wished boolean the reader has opened or closed it

local M = {}

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
function M.make(list)
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

---Whether the innermost closed fold around the fold's first line is the fold itself.
---@param fold pivi.Fold
---@return boolean
local function is_closed(fold)
  return vim.fn.foldclosed(fold.first) == fold.first and vim.fn.foldclosedend(fold.first) == fold.last
end

---Takes one fold of the current window away; those in it and around it stay as they are.
---@param fold pivi.Fold
---@return boolean found
function M.remove(fold)
  local enabled = vim.wo.foldenable
  local local_wo = vim.wo[vim.api.nvim_get_current_win()][0]
  local_wo.foldenable = true
  local outer = open_to(fold)
  local inner = {}
  -- Closing closes the innermost open fold at the line.
  for _ = 1, 5 do
    if is_closed(fold) then
      break
    end
    local last = vim.fn.foldclosedend(fold.first)
    vim.cmd(fold.first .. "foldclose")
    inner[#inner + 1] = last == -1 and not is_closed(fold) or nil
  end
  local found = is_closed(fold)
  if found then
    local view = vim.fn.winsaveview()
    vim.api.nvim_win_set_cursor(0, { fold.first, 0 })
    vim.cmd("normal! zd")
    vim.fn.winrestview(view)
    for _ = 1, #inner do
      vim.cmd(fold.first .. "foldopen")
    end
  end
  for i = #outer, 1, -1 do
    vim.cmd(outer[i] .. "foldclose")
  end
  local_wo.foldenable = enabled
  return found
end

return M
