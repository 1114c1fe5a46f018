---What `:Pi log` shows: stderr of the host and of Pi, their ends, what was told, and errors that were caught.
local safe = require("pivi.safe")

local M = {}

local MAX_LINES = 20000

---@type string[]
local lines = {}
---Sentences that were already told, so that a fault that repeats is told once.
---@type table<string, true>
local told = {}

---@param text string
function M.add(text)
  local stamp = os.date("%H:%M:%S ")
  for _, line in ipairs(safe.lines(text)) do
    lines[#lines + 1] = stamp .. line
  end
  if #lines > MAX_LINES then
    lines = vim.list_slice(lines, #lines - MAX_LINES * 0.9)
  end
end

---@return string[]
function M.lines()
  return lines
end

---What Neovim's own notifier shows without asking for Enter; another notifier has room of its own.
---@param text string
---@return string
local function fitting(text)
  local source = debug.getinfo(vim.notify, "S").source
  local own = source:find("^@vim/") or source:find("^=?%?$")
  if not own or #vim.api.nvim_list_uis() == 0 then
    return text
  end
  -- What was told just before would be scrolled up, and Enter asked for: it is in the history.
  vim.cmd.redraw()
  local room = vim.v.echospace + (vim.o.cmdheight - 1) * vim.o.columns
  local line = text:gsub("%s*\n%s*", " ")
  return (require("pivi.cells").cut(line, room, "… (:Pi log)"))
end

---Told to the user, as every notification of pivi is.
---@param text string
---@param level? integer one of vim.log.levels
function M.say(text, level)
  text = table.concat(safe.lines(text), "\n")
  M.add(text)
  -- Not from inside a fast event or a redraw: the user's notifier may open windows.
  vim.schedule(function()
    vim.notify(fitting(text), level or vim.log.levels.INFO, { title = "pivi" })
  end)
end

---@param text string
function M.error(text)
  M.say(text, vim.log.levels.ERROR)
end

---An error that nobody expected: whole in the log, its first line told once.
---@param where string
---@param err string
function M.caught(where, err)
  M.add(where .. ": " .. err)
  local first = err:match("^[^\n]*")
  if not told[first] then
    told[first] = true
    M.error(("%s: %s (:Pi log has the whole)"):format(where, first))
  end
end

---Calls `f` and reports what it raises.
---@param where string
---@param f function
---@param ... any
---@return boolean ok
---@return any ... what it returns
function M.guard(where, f, ...)
  local args = vim.F.pack_len(...)
  local results = vim.F.pack_len(xpcall(function()
    return f(vim.F.unpack_len(args))
  end, debug.traceback))
  if not results[1] then
    M.caught(where, tostring(results[2]))
  end
  return vim.F.unpack_len(results)
end

return M
