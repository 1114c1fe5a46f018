---What is selected in Visual mode stays selected while text comes and goes: Neovim does not move where it starts, and
---commands on folds would take it for theirs.
local view = require("pivi.view")

local M = {}

---@class pivi.Selection
---@field win integer
---@field mode string
---@field start integer[] as `getpos()` gives it
---@field view vim.fn.winsaveview.ret
---@field at? pivi.At where it starts, in a transcript

local VISUAL = { v = "v", V = "V", ["\22"] = "\22", s = "v", S = "V", ["\19"] = "\22" }
local SELECT = { s = true, S = true, ["\19"] = true }

---@param keys string
local function quietly(keys)
  vim.cmd("noautocmd keepjumps normal! " .. keys)
end

---Ends the selection of the current window for a moment, if there is one.
---@param c pivi.Conversation
---@return pivi.Selection?
function M.lift(c)
  local mode = vim.fn.mode()
  if not VISUAL[mode] then
    return nil
  end
  local start = vim.fn.getpos("v")
  local known = {
    win = vim.api.nvim_get_current_win(),
    mode = mode,
    start = start,
    view = vim.fn.winsaveview(),
    at = vim.api.nvim_get_current_buf() == c.buf and view.at(c, start[2]) or nil,
  }
  quietly("\27")
  return known
end

---Makes it again, where its lines are now.
---@param c pivi.Conversation
---@param patch pivi.Patch
---@param known? pivi.Selection
function M.put_back(c, patch, known)
  if not known or vim.api.nvim_get_current_win() ~= known.win then
    return
  end
  local lnum = known.start[2]
  if known.at then
    lnum = math.min(view.moved(c, patch, lnum, known.at), vim.api.nvim_buf_line_count(0))
  end
  local now = vim.fn.winsaveview()
  now.col, now.coladd, now.curswant = known.view.col, known.view.coladd, known.view.curswant
  vim.fn.cursor({ lnum, known.start[3], known.start[4] })
  quietly(VISUAL[known.mode] .. (SELECT[known.mode] and "\7" or ""))
  vim.fn.winrestview(now)
end

return M
