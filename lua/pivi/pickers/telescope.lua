---Sessions in telescope.nvim.
local preview = require("pivi.pickers.preview")

local M = {}

local KEYS = { ["<C-r>"] = "view", ["<C-f>"] = "fork" }

---@param choices pivi.Choice[]
---@param actions table<string, fun(row: pivi.SessionRow)>
function M.pick(choices, actions)
  local state, acts = require("telescope.actions.state"), require("telescope.actions")
  local values = require("telescope.config").values
  local function run(name, buf)
    local entry = state.get_selected_entry()
    acts.close(buf)
    if entry then
      actions[name](entry.value)
    end
  end
  local function map_all(buf, map)
    local selects = { default = "resume", horizontal = "split", vertical = "vsplit", tab = "tab" }
    for select, name in pairs(selects) do
      acts["select_" .. select]:replace(function()
        run(name, buf)
      end)
    end
    for key, name in pairs(KEYS) do
      map({ "i", "n" }, key, function()
        run(name, buf)
      end)
    end
    return true
  end
  require("telescope.pickers")
    .new({}, {
      prompt_title = "Pi sessions",
      finder = require("telescope.finders").new_table({
        results = choices,
        entry_maker = function(choice)
          return { value = choice.row, display = choice.text, ordinal = choice.text, path = choice.row.path }
        end,
      }),
      sorter = values.generic_sorter({}),
      previewer = require("telescope.previewers").new_buffer_previewer({
        define_preview = function(self, entry)
          preview.into(self.state.bufnr, entry.value)
        end,
      }),
      attach_mappings = map_all,
    })
    :find()
end

return M
