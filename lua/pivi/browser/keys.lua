---Keys of the session browser: each a `<Plug>` map that can be put on another key.
local maps = require("pivi.maps")

local M = {}

---@param name string
---@param ... any
local function act(name, ...)
  local args = { ... }
  return function(b)
    require("pivi.browser.actions")[name](b, unpack(args))
  end
end

---@param change table
local function set(change)
  return function(b)
    require("pivi.browser").set(b, change)
  end
end

---@param first integer
---@param last integer
local function trash(b, first, last)
  require("pivi.browser.actions").trash(b, require("pivi.browser.paint").rows_in(b, first, last))
end

---@class pivi.BrowserKey
---@field [1] string key
---@field [2] string what the `<Plug>` map is called after `pivi-sessions-`
---@field [3] string what it does
---@field [4] fun(b: pivi.Browser)
---@field mode? string

---@type pivi.BrowserKey[]
M.TABLE = {
  { "<CR>", "resume", "resume the session, or go to its window", act("resume") },
  { "<C-s>", "split", "resume it in a split", act("resume", { horizontal = true }) },
  -- As in the quickfix window.
  { "<C-w><CR>", "split", "resume it in a split", act("resume", { horizontal = true }) },
  { "<C-v>", "vsplit", "resume it in a vertical split", act("resume", { vertical = true }) },
  {
    "<C-t>",
    "tab",
    "resume it in a new tab page",
    function(b)
      require("pivi.browser.actions").resume(b, { tab = vim.fn.tabpagenr() })
    end,
  },
  { "v", "view", "read it without starting Pi", act("view") },
  { "f", "fork", "start a fork of it", act("fork") },
  {
    "/",
    "filter",
    'filter: words, "phrase", re:pattern, text:what was said',
    function(b)
      require("pivi.browser.input").open(b)
    end,
  },
  {
    "p",
    "preview",
    "show or hide the preview",
    function(b)
      require("pivi.browser.preview").toggle(b)
    end,
  },
  { "sd", "directory", "sessions of this directory", set({ scope = "directory" }) },
  { "sr", "repository", "of this repository, with its worktrees", set({ scope = "repository" }) },
  { "sa", "all", "of all directories", set({ scope = "all" }) },
  { "or", "recent", "order by last activity", set({ order = "recent" }) },
  { "oc", "created", "by when they were created", set({ order = "created" }) },
  { "on", "name", "by name", set({ order = "name" }) },
  { "os", "size", "by size", set({ order = "size" }) },
  { "ot", "threads", "forks under the session they came from", set({ order = "threads" }) },
  {
    "*",
    "named",
    "only sessions with a name, or all",
    function(b)
      require("pivi.browser").set(b, { named = not b.named })
    end,
  },
  { "r", "rename", "rename", act("rename") },
  {
    "d",
    "trash",
    "move to the trash (asks); a visual selection goes together",
    function(b)
      local lnum = vim.fn.line(".")
      trash(b, lnum, lnum)
    end,
  },
  {
    "d",
    "trash",
    "move the selected ones to the trash (asks)",
    function(b)
      local first, last = vim.fn.line("v"), vim.fn.line(".")
      vim.cmd.normal({ "\27", bang = true })
      trash(b, first, last)
    end,
    mode = "x",
  },
  { "u", "untrash", "bring back what was moved to the trash last", act("untrash") },
  { "yi", "yank-id", "yank the id", act("yank", "id") },
  { "yp", "yank-path", "yank the path of the file", act("yank", "path") },
  { "yc", "yank-command", "yank the command that resumes it in a terminal", act("yank", "command") },
  { "x", "export", "export it as Markdown, or as Pi's HTML", act("export") },
  { "gx", "open-directory", "open the directory of the file", act("directory") },
  {
    "R",
    "read",
    "read the list anew",
    function(b)
      require("pivi.browser").read(b)
    end,
  },
  {
    "q",
    "close",
    "close",
    function(b)
      require("pivi.browser.window").quit(b)
    end,
  },
  {
    "g?",
    "help",
    "list these keys",
    function()
      M.help()
    end,
  },
}

---@param entry pivi.BrowserKey
---@return string
local function plug_of(entry)
  return ("<Plug>(pivi-sessions-%s)"):format(entry[2])
end

function M.help()
  local keys, own = {}, maps.onto_plugs("n")
  for _, entry in ipairs(M.TABLE) do
    if not entry.mode then
      keys[#keys + 1] = { key = own[plug_of(entry)] or entry[1], does = entry[3] }
    end
  end
  local counts = "3/8 msgs: 3 prompts, 8 messages. :help pivi-sessions has the rest"
  require("pivi.keylist").show("Keys of the list of sessions", keys, counts)
end

---@param b pivi.Browser
function M.map(b)
  local own = { n = maps.onto_plugs("n"), x = maps.onto_plugs("x") }
  for _, entry in ipairs(M.TABLE) do
    local mode, plug = entry.mode or "n", plug_of(entry)
    local options = { buffer = b.buf, desc = "pivi: " .. entry[3], nowait = true }
    vim.keymap.set(mode, plug, function()
      entry[4](b)
    end, options)
    if not own[mode][plug] then
      vim.keymap.set(
        mode,
        entry[1],
        plug,
        { buffer = b.buf, remap = true, desc = options.desc, nowait = true }
      )
    end
  end
end

return M
