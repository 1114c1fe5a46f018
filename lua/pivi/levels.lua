---How much of a transcript is unfolded, in one step.
local conversations = require("pivi.conversations")
local page = require("pivi.page")

local M = {}

---From little to all.
M.NAMES = { "prompts", "talk", "all" }

---'foldlevel' of each: sections are level 1, tools and thinking lie in them.
local LEVELS = { prompts = 0, talk = 1, all = 99 }

---@param row integer 0-based row of a fold's first line
---@param command "foldopen"|"foldclose"
local function set(row, command)
  local closed = vim.fn.foldclosed(row + 1)
  local wanted = command == "foldopen" and row + 1 or -1
  if vim.fn.foldlevel(row + 1) > 0 and closed == wanted then
    vim.cmd(("%d%s"):format(row + 1, command))
  end
end

---What a compaction or another branch left behind holds sections too: there it stays closed.
---@param c pivi.Conversation
local function close_runs(c)
  for first, group in pairs(c.page.groups) do
    local row = group.fold == page.CLOSED and page.rows(c, first)
    if row then
      set(row + 1, "foldclose")
    end
  end
end

---Kinds of blocks whose fold lies in no section's, and is no prompt.
local ALONE = { system = true, notice = true, shell = true, unknown = true }

---@param c pivi.Conversation
local function close_alone(c)
  for _, block in ipairs(page.of_kinds(c, ALONE)) do
    if c.page.blocks[block.number].fold == page.CLOSED then
      set(block.first + 1, "foldclose")
    end
  end
end

---Prompts before a compaction lie in a fold of their own, and one with a note behind it heads a section's.
---@param c pivi.Conversation
local function open_prompts(c)
  for _, kind in ipairs({ "before", "prompt" }) do
    for _, block in ipairs(page.of_kinds(c, { [kind] = true })) do
      if c.page.groups[block.number] then
        set(block.first + 1, "foldopen")
      end
    end
  end
end

---Folds the current window: the prompts alone; all that was said, without tools and thinking; everything.
---@param name "prompts"|"talk"|"all"
function M.set(name)
  local c = conversations.by_buf(0)
  if not c then
    return require("pivi.log").error("this is no transcript")
  end
  local local_wo = vim.wo[vim.api.nvim_get_current_win()][0]
  local_wo.foldenable = true
  local_wo.foldlevel = LEVELS[name]
  vim.cmd("normal! zX")
  if name == "talk" then
    close_alone(c)
    close_runs(c)
  elseif name == "prompts" then
    open_prompts(c)
  end
end

return M
