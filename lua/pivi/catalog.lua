---Sessions as the host finds them: streams of rows and of hits.
local config = require("pivi.config")
local host = require("pivi.host")
local log = require("pivi.log")

local M = {}

---@class pivi.SessionRow
---@field path string
---@field id string
---@field cwd string
---@field name? string
---@field title string the name, else the first prompt; "" where it is not known yet
---@field prompt? string the first prompt of a session with a name
---@field created? number seconds since 1970
---@field active? number seconds since 1970, the last message of the user or of Pi
---@field mtime number seconds since 1970
---@field messages? integer
---@field prompts? integer
---@field branches? integer
---@field parent? string path of the session that it was forked from
---@field model? string
---@field cost? number dollars
---@field tokens? integer
---@field size integer bytes
---@field running? boolean open in this Neovim
---@field elsewhere? boolean open in another Neovim, or changed a moment ago by somebody else

---@class pivi.Hit
---@field path string
---@field id string of the session
---@field title string
---@field entry string id of the entry
---@field role string
---@field line string
---@field col? integer
---@field active? number seconds since 1970

---@class pivi.Progress
---@field done? integer
---@field total? integer
---@field skipped? integer files that could not be read
---@field problem? string
---@field final? boolean nothing comes after this

---@alias pivi.Scope "directory"|"repository"|"all"

---@class pivi.Look
---@field take fun(items: table[], progress: pivi.Progress)
---@field over fun(problem?: string) called once, not after `leave`

---@type table<integer, pivi.Look>
local looks = {}
local last_look = 0

---@param look integer
---@param problem? string
local function over(look, problem)
  local handlers = looks[look]
  looks[look] = nil
  if handlers then
    log.guard("sessions", handlers.over, problem)
  end
end

---@param method "catalog"|"search"
---@param params table
---@param handlers pivi.Look
---@return integer? look
local function begin(method, params, handlers)
  last_look = last_look + 1
  local look = last_look
  looks[look] = handlers
  params.look, params.options = look, config.for_host()
  host.request(method, params, function(_, err, gone)
    if gone then
      over(look, "the host ended")
    elseif err then
      over(look, err)
    end
  end)
  -- Where the host can't be started it is over already.
  return looks[look] and look or nil
end

---@param cwd string
---@param scope pivi.Scope
---@param handlers pivi.Look
---@return integer? look
function M.rows(cwd, scope, handlers)
  return begin("catalog", { cwd = cwd, scope = scope }, handlers)
end

---@param cwd string
---@param scope pivi.Scope
---@param pattern string
---@param regex boolean
---@param handlers pivi.Look
---@param target? string the one session that is searched: an id, a name or a path
---@return integer? look
function M.search(cwd, scope, pattern, regex, handlers, target)
  local params = { cwd = cwd, scope = scope, pattern = pattern, regex = regex, target = target }
  return begin("search", params, handlers)
end

---Nothing more is wanted.
---@param look? integer
function M.leave(look)
  if look and looks[look] then
    looks[look] = nil
    host.notify("leave", { look = look })
  end
end

---What a stream brings.
---@param look integer
---@param items table[]
---@param progress pivi.Progress
function M.take(look, items, progress)
  local handlers = looks[look]
  if not handlers then
    return
  end
  log.guard("sessions", handlers.take, items, progress)
  if progress.final then
    over(look, progress.problem)
  end
end

---Streams that were under way never end by themselves any more.
function M.host_died()
  for look in pairs(looks) do
    over(look, "the host ended")
  end
end

return M
