---Sessions in fzf-lua.
local preview = require("pivi.pickers.preview")

local M = {}

local KEYS = {
  default = "resume",
  ["ctrl-s"] = "split",
  ["ctrl-v"] = "vsplit",
  ["ctrl-t"] = "tab",
  ["ctrl-r"] = "view",
  ["ctrl-f"] = "fork",
}

---@param choices pivi.Choice[]
---@param actions table<string, fun(row: pivi.SessionRow)>
function M.pick(choices, actions)
  local lines = {}
  -- fzf gives lines back: a number leads from each to its session.
  for i, choice in ipairs(choices) do
    lines[i] = ("%d\t%s"):format(i, choice.text)
  end
  local function row_of(line)
    local choice = choices[tonumber((line or ""):match("^(%d+)\t"))]
    return choice and choice.row
  end
  local acts = {}
  for key, name in pairs(KEYS) do
    acts[key] = function(selected)
      local row = row_of(selected[1])
      if row then
        actions[name](row)
      end
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
  require("fzf-lua").fzf_exec(lines, {
    prompt = "Pi sessions> ",
    previewer = Previewer,
    actions = acts,
    fzf_opts = { ["--delimiter"] = "\t", ["--with-nth"] = "2..", ["--no-multi"] = true },
  })
end

return M
