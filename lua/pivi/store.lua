---Small files of ours: each is written as a whole or not at all, so that what was there before stays until then.
local M = {}

---@param path string
---@param text string
---@return string? problem what the system says of it
local function put(path, text)
  local file, problem = io.open(path, "wb")
  if not file then
    return problem
  end
  local ok, full = file:write(text)
  -- A full disk shows when what is buffered goes there.
  local closed, late = file:close()
  return not (ok and closed) and (full or late) or nil
end

---@param path string in a directory that is made where it is missing
---@param text string
---@return string? problem nil where it is written
function M.write(path, text)
  local made, err = pcall(vim.fn.mkdir, vim.fs.dirname(path), "p", "0700")
  if not made then
    return (tostring(err):gsub("^Vim:", ""))
  end
  -- Another Neovim may be writing the same file.
  local fresh = ("%s.%d"):format(path, vim.fn.getpid())
  local problem = put(fresh, text)
  if not problem then
    local renamed, why = vim.uv.fs_rename(fresh, path)
    problem = not renamed and why or nil
  end
  if problem then
    os.remove(fresh)
  end
  return problem
end

return M
