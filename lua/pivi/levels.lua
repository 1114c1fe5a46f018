---How much of a transcript is unfolded, in one step.
local conversations = require("pivi.conversations")
local page = require("pivi.page")

local M = {}

---From little to all.
M.NAMES = { "prompts", "talk", "all" }

---'foldlevel' of each: sections are level 1, tools and thinking lie in them.
local LEVELS = { prompts = 0, talk = 1, all = 99 }

---What a compaction or another branch left behind holds sections too: there it stays closed.
---@param c pivi.Conversation
local function close_runs(c)
  for first, group in pairs(c.page.groups) do
    local row = group.fold == page.CLOSED and page.rows(c, first)
    if row and vim.fn.foldlevel(row + 2) > 0 and vim.fn.foldclosed(row + 2) == -1 then
      vim.cmd(("%dfoldclose"):format(row + 2))
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
    close_runs(c)
  end
end

return M
