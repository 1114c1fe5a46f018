---Sessions in mini.pick.
local preview = require("pivi.pickers.preview")

local M = {}

---@param choices pivi.Choice[]
---@param actions table<string, fun(row: pivi.SessionRow)>
function M.pick(choices, actions)
  local pick = require("mini.pick")
  local function act(name)
    return function()
      local choice = pick.get_picker_matches().current
      if choice then
        vim.schedule(function()
          actions[name](choice.row)
        end)
      end
      return true
    end
  end
  local function mapping(char, name)
    return { char = char, func = act(name) }
  end
  pick.start({
    source = {
      name = "Pi sessions",
      items = choices,
      preview = function(buf, choice)
        preview.into(buf, choice.row)
      end,
      choose = function(choice)
        -- The picker's windows are still there.
        vim.schedule(function()
          actions.resume(choice.row)
        end)
      end,
      choose_marked = function() end,
    },
    mappings = {
      choose_in_split = "",
      choose_in_vsplit = "",
      choose_in_tabpage = "",
      pivi_split = mapping("<C-s>", "split"),
      pivi_vsplit = mapping("<C-v>", "vsplit"),
      pivi_tab = mapping("<C-t>", "tab"),
      pivi_view = mapping("<C-r>", "view"),
      pivi_fork = mapping("<C-f>", "fork"),
    },
  })
end

return M
