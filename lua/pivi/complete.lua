---Completion of `:Pi`.
local safe = require("pivi.safe")

local M = {}

---How long names are waited for where none are known yet, in milliseconds. Only Tab waits, never a command.
local PATIENCE = 300

---Ids that are given where nothing is typed yet: nobody can choose among many.
local NEWEST = 5

---@class pivi.Names what completes, of one directory
---@field by_id table<string, {name?: string, time: number}>
---@field look? integer the stream that brings it up to date

---@type table<string, pivi.Names>
local known = {}

---@param all string[]
---@param lead string
---@return string[]
local function starting(all, lead)
  return vim.tbl_filter(function(item)
    return vim.startswith(item, lead)
  end, all)
end

---Starts to learn what the directory's sessions are called.
---@param cwd string
---@param names pivi.Names
local function learn(cwd, names)
  local found = {}
  names.look = require("pivi.catalog").rows(cwd, "directory", {
    take = function(rows)
      for _, row in ipairs(rows) do
        -- By its header alone a session comes without its name.
        if row.messages or not names.by_id[row.id] then
          local name = row.name ~= "" and row.name or nil
          names.by_id[row.id] = { name = name, time = row.active or row.mtime }
        end
        found[row.id] = names.by_id[row.id]
      end
    end,
    over = function(problem)
      names.look = nil
      names.by_id = problem and names.by_id or found
    end,
  })
end

---What was known when Neovim ended last: at once, however many there are.
---@param cwd string
---@param names pivi.Names
---@param done fun()
local function recall(cwd, names, done)
  local params = { cwd = cwd, options = require("pivi.config").for_host() }
  require("pivi.host").request("names", params, function(packed)
    for _, one in ipairs(packed and vim.mpack.decode(packed) or {}) do
      local id, name, time = unpack(one)
      names.by_id[id] = { name = name ~= vim.NIL and name ~= "" and name or nil, time = time }
    end
    done()
  end)
end

---@param cwd string
---@return pivi.Names
local function names_in(cwd)
  local names = known[cwd] or { by_id = {} }
  known[cwd] = names
  local empty, recalled = next(names.by_id) == nil, false
  if empty then
    recall(cwd, names, function()
      recalled = next(names.by_id) ~= nil
    end)
  end
  if not names.look then
    -- What is known is given at once, and is up to date at the next Tab.
    learn(cwd, names)
  end
  if empty then
    vim.wait(PATIENCE, function()
      return recalled or not names.look
    end, 5)
  end
  return names
end

---What names a session: its name, its id, or the path that is being typed. Names first, each by its session's last
---message; ids as soon as one is typed, before that a few of sessions that have no name.
---@param lead string
---@return string[]
function M.targets(lead)
  if lead:match("^[~/.]") then
    return vim.fn.getcompletion(lead, "file")
  end
  local by_id = names_in(vim.fn.getcwd()).by_id
  local ids, keys = vim.tbl_keys(by_id), {}
  for id, one in pairs(by_id) do
    keys[id] = -one.time
  end
  ids = require("pivi.browser.order").sort(ids, keys)
  local names, nameless, seen = {}, {}, {}
  for _, id in ipairs(ids) do
    local name = by_id[id].name
    if not name or safe.line(name) ~= name then
      nameless[#nameless + 1] = #nameless < NEWEST and id or nil
    elseif not seen[name] then
      seen[name] = true
      names[#names + 1] = name
    end
  end
  return vim.tbl_filter(function(target)
    return safe.line(target) == target
  end, starting(vim.list_extend(names, lead == "" and nameless or ids), lead))
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
    local arguments = require("pivi.arguments")
    local target = lead:match("^%+%+session=(.*)$")
    if rest ~= lead then
      return {}
    elseif not target then
      return starting(arguments.GREP, lead)
    end
    return vim.tbl_map(function(found)
      return "++session=" .. arguments.escape(found)
    end, M.targets(arguments.unescape(target)))
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
