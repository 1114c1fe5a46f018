---Sessions in snacks.picker.
local preview = require("pivi.pickers.preview")

local M = {}

local KEYS =
  { ["<C-s>"] = "split", ["<C-v>"] = "vsplit", ["<C-t>"] = "tab", ["<C-r>"] = "view", ["<C-f>"] = "fork" }

---@param choices pivi.Choice[]
---@param actions table<string, fun(row: pivi.SessionRow)>
function M.pick(choices, actions)
  local named, keys = {}, {}
  for key, name in pairs(KEYS) do
    keys[key] = { "pivi_" .. name, mode = { "i", "n" } }
    named["pivi_" .. name] = function(picker, item)
      picker:close()
      if item then
        actions[name](item.row)
      end
    end
  end
  require("snacks.picker").pick({
    source = "pivi_sessions",
    title = "Pi sessions",
    items = vim.tbl_map(function(choice)
      return { text = choice.text, row = choice.row, file = choice.row.path }
    end, choices),
    format = function(item)
      return { { item.text } }
    end,
    preview = function(context)
      context.preview:reset()
      preview.into(context.buf, context.item.row)
    end,
    confirm = function(picker, item)
      picker:close()
      if item then
        actions.resume(item.row)
      end
    end,
    actions = named,
    win = { input = { keys = keys }, list = { keys = keys } },
  })
end

return M
