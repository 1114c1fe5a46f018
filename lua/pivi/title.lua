---What a conversation is called.
local cells = require("pivi.cells")
local outline = require("pivi.outline")
local page = require("pivi.page")
local safe = require("pivi.safe")

---Cells of a prompt that serve as a title.
local MOST = 60

---The first prompt's first words, once all is painted.
---@param c pivi.Conversation
---@return string? nil where there is none yet
local function asked(c)
  if c.page.asked or c.status.reading or c.page.total == 0 then
    return c.page.asked
  end
  local row = page.next(c, 0, { prompt = true }, 1)
  local words = row and outline.prompt(c, row) or ""
  if words ~= "" then
    c.page.asked = (cells.cut(words, MOST))
  end
  return c.page.asked
end

---Its name, else what was asked first, else its id: the browser's title.
---@param c pivi.Conversation
---@return string one safe line
return function(c)
  for _, text in ipairs({ c.status.session_name or "", c.title or "", asked(c) or "" }) do
    local title = safe.line(text)
    if title ~= "" then
      return title
    end
  end
  return safe.line(c.session_id)
end
