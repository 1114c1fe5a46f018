---The list of sessions, picked from with `vim.ui.select`.
local config = require("pivi.config")
local host = require("pivi.host")
local log = require("pivi.log")

local M = {}

---@class pivi.SessionRow
---@field path string
---@field id string
---@field cwd string
---@field name? string
---@field title string
---@field created? number seconds since the epoch
---@field mtime number seconds since the epoch
---@field messages integer
---@field size integer bytes

local UNITS = { { 86400 * 365, "y" }, { 86400 * 30, "mo" }, { 86400, "d" }, { 3600, "h" }, { 60, "m" } }

---@param seconds number
---@return string
function M.age(seconds)
  for _, unit in ipairs(UNITS) do
    if seconds >= unit[1] then
      return ("%d%s"):format(math.floor(seconds / unit[1]), unit[2])
    end
  end
  return "now"
end

---The longest start of a text that fits, by display width.
---@param text string
---@param width integer
---@return string
local function fit(text, width)
  if vim.fn.strdisplaywidth(text) <= width then
    return text .. (" "):rep(width - vim.fn.strdisplaywidth(text))
  end
  local chars = math.min(vim.fn.strchars(text), width)
  local cut = vim.fn.strcharpart(text, 0, chars)
  while vim.fn.strdisplaywidth(cut) > width - 1 do
    chars = chars - 1
    cut = vim.fn.strcharpart(text, 0, chars)
  end
  return cut .. "…" .. (" "):rep(width - 1 - vim.fn.strdisplaywidth(cut))
end

---@param row pivi.SessionRow
---@param all boolean
---@return string
function M.format(row, all)
  local title = log.clean((row.name and row.name ~= "" and row.name) or row.title or row.id)
  local text = ("%4s  %s %4d messages"):format(
    M.age(os.time() - row.mtime),
    fit(title, 50),
    row.messages or 0
  )
  if all then
    text = text .. "  " .. log.clean(vim.fn.fnamemodify(row.cwd, ":~"))
  end
  return text
end

---@param opts {all?: boolean}
---@param callback fun(rows?: pivi.SessionRow[], err?: string, skipped?: integer)
function M.rows(opts, callback)
  local params = { cwd = vim.fn.getcwd(), all = opts.all or false, options = config.for_host() }
  host.request("sessions", params, function(value, err, gone)
    if value then
      return callback(value.rows, nil, value.skipped)
    end
    if not gone then
      callback(nil, err)
    else
      callback(nil, "the host could not be started")
    end
  end)
end

---@param rows pivi.SessionRow[]
---@param all boolean
---@param skipped integer
---@param mods? table
local function pick(rows, all, skipped, mods)
  if #rows == 0 then
    return log.say(
      all and "there are no sessions" or ("no sessions of %s; :Pi new starts one"):format(vim.fn.getcwd())
    )
  end
  local asked = all and "Pi sessions" or "Pi sessions of this directory"
  if skipped > 0 then
    asked = ("%s (%d files could not be read)"):format(asked, skipped)
  end
  local done = false
  vim.ui.select(rows, {
    prompt = asked,
    kind = "pivi.session",
    format_item = function(row)
      return M.format(row, all)
    end,
  }, function(row)
    -- Some pickers answer twice.
    if row and not done then
      done = true
      require("pivi.open").resume({ target = row.path, mods = mods })
    end
  end)
end

---@param opts {all?: boolean, mods?: table}
---@param callback? fun(rows?: pivi.SessionRow[], err?: string)
function M.list(opts, callback)
  M.rows(opts, function(rows, err, skipped)
    if callback then
      callback(rows, err)
    elseif rows then
      pick(rows, opts.all or false, skipped or 0, opts.mods)
    elseif err then
      log.error(err)
    end
  end)
end

return M
