---Paths as people and models write them, made absolute.
local M = {}

---@param path string
---@return string path with the home directory in place of a leading `~/`
function M.home(path)
  -- A function: a `%` in the directory's name means nothing.
  return (path:gsub("^~/", function()
    return vim.uv.os_homedir() .. "/"
  end))
end

---@param c pivi.Conversation
---@param path string as the session has it, relative to its directory
---@return string
function M.of(c, path)
  local full = M.home(path)
  if full:find("^/") then
    return full
  end
  return vim.fs.normalize((c.cwd ~= "" and c.cwd or vim.fn.getcwd()) .. "/" .. full)
end

return M
