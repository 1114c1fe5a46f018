---A question with a few answers, by `vim.ui.select`.
local log = require("pivi.log")
local safe = require("pivi.safe")

local M = {}

---@class pivi.Option
---@field text string
---@field run fun()

---Some pickers and inputs answer twice: the first answer counts.
---@generic F: function
---@param answered F
---@return F
function M.once(answered)
  local done = false
  return function(...)
    if not done then
      done = true
      return answered(...)
    end
  end
end

---@param prompt string
---@param options pivi.Option[]
---@param cancelled fun()
function M.ask(prompt, options, cancelled)
  -- Not within the host's message: the next ones are taken while the question stands.
  vim.schedule(function()
    vim.ui.select(
      options,
      {
        prompt = safe.line(prompt),
        kind = "pivi",
        format_item = function(option)
          return safe.line(option.text)
        end,
      },
      M.once(function(option)
        log.guard("choice", option and option.run or cancelled)
      end)
    )
  end)
end

return M
