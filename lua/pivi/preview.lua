---A session's start or a place in it, painted into a buffer that is no conversation's.
local buffer = require("pivi.buffer")
local page = require("pivi.page")

local M = {}

---What the renderer takes for a conversation.
---@param buf integer
---@return pivi.Conversation
function M.stand_in(buf)
  local c = { buf = buf, status = {}, windows = {}, file = "", cwd = "" }
  page.reset(c)
  require("pivi.render").add(c)
  return c
end

---@class pivi.PreviewValue: pivi.Patch what the host answers
---@field names pivi.Names
---@field at? integer 0-based row of the entry that was asked for

---@param c pivi.Conversation a stand-in
---@param value pivi.PreviewValue
---@param windows boolean whether its windows are ours, and get folds
function M.paint(c, value, windows)
  page.know(c, value.names)
  value.fresh, value.gone = true, {}
  if windows then
    buffer.apply(c, value)
  else
    buffer.fill(c, value)
  end
end

return M
