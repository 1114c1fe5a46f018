---Tables aligned: what has to be put between their cells so that the columns stand below each other. Pure.
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

---@param lines string[] the piece
---@param known pivi.Table
---@param room integer columns of the window
---@param concealed pivi.Span[]
---@return pivi.Pad[] none where the table would not fit
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
  local all = #widest + 1
  for _, one in ipairs(widest) do
    all = all + one
  end
  local pads = {}
  if all > room then
    return pads
  end
  for i, cells in ipairs(known.cells) do
    for k, cell in ipairs(cells) do
      local missing = widest[k] - widths[i][k]
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
