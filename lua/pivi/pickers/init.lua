---Which front `:Pi sessions` opens: the browser, or a picker that the user has.
local catalog = require("pivi.catalog")
local config = require("pivi.config")
local line = require("pivi.browser.line")
local log = require("pivi.log")

local M = {}

---Fronts other than the browser: the module that shows that its plugin is there.
---@type {[1]: string, [2]: string?}[]
M.ADAPTERS = {
  { "snacks", "snacks.picker" },
  { "telescope", "telescope" },
  { "fzf-lua", "fzf-lua" },
  { "mini.pick", "mini.pick" },
  { "select" },
}

---@param module string
---@return boolean
local function is_installed(module)
  return package.loaded[module] ~= nil
    or #vim.api.nvim_get_runtime_file(("lua/%s*"):format(module:gsub("%.", "/")), false) > 0
end

---@param front string a value of the option `sessions.front`
---@return string front none of "auto"
---@return string? problem
function M.choose(front)
  if front == "browser" then
    return front
  end
  for _, adapter in ipairs(M.ADAPTERS) do
    local name, module = unpack(adapter)
    if front == "auto" and (not module or is_installed(module)) then
      return name
    elseif front == name then
      local missing = module and not is_installed(module)
      return name, missing and ("option 'sessions.front' is %s, which is not installed"):format(name) or nil
    end
  end
  return "browser"
end

---@class pivi.Choice what a picker shows
---@field row pivi.SessionRow
---@field text string a line, and what is matched
---@field title string

---@param row pivi.SessionRow
---@return pivi.Choice
local function choice(row)
  local title = line.tidy(row.name or row.title)
  local shown = title ~= "" and title or row.id
  local age = line.age(os.time() - (row.active or row.mtime))
  local text = ("%4s  %s  %s"):format(age, shown, line.tidy(vim.fn.fnamemodify(row.cwd, ":~")))
  return { row = row, text = text, title = shown }
end

---What a picker may do with a session, by name.
---@type table<string, fun(row: pivi.SessionRow)>
M.ACTIONS = {
  resume = function(row)
    require("pivi.open").resume({ target = row.path })
  end,
  split = function(row)
    require("pivi.open").resume({ target = row.path, mods = { horizontal = true } })
  end,
  vsplit = function(row)
    require("pivi.open").resume({ target = row.path, mods = { vertical = true } })
  end,
  tab = function(row)
    require("pivi.open").resume({ target = row.path, mods = { tab = vim.fn.tabpagenr() } })
  end,
  view = function(row)
    require("pivi").view(row.path)
  end,
  fork = function(row)
    require("pivi.open").fork({ target = row.path })
  end,
}

---Sessions in their order, filtered by what was asked for.
---@param rows pivi.SessionRow[]
---@param opts pivi.BrowserOptions
---@return pivi.SessionRow[]
function M.arrange(rows, opts)
  local kept = vim.tbl_filter(function(row)
    return not opts.named or (row.name ~= nil and row.name ~= "")
  end, rows)
  return (require("pivi.browser.order").apply(kept, opts.order or "recent"))
end

---@class pivi.SessionsOptions: pivi.BrowserOptions
---@field all? boolean as scope = "all"
---@field front? string as the option `sessions.front`
---@field on_rows? fun(rows: pivi.SessionRow[], progress: pivi.Progress) each part as it is found

---All sessions, when they are known.
---@param opts pivi.SessionsOptions
---@param callback fun(rows?: pivi.SessionRow[], err?: string)
---@return fun() stop nothing more is wanted
function M.rows(opts, callback)
  local by_path = {}
  local look = catalog.rows(opts.cwd or vim.fn.getcwd(), opts.scope or opts.all and "all" or "directory", {
    take = function(rows, progress)
      for _, row in ipairs(rows) do
        by_path[row.path] = row
      end
      if opts.on_rows then
        opts.on_rows(vim.deepcopy(rows), vim.deepcopy(progress))
      end
    end,
    over = function(problem)
      if problem then
        return callback(nil, problem)
      end
      callback(M.arrange(vim.deepcopy(vim.tbl_values(by_path)), opts))
    end,
  })
  return function()
    catalog.leave(look)
  end
end

---@param opts pivi.SessionsOptions
function M.open(opts)
  opts.scope = opts.scope or (opts.all and "all") or nil
  local front, problem = M.choose(opts.front or config.get().sessions.front)
  if problem then
    log.error(problem)
    front = "browser"
  end
  if front == "browser" then
    return require("pivi.browser").open(opts)
  end
  M.rows(opts, function(rows, err)
    if not rows then
      return log.error(err or "")
    elseif #rows == 0 then
      return log.say("there are no sessions here; :Pi new starts one")
    end
    require("pivi.pickers." .. front:gsub("[-.]", "_")).pick(vim.tbl_map(choice, rows), M.ACTIONS)
  end)
end

return M
