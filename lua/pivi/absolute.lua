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

---A path as it is typed behind a command: that of a file that is there, else with what `%`, `#`, `<cfile>` at its start
---and `$NAME` stand for. No sign is a wildcard.
---@param path string
---@return string
function M.typed(path)
  if not vim.uv.fs_lstat(path) then
    if path:find("^[%%#<]") then
      -- Where they stand for nothing that is an error, or nothing.
      local ok, named = pcall(vim.fn.expand, path, true)
      path = ok and named ~= "" and named or path
    end
    path = path:gsub("%${([%w_]+)}", vim.uv.os_getenv):gsub("%$([%a_][%w_]*)", vim.uv.os_getenv)
  end
  return vim.fn.fnamemodify(path, ":p")
end

return M
