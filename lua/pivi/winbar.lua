---One line about a conversation, for the winbar of its windows and for the user's status line.
local cells = require("pivi.cells")
local conversations = require("pivi.conversations")
local safe = require("pivi.safe")

local M = {}

---Cells that a title may take, and those that it has where the rest does not fit either.
local TITLE, LEAST = 80, 12

---@param c pivi.Conversation
---@return string phase
---@return string title
---@return string[] more
local function parts(c)
  local status = c.status
  local phase = status.phase or "starting"
  if status.reading and status.reading < 100 and phase ~= "reading" then
    phase = ("%s, reading"):format(phase)
  end
  if status.reading and status.reading < 100 then
    phase = ("%s %d%%"):format(phase, status.reading)
  end
  local found = { status.model }
  if status.context then
    found[#found + 1] = ("context %d%%"):format(math.floor(status.context + 0.5))
  end
  found[#found + 1] = status.error
  return phase, require("pivi.title")(c), found
end

---@return string
local function parting()
  return require("pivi.config").get().icons == "ascii" and ", " or " · "
end

---A title and what follows it, the title cut first where they do not fit.
---@param title string
---@param more string[]
---@param room integer cells
---@return string
local function fitted(title, more, room)
  local rest = safe.line(table.concat({ "", unpack(more) }, parting()))
  local most = math.min(TITLE, math.max(LEAST, room - cells.width(rest)))
  return (cells.cut(cells.cut(safe.line(title), most) .. rest, room))
end

---The winbar of the window that is being drawn.
---@return string
function M.text()
  local c = conversations.by_buf(0)
  if not c then
    return ""
  end
  local phase, title, more = parts(c)
  local group = c.status.phase == "failed" and "PiviError" or "PiviPhase"
  local room = vim.api.nvim_win_get_width(0) - cells.width(phase) - 3
  return (" %%#%s#%s%%*  %s"):format(group, safe.bar(phase), safe.bar(fitted(title, more, room)))
end

---The same without colours, of the current buffer's conversation or the last one used here; "" for none.
---@return string
function M.statusline()
  local c = conversations.current()
  if not c then
    return ""
  end
  local phase, title, more = parts(c)
  return safe.bar(phase .. parting() .. fitted(title, more, math.huge))
end

return M
