---Sessions in telescope.nvim.
local preview = require("pivi.pickers.preview")

local M = {}

local SELECTS = { resume = "default", split = "horizontal", vsplit = "vertical", tab = "tab" }

---Entries that are matched before others get their turn.
local SLICE = 500

---A finder that goes on while sessions come, for the prompt that is typed last.
---@param picking pivi.Picking
local function finder(picking)
  local found = { results = {} }
  local over, process, complete = false, nil, nil
  local stop = picking.stream(function(choices)
    for _, choice in ipairs(choices) do
      local entry =
        { value = choice.row, display = choice.text, ordinal = choice.text, path = choice.row.path }
      entry.index = #found.results + 1
      found.results[entry.index] = entry
      if process then
        process(entry)
      end
    end
  end, function()
    over = true
    if complete then
      complete()
    end
  end)
  found.close = stop
  return setmetatable(found, {
    __call = function(_, _, process_result, process_complete)
      process, complete = process_result, process_complete
      for i, entry in ipairs(vim.list_slice(found.results)) do
        if process_result(entry) or process ~= process_result then
          return
        elseif i % SLICE == 0 then
          require("plenary.async").util.scheduler()
        end
      end
      if over then
        process_complete()
      end
    end,
  })
end

---@param picking pivi.Picking
function M.pick(picking)
  local state, acts = require("telescope.actions.state"), require("telescope.actions")
  local values = require("telescope.config").values
  local function run(action, buf)
    local entries = state.get_current_picker(buf):get_multi_selection()
    local rows = vim.tbl_map(function(entry)
      return entry.value
    end, #entries > 0 and entries or { state.get_selected_entry() })
    acts.close(buf)
    picking.act(action, rows)
  end
  local function map_all(buf, map)
    for _, action in ipairs(picking.actions) do
      local function act()
        run(action, buf)
      end
      if SELECTS[action.name] then
        acts["select_" .. SELECTS[action.name]]:replace(act)
      end
      if action.key then
        map({ "i", "n" }, action.key, act)
      end
    end
    return true
  end
  require("telescope.pickers")
    .new({}, {
      prompt_title = picking.title,
      finder = finder(picking),
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
