---Highlight groups: those of the host's table and the winbar's, each linked to a standard one unless set already.
local M = {}

---@type table<string, string>
local links = { PiviPhase = "Title", PiviError = "DiagnosticError" }

local function link_all()
  for name, target in pairs(links) do
    vim.api.nvim_set_hl(0, name, { link = target, default = true })
  end
end

---@param groups {name: string, link: string}[]
---@return string[] names in the host's order
function M.define(groups)
  local names = {}
  for i, group in ipairs(groups) do
    names[i] = group.name or group[1]
    links[names[i]] = group.link or group[2]
  end
  link_all()
  vim.api.nvim_create_autocmd("ColorScheme", {
    group = vim.api.nvim_create_augroup("pivi.highlight", {}),
    desc = "Link pivi's highlight groups again",
    callback = link_all,
  })
  return names
end

return M
