---The user's words, on disk from the moment they are said until Pi has stored them, and drafts: whatever ends,
---Neovim, the host or Pi, they are found again.
local log = require("pivi.log")
local store = require("pivi.store")

local M = {}

---@class pivi.Unsent
---@field text string
---@field session string the session's id, "" where none was open yet
---@field file string the session's file, "" where it has none
---@field cwd string real path of the directory
---@field after? string the entry that was the session's last one; nil for a draft: Pi can't have stored it
---@field pid integer the Neovim that keeps them
---@field started string when that was started, as the system tells it

---@class pivi.Left
---@field path string
---@field words pivi.Unsent

---@type table<integer, pivi.Unsent>
local kept = {}
---Keys of drafts, by the session's id.
---@type table<string, integer>
local drafts = {}
local last_key = 0

---@return string
local function directory()
  return vim.fs.normalize(vim.fn.stdpath("state") .. "/pivi/words")
end

---When a process was started, only to be compared; "" where there is none, or none but a zombie.
---@param pid integer
---@return string
local function started(pid)
  local file = io.open(("/proc/%d/stat"):format(pid), "rb")
  if file then
    local stat = file:read("*a") or ""
    file:close()
    -- The name before it, in parentheses, may hold anything.
    local fields = vim.split(stat:match(".*%)%s(.*)") or "", " ")
    return fields[1] ~= "Z" and fields[20] or ""
  elseif vim.uv.fs_stat("/proc/self/stat") then
    return ""
  end
  local told = vim.trim(vim.fn.system({ "ps", "-o", "stat=", "-o", "lstart=", "-p", tostring(pid) }))
  return told:find("^Z") and "" or told:gsub("^%S+%s+", "")
end

---@type string?
local own

---@param key integer
---@return string
local function path(key)
  return ("%s/%d-%d.json"):format(directory(), vim.fn.getpid(), key)
end

---Whether the user knows that words are not kept: they are told once, until it goes well again.
local told = false

---@param key integer
local function write(key)
  local problem = store.write(path(key), vim.json.encode(kept[key]))
  if problem then
    local say = told and log.add or log.error
    say(("your words are not kept on disk while Pi has not stored them: %s"):format(problem))
  end
  told = problem ~= nil
end

---@param words pivi.Unsent
---@return integer key
local function add(words)
  own = own or started(vim.fn.getpid())
  words.pid, words.started = vim.fn.getpid(), own
  last_key = last_key + 1
  kept[last_key] = words
  log.guard("keeping words", write, last_key)
  return last_key
end

---@param words pivi.Unsent
---@param c? pivi.Conversation
local function mean(words, c)
  if c then
    words.session, words.file = c.session_id, c.file
    words.cwd = c.cwd ~= "" and require("pivi.conversations").real(c.cwd) or words.cwd
    words.after = c.status.phase and (c.status.leaf_id or "") or nil
  end
end

---Keeps words that are said now.
---@param text string
---@param c? pivi.Conversation the one that they are meant for, where it is known yet
---@return integer key
function M.keep(text, c)
  local words = { text = text, session = "", file = "", cwd = require("pivi.conversations").cwd() }
  mean(words, c)
  return add(words)
end

---@param key integer
---@param c? pivi.Conversation
function M.meant_for(key, c)
  local words = kept[key]
  if words and c and words.session ~= c.session_id then
    mean(words, c)
    log.guard("keeping words", write, key)
  end
end

---They are stored by Pi, or in a draft.
---@param key integer
function M.forget(key)
  if kept[key] then
    kept[key] = nil
    vim.uv.fs_unlink(path(key))
  end
end

---@param key integer
---@return pivi.Unsent?
function M.get(key)
  return kept[key]
end

---@param key? integer
---@return string id of the session that words are meant for, "" for none
function M.session(key)
  return key and kept[key] and kept[key].session or ""
end

---@return integer[] keys of what is on its way to Pi, in order
function M.on_the_way()
  local keys = {}
  for key, words in pairs(kept) do
    if drafts[words.session] ~= key then
      keys[#keys + 1] = key
    end
  end
  table.sort(keys)
  return keys
end

---Keeps a session's draft as it is now.
---@param session string
---@param text string "" for none any more
function M.keep_draft(session, text)
  local key = drafts[session]
  if text == "" then
    if key then
      drafts[session] = nil
      M.forget(key)
    end
  elseif not key then
    local conversations = require("pivi.conversations")
    local c = vim.iter(conversations.all()):find(function(one)
      return one.session_id == session
    end)
    local words = { text = text, session = session, file = "", cwd = conversations.cwd() }
    mean(words, c)
    words.after = nil
    drafts[session] = add(words)
  elseif kept[key].text ~= text then
    kept[key].text = text
    log.guard("keeping words", write, key)
  end
end

---@param session string
---@return string text "" for none
function M.draft(session)
  local key = drafts[session]
  return key and kept[key].text or ""
end

---@param file string
---@return pivi.Unsent?
local function read(file)
  local content = io.open(file, "rb")
  local text = content and content:read("*a") or ""
  if content then
    content:close()
  end
  local ok, words = pcall(vim.json.decode, text, { luanil = { object = true, array = true } })
  if not ok or type(words) ~= "table" or type(words.text) ~= "string" then
    return nil
  end
  return words
end

---Whether words belong to a conversation: to its session, or to none that could be opened again, in its directory.
---@param words pivi.Unsent
---@param c pivi.Conversation
---@return boolean
local function belong(words, c)
  if words.session == c.session_id then
    return true
  end
  local file = words.file or ""
  local lost = words.session == "" or file == "" or not vim.uv.fs_stat(file)
  return lost and words.cwd == require("pivi.conversations").real(c.cwd)
end

---What Neovims that have ended left of words for a conversation, oldest first.
---@param c pivi.Conversation
---@return pivi.Left[]
function M.left(c)
  local found = {}
  for name in vim.fs.dir(directory()) do
    local pid = tonumber(name:match("^(%d+)%-%d+%.json$"))
    local file = directory() .. "/" .. name
    local words = pid and pid ~= vim.fn.getpid() and read(file) or nil
    if words and belong(words, c) and started(pid) ~= words.started then
      local stat = vim.uv.fs_stat(file)
      found[#found + 1] = { path = file, words = words, time = stat and stat.mtime.sec or 0 }
    end
  end
  table.sort(found, function(a, b)
    return a.time == b.time and a.path < b.path or a.time < b.time
  end)
  return found
end

return M
