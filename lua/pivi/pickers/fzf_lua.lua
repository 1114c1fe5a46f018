---Sessions in fzf-lua.
local preview = require("pivi.pickers.preview")

local M = {}

---@param key string as in maps
---@return string as fzf spells it
local function fzf_key(key)
  return (key:gsub("<C%-(.)>", "ctrl-%1"):gsub("<M%-(.)>", "alt-%1"))
end

---@param picking pivi.Picking
function M.pick(picking)
  local choices, stop = {}, nil
  -- fzf gives lines back: a number leads from each to its session.
  local function row_of(line)
    local choice = choices[tonumber((line or ""):match("^(%d+)\t"))]
    return choice and choice.row
  end
  local acts = {}
  for _, action in ipairs(picking.actions) do
    acts[action.key and fzf_key(action.key) or "default"] = function(selected)
      picking.act(action, vim.tbl_map(row_of, selected))
    end
  end
  local Previewer = require("fzf-lua.previewer.builtin").base:extend()
  function Previewer:new(o, opts, window)
    Previewer.super.new(self, o, opts, window)
    return setmetatable(self, Previewer)
  end
  function Previewer:populate_preview_buf(line)
    local buf = self:get_tmp_buffer()
    self:set_preview_buf(buf)
    local row = row_of(line)
    if row then
      preview.into(buf, row)
    end
  end
  require("fzf-lua").fzf_exec(function(add)
    stop = picking.stream(function(more)
      local lines = {}
      for i, choice in ipairs(more) do
        choices[#choices + 1] = choice
        lines[i] = ("%d\t%s"):format(#choices, choice.text)
      end
      add(table.concat(lines, "\n"))
    end, function()
      add(nil)
    end)
  end, {
    prompt = picking.title .. "> ",
    previewer = Previewer,
    actions = acts,
    winopts = {
      on_close = function()
        if stop then
          stop()
        end
      end,
    },
    fzf_opts = { ["--delimiter"] = "\t", ["--with-nth"] = "2..", ["--multi"] = true },
  })
end

return M
