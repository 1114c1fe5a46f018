---Puts the looks of one piece of a block into the buffer, as extmarks in a namespace of its own.
local changes = require("pivi.changes")
local code = require("pivi.code")
local fences = require("pivi.fences")
local markdown = require("pivi.markdown")
local pieces = require("pivi.pieces")
local tables = require("pivi.tables")

local M = {}

local ns = vim.api.nvim_create_namespace("pivi.paint")

---Larger pieces (very long lines) stay plain, in bytes.
local LARGEST = 2 * pieces.BYTES

---Kinds of blocks whose text is Markdown, and the line (1-based) on which it begins.
local PROSE = { prompt = 2, answer = 1, thinking = 2, summary = 2, custom = 2, system = 2 }

---What has a colour of its own that would make of thinking what stands out most, and what it has there.
local MUTED = { PiviSubheading = "PiviStrong", PiviQuote = "PiviThinking" }

---Ours lie above the marks of the host, and what is smaller above what holds it.
local BELOW, BASE, ABOVE = 4000, 4100, 4110

---@class pivi.Painted a block whose looks are painted, or are about to be
---@field kind string
---@field lines string[] from its own first row on
---@field file? string path of the file whose lines its code is

---@class pivi.Room
---@field columns number of the narrowest window that wraps its lines; `math.huge` where none does
---@field conceals boolean whether every window hides what is to be concealed

---What the windows of a buffer have room for.
---@param buf integer
---@return pivi.Room
function M.room(buf)
  local columns, conceals = math.huge, true
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local info = vim.fn.getwininfo(win)[1]
    columns = vim.wo[win].wrap and math.min(columns, info.width - info.textoff) or columns
    conceals = conceals and vim.wo[win].conceallevel >= 2
  end
  return { columns = columns, conceals = conceals }
end

---@param buf integer
---@param first integer 0-based row
---@param stop integer 0-based row, not included; -1 for all
function M.clear(buf, first, stop)
  vim.api.nvim_buf_clear_namespace(buf, ns, first, stop)
end

---The pieces of a block that have looks: of what was said everything, of the others the code.
---@param kind string
---@param lines string[]
---@return pivi.Piece[]
function M.pieces(kind, lines)
  local cut = pieces.cut(lines, PROSE[kind] or 1)
  if PROSE[kind] then
    return cut
  end
  return vim.tbl_filter(function(piece)
    return piece.fence ~= nil
  end, cut)
end

---@param buf integer
---@param top integer row of the piece's first line
---@param spans pivi.Span[]
---@param priority integer
---@param indents? integer[] bytes that each line has before what the spans count from
local function put(buf, top, spans, priority, indents)
  for _, span in ipairs(spans) do
    local before, after = 0, 0
    if indents then
      before, after = indents[span[1] + 1] or 0, indents[span[3] + 1] or 0
    end
    vim.api.nvim_buf_set_extmark(buf, ns, top + span[1], span[2] + before, {
      end_row = top + span[3],
      end_col = span[4] + after,
      hl_group = span.group,
      line_hl_group = span.line,
      conceal = span.conceal,
      priority = priority,
      strict = false,
    })
  end
end

---@param lines string[] the block's
---@param piece pivi.Piece
---@return string[]
local function lines_of(lines, piece)
  return vim.list_slice(lines, piece.first, piece.last)
end

---@param buf integer
---@param top integer
---@param own string[]
---@param room pivi.Room
---@param muted boolean
local function prose(buf, top, own, room, muted)
  local spans, found = markdown.spans(table.concat(own, "\n"))
  for _, span in ipairs(muted and spans or {}) do
    span.group = MUTED[span.group] or span.group
  end
  put(buf, top, spans, BASE)
  local concealed = room.conceals
      and vim.tbl_filter(function(span)
        return span.conceal ~= nil
      end, spans)
    or {}
  for _, known in ipairs(found) do
    for _, pad in ipairs(tables.pads(own, known, room.columns, concealed)) do
      vim.api.nvim_buf_set_extmark(buf, ns, top + pad.row, pad.col, {
        virt_text = { { pad.text, "PiviMarker" } },
        virt_text_pos = "inline",
        strict = false,
      })
    end
  end
