---The Python process that holds the sessions: started when it is first needed, never waited for.
local log = require("pivi.log")
local python = require("pivi.python")

local M = {}

---@alias pivi.Answer fun(value: any, err: string?, gone: boolean?)

---@class pivi.Request
---@field method string
---@field params table
---@field answer pivi.Answer

---@class pivi.Running
---@field channel integer
---@field python pivi.Python
---@field heard boolean whether it ever said anything over the channel
---@field stderr string[] its last lines
---@field partial string the beginning of a line that is not whole yet

---@type pivi.Running?
local running
---@type table<integer, pivi.Request>
local waiting = {}
local last_id = 0
local leaving = false
---Interpreters that were found to lack something, by path, with what they lack.
---@type table<string, string>
local unfit = {}

---@return pivi.Python? python
---@return string? why there is none
local function choose()
  local reasons = {}
  for _, candidate in ipairs(python.candidates()) do
    local reason = unfit[candidate.path]
    if not reason and vim.fn.executable(candidate.path) == 0 then
      reason = "not found"
    end
    if not reason then
      return candidate
    end
    reasons[#reasons + 1] = ("%s (%s): %s"):format(candidate.path, candidate.from, reason)
  end
  return nil, table.concat(reasons, "; ")
end

---Every request that waits gets its one answer.
---@param sentence string
local function fail_all(sentence)
  local failed = waiting
  waiting = {}
  local ids = vim.tbl_keys(failed)
  table.sort(ids)
  for _, id in ipairs(ids) do
    log.guard("pivi", failed[id].answer, nil, sentence, true)
  end
end

---@param id integer
---@param request pivi.Request
---@param channel integer
local function post(id, request, channel)
  vim.rpcnotify(channel, "pivi_request", id, request.method, request.params)
end

local start

---The interpreter lacks something: the next one is tried with the same requests.
---@param sentence string
local function unstarted(sentence)
  local ok, why = start()
  if ok and running then
    local ids = vim.tbl_keys(waiting)
    table.sort(ids)
    for _, id in ipairs(ids) do
      post(id, waiting[id], running.channel)
    end
    return
  end
  -- Mended or not: the next request tries them all again.
  unfit = {}
  require("pivi.install").offer(why or sentence)
  fail_all("")
end

---@param process pivi.Running
---@param lines string[]
local function said_on_stderr(process, lines)
  for _, line in ipairs(lines) do
    log.add(line)
    process.stderr[#process.stderr + 1] = line
    if #process.stderr > 500 then
      table.remove(process.stderr, 1)
    end
  end
end

---@param process pivi.Running
---@param data string[] the last item goes on in the next chunk; a single empty one is the end
local function on_stderr(process, data)
  data[1] = process.partial .. data[1]
  process.partial = table.remove(data)
  said_on_stderr(process, data)
end

---@param process pivi.Running
---@param status integer
local function on_exit(process, status)
  if running == process then
    running = nil
  end
  if leaving then
    return
  end
  if process.partial ~= "" then
    said_on_stderr(process, { process.partial })
    process.partial = ""
  end
  local said = vim.trim(table.concat(process.stderr, "\n"))
  log.add(("the host (%s) ended with status %d"):format(process.python.path, status))
  -- One that is killed says nothing about its interpreter.
  if not process.heard and status > 0 and status < 128 then
    local last = said:match("[^\n]*$")
    local known = status == python.MISSING or status == python.TOO_OLD
    unfit[process.python.path] = known and last or ("it can't run pivi: " .. last)
    return unstarted(unfit[process.python.path])
  end
  require("pivi.conversations").host_died()
  local last = said:match("[^\n]*$")
  local why = last ~= "" and (": " .. last) or ""
  local sentence = ("pivi's Python host ended, the next :Pi starts it again (status %d)%s"):format(
    status,
    why
  )
  if not require("pivi.prompt").host_died(sentence) then
    log.error(sentence)
  end
  fail_all("")
end

---@return boolean ok
---@return string? why not
function start()
  if leaving then
    return false, "Neovim is ending"
  end
  local chosen, why = choose()
  if not chosen then
    return false, why
  end
  local process = { python = chosen, heard = false, stderr = {}, partial = "", channel = 0 }
  vim.fn["remote#host#Register"]("pivi", "*", function()
    return vim.fn.jobstart(python.command(chosen), {
      rpc = true,
      -- A module in the user's directory must not come before the host's own.
      cwd = python.ROOT,
      on_stderr = function(_, data)
        on_stderr(process, data)
      end,
      on_exit = function(_, status)
        on_exit(process, status)
      end,
    })
  end)
  local ok, channel = pcall(vim.fn["remote#host#Require"], "pivi")
  if not ok or channel <= 0 then
    unfit[chosen.path] = ok and "could not be started" or tostring(channel):match("[^\n]*")
    return start()
  end
  process.channel = channel
  running = process
  vim.api.nvim_create_autocmd("VimLeavePre", {
    group = vim.api.nvim_create_augroup("pivi.host", {}),
    desc = "Let the host end what runs",
    callback = function()
      leaving = true
      M.notify("leaving", vim.empty_dict())
    end,
  })
  return true
end

---@return pivi.Python?
function M.interpreter()
  return running and running.python
end

---The interpreters are to be looked at again (after an installation).
function M.forget_interpreters()
  unfit = {}
end

---@param method string
---@param params table
---@param answer? pivi.Answer
function M.request(method, params, answer)
  local request = { method = method, params = params, answer = answer or M.report }
  if not running then
    local ok, why = start()
    if not ok then
      unfit = {}
      require("pivi.install").offer(why or "")
      return request.answer(nil, "", true)
    end
  end
  last_id = last_id + 1
  waiting[last_id] = request
  local ok = pcall(post, last_id, request, running.channel)
  if not ok then
    log.add(("%s: the host's channel is closed"):format(method))
  end
  return last_id
end

---No answer is wanted, and none is missed where no host runs.
---@param method string
---@param params table
function M.notify(method, params)
  if running then
    pcall(vim.rpcnotify, running.channel, "pivi_request", 0, method, params)
  end
end

---@param id integer
---@return pivi.Request?
function M.pending(id)
  return waiting[id]
end

---@param id integer
---@param value any
---@param err? string
function M.answered(id, value, err)
  local request = waiting[id]
  waiting[id] = nil
  if request then
    request.answer(value, err)
  end
end

---The host spoke: its interpreter has all it needs.
function M.heard()
  if running then
    running.heard = true
  end
end

---What is done with an answer that nobody waits for: an error is told. (An empty one was told already.)
---@type pivi.Answer
function M.report(_, err)
  if err and err ~= "" then
    log.error(err)
  end
end

return M
