---Keys of transcript buffers: each a `<Plug>` map that can be put on another key.
local conversations = require("pivi.conversations")
local maps = require("pivi.maps")
local page = require("pivi.page")

local M = {}

---Opens the block at the cursor whole, in a buffer of its own. Where there is nothing more to see the key is Vim's own.
local function open_whole()
  local c = conversations.by_buf(0)
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local number = c and page.at(c, row)
  local whole = require("pivi.whole")
  if c and c.conv and number and whole.has_more(c, number) then
    whole.open(c, number)
  else
    vim.cmd(("normal! %s\r"):format(vim.v.count > 0 and vim.v.count or ""))
  end
end

---@class pivi.Key
---@field plug string
---@field key string
---@field modes string[]
---@field does string
---@field run fun()
---@field finds? fun(): any whether there is anything for an operator
---@field misses? fun() says that there is nothing

local MOVES, OBJECTS, NORMAL = { "n", "x", "o" }, { "x", "o" }, { "n" }

---Calls a function of a module, which is loaded only then.
---@param module string
---@param name string
---@param ... any
---@return fun(): any
local function call(module, name, ...)
  local args = { ... }
  return function()
    return require(module)[name](unpack(args))
  end
end

---@param plug string
---@param key string
---@param modes string[]
---@param does string
---@param run fun()
---@param finds? fun(): any
---@param misses? fun()
---@return pivi.Key
local function key_of(plug, key, modes, does, run, finds, misses)
  plug = ("<Plug>(pivi-%s)"):format(plug)
  return { plug = plug, key = key, modes = modes, does = does, run = run, finds = finds, misses = misses }
end

---@type pivi.Key[]
M.TABLE = {}

for _, row in ipairs({
  { "section", "]", "section" },
  { "prompt", "p", "prompt of yours" },
  { "tool", "t", "tool or command" },
  { "error", "e", "error" },
  { "code", "c", "code block of a message" },
}) do
  local name, key, what = unpack(row)
  for _, step in ipairs({ 1, -1 }) do
    local way = step > 0 and "next" or "previous"
    local keys = step > 0 and "]" .. key or "[" .. (key == "]" and "[" or key)
    local go, find = call("pivi.motions", "go", name, step), call("pivi.motions", "find", name, step)
    local does, miss = ("go to the %s %s"):format(way, what), call("pivi.motions", "say_end", name, step)
    M.TABLE[#M.TABLE + 1] = key_of(("%s-%s"):format(way, name), keys, MOVES, does, go, find, miss)
  end
end

for _, row in ipairs({
  { "message", "m", "a message: a prompt, an answer …", "a message without its heading" },
  { "code", "c", "a code block", "a code block without its fences" },
  { "output", "o", "a tool's call and output", "a tool's output" },
}) do
  local name, key, what, less = unpack(row)
  for _, way in ipairs({ "around", "inner" }) do
    local inner = way == "inner"
    local does = "select " .. (inner and less or what)
    local select, find =
      call("pivi.objects", "select", name, inner), call("pivi.objects", "find", name, inner)
    M.TABLE[#M.TABLE + 1] =
      key_of(("%s-%s"):format(way, name), way:sub(1, 1) .. key, OBJECTS, does, select, find)
  end
end

vim.list_extend(M.TABLE, {
  key_of("yank-message", "ym", NORMAL, "yank the message or output", call("pivi.yank", "message")),
  key_of("yank-code", "yc", NORMAL, "yank the code block", call("pivi.yank", "code")),
  key_of("whole", "<CR>", NORMAL, "open the tool or the cut block at the cursor whole", open_whole),
  key_of("file", "gf", NORMAL, "go to the file whose path is at the cursor", call("pivi.goto", "file")),
  key_of("file-line", "gF", NORMAL, "the same", call("pivi.goto", "file")),
  key_of("file-split", "<C-W>f", NORMAL, "the same in a new window", call("pivi.goto", "file", "horizontal")),
  key_of("file-line-split", "<C-W>F", NORMAL, "the same", call("pivi.goto", "file", "horizontal")),
  key_of("file-tab", "<C-W>gf", NORMAL, "the same in a new tab page", call("pivi.goto", "file", "tab")),
  key_of("file-line-tab", "<C-W>gF", NORMAL, "the same", call("pivi.goto", "file", "tab")),
  key_of(
    "outline",
    "gO",
    NORMAL,
    "list the prompts and how they were answered",
    call("pivi.outline", "open")
  ),
  key_of("fold-prompts", "z1", NORMAL, "fold all but the prompts", call("pivi.levels", "set", "prompts")),
  key_of("fold-talk", "z2", NORMAL, "fold tools and thinking", call("pivi.levels", "set", "talk")),
  key_of("fold-all", "z3", NORMAL, "fold nothing", call("pivi.levels", "set", "all")),
  key_of("help", "g?", NORMAL, "list these keys", call("pivi.keys", "help")),
})

---Lists the keys.
function M.help()
  local keys = {}
  local own = { n = maps.onto_plugs("n"), x = maps.onto_plugs("x") }
  for i, known in ipairs(M.TABLE) do
    keys[i] = { key = own[known.modes[1]][known.plug] or known.key, does = known.does }
  end
  require("pivi.keylist").show("Keys of a transcript", keys, ":help pivi has the rest")
end

---Does what a map stands for.
---@param plug string
function M.run(plug)
  for _, known in ipairs(M.TABLE) do
    if known.plug == plug then
      return known.run()
    end
  end
end

---@param buf integer
---@param known pivi.Key
---@param mode string
local function map_plug(buf, known, mode)
  local opts = { buffer = buf, desc = "pivi: " .. known.does }
  if mode ~= "o" or not known.finds then
    return vim.keymap.set(mode, known.plug, known.run, opts)
  end
  -- An operator is given up where there is nothing for it; a plain function can't.
  opts.expr = true
  local run = ("<Cmd>lua require('pivi.keys').run('%s')<CR>"):format(known.plug:gsub("<", "<lt>"))
  vim.keymap.set(mode, known.plug, function()
    if known.finds() then
      return run
    end
    if known.misses then
      known.misses()
    end
    return "<Esc>"
  end, opts)
end

---@param buf integer
function M.map(buf)
  local own = { n = maps.onto_plugs("n"), x = maps.onto_plugs("x"), o = maps.onto_plugs("o") }
  for _, known in ipairs(M.TABLE) do
    for _, mode in ipairs(known.modes) do
      map_plug(buf, known, mode)
      if not own[mode][known.plug] then
        local opts = { buffer = buf, remap = true, desc = "pivi: " .. known.does }
        vim.keymap.set(mode, known.key, known.plug, opts)
      end
    end
  end
end

return M
