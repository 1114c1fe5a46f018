---Sessions in `vim.ui.select`, which takes a list that is whole and knows one action.
local M = {}

---@param picking pivi.Picking
function M.pick(picking)
  picking.all(function(choices)
    local done = false
    vim.ui.select(choices, {
      prompt = picking.title,
      kind = "pivi.session",
      format_item = function(choice)
        return choice.text
      end,
    }, function(choice)
      -- Some pickers answer twice.
      if choice and not done then
        done = true
        picking.act(picking.actions[1], { choice.row })
      end
    end)
  end)
end

return M
