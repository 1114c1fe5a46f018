---Names of transcript buffers: `pivi://{session id}`.
local named = require("pivi.named")
local safe = require("pivi.safe")

local M = {}

---The buffer of a name, which was left behind, goes.
---@param name string
---@param buf integer the one that had it
local function drop_left(name, buf)
  local left = name ~= "" and named(name) or -1
  if left ~= -1 and left ~= buf then
    vim.api.nvim_buf_delete(left, { force = true })
  end
end

---Names the buffer after its session; where another file's buffer has that name, a number tells them apart.
---@param buf integer
---@param session_id string
---@param leaf? string the entry up to which it is read
function M.set(buf, session_id, leaf)
  local base = "pivi://" .. safe.name(session_id)
  if leaf and leaf ~= "" then
    base = base .. "@" .. safe.name(leaf)
  end
  local name, n = base, 1
  while true do
    local other = named(name)
    if other == buf then
      return
    end
    if other == -1 then
      break
    end
    n = n + 1
    name = base .. "~" .. n
  end
  local old = vim.api.nvim_buf_get_name(buf)
  vim.api.nvim_buf_set_name(buf, name)
  -- The old name stays behind as an unlisted buffer of its own.
  drop_left(old, buf)
end

---`:saveas` writes the file, and leaves the transcript what it is.
---@param c pivi.Conversation
function M.keep(c)
  local name = vim.api.nvim_buf_is_valid(c.buf) and vim.api.nvim_buf_get_name(c.buf)
  if name and name ~= c.name then
    -- The two buffers have exchanged their names.
    drop_left(c.name, c.buf)
    vim.api.nvim_buf_set_name(c.buf, c.name)
  end
end

return M
