---The functions that users and other plugins call. Everything else under lua/pivi may change.
local M = {}

---Sets options; never needed where the defaults suit or `vim.g.pivi` holds them.
---@param opts? pivi.Options
function M.setup(opts)
  require("pivi.config").set(opts)
end

---Resumes a session.
---@param target? string id, unique id prefix, name or path; nil for the last one of this directory
---@param opts? {mods?: table} `mods` as in |nvim_parse_cmd()|: where it is shown
function M.resume(target, opts)
  require("pivi.open").resume({ target = target, mods = opts and opts.mods })
end

---Lists sessions, newest first unless `order` says otherwise; without a callback `:Pi sessions` opens. A scope or an
---order that there is not raises an error.
---@param opts? pivi.SessionsOptions
---@param callback? fun(rows?: pivi.SessionRow[], err?: string)
---@return fun()? stop ends it before the callback was called
function M.sessions(opts, callback)
  opts = opts or {}
  require("pivi.arguments").check(opts)
  if callback then
    return require("pivi.pickers").rows(opts, callback)
  end
  require("pivi.pickers").open(opts)
end

---Shows a session to be read, without Pi.
---@param target? string as for `resume`; nil for the session of this buffer, else the last one of this directory
---@param opts? {leaf?: string, mods?: table} `leaf`: id of an entry that ends another branch, which is shown
function M.view(target, opts)
  opts = opts or {}
  require("pivi.file").view({ target = target, leaf = opts.leaf, mods = opts.mods })
end

---Says something to the conversation of this buffer, else the last one used in this directory; where none is open,
---its last stored session is resumed, or a new one begun.
---@param text string
function M.send(text)
  require("pivi.talk").send(text)
end

---What is known of the buffer's conversation.
---@param buf? integer 0 or nil for the current one
---@return pivi.Status?
function M.status(buf)
  return require("pivi.status").get(buf)
end

---One line for a status line, safe to be evaluated there; "" where there is no conversation.
---@return string
function M.statusline()
  return require("pivi.winbar").statusline()
end

return M
