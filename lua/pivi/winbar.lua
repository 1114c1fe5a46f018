---One line about a conversation, for the winbar of its windows and for the user's status line.
local cells = require("pivi.cells")
local conversations = require("pivi.conversations")
local safe = require("pivi.safe")

local M = {}

---Cells that a title may take.
local TITLE = 80

---@param c pivi.Conversation
---@return string[]
local function parts(c)
  local status = c.status
  local phase = status.phase or "starting"
  if status.reading and status.reading < 100 and phase ~= "reading" then
    phase = ("%s, reading"):format(phase)
  end
  if status.reading and status.reading < 100 then
    phase = ("%s %d%%"):format(phase, status.reading)
  end
  local found = { phase }
  found[#found + 1] = (cells.cut(require("pivi.title")(c), TITLE))
  found[#found + 1] = status.model
  if status.context then
    found[#found + 1] = ("context %d%%"):format(math.floor(status.context + 0.5))
  end
  found[#found + 1] = status.error
  return found
end

---@param words string[]
---@return string
local function joined(words)
  return table.concat(words, require("pivi.config").get().icons == "ascii" and ", " or " · ")
end

---The winbar of the window that is being drawn.
---@return string
function M.text()
  local c = conversations.by_buf(0)
  if not c then
    return ""
  end
  local found = parts(c)
  local phase = table.remove(found, 1)
  local group = c.status.phase == "failed" and "PiviError" or "PiviPhase"
  return (" %%#%s#%s%%*  %s"):format(group, safe.bar(phase), safe.bar(joined(found)))
end

---The same without colours, of the current buffer's conversation or the last one used here; "" for none.
---@return string
function M.statusline()
  local c = conversations.current()
  return c and safe.bar(joined(parts(c))) or ""
end

return M