end

---What a fence's code is written in: what it says itself, else that of the file.
---@param block pivi.Painted
---@param fence pivi.Fence
---@return pivi.Told?
local function told(block, fence)
  -- Those of a language are too much for thinking as well.
  if block.kind == "thinking" or fence.info == "diff" then
    return nil
  elseif fence.info ~= "" then
    return code.of_fence(fence.info)
  end
  return block.file and code.of_file(block.file) or nil
end

---The language that has to be loaded before a piece can be painted, which takes long.
---@param block pivi.Painted
---@param piece pivi.Piece
---@return pivi.Told? nil where it is loaded, or none is needed
function M.missing(block, piece)
  local known = piece.fence and told(block, piece.fence)
  return known and not code.is_known(known) and known or nil
end

---@param buf integer
---@param row integer the block's first
---@param block pivi.Painted
---@param piece pivi.Piece
local function fenced(buf, row, block, piece)
  local lines = block.lines
  local fence = piece.fence --[[@as pivi.Fence]]
  local top = row + piece.first - 1
  vim.api.nvim_buf_set_extmark(buf, ns, top, 0, {
    end_row = row + piece.last,
    hl_group = "PiviCodeBlock",
    hl_eol = true,
    priority = BELOW,
    strict = false,
  })
  local whole = { first = piece.first - (piece.first == fence.first and 0 or 1), last = piece.last }
  local own = vim.list_slice(lines, whole.first, whole.last)
  local closes = fence.closed and piece.last == fence.last
  local part = vim.tbl_extend("force", fence, { first = 1, last = #own, closed = closes })
  if piece.first == fence.first then
    local opens = lines[fence.first]
    local before = #opens:match("^[^`~]*")
    put(buf, row + fence.first - 1, {
      { 0, 0, 0, before, group = fence.before[1] == ">" and "PiviMarker" or "PiviList" },
      { 0, before, 0, #opens, group = "PiviMarker" },
    }, BASE)
  end
  if closes then
    put(buf, row + fence.last - 1, { { 0, 0, 0, #lines[fence.last], group = "PiviMarker" } }, BASE)
  end
  local text = fences.code(own, part)
  local indents = {}
  for i, line in ipairs(text) do
    indents[i] = #own[i + 1] - #line
  end
  local first = row + whole.first
  if #fence.before > 0 then
    for i, bytes in ipairs(indents) do
      put(buf, first + i - 1, { { 0, 0, 0, bytes, group = "PiviMarker" } }, BASE)
    end
  end
  if fence.info == "diff" then
    put(buf, first, changes.spans(text), ABOVE, indents)
  else
    local known = told(block, fence)
    local lang = known and code.language(known)
    if lang then
      put(buf, first, code.spans(table.concat(text, "\n"), lang), ABOVE, indents)
    end
  end
end

---@param buf integer
---@param row integer 0-based row of the block's own first line
---@param block pivi.Painted
---@param piece pivi.Piece
---@param room pivi.Room
function M.piece(buf, row, block, piece, room)
  local top = row + piece.first - 1
  local own = lines_of(block.lines, piece)
  local size = 0
  for _, line in ipairs(own) do
    size = size + #line + 1
  end
  if block.kind == "thinking" then
    vim.api.nvim_buf_set_extmark(buf, ns, top, 0, {
      end_row = row + piece.last,
      hl_group = "PiviThinking",
      priority = BELOW,
      strict = false,
    })
  end
  if size > LARGEST then
    return
  elseif piece.fence then
    fenced(buf, row, block, piece)
  else
    prose(buf, top, own, room, block.kind == "thinking")
  end
end

return M
