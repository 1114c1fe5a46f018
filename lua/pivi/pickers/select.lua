---Sessions in `vim.ui.select`.
local M = {}

---@param choices pivi.Choice[]
---@param actions table<string, fun(row: pivi.SessionRow)>
function M.pick(choices, actions)
  local done = false
  vim.ui.select(choices, {
    prompt = "Pi sessions",
    kind = "pivi.session",
    format_item = function(choice)
      return choice.text
    end,
  }, function(choice)
    -- Some pickers answer twice.
    if choice and not done then
      done = true
      actions.resume(choice.row)
    end
  end)
end

return M
