---Marks that the reader has set (`ma`, `mB`): a transcript that is painted from its end on, for the first time or
---anew, would carry them away with the rows that come in above them.
local M = {}

---@class pivi.Bookmarks
---@field total integer rows that the transcript had, 0 where it has not been painted
---@field places table<string, [integer, integer]> line and column (0-based bytes) by the mark's name

---@type table<pivi.Conversation, pivi.Bookmarks>
local lifted = setmetatable({}, { __mode = "k" })

---The names of the marks in a buffer that a reader sets, those of other buffers' left out.
---@param buf integer
---@return table<string, [integer, integer]>
local function marks_of(buf)
  local found = {}
  for _, mark in ipairs(vim.list_extend(vim.fn.getmarklist(buf), vim.fn.getmarklist())) do
    local name = mark.mark:sub(2)
    if name:find("^[%a%d]$") and mark.pos[1] == buf then
      found[name] = { mark.pos[2], mark.pos[3] - 1 }
    end
  end
  return found
end

---@param c pivi.Conversation
---@param name string
local function delete(c, name)
  if name:find("%l") then
    vim.api.nvim_buf_del_mark(c.buf, name)
  else
    vim.api.nvim_del_mark(name)
  end
end

---The text goes, to come again; Neovim keeps the marks of a buffer that is unloaded.
---@param c pivi.Conversation
function M.keep(c)
  -- While it comes again it may go once more.
  local before = lifted[c] or { total = 0, places = {} }
  lifted[c] = {
    total = math.max(before.total, c.page.total),
    places = vim.tbl_extend("keep", marks_of(c.buf), before.places),
  }
end

---All rows are about to come, in the place of those that are there.
---@param c pivi.Conversation
function M.lift(c)
  if not lifted[c] then
    M.keep(c)
  end
  for name in pairs(lifted[c].places) do
    delete(c, name)
  end
end

---More rows are there, or it is known that no more come: once all are there, so are the marks, but for those that
---have been set again meanwhile.
---@param c pivi.Conversation
---@param whole? boolean the host says so, even where there are fewer rows than before
function M.put_back(c, whole)
  local known, phase = lifted[c], c.status.phase
  local complete = phase and phase ~= "reading" and not c.status.reading
  if not known or not complete or (c.page.total < known.total and not whole) then
    return
  end
  lifted[c] = nil
  local present, last = marks_of(c.buf), vim.api.nvim_buf_line_count(c.buf)
  for name, place in pairs(known.places) do
    if not present[name] and place[1] <= last then
      local line = vim.api.nvim_buf_get_lines(c.buf, place[1] - 1, place[1], false)[1]
      vim.api.nvim_buf_set_mark(c.buf, name, place[1], math.max(0, math.min(place[2], #line)), {})
    end
  end
end

return M
