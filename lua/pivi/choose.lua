---A question with a few answers, by `vim.ui.select`.
local log = require("pivi.log")
local safe = require("pivi.safe")

local M = {}

---@class pivi.Option
---@field text string
---@field run fun()

---@param prompt string
---@param options pivi.Option[]
---@param cancelled fun()
function M.ask(prompt, options, cancelled)
  local done = false
  -- Not within the host's message: the next ones are taken while the question stands.
  vim.schedule(function()
    vim.ui.select(options, {
      prompt = safe.line(prompt),
      kind = "pivi",
      format_item = function(option)
        return safe.line(option.text)
      end,
    }, function(option)
      -- Some pickers answer twice.
      if not done then
        done = true
        log.guard("choice", option and option.run or cancelled)
      end
    end)
  end)
end

return M
