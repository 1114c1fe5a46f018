---The session browser: a buffer with one line a session, filled while the host finds them.
local catalog = require("pivi.catalog")
local config = require("pivi.config")
local filter = require("pivi.browser.filter")
local log = require("pivi.log")
local paint = require("pivi.browser.paint")
local safe = require("pivi.safe")
local said = require("pivi.browser.said")

local M = {}

---@class pivi.Browser
---@field buf integer
---@field cwd string
---@field scope pivi.Scope
---@field order string
---@field named boolean only sessions with a name
---@field text string what was typed to filter
---@field query pivi.Query
---@field rows table<string, pivi.SessionRow> by path
---@field ranks table<string, integer> when each path was first told
---@field last_rank integer
---@field hits? table<string, pivi.Hit> by path, while full text is searched for
---@field look? integer the stream of rows
---@field search? integer the stream of hits
---@field progress pivi.Progress
---@field stale? table<string, true> paths not seen again yet since the list is read anew
---@field list pivi.List
---@field lines pivi.Line[]
---@field icons string
---@field fresh boolean nothing was shown yet
---@field wanted? string path of the session to be selected once it comes
---@field moved? boolean the reader has chosen a line, or all was read: the cursor stays on its session
---@field due? table it is to be painted soon
---@field took? integer milliseconds of the last painting
---@field painting? pivi.Painting what is being painted
---@field left? boolean it is hidden, and nothing runs for it
---@field preview? boolean whether the reader wants a preview; nil where the width decides
---@field placed? integer line that the cursor was last put on
---@field cached? string what the lines in `cache` were made for
---@field cache? table<pivi.SessionRow, pivi.Line>
---@field trashed string[] tokens of what was moved to the trash, the last at the end

---@class pivi.BrowserOptions
---@field cwd? string
---@field scope? pivi.Scope
---@field order? string
---@field named? boolean
---@field filter? string
---@field mods? table

M.SCOPES = { "directory", "repository", "all" }
M.ORDERS = require("pivi.browser.order").NAMES

local NAME = "pivi-sessions://"
---How often at most the list is painted while it is read, in milliseconds.
local PAUSE = 60
local SEARCH_PAUSE = 200

---@type table<integer, pivi.Browser>
local browsers = {}

---@param buf? integer
---@return pivi.Browser?
function M.of(buf)
  return browsers[(not buf or buf == 0) and vim.api.nvim_get_current_buf() or buf]
end

---@param b pivi.Browser
local function paint_now(b)
  b.due = nil
  log.guard("sessions", paint.renew, b)
end

---Most of the time is left to what is read, and to the reader.
---@param b pivi.Browser
local function paint_soon(b)
  if b.due then
    return
  end
  local due = {}
  b.due = due
  vim.defer_fn(function()
    if browsers[b.buf] == b and b.due == due then
      paint_now(b)
    end
  end, math.max(PAUSE, 3 * (b.took or 0)))
end

---@param b pivi.Browser
---@param rows pivi.SessionRow[]
local function take(b, rows)
  for _, row in ipairs(rows) do
    row.name = row.name and row.name ~= "" and safe.line(row.name) or nil
    row.title = safe.line(row.title or "")
    row.prompt = row.prompt and safe.line(row.prompt)
    local old = b.rows[row.path]
    if not b.ranks[row.path] then
      b.last_rank = b.last_rank + 1
      b.ranks[row.path] = b.last_rank
    end
    -- Read anew, a session comes by its header first; what is known of it is still right.
    local less = old and not row.messages and old.size == row.size and old.mtime == row.mtime
    b.rows[row.path] = less and old or row
    if b.stale then
      b.stale[row.path] = nil
    end
  end
end

---@param b pivi.Browser
function M.leave(b)
  catalog.leave(b.look)
  catalog.leave(b.search)
  b.look, b.search, b.stale = nil, nil, nil
end

