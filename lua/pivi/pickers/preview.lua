---A session's transcript in the preview buffer of a picker.
local config = require("pivi.config")
local host = require("pivi.host")
local log = require("pivi.log")

local M = {}

---The row that a buffer is to show: pickers use one buffer for many.
---@type table<integer, string>
local wanted = {}

---@param buf integer
---@param value table
local function paint(buf, value)
  local names = require("pivi.highlight").define(value.names)
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, value.lines)
  require("pivi.marks").clear(buf, 0, -1)
  local c = { buf = buf, names = names, kinds = value.kinds } --[[@as pivi.Conversation]]
  require("pivi.marks").set(c, value)
  value.gone = {}
  require("pivi.page").reset(c)
  require("pivi.page").take(c, value)
  require("pivi.render").add(c)
end

---@param buf integer
---@param row pivi.SessionRow
function M.into(buf, row)
  wanted[buf] = row.path
  host.request("preview", {
    look = 0,
    path = row.path,
    rows = vim.o.lines,
    width = vim.o.columns,
    options = config.for_host(),
  }, function(value, err)
    if wanted[buf] ~= row.path or not vim.api.nvim_buf_is_valid(buf) then
      return
    end
    wanted[buf] = nil
    if value then
      log.guard("preview", paint, buf, value)
    else
      vim.api.nvim_buf_set_lines(buf, 0, -1, false, { log.clean(err or "") })
    end
  end)
end

return M
