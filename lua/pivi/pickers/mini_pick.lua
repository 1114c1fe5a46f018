---Sessions in mini.pick.
local preview = require("pivi.pickers.preview")

local M = {}

---@param choices pivi.Choice[]
---@return pivi.SessionRow[]
local function rows_of(choices)
  return vim.tbl_map(function(choice)
    return choice.row
  end, choices)
end

---@param picking pivi.Picking
function M.pick(picking)
  local pick = require("mini.pick")
  local mappings = { choose_in_split = "", choose_in_vsplit = "", choose_in_tabpage = "" }
  for _, action in ipairs(vim.list_slice(picking.actions, 2)) do
    mappings["pivi_" .. action.name] = {
      char = action.key,
      func = function()
        local matches = pick.get_picker_matches()
        local marked = matches.marked or {}
        picking.act(action, rows_of(#marked > 0 and marked or { matches.current }))
        return true
      end,
    }
  end
  local choices = {}
  local stop = picking.stream(function(more)
    vim.list_extend(choices, more)
    pick.set_picker_items(choices)
  end)
  pick.start({
    source = {
      name = picking.title,
      items = function() end,
      preview = function(buf, choice)
        preview.into(buf, choice.row)
      end,
      choose = function(choice)
        picking.act(picking.actions[1], { choice.row })
      end,
      choose_marked = function() end,
    },
    mappings = mappings,
  })
  stop()
end

return M
