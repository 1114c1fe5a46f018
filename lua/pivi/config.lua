---The user's options: `vim.g.pivi` or `require("pivi").setup()`, checked when they are used.
local log = require("pivi.log")
local nearest = require("pivi.nearest")

---@class pivi.PiOptions
---@field command? string|string[] Pi's program, or the program with its first arguments
---@field args? string[] arguments of Pi, before pivi's own
---@field env? table<string, string> environment of Pi, on top of the editor's
---@field start_timeout? number seconds until Pi must have answered for the first time

---@class pivi.SessionsFront
---@field front? string what `:Pi sessions` opens: "browser", "auto" or the name of a picker

---@class pivi.Options
---@field python? string path of the interpreter that runs the host
---@field icons? "unicode"|"ascii"
---@field pi? pivi.PiOptions
---@field sessions? pivi.SessionsFront

local M = {}

---@type pivi.Options
local DEFAULTS = {
  icons = "unicode",
  pi = { command = "pi", args = {}, env = {}, start_timeout = 15 },
  sessions = { front = "browser" },
}

---Options that are tables of options.
local PARENTS = { pi = true, sessions = true }

---@type pivi.Options?
local given

---@param value any
---@return boolean
local function is_strings(value)
  if type(value) ~= "table" or not vim.islist(value) then
    return false
  end
  return vim.iter(value):all(function(item)
    return type(item) == "string"
  end)
end

local FRONTS = { "browser", "auto", "snacks", "telescope", "fzf-lua", "mini.pick", "select" }

---What each option must be: a test, and the words that name it.
---@type table<string, {test: fun(value: any): boolean, words: string}>
local CHECKS = {
  python = {
    words = "a path",
    test = function(value)
      return type(value) == "string" and value ~= ""
    end,
  },
  icons = {
    words = '"unicode" or "ascii"',
    test = function(value)
      return value == "unicode" or value == "ascii"
    end,
  },
  ["pi.command"] = {
    words = "a string or a list of strings",
    test = function(value)
      return (type(value) == "string" and value ~= "") or (is_strings(value) and #value > 0)
    end,
  },
  ["pi.args"] = { words = "a list of strings", test = is_strings },
  ["pi.start_timeout"] = {
    words = "a number of seconds",
    test = function(value)
      return type(value) == "number" and value > 0
    end,
  },
  ["sessions.front"] = {
    words = "one of " .. table.concat(FRONTS, ", "),
    test = function(value)
      return vim.list_contains(FRONTS, value)
    end,
  },
  ["pi.env"] = {
    words = "a table from names to strings",
    test = function(value)
      return type(value) == "table"
        and vim.iter(pairs(value)):all(function(name, text)
          return type(name) == "string" and type(text) == "string"
        end)
    end,
  },
}

---@return string[]
local function names()
  local found = vim.tbl_keys(CHECKS)
  table.sort(found)
  return found
end

---@param opts any
---@return pivi.Options good what is right of them
---@return string[] problems one sentence for each of the others
function M.check(opts)
  if opts == nil then
    return {}, {}
  end
  if type(opts) ~= "table" then
    return {}, { "options must be a table" }
  end
  local good, problems = {}, {}
  local function take(name, value)
    local check = CHECKS[name]
    if not check then
      problems[#problems + 1] = nearest.unknown("option", name, names())
    elseif not check.test(value) then
      problems[#problems + 1] = ("option '%s' must be %s"):format(name, check.words)
    else
      local parent, leaf = name:match("^(%w+)%.([%w_]+)$")
      if parent then
        good[parent] = good[parent] or {}
        good[parent][leaf] = value
      else
        good[name] = value
      end
    end
  end
  for name, value in pairs(opts) do
    if PARENTS[name] and type(value) == "table" then
      for leaf, inner in pairs(value) do
        take(("%s.%s"):format(name, leaf), inner)
      end
    elseif PARENTS[name] then
      problems[#problems + 1] = ("option '%s' must be a table"):format(name)
    else
      take(tostring(name), value)
    end
  end
  table.sort(problems)
  return good, problems
end

---@type table<string, true>
local told = {}

---@param where string
---@param opts any
---@return pivi.Options
local function checked(where, opts)
  local good, problems = M.check(opts)
  for _, problem in ipairs(problems) do
    local sentence = ("%s: %s"):format(where, problem)
    if not told[sentence] then
      told[sentence] = true
      log.error(sentence)
    end
  end
  return good
end

---@param opts? pivi.Options
function M.set(opts)
  told = {}
  given = checked("setup", opts)
end

---@return pivi.Options complete
function M.get()
  local global = checked("vim.g.pivi", vim.g.pivi)
  return vim.tbl_deep_extend("force", DEFAULTS, global, given or {})
end

---What the host is told with each request that may start Pi.
---@return table
function M.for_host()
  local options = M.get()
  local pi = vim.deepcopy(options.pi)
  local home = require("pivi.absolute").home
  if type(pi.command) == "string" then
    pi.command = home(pi.command)
  else
    pi.command[1] = home(pi.command[1])
  end
  -- An empty Lua table would arrive as a list.
  pi.env = next(pi.env) and pi.env or vim.empty_dict()
  return { pi = pi, icons = options.icons }
end

return M
