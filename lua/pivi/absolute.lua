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

---A path as it is typed behind a command: what stands for a file (`%`, `#`, `<cfile>`) counts at its start only, and
---no sign is a wildcard.
---@param path string
---@return string
function M.typed(path)
  if path:find("^[%%#<]") then
    path = vim.fn.expand(path, true)
  end
  return vim.fn.fnamemodify(vim.fs.normalize(path), ":p")
end

return M
