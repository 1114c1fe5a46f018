---A transcript written to a file: Markdown, or Pi's own HTML.
local absolute = require("pivi.absolute")
local config = require("pivi.config")
local conversations = require("pivi.conversations")
local host = require("pivi.host")
local log = require("pivi.log")
local safe = require("pivi.safe")

local M = {}

---How long `:write` waits, in milliseconds: what comes after it may read the file.
local PATIENCE = 30000

---@param c pivi.Conversation
---@param path string absolute
---@param how {force: boolean, bare: boolean} over a file that is there; the text alone
---@param answer pivi.Answer
local function request(c, path, how, answer)
  local params =
    { conv = c.conv, path = path, force = how.force, bare = how.bare, options = config.for_host() }
  host.request("export", params, answer)
end

---A name that tells which session it is.
---@param c pivi.Conversation
---@return string
local function default_name(c)
  local name = require("pivi.title")(c):gsub("[%s/\\%%#*?…]+", "-"):gsub("[-.]+$", "")
  return ("pi-%s.md"):format(name)
end

---@param path string "" for a file in this directory
---@param force boolean
function M.run(path, force)
  local c = conversations.current()
  if not (c and c.conv) then
    return log.error("there is no conversation here to export; :Pi view {target} opens one")
  end
  path = path ~= "" and absolute.typed(path) or vim.fn.fnamemodify(default_name(c), ":p")
  request(c, path, { force = force, bare = false }, function(_, err, gone)
    if err then
      return host.report(nil, err, gone)
    end
    log.say(("written: %s"):format(vim.fn.fnamemodify(path, ":~:.")))
  end)
end

---`:write {file}` of a whole transcript: its text, and of what is cut in the buffer the whole. Neovim itself asks for
---a `!` where there is such a file.
---@param c pivi.Conversation
---@param path string
function M.write(c, path)
  path = vim.fn.fnamemodify(path, ":p")
  if not c.conv then
    return log.error("the host ended; :Pi resume picks the conversation up")
  end
  local done, problem = false, nil
  request(c, path, { force = true, bare = true }, function(_, err)
    done, problem = true, err
  end)
  vim.wait(PATIENCE, function()
    return done
  end, 10)
  if not done then
    problem = "it takes long; it goes on in the background"
  end
  if problem then
    return log.error(problem)
  end
  vim.api.nvim_echo({ { ('"%s" written'):format(safe.line(vim.fn.fnamemodify(path, ":~:."))) } }, false, {})
end

---`:{range}write {file}`, `:write >> {file}`: these lines as they stand in the buffer.
---@param c pivi.Conversation
---@param path string
---@param append boolean
function M.write_lines(c, path, append)
  local real = conversations.real(path)
  if real == conversations.real(c.file) or real:match("%.jsonl$") then
    return log.error(("a session's file is not written over: %s"):format(vim.fn.fnamemodify(path, ":~")))
  end
  local lines = vim.fn.getbufline(c.buf, vim.fn.line("'["), vim.fn.line("']"))
  if vim.fn.writefile(lines, path, append and "a" or "") ~= 0 then
    return
  end
  local shown, count =
    safe.line(vim.fn.fnamemodify(path, ":~:.")), #lines == 1 and "1 line" or ("%d lines"):format(#lines)
  vim.api.nvim_echo(
    { { ('"%s" %s %s'):format(shown, count, append and "appended" or "written") } },
    false,
    {}
  )
end

return M
