---Which front `:Pi sessions` opens: the browser, or a picker that the user has.
local catalog = require("pivi.catalog")
local config = require("pivi.config")
local line = require("pivi.browser.line")
local log = require("pivi.log")
local safe = require("pivi.safe")

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
  local title = safe.line(row.name or row.title)
  local shown = title ~= "" and title or safe.line(row.id)
  local age = line.age(os.time() - (row.active or row.mtime))
  local text = ("%4s  %s  %s"):format(age, shown, vim.fn.fnamemodify(safe.line(row.cwd), ":~"))
  return { row = row, text = text, title = shown }
end

---Milliseconds in which rows are gathered: one that has changed is read after those that are known.
local GATHER = 50

---@param mods? table
---@return fun(rows: pivi.SessionRow[])
local function resume(mods)
  return function(rows)
    local tab = mods and mods.tab and { tab = vim.fn.tabpagenr() }
    require("pivi.open").resume({ target = rows[1].path, mods = tab or mods })
  end
end

---@class pivi.PickerAction what a picker may do with sessions, once it is closed
---@field name string
---@field key? string as in maps; nil for what Enter does
---@field run fun(rows: pivi.SessionRow[], again: fun()) at least one row; `again` shows the sessions anew

---@type pivi.PickerAction[]
M.ACTIONS = {
  { name = "resume", run = resume() },
  { name = "split", key = "<C-s>", run = resume({ horizontal = true }) },
  { name = "vsplit", key = "<C-v>", run = resume({ vertical = true }) },
  { name = "tab", key = "<C-t>", run = resume({ tab = true }) },
  {
    name = "view",
    key = "<C-r>",
    run = function(rows)
      require("pivi").view(rows[1].path)
    end,
  },
  {
    name = "fork",
    key = "<C-f>",
    run = function(rows)
      require("pivi.open").fork({ target = rows[1].path })
    end,
  },
  {
    name = "rename",
    key = "<M-r>",
    run = function(rows, again)
      require("pivi.acts").rename(rows[1], again)
    end,
  },
  {
    name = "trash",
    key = "<M-d>",
    run = function(rows, again)
      require("pivi.acts").trash(rows, again)
    end,
  },
  {
    name = "yank",
    key = "<M-y>",
    run = function(rows)
      require("pivi.acts").yank(rows[1], "path", vim.v.register)
    end,
  },
  {
    name = "export",
    key = "<M-x>",
    run = function(rows)
      require("pivi.acts").export(rows[1])
    end,
  },
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

---@class pivi.Picking what an adapter hands to its picker
---@field title string
---@field actions pivi.PickerAction[]
---@field act fun(action: pivi.PickerAction, rows: pivi.SessionRow[]) once the picker is closed
---@field stream fun(take: fun(choices: pivi.Choice[]), over?: fun()): fun() starts to read; what it returns ends that
---@field all fun(take: fun(choices: pivi.Choice[])) all at once, in their order; not called where there are none

---@param opts pivi.SessionsOptions
---@return pivi.Picking
local function picking(opts)
  local function act(action, rows)
    if #rows > 0 then
      -- The picker's windows may still be there.
      vim.schedule(function()
        log.guard("sessions", action.run, rows, function()
          M.open(opts)
        end)
      end)
    end
  end
  local function read(take, over, whole)
    local told, count = {}, 0
    -- The newest are read first; for any other order all must be known.
    local streams = not whole and (opts.order or "recent") == "recent"
    local gathered, waits, stopped = {}, false, false
    local function give(rows)
      local new = {}
      for _, row in ipairs(M.arrange(rows, opts)) do
        if not told[row.path] then
          told[row.path] = true
          new[#new + 1] = choice(row)
        end
      end
      count = count + #new
      if #new > 0 then
        take(new)
      end
    end
    local stop = M.rows(
      vim.tbl_extend("force", opts, {
        on_rows = function(rows)
          if not streams then
            return
          end
          vim.list_extend(
            gathered,
            vim.tbl_filter(function(row)
              return row.messages ~= nil
            end, rows)
          )
          if not waits then
            waits = true
            vim.defer_fn(function()
              waits, rows, gathered = false, gathered, {}
              if not stopped then
                give(rows)
              end
            end, GATHER)
          end
        end,
      }),
      function(rows, err)
        -- What is gathered still is among them, or all that there is.
        stopped = true
        give(rows or gathered)
        if err then
          log.error(err)
        elseif count == 0 then
          log.say("there are no sessions here; :Pi new starts one")
        end
        if over then
          over()
        end
      end
    )
    return function()
      stopped = true
      stop()
    end
  end
  local function all(take)
    read(take, nil, true)
  end
  return { title = "Pi sessions", actions = M.ACTIONS, act = act, stream = read, all = all }
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
  require("pivi.pickers." .. front:gsub("[-.]", "_")).pick(picking(opts))
end

return M
