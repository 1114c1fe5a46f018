---One block in full, in a buffer of its own.
local M = {}

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
---@param use fun(value: {text: string, filetype: string, name: string})
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
    vim.api.nvim_buf_set_name(
      buf,
      ("pivi-block://%s/%d/%d"):format(c.session_id:gsub("[%c%s]", "_"), number, buf)
    )
    vim.b[buf].pivi_block_of = c.buf
    vim.b[buf].pivi_block = number
    vim.cmd.sbuffer(buf)
    if value.filetype and value.filetype:match("^[%w_.-]+$") then
      vim.bo[buf].filetype = value.filetype
    end
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
