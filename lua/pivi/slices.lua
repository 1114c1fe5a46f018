---Long work in short slices: keys and redraws come between them.
local log = require("pivi.log")

local M = {}

---How long a slice may take, in nanoseconds.
local BUDGET = 5e6
---How long others have between two slices, in milliseconds.
local BREAK = 1

---@alias pivi.Pause fun() to be called often; others may get their turn in it

---@class pivi.Slices
---@field finish fun() does the rest now
---@field cancel fun() leaves the rest undone

---Runs `work`, the first slice now. `done` gets what it returns, unless it fails or is cancelled.
---@generic T
---@param name string for the log
---@param work fun(pause: pivi.Pause): T
---@param done fun(result: T)
---@return pivi.Slices
function M.run(name, work, done)
  local limit, hurry, over = 0, false, false
  local function pause()
    if not hurry and vim.uv.hrtime() >= limit then
      coroutine.yield()
    end
  end
  local thread = coroutine.create(function()
    local result = work(pause)
    -- What is done with it takes its time too; after little work it is done at once.
    limit = limit - 0.8 * BUDGET
    pause()
    return result
  end)
  local function step()
    if over then
      return
    end
    limit = vim.uv.hrtime() + BUDGET
    local ok, result = coroutine.resume(thread)
    if not ok then
      over = true
      log.caught(name, debug.traceback(thread, tostring(result)))
    elseif coroutine.status(thread) == "dead" then
      over = true
      log.guard(name, done, result)
    else
      vim.defer_fn(step, BREAK)
    end
  end
  step()
  return {
    finish = function()
      hurry = true
      step()
    end,
    cancel = function()
      over = true
    end,
  }
end

---For work that is done at once.
function M.none() end

return M
