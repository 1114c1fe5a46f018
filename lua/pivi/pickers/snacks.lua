---Sessions in snacks.picker.
local preview = require("pivi.pickers.preview")

local M = {}

---@param picking pivi.Picking
---@param context table
---@return fun(add: fun(item: table))
local function finder(picking, context)
  local waiting, over, async = {}, false, nil
  local function wake()
    if async then
      async:resume()
    end
  end
  -- What is returned runs where no Vimscript function may be called.
  local stop = picking.stream(function(choices)
    vim.list_extend(waiting, choices)
    wake()
  end, function()
    over = true
    wake()
  end)
  return function(add)
    async = context.async
    async:on("done", vim.schedule_wrap(stop))
    while not over or #waiting > 0 do
      local choices = waiting
      waiting = {}
      for _, choice in ipairs(choices) do
        add({ text = choice.text, row = choice.row, file = choice.row.path })
      end
      if not over and #waiting == 0 then
        async:suspend()
      end
    end
  end
end

---@param picking pivi.Picking
function M.pick(picking)
  local actions, keys = {}, {}
  for _, action in ipairs(picking.actions) do
    local name = action.key and "pivi_" .. action.name or "confirm"
    actions[name] = function(picker, item)
      local chosen = picker:selected({ fallback = false })
      picker:close()
      local rows = vim.tbl_map(function(one)
        return one.row
      end, #chosen > 0 and chosen or { item })
      picking.act(action, rows)
    end
    if action.key then
      keys[action.key] = { name, mode = { "i", "n" } }
    end
  end
  require("snacks.picker").pick({
    source = "pivi_sessions",
    title = picking.title,
    finder = function(_, context)
      return finder(picking, context)
    end,
    format = function(item)
      return { { item.text } }
    end,
    preview = function(context)
      context.preview:reset()
      preview.into(context.buf, context.item.row)
    end,
    confirm = actions.confirm,
    actions = actions,
    win = { input = { keys = keys }, list = { keys = keys } },
  })
end

return M
