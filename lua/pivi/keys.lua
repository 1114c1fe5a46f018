---Keys of transcript buffers: each a `<Plug>` map that can be put on another key.
local conversations = require("pivi.conversations")
local page = require("pivi.page")

local M = {}

---Kinds of blocks that head a section.
local SECTIONS = { prompt = true, reply = true, shell = true, summary = true, custom = true, system = true }
local PROMPTS = { prompt = true }

---@param kinds table<string, true>
---@param step 1|-1
local function jump(kinds, step)
  local c = conversations.by_buf(0)
  if not c then
    return
  end
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local target
  local from = row
  for _ = 1, vim.v.count1 do
    -- A block's own first line is below the empty one that parts it from what is before.
    local at = page.next(c, step > 0 and from or from - 1, kinds, step)
    if not at then
      break
    end
    target = math.min(at + 1, c.page.total - 1)
    from = target
  end
  if target then
    vim.cmd("normal! m'")
    vim.api.nvim_win_set_cursor(0, { target + 1, 0 })
    vim.cmd("normal! zv")
  end
end

---Opens the block at the cursor whole, in a buffer of its own.
local function open_whole()
  local c = conversations.by_buf(0)
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local number = c and page.at(c, row)
  if c and c.conv and number then
    require("pivi.whole").open(c, number)
  end
end

---@class pivi.Key
---@field plug string
---@field key string
---@field modes string[]
---@field does string
---@field run fun()

---@type pivi.Key[]
M.TABLE = {
  {
    plug = "<Plug>(pivi-next-section)",
    key = "]]",
    modes = { "n", "x", "o" },
    does = "go to the next section",
    run = function()
      jump(SECTIONS, 1)
    end,
  },
  {
    plug = "<Plug>(pivi-previous-section)",
    key = "[[",
    modes = { "n", "x", "o" },
    does = "go to the section before",
    run = function()
      jump(SECTIONS, -1)
    end,
  },
  {
    plug = "<Plug>(pivi-next-prompt)",
    key = "]p",
    modes = { "n", "x", "o" },
    does = "go to your next prompt",
    run = function()
      jump(PROMPTS, 1)
    end,
  },
  {
    plug = "<Plug>(pivi-previous-prompt)",
    key = "[p",
    modes = { "n", "x", "o" },
    does = "go to your prompt before",
    run = function()
      jump(PROMPTS, -1)
    end,
  },
  {
    plug = "<Plug>(pivi-whole)",
    key = "<CR>",
    modes = { "n" },
    does = "open the block at the cursor whole, in a buffer of its own",
    run = open_whole,
  },
  {
    plug = "<Plug>(pivi-help)",
    key = "g?",
    modes = { "n" },
    does = "list these keys",
    run = function()
      M.help()
    end,
  },
}

---The key that a map is on: the user's, where he put it on another.
---@param entry pivi.Key
---@return string
local function shown_key(entry)
  for _, map in ipairs(vim.api.nvim_get_keymap("n")) do
    if map.rhs == entry.plug then
      return map.lhs
    end
  end
  return entry.key
end

function M.help()
  local chunks = {}
  for _, entry in ipairs(M.TABLE) do
    chunks[#chunks + 1] = { ("%-6s"):format(shown_key(entry)), "Special" }
    chunks[#chunks + 1] = { entry.does .. "\n" }
  end
  chunks[#chunks + 1] = { ":help pivi", "Special" }
  chunks[#chunks + 1] = { " has the rest" }
  vim.api.nvim_echo(chunks, false, {})
end

---@param buf integer
function M.map(buf)
  for _, entry in ipairs(M.TABLE) do
    for _, mode in ipairs(entry.modes) do
      vim.keymap.set(mode, entry.plug, entry.run, { buffer = buf, desc = "pivi: " .. entry.does })
      if vim.fn.hasmapto(entry.plug, mode) == 0 then
        vim.keymap.set(
          mode,
          entry.key,
          entry.plug,
          { buffer = buf, remap = true, desc = "pivi: " .. entry.does }
        )
      end
    end
  end
end

return M
