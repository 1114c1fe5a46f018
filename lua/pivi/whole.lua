---One block in full, in a buffer of its own.
local page = require("pivi.page")
local safe = require("pivi.safe")

local M = {}

---Blocks of which more may be stored than is shown, or which are read better alone.
local KINDS = { tool_call = true, result = true, shell = true }

---Whether a block has more to show than stands in the transcript.
---@param c pivi.Conversation
---@param number integer
---@return boolean
function M.has_more(c, number)
  local known = c.page.blocks[number]
  if not known or KINDS[known.kind] then
    return known ~= nil
  end
  local first, last = page.rows(c, number)
  local lines = first and vim.api.nvim_buf_get_lines(c.buf, first, last + 1, false) or {}
  return vim.iter(lines):any(function(line)
    return line:find(" left out here: ", 1, true) ~= nil
  end)
end

---@class pivi.Whole what the host answers
---@field text string
---@field filetype string "" where none is told
---@field file string path of the file whose lines the text is, "" where it is none's

---@param value pivi.Whole
---@return string?
local function filetype_of(value)
  if value.filetype ~= "" then
    return value.filetype:match("^[%w_.-]+$")
  end
  return value.file ~= "" and vim.filetype.match({ filename = value.file }) or nil
end

---@param buf integer
---@param text string
local function fill(buf, text)
  local bo = vim.bo[buf]
  bo.buftype = "nofile"
  bo.bufhidden = "wipe"
  bo.swapfile = false
  bo.undolevels = -1
  bo.modeline = false
  bo.modifiable = true
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, vim.split(text, "\n", { plain = true }))
  bo.modifiable = false
  bo.modified = false
end

---@param c pivi.Conversation
---@param number integer
---@param use fun(value: pivi.Whole)
local function ask(c, number, use)
  local host = require("pivi.host")
  host.request("whole", { conv = c.conv, number = number }, function(value, err, gone)
    if not value then
      return host.report(value, err, gone)
    end
    use(value)
  end)
end

---@param c pivi.Conversation
---@param number integer
function M.open(c, number)
  ask(c, number, function(value)
    local buf = vim.api.nvim_create_buf(false, true)
    fill(buf, value.text)
    -- Unique, so that a block that is opened twice has two buffers.
    vim.api.nvim_buf_set_name(buf, ("pivi-block://%s/%d/%d"):format(safe.name(c.session_id), number, buf))
    vim.b[buf].pivi_block_of = c.buf
    vim.b[buf].pivi_block = number
    vim.cmd.sbuffer(buf)
    vim.bo[buf].filetype = filetype_of(value) or ""
  end)
end

---The text of such a buffer was asked for: `:edit`, or a restored Vim session, which knows only its name.
---@param buf integer
function M.read(buf)
  local c = require("pivi.conversations").by_buf(vim.b[buf].pivi_block_of or -1)
  if c and c.conv then
    return ask(c, vim.b[buf].pivi_block, function(value)
      if vim.api.nvim_buf_is_loaded(buf) then
        fill(buf, value.text)
      end
    end)
  end
  fill(buf, "This was a block of a transcript, opened whole: open it there again.")
end

return M
