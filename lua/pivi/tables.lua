---Tables aligned: what has to be put between their cells so that the columns stand below each other. Pure.
---
---In a table that is too wide the columns share the room. A row with a cell that is wider than its column's share is
---aligned up to that cell.
local M = {}

---@class pivi.Pad
---@field row integer 0-based in the piece
---@field col integer byte column that it is put before
---@field text string

---How wide a cell is on the screen.
---@param line string
---@param cell integer[]
---@param row integer
---@param concealed pivi.Span[] spans that take no room
---@return integer
local function width(line, cell, row, concealed)
  local cells = vim.fn.strdisplaywidth(line:sub(cell[1] + 1, cell[2]))
  for _, span in ipairs(concealed) do
    if span[1] == row and span[2] >= cell[1] and span[4] <= cell[2] then
      cells = cells - vim.fn.strdisplaywidth(line:sub(span[2] + 1, span[4]))
    end
  end
  return cells
end

---The width that columns may have so that all have room: the widest ones are cut down to one width.
---@param widest integer[] by column
---@param room integer
---@return number share `math.huge` where none has to be cut
local function shared(widest, room)
  local sorted = vim.list_extend({}, widest)
  table.sort(sorted)
  for i, one in ipairs(sorted) do
    local share = math.floor(room / (#sorted - i + 1))
    if one > share then
      return math.max(share, 3)
    end
    room = room - one
  end
  return math.huge
end

---@param lines string[] the piece
---@param known pivi.Table
---@param room number columns of the window
---@param concealed pivi.Span[]
---@return pivi.Pad[]
function M.pads(lines, known, room, concealed)
  local widths, widest = {}, {}
  for i, cells in ipairs(known.cells) do
    widths[i] = {}
    for k, cell in ipairs(cells) do
      -- The row of dashes grows with its column, but does not make it wide.
      widths[i][k] = width(lines[known.row + i], cell, known.row + i - 1, concealed)
      widest[k] = math.max(widest[k] or 0, i == 2 and 3 or widths[i][k])
    end
  end
  local share = shared(widest, room - #widest - 1)
  local pads = {}
  for i, cells in ipairs(known.cells) do
    for k, cell in ipairs(cells) do
      if i ~= 2 and widths[i][k] > share then
        -- What follows stands where it can: pads would only make the row longer.
        break
      end
      local missing = math.min(widest[k], share) - widths[i][k]
      local align = i == 2 and "dashes" or known.align[k] or "left"
      local row = known.row + i - 1
      local function pad(col, count, sign)
        if count > 0 then
          pads[#pads + 1] = { row = row, col = col, text = sign:rep(count) }
        end
      end
      if align == "dashes" then
        local line = lines[row + 1]
        local _, stop = line:sub(cell[1] + 1, cell[2]):find("^.*%-")
        pad(cell[1] + (stop or 0), missing, "-")
      elseif align == "right" then
        pad(cell[1], missing, " ")
      elseif align == "center" then
        pad(cell[1], math.floor(missing / 2), " ")
        pad(cell[2], math.ceil(missing / 2), " ")
      else
        pad(cell[2], missing, " ")
      end
    end
  end
  return pads
end

return M
