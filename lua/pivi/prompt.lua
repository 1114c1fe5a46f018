---Words that wait to be said: what Pi did not take is kept in a buffer of its conversation.
local log = require("pivi.log")

local M = {}

local SCHEME = "pivi-prompt://"

---@param session_id string
---@return integer buf
local function buffer_for(session_id)
  local name = SCHEME .. session_id:gsub("[%c%s]", "_")
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(buf) == name and vim.api.nvim_buf_is_loaded(buf) then
      return buf
    end
  end
  local buf = vim.api.nvim_create_buf(true, true)
  vim.api.nvim_buf_set_name(buf, name)
  vim.bo[buf].bufhidden = "hide"
  vim.bo[buf].filetype = "markdown"
  vim.b[buf].pivi_session = session_id
  return buf
end

---The conversation that the current buffer holds words for.
---@return pivi.Conversation?
function M.conversation()
  local session_id = vim.b.pivi_session
  if not session_id then
    return nil
  end
  for _, c in ipairs(require("pivi.conversations").all()) do
    if c.session_id == session_id then
      return c
    end
  end
end

---Keeps words for later, below those that are kept already.
---@param c pivi.Conversation?
---@param text string
---@return integer buf
function M.keep(c, text)
  local buf = buffer_for(c and c.session_id or "unsent")
  local lines = vim.split(text, "\n", { plain = true })
  local empty = vim.api.nvim_buf_line_count(buf) == 1
    and vim.api.nvim_buf_get_lines(buf, 0, 1, false)[1] == ""
  if empty then
    vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  else
    vim.api.nvim_buf_set_lines(buf, -1, -1, false, vim.list_extend({ "" }, lines))
  end
  return buf
end

---Words that were kept last are needed no more. What was typed there meanwhile stays.
---@param buf integer
---@param text string
function M.drop(buf, text)
  if not vim.api.nvim_buf_is_loaded(buf) then
    return
  end
  local lines = vim.split(text, "\n", { plain = true })
  local all = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  local rest = #all - #lines
  if rest >= 0 and vim.deep_equal(vim.list_slice(all, rest + 1), lines) then
    vim.api.nvim_buf_set_lines(buf, math.max(0, rest - 1), -1, false, {})
  end
end

---Words come back: nothing that was typed is ever lost.
---@param c pivi.Conversation?
---@param text string
function M.give_back(c, text)
  local buf = M.keep(c, text)
  log.say(
    ("your words were not taken; they are in :sbuffer %d (:%%Pi send there sends them)"):format(buf),
    vim.log.levels.WARN
  )
end

return M
