---Markdown, code and diffs coloured: a piece of a block at a time, only what a window shows, in slices.
local code = require("pivi.code")
local conversations = require("pivi.conversations")
local log = require("pivi.log")
local markdown = require("pivi.markdown")
local marks = require("pivi.marks")
local page = require("pivi.page")
local paint = require("pivi.paint")
local paths = require("pivi.paths")

local M = {}

---How long pieces are begun at one go, in milliseconds (one takes about another), and how long is paused then.
local BUDGET, PAUSE = 2, 1
---Rendered blocks that are kept; beyond it those that no window shows are forgotten.
local KEPT = 400

---@class pivi.Rendered: pivi.Painted
---@field block pivi.Block as it was: a changed one is another table
---@field pieces pivi.Piece[]
---@field done table<integer, true> pieces

---@class pivi.Rendering
---@field page pivi.Page as it was
---@field blocks table<integer, pivi.Rendered>
---@field count integer
---@field room pivi.Room
---@field waits boolean
---@field begun integer pieces in this slice

---@type table<pivi.Conversation, pivi.Rendering>
local renderings = setmetatable({}, { __mode = "k" })

---@param c pivi.Conversation
---@return pivi.Rendering
local function rendering(c)
  local known = renderings[c]
  local room = paint.room(c.buf)
  local same = known and known.page == c.page
  if not same or known.room.columns ~= room.columns or known.room.conceals ~= room.conceals then
    -- Tables are aligned for one width.
    paint.clear(c.buf, 0, -1)
    marks.fit(c)
    known = { page = c.page, blocks = {}, count = 0, room = room, waits = false, begun = 0 }
    renderings[c] = known
  end
  return known
end

---Lines of the current window that are in no closed fold, in ranges.
---@param top integer
---@param bottom integer
---@return integer[][] 0-based rows, both included
local function open_rows(top, bottom)
  local ranges = {}
  local lnum, from = top, nil
  while lnum <= bottom do
    local stop = vim.fn.foldclosedend(lnum)
    if stop ~= -1 then
      if from then
        ranges[#ranges + 1] = { from - 1, lnum - 2 }
      end
      from, lnum = nil, stop + 1
    else
      from, lnum = from or lnum, lnum + 1
    end
  end
  if from then
    ranges[#ranges + 1] = { from - 1, bottom - 1 }
  end
  return ranges
end

---The file whose lines a call of a tool shows.
---@param c pivi.Conversation
---@param kind string
---@param heading string
---@return string?
local function file_of(c, kind, heading)
  if kind ~= "tool_call" then
    return nil
  end
  local path, lines = paths.of_heading(c.tools, heading)
  return path and lines and path.path or nil
end

---@param c pivi.Conversation
---@param state pivi.Rendering
---@param block {number: integer, first: integer, last: integer}
---@return pivi.Rendered?
local function rendered(c, state, block)
  local told = c.page.blocks[block.number]
  local known = state.blocks[block.number]
  if told and (not known or known.block ~= told) then
    local lines = vim.api.nvim_buf_get_lines(c.buf, block.first + 1, block.last + 1, false)
    known =
      { block = told, kind = told.kind, lines = lines, file = file_of(c, told.kind, lines[1]), done = {} }
    known.pieces = paint.pieces(told.kind, lines)
    state.count = state.count + (state.blocks[block.number] and 0 or 1)
    state.blocks[block.number] = known
  end
  return known
end

---Renders what of a range is not rendered yet.
---@param c pivi.Conversation
---@param state pivi.Rendering
---@param range integer[]
---@param stop integer when to leave off
---@return boolean done
local function render_rows(c, state, range, stop)
  local _, from = page.at(c, range[1])
  for _, block in ipairs(page.within(c, from or range[1], range[2])) do
    local known = rendered(c, state, block)
    local top = block.first + 1
    for i, piece in ipairs(known and known.pieces or {}) do
      local seen = top + piece.last - 1 >= range[1] and top + piece.first - 1 <= range[2]
      if known and seen and not known.done[i] then
        if vim.uv.hrtime() > stop then
          return false
        end
        local missing = paint.missing(known, piece)
        if missing then
          -- It has a slice of its own.
          if state.begun == 0 then
            code.language(missing)
          end
          return false
        end
        known.done[i], state.begun = true, state.begun + 1
        paint.piece(c.buf, top, known, piece, state.room)
      end
    end
  end
  return true
end

---@param c pivi.Conversation
---@param state pivi.Rendering
---@param stop integer
---@return boolean done
local function render_window(c, state, stop)
  local top, bottom = vim.fn.line("w0"), vim.fn.line("w$")
  for _, range in ipairs(open_rows(top, bottom)) do
    if not render_rows(c, state, range, stop) then
      return false
    end
  end
  return true
end

---Forgets what no window shows, so that a long walk does not fill the memory.
---@param c pivi.Conversation
---@param state pivi.Rendering
local function forget(c, state)
  if state.count > KEPT then
    paint.clear(c.buf, 0, -1)
    state.blocks, state.count = {}, 0
  end
end

---What is done before the first piece, a slice each, and how much of it is.
local PREPARATIONS, prepared = vim.list_extend({ code.prepare }, markdown.PREPARATIONS), 0

---@param c pivi.Conversation
local slice

---@param state pivi.Rendering
---@param c pivi.Conversation
local function again(state, c)
  state.waits = true
  vim.defer_fn(function()
    state.waits = false
    log.guard("rendering", slice, c)
  end, PAUSE)
end

---@param c pivi.Conversation
function slice(c)
  if not vim.api.nvim_buf_is_loaded(c.buf) or c.page.total == 0 then
    return
  end
  local state = rendering(c)
  forget(c, state)
  if prepared < #PREPARATIONS then
    prepared = prepared + 1
    PREPARATIONS[prepared]()
    return again(state, c)
  end
  local stop = vim.uv.hrtime() + BUDGET * 1e6
  state.begun = 0
  for _, win in ipairs(vim.fn.win_findbuf(c.buf)) do
    local done = vim.api.nvim_win_call(win, function()
      return render_window(c, state, stop)
    end)
    if not done then
      return again(state, c)
    end
  end
end

local group = vim.api.nvim_create_augroup("pivi.render", {})

---Buffers that show a session and are no conversation.
---@type table<integer, pivi.Conversation>
local previews = {}

---Renders a buffer that is no conversation's, as long as there is one.
---@param c pivi.Conversation of which the buffer and the page are looked at
function M.add(c)
  if not previews[c.buf] then
    vim.api.nvim_create_autocmd("BufWipeout", {
      group = group,
      buffer = c.buf,
      desc = "pivi: render it no more",
      callback = function()
        previews[c.buf] = nil
      end,
    })
  end
  previews[c.buf] = c
  M.watch()
end

---Every scroll, fold, split and patch draws a window again: what it shows is rendered as soon as there is time.
function M.watch()
  vim.api.nvim_set_decoration_provider(vim.api.nvim_create_namespace("pivi.render"), {
    on_win = function(_, _, buf)
      local c = conversations.by_buf(buf) or previews[buf]
      if c and not (renderings[c] and renderings[c].waits) then
        vim.schedule(function()
          log.guard("rendering", slice, c)
        end)
      end
      return false
    end,
  })
end

return M
