---Highlights and decorations: flat integers from the host become extmarks.
local aside = require("pivi.aside")
local errors = require("pivi.errors")
local page = require("pivi.page")
local paint = require("pivi.paint")

local M = {}

local ns = vim.api.nvim_create_namespace("pivi.marks")
---What passes: it is never part of what a stored session shows.
local passing = vim.api.nvim_create_namespace("pivi.passing")

---What is no column; everything else below 0 is at the right edge.
local WHOLE_LINE, AT_END = -1, -2

---@param buf integer
---@param first integer 0-based row
---@param stop integer 0-based row, not included
function M.clear(buf, first, stop)
  vim.api.nvim_buf_clear_namespace(buf, ns, first, stop)
  vim.api.nvim_buf_clear_namespace(buf, passing, first, stop)
  errors.clear(buf, first, stop)
  paint.clear(buf, first, stop)
end

---Options of the next mark of each sort. Neovim copies them, and a new table for each mark costs more than the mark.
local span = { end_col = 0, hl_group = "" }
local whole_line = { line_hl_group = "" }
local chunk = { "", "" }
local shown = { virt_text = { chunk }, virt_text_pos = "", hl_mode = "combine" }

---@param c pivi.Conversation
---@param row integer 0-based
---@return string
local function line_at(c, row)
  return vim.api.nvim_buf_get_lines(c.buf, row, row + 1, false)[1] or ""
end

---What stands beside the title, which is as long as the session's name and its directory are.
---@class pivi.Beside
---@field id? integer of the extmark
---@field text string
---@field group string
---@field columns? integer of the window that it is fitted to

---Fits what stands beside the title to the windows as they are.
---@param c pivi.Conversation
function M.fit(c)
  local beside = c.beside
  local columns = aside.columns(c.buf)
  if not beside or beside.columns == columns then
    return
  end
  local title = line_at(c, 0)
  local text = aside.beside(title, beside.text, columns)
  beside.columns = columns
  beside.id = vim.api.nvim_buf_set_extmark(c.buf, ns, 0, 0, {
    id = beside.id,
    virt_text = { { text, beside.group } },
    virt_text_pos = aside.position(title, text, columns),
    hl_mode = "combine",
  })
end

---@param c pivi.Conversation
---@param patch pivi.Patch
function M.set(c, patch)
  local set, buf, names, strings, flat =
    vim.api.nvim_buf_set_extmark, c.buf, c.names, patch.strings, patch.marks
  local at, string, top = 1, 1, patch.row
  local columns = aside.columns(buf)
  for block = 1, #patch.blocks, page.FIELDS do
    for _ = 1, patch.blocks[block + 4] do
      local stop, name = flat[at + 2], names[flat[at + 3] + 1]
      local options
      if stop >= 0 then
        span.end_col, span.hl_group, options = stop, name, span
      elseif stop == WHOLE_LINE then
        whole_line.line_hl_group, options = name, whole_line
      else
        chunk[1], chunk[2] = strings[string], name
        options = shown
        if stop == AT_END then
          shown.virt_text_pos = "eol"
        elseif top + flat[at] == 0 then
          c.beside, options = { text = strings[string], group = name }, nil
          M.fit(c)
        elseif aside.COVERS then
          shown.virt_text_pos = aside.position(line_at(c, top + flat[at]), strings[string], columns)
        else
          shown.virt_text_pos = aside.RIGHT
        end
        string = string + 1
      end
      if options then
        set(buf, ns, top + flat[at], flat[at + 1], options)
      end
      if errors.GROUPS[name] then
        errors.add(buf, top + flat[at])
      end
      at = at + 4
    end
    top = top + patch.blocks[block]
  end
end

---Says beside the headings of tools that run how they are getting on, and of no other one.
---@param c pivi.Conversation
---@param tools {[1]: integer, [2]: string}[] number of a block, words
function M.running(c, tools)
  if not vim.api.nvim_buf_is_loaded(c.buf) then
    return
  end
  vim.api.nvim_buf_clear_namespace(c.buf, passing, 0, -1)
  for _, tool in ipairs(tools) do
    local first, last = page.rows(c, tool[1])
    if first and last > first then
      vim.api.nvim_buf_set_extmark(c.buf, passing, first + 1, 0, {
        virt_text = { { tool[2], "PiviMeta" } },
        virt_text_pos = "eol",
        hl_mode = "combine",
        -- Behind the sign that the call has.
        priority = 5000,
      })
    end
  end
end

---Groups of what others said about a block later.
local STANDING = { PiviLabel = true, PiviHidden = true }

---What is said beside a row, and is to be said in a closed fold that starts at it.
---@class pivi.OnRow
---@field group? string of the text at column 0
---@field behind [string, string][] chunks behind the text
---@field right [string, string][] chunks at the window's right edge
---@field ended boolean what is behind it tells how it ended, and how much there is

---@param buf integer
---@param row integer 0-based
---@return pivi.OnRow
function M.on_row(buf, row)
  local found = { behind = {}, right = {}, ended = false }
  local function marks(namespace)
    return vim.api.nvim_buf_get_extmarks(buf, namespace, { row, 0 }, { row, -1 }, { details = true })
  end
  for _, mark in ipairs(vim.list_extend(marks(ns), marks(passing))) do
    local details = mark[4]
    if details.virt_text_pos == "eol" then
      vim.list_extend(found.behind, details.virt_text)
      found.ended = found.ended or not STANDING[details.virt_text[1][2]]
    elseif details.virt_text then
      vim.list_extend(found.right, details.virt_text)
    elseif mark[3] == 0 then
      found.group = details.hl_group or details.line_hl_group or found.group
    end
  end
  return found
end

return M
