---A session's transcript in the preview buffer of a picker.
local config = require("pivi.config")
local host = require("pivi.host")
local log = require("pivi.log")
local preview = require("pivi.preview")
local safe = require("pivi.safe")

local M = {}

---The row that a buffer is to show: pickers use one buffer for many.
---@type table<integer, string>
local wanted = {}

---@param buf integer
---@param row pivi.SessionRow
function M.into(buf, row)
  wanted[buf] = row.path
  host.request("preview", {
    path = row.path,
    rows = vim.o.lines,
    options = config.for_host(),
  }, function(value, err)
    if wanted[buf] ~= row.path or not vim.api.nvim_buf_is_valid(buf) then
      return
    end
    wanted[buf] = nil
    if value then
      log.guard("preview", preview.paint, preview.stand_in(buf), value, false)
      -- The session's end, as in the browser.
      for _, win in ipairs(vim.fn.win_findbuf(buf)) do
        vim.api.nvim_win_set_cursor(win, { vim.api.nvim_buf_line_count(buf), 0 })
      end
    else
      vim.bo[buf].modifiable = true
      vim.api.nvim_buf_set_lines(buf, 0, -1, false, { safe.line(err or "") })
    end
  end)
end

return M
