---What is known of a conversation: `b:pivi`, and the User autocommands that tell of its changes.
local log = require("pivi.log")

local M = {}

---@class pivi.Status
---@field phase "reading"|"starting"|"idle"|"running"|"compacting"|"retrying"|"stopped"|"failed"|"view"
---@field session_id string
---@field session_file? string
---@field session_name? string
---@field cwd string
---@field leaf_id? string
---@field entries? integer stored entries, the header not counted
---@field model? string provider/id
---@field thinking? string
---@field context? number percent
---@field reading? integer percent, while the buffer is being filled
---@field error? string

---@type {pattern: string, data: table}?
local event

---Called through a command by `fire`, whose modifiers keep a handler's error from stopping the editor.
function M.fire_event()
  if event then
    vim.api.nvim_exec_autocmds("User", { pattern = event.pattern, data = event.data, modeline = false })
  end
end

---@param c pivi.Conversation
---@param name string
---@param data table
local function fire(c, name, data)
  data.buf, data.session_id = c.buf, c.session_id
  event = { pattern = name, data = data }
  vim.v.errmsg = ""
  local ok, err = pcall(vim.api.nvim_cmd, {
    cmd = "lua",
    args = { 'require("pivi.status").fire_event()' },
    mods = { emsg_silent = true, unsilent = true },
  }, {})
  event = nil
  local said = ok and vim.v.errmsg or tostring(err)
  if said ~= "" then
    log.caught(("a handler of User %s"):format(name), said)
  end
end

---@param c pivi.Conversation
---@param status pivi.Status
---@param events {[1]: string, [2]: table}[] name and data of each event that goes with it
function M.set(c, status, events)
  local filled = c.status.reading and not status.reading
  c.status = status
  if not vim.api.nvim_buf_is_valid(c.buf) then
    return
  end
  vim.b[c.buf].pivi = status
  local whole = vim.iter(events or {}):any(function(item)
    return item[1] == "PiviBackfilled"
  end)
  if whole then
    require("pivi.rereading").painted(c, true)
  end
  require("pivi.bookmarks").put_back(c, whole)
  if filled then
    require("pivi.seek").go_on(c)
  end
  for _, item in ipairs(events or {}) do
    fire(c, item[1], item[2])
  end
  vim.cmd.redrawstatus({ bang = true })
end

---@param buf? integer
---@return pivi.Status? a copy
function M.get(buf)
  local c = require("pivi.conversations").by_buf(buf)
  return c and vim.deepcopy(c.status)
end

return M
