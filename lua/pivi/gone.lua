---A session whose directory is gone: where it is to go on is asked before Pi is started.
local safe = require("pivi.safe")

local M = {}

---@class pivi.Gone
---@field path string the session's file
---@field directory string
---@field sentence string says it, and what can be done

---@param path string
---@return string
local function shown(path)
  return vim.fn.fnamemodify(safe.line(path), ":~")
end

---What is left of a path, as far as it can be typed.
---@param path string
---@return string
local function nearest_directory(path)
  for parent in vim.fs.parents(path) do
    if safe.line(parent) == parent and vim.fn.isdirectory(parent) == 1 then
      return parent == "/" and parent or parent .. "/"
    end
  end
  return vim.fn.getcwd() .. "/"
end

---Pi runs a session in no other directory than the stored one, so it goes on as a fork there.
---@param gone pivi.Gone
---@param opts pivi.OpenOptions
---@param answer pivi.Answer
---@param cwd string
local function fork(gone, opts, answer, cwd)
  local how = { target = gone.path, cwd = cwd, mods = opts.mods }
  if opts.reading then
    how.buf, how.reading = opts.buf, true
  end
  require("pivi.open").fork(how, answer)
end

---@param gone pivi.Gone
---@param opts pivi.OpenOptions
---@param answer pivi.Answer
local function choose_directory(gone, opts, answer)
  local default = nearest_directory(gone.directory)
  local typed_in = require("pivi.choose").once(function(typed)
    if not typed or typed == "" then
      return answer(nil, gone.sentence)
    end
    local path = vim.fn.fnamemodify(vim.fs.normalize(typed), ":p")
    if vim.fn.isdirectory(path) == 0 then
      return answer(nil, ("this is no directory, nothing was done: %s"):format(shown(path)))
    end
    fork(gone, opts, answer, path)
  end)
  vim.ui.input({ prompt = "Directory: ", default = default, completion = "dir" }, typed_in)
end

---@param gone pivi.Gone
---@param opts pivi.OpenOptions how it was to be opened
---@param answer pivi.Answer as for what was asked; with an empty error where it is only read
function M.ask(gone, opts, answer)
  -- Where nobody can choose, or a buffer is read that nobody sees, it is said.
  local unseen = opts.reading and #vim.fn.win_findbuf(opts.buf) == 0
  if #vim.api.nvim_list_uis() == 0 or unseen then
    return answer(nil, gone.sentence)
  end
  local cwd = opts.cwd or vim.fn.getcwd()
  local choices = {
    {
      text = ("Go on in %s, as a fork"):format(shown(cwd)),
      run = function()
        fork(gone, opts, answer, cwd)
      end,
    },
    {
      text = "Choose a directory, and go on there as a fork",
      run = function()
        choose_directory(gone, opts, answer)
      end,
    },
    {
      text = "Only read it",
      run = function()
        if opts.reading then
          return require("pivi.open").view({ target = gone.path, buf = opts.buf, reading = true }, answer)
        end
        require("pivi.open").view({ target = gone.path, mods = opts.mods })
        answer(nil, "")
      end,
    },
  }
  require("pivi.choose").ask(
    ("The session's directory is gone: %s"):format(shown(gone.directory)),
    choices,
    function()
      answer(nil, gone.sentence)
    end
  )
end

return M
