---Completion of `:Pi`.
local M = {}

---How long sessions are waited for where none are known yet, in milliseconds. Only Tab waits, never a command.
local PATIENCE = 300

---@param all string[]
---@param lead string
---@return string[]
local function starting(all, lead)
  return vim.tbl_filter(function(item)
    return vim.startswith(item, lead)
  end, all)
end

---What names a session: its name, its id, or the path that is being typed.
---@param lead string
---@return string[]
function M.targets(lead)
  if lead:match("^[~/.]") then
    return vim.fn.getcompletion(lead, "file")
  end
  local catalog = require("pivi.catalog")
  local cwd = vim.fn.getcwd()
  local over = false
  -- What is known is given at once, and is up to date at the next Tab.
  catalog.rows(cwd, "directory", {
    take = function() end,
    over = function()
      over = true
    end,
  })
  if not catalog.known(cwd) then
    vim.wait(PATIENCE, function()
      return over
    end, 10)
  end
  local names, ids = {}, {}
  for _, row in ipairs(catalog.known(cwd) or {}) do
    ids[#ids + 1] = row.id
    if row.name and row.name ~= "" and not row.name:find("%c") then
      names[#names + 1] = row.name
    end
  end
  return starting(vim.list_extend(names, ids), lead)
end

---@param lead string the word at the cursor
---@param line string
---@param cursor integer bytes before the cursor
---@return string[]
function M.complete(lead, line, cursor)
  local command = require("pivi.command")
  local before = line:sub(1, cursor):match("%f[%a]Pi!?%s+(.*)$") or ""
  local word, rest = before:match("^(%S+)%s+(.*)$")
  if not word then
    local words = {}
    for _, name in ipairs(command.names()) do
      words[#words + 1] = name
      if command.TABLE[name].bang then
        words[#words + 1] = name .. "!"
      end
    end
    return starting(words, lead)
  end
  local sub = command.TABLE[word]
  local kind = sub and sub.complete
  if kind == "fold" then
    return starting(require("pivi.levels").NAMES, lead)
  elseif kind == "sessions" then
    return starting(require("pivi.arguments").words(), lead)
  elseif kind == "grep" then
    local scopes = vim.tbl_map(function(scope)
      return "++" .. scope
    end, require("pivi.browser").SCOPES)
    return rest == lead and starting(scopes, lead) or {}
  end
  if kind == "file" then
    return vim.fn.getcompletion(lead, "file")
  end
  if kind == "new" then
    return starting({ "++ephemeral", "++id=" }, lead)
  elseif kind == "target" then
    -- A name may have blanks; Neovim replaces the last word only.
    local typed = #rest - #lead
    return vim.tbl_map(function(target)
      return target:sub(typed + 1)
    end, M.targets(rest))
  end
  return {}
end

return M
