---Maps of the user's onto `<Plug>` maps of ours: only global ones, since those of a buffer are another transcript's.
local M = {}

---@param mode string short name, as of `nvim_get_keymap`
---@return table<string, string> keys by the `<Plug>` map that they lead to, alone or among others
function M.onto_plugs(mode)
  local keys = {}
  for _, map in ipairs(vim.api.nvim_get_keymap(mode)) do
    for plug in (map.rhs or ""):gmatch("<Plug>%b()") do
      keys[plug] = keys[plug] or map.lhs
    end
  end
  return keys
end

return M
