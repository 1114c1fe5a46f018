---`:Pi` and its subcommands.
local log = require("pivi.log")
local nearest = require("pivi.nearest")

---@class pivi.Call
---@field text string what follows the subcommand
---@field bang boolean
---@field lines? string[] the range's lines
---@field mods table

---@class pivi.Subcommand
---@field run fun(call: pivi.Call)
---@field complete? "target"|"new"|"sessions"|"grep"|"file"|"fold" what its argument is
---@field bang? boolean
---@field range? boolean
---@field bare? boolean takes no argument

local M = {}

---@param method string
---@return pivi.Subcommand
local function plain(method)
  return {
    bare = true,
    run = function()
      require("pivi.talk").ask(method)
    end,
  }
end

---@param text string
---@return pivi.OpenOptions? options
---@return string? problem
local function new_options(text)
  local options = {}
  while true do
    local word, rest = text:match("^(%+%+%S*)%s*(.*)$")
    if not word then
      break
    end
    local id = word:match("^%+%+id=(.+)$")
    if id then
      options.id = id
    elseif word == "++ephemeral" then
      options.ephemeral = true
    elseif word:match("^%+%+id=?$") then
      return nil, "++id needs an id: :Pi new ++id={id}"
    else
      return nil, nearest.unknown("argument", word, { "++ephemeral", "++id=" })
    end
    text = rest
  end
  options.name = text ~= "" and text or nil
  return options
end

---@type table<string, pivi.Subcommand>
M.TABLE = {
  abort = plain("abort"),
  stop = plain("stop"),
  restart = {
    bare = true,
    run = function()
      require("pivi.talk").ask("restart", { options = require("pivi.config").for_host() })
    end,
  },
  resume = {
    complete = "target",
    run = function(call)
      -- What is being read is taken up.
      local c = require("pivi.conversations").here()
      local raw = vim.b.pivi_raw and require("pivi.file").here()
      local target = call.text ~= "" and call.text or raw or (c and c.view and c.file)
      require("pivi.open").resume({ target = target or nil, mods = call.mods })
    end,
  },
  view = {
    complete = "target",
    run = function(call)
      local target, leaf = call.text:match("^(.-)%s*%-%-leaf%s*(%S*)$")
      if leaf == "" then
        return log.error("--leaf needs an entry's id: :Pi view {target} --leaf {entry id}")
      end
      target = target or call.text
      require("pivi.file").view(
        { target = target ~= "" and target or nil, leaf = leaf, mods = call.mods },
        true
      )
    end,
  },
  export = {
    bang = true,
    complete = "file",
    run = function(call)
      require("pivi.export").run(call.text, call.bang)
    end,
  },
  raw = {
    complete = "file",
    run = function(call)
      require("pivi.file").raw(call.text ~= "" and call.text or nil)
    end,
  },
  sessions = {
    bang = true,
    complete = "sessions",
    run = function(call)
      local options, problem = require("pivi.arguments").sessions(call.text, call.bang)
      if not options then
        return log.error(problem or "")
      end
      options.mods = call.mods
      require("pivi.pickers").open(options)
    end,
  },
  grep = {
    bang = true,
    complete = "grep",
    run = function(call)
      local options, problem = require("pivi.arguments").grep(call.text, call.bang)
      if not options then
        return log.error(problem or "")
      end
      options.mods = call.mods
      require("pivi.grep").run(options)
    end,
  },
  new = {
    complete = "new",
    run = function(call)
      local options, problem = new_options(call.text)
      if not options then
        return log.error(problem or "")
      end
      options.mods = call.mods
      require("pivi.open").new(options)
    end,
  },
  fork = {
    complete = "target",
    run = function(call)
      local c = require("pivi.conversations").current()
      local target = call.text ~= "" and call.text or nil
      require("pivi.open").fork({
        target = target,
        conv = not target and c and c.conv or nil,
        mods = call.mods,
      })
    end,
  },
  send = {
    range = true,
    run = function(call)
      local text = call.text
      if call.lines then
        local lines = table.concat(call.lines, "\n")
        text = text == "" and lines or text .. "\n\n" .. lines
      end
      require("pivi.talk").send(text)
    end,
  },
  files = {
    bare = true,
    run = function()
      require("pivi.files").open()
    end,
  },
  fold = {
    complete = "fold",
    run = function(call)
      local levels = require("pivi.levels")
      if not vim.list_contains(levels.NAMES, call.text) then
        return log.error(nearest.unknown("level", call.text, levels.NAMES))
      end
      levels.set(call.text)
    end,
  },
  log = {
    bare = true,
    run = function(call)
      require("pivi.logbook").open(call.mods)
    end,
  },
  install = {
    bang = true,
    bare = true,
    run = function(call)
      require("pivi.install").run({ ask = not call.bang })
    end,
  },
}

---@return string[]
function M.names()
  local names = vim.tbl_keys(M.TABLE)
  table.sort(names)
  return names
end

---`:Pi` alone: this directory's conversation, opened or gone to.
---@param mods table
local function home(mods)
  local conversations = require("pivi.conversations")
  local c = conversations.current()
  if c and c.conv then
    return require("pivi.window").show(c, { mods = mods, focus = true })
  end
  require("pivi.open").resume({
    target = c and c.file ~= "" and c.file or nil,
    buf = c and c.buf,
    or_new = true,
    mods = mods,
  })
end

---@param opts vim.api.keyset.create_user_command.command_args
function M.run(opts)
  local word, text = vim.trim(opts.args):match("^(%S*)%s*(.*)$")
  local name, bang = word:match("^(.-)(!?)$")
  if name == "" then
    return home(opts.smods)
  end
  local sub = M.TABLE[name]
  local has_bang = opts.bang or bang == "!"
  if not sub then
    return log.error(nearest.unknown("subcommand", name, M.names()))
  elseif has_bang and not sub.bang then
    return log.error((":Pi %s takes no !"):format(name))
  elseif opts.range > 0 and not sub.range then
    return log.error((":Pi %s takes no range"):format(name))
  elseif sub.bare and text ~= "" then
    return log.error((":Pi %s takes no argument"):format(name))
  end
  local lines = opts.range > 0 and vim.api.nvim_buf_get_lines(0, opts.line1 - 1, opts.line2, false) or nil
  sub.run({ text = text, bang = has_bang, lines = lines, mods = opts.smods })
end

return M
