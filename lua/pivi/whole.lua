---One block in full, in a buffer of its own.
local M = {}

---@param c pivi.Conversation
---@param number integer
function M.open(c, number)
  local host = require("pivi.host")
  host.request("whole", { conv = c.conv, number = number }, function(value, err, gone)
    if not value then
      return host.report(value, err, gone)
    end
    local buf = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_lines(buf, 0, -1, false, vim.split(value.text, "\n", { plain = true }))
    local bo = vim.bo[buf]
    bo.bufhidden = "wipe"
    bo.undolevels = -1
    bo.modeline = false
    bo.modifiable = false
    -- Unique, so that a block that is opened twice has two buffers.
    vim.api.nvim_buf_set_name(
      buf,
      ("pivi-block://%s/%d/%d"):format(c.session_id:gsub("[%c%s]", "_"), number, buf)
    )
    vim.b[buf].pivi_block_of = c.buf
    vim.cmd.sbuffer(buf)
    if value.filetype and value.filetype:match("^[%w_.-]+$") then
      bo.filetype = value.filetype
    end
  end)
end

return M