---@param b pivi.Browser
---@param problem? string
local function finish(b, problem)
  b.look = nil
  b.progress.problem = problem
  for path in pairs(not problem and b.stale or {}) do
    b.rows[path] = nil
  end
  b.stale = nil
  paint_now(b)
end

---Reads the list anew. What is shown stays until it is known to be gone.
---@param b pivi.Browser
function M.read(b)
  catalog.leave(b.look)
  b.progress, b.stale = {}, {}
  for path in pairs(b.rows) do
    b.stale[path] = true
  end
  b.look = catalog.rows(b.cwd, b.scope, {
    take = function(rows, progress)
      take(b, rows)
      b.progress = progress
      if b.fresh then
        paint.paint(b)
      else
        paint_soon(b)
      end
    end,
    over = function(problem)
      finish(b, problem)
    end,
  })
  if b.query.text then
    said.search(b, paint_soon)
  end
end

---@param b pivi.Browser
---@param change {scope?: pivi.Scope, order?: string, named?: boolean, filter?: string}
function M.set(b, change)
  local scope, text = change.scope or b.scope, change.filter or b.text
  b.order = change.order or b.order
  if change.named ~= nil then
    b.named = change.named
  end
  if text ~= b.text then
    b.text, b.query = text, filter.parse(text)
    local query = b.query
    catalog.leave(b.search)
    b.search, b.hits = nil, query.text and {} or nil
    if query.text then
      vim.defer_fn(function()
        if browsers[b.buf] == b and b.query == query and not b.search then
          said.search(b, paint_soon)
        end
      end, SEARCH_PAUSE)
    end
  end
  if scope ~= b.scope then
    local item = vim.api.nvim_get_current_buf() == b.buf and paint.row_at(b)
    b.wanted = item and item.path
    b.moved = nil
    b.scope, b.rows = scope, {}
    M.read(b)
  end
  paint.paint(b, change.filter ~= nil)
end

---@param buf integer
---@return pivi.Browser
local function make(buf)
  local b = {
    buf = buf,
    cwd = vim.fn.getcwd(),
    scope = "directory",
    order = "recent",
    named = false,
    text = "",
    query = filter.parse(""),
    rows = {},
    ranks = {},
    last_rank = 0,
    progress = {},
    list = { items = {}, found = {}, matches = 0, flat = true },
    lines = {},
    icons = config.get().icons,
    fresh = true,
    trashed = {},
  }
  browsers[buf] = b
  require("pivi.browser.window").prepare(b)
  return b
end

---@param b pivi.Browser
function M.close(b)
  M.leave(b)
  paint.forget(b)
  browsers[b.buf] = nil
end

---@param opts pivi.BrowserOptions
function M.open(opts)
  local b = vim.iter(vim.tbl_values(browsers)):find(function(other)
    return vim.api.nvim_buf_is_valid(other.buf)
  end)
  local cwd = opts.cwd or vim.fn.getcwd()
  if not b then
    local buf = vim.api.nvim_create_buf(true, false)
    vim.api.nvim_buf_set_name(buf, NAME)
    b = make(buf)
  end
  b.cwd = cwd
  b.scope, b.order, b.named = opts.scope or "directory", opts.order or b.order, opts.named or false
  b.text = opts.filter or ""
  b.query = filter.parse(b.text)
  b.rows, b.hits, b.fresh, b.icons = {}, nil, true, config.get().icons
  b.moved = nil
  local conversation = require("pivi.conversations").by_buf(0)
  b.wanted = conversation and conversation.file ~= "" and conversation.file or nil
  -- An autocommand of the reader's may raise an error in it.
  log.guard("sessions", require("pivi.browser.window").show, b, opts.mods)
  M.read(b)
  paint.paint(b)
end

---The text of a browser's buffer was asked for (`:edit`, a restored Vim session).
---@param buf integer
function M.reload(buf)
  local b = browsers[buf] or make(buf)
  require("pivi.browser.window").prepare(b)
  M.read(b)
  paint.paint(b)
end

return M
