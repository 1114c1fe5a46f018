---What is remembered over restarts: one small JSON file in Neovim's state directory, bounded in count and size.
local M = {}

---Sessions that are remembered, and bytes of the file; the longest untouched ones are forgotten first.
M.SESSIONS, M.BYTES = 200, 512 * 1024

---@class pivi.Memory
---@field time integer seconds since 1970
---@field at_end? boolean
---@field lnum? integer 1-based
---@field col? integer
---@field above? integer screen rows from the window's top to the cursor, 1 for none
---@field below? integer lines below the cursor's
---@field text? string how that line starts
---@field before? string how the line before it starts
---@field folds? {lnum: integer, text: string, open: boolean}[] those that the reader opened or closed

---@return string
function M.path()
  return vim.fs.normalize(vim.fn.stdpath("state") .. "/pivi/places.json")
end

---@return table<string, pivi.Memory> by the session file's real path
local function read()
  local file = io.open(M.path(), "rb")
  if not file then
    return {}
  end
  local text = file:read(2 * M.BYTES) or ""
  file:close()
  local ok, all = pcall(vim.json.decode, text, { luanil = { object = true, array = true } })
  return ok and type(all) == "table" and type(all.sessions) == "table" and all.sessions or {}
end

---@param session string
---@return pivi.Memory?
function M.get(session)
  local known = read()[session]
  return type(known) == "table" and known or nil
end

---@param sessions table<string, pivi.Memory>
---@param most integer
---@return string
local function encode(sessions, most)
  local names = vim.tbl_keys(sessions)
  table.sort(names, function(a, b)
    return (tonumber(sessions[a].time) or 0) > (tonumber(sessions[b].time) or 0)
  end)
  local kept = {}
  for i = 1, math.min(#names, most) do
    kept[names[i]] = sessions[names[i]]
  end
  local text = vim.json.encode({ version = 1, sessions = kept })
  if #text > M.BYTES and most > 1 then
    return encode(kept, math.floor(math.min(#names, most) / 2))
  end
  return text
end

---Two Neovims may do this at once: the file is read again each time, and takes the old one's place as a whole.
---@param session string
---@param memory pivi.Memory
function M.put(session, memory)
  local sessions = read()
  memory.time = os.time()
  sessions[session] = memory
  local problem = require("pivi.store").write(M.path(), encode(sessions, M.SESSIONS))
  if problem then
    require("pivi.log").add(("the reader's place is not kept: %s"):format(problem))
  end
end

return M
