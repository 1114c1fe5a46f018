---The browser's buffer and its windows: options, what is read when it is shown and left when it is hidden.
local M = {}

local group = vim.api.nvim_create_augroup("pivi.browser", {})

local LINKS = {
  { "PiviSessionAge", "Number" },
  { "PiviSessionMark", "Special" },
  { "PiviSessionMatch", "Search" },
  { "PiviSessionMeta", "Comment" },
  { "PiviSessionName", "Title" },
  { "PiviSessionOpen", "DiagnosticOk" },
  { "PiviSessionProject", "Directory" },
}

local OPTIONS = {
  winbar = "%{%v:lua.require'pivi.browser.bar'.text()%}",
  wrap = false,
  cursorline = true,
  number = false,
  relativenumber = false,
  signcolumn = "no",
  foldcolumn = "0",
  foldenable = false,
  list = false,
  spell = false,
  diff = false,
  scrollbind = false,
  cursorbind = false,
  colorcolumn = "",
}

---@param b pivi.Browser
---@param win integer
local function entered(b, win)
  -- A floating window has no room for a bar; while one is made it shows the list for a moment.
  if vim.api.nvim_win_get_buf(win) ~= b.buf or vim.fn.win_gettype(win) ~= "" then
    return
  end
  for name, value in pairs(OPTIONS) do
    vim.wo[win][0][name] = value
  end
  require("pivi.browser.bar").give_footer(win, true)
end

---@param b pivi.Browser
local function watch(b)
  local browser, paint = require("pivi.browser"), require("pivi.browser.paint")
  vim.api.nvim_clear_autocmds({ group = group, buffer = b.buf })
  local function on(events, callback)
    vim.api.nvim_create_autocmd(events, { group = group, buffer = b.buf, callback = callback })
  end
  on({ "BufWinEnter", "WinNew" }, function()
    entered(b, vim.api.nvim_get_current_win())
    -- It was hidden, and what runs for it was ended: it comes back as it was, and is read anew.
    if b.left then
      b.left = nil
      browser.read(b)
      require("pivi.browser.preview").returned(b)
    end
  end)
  on("BufWinLeave", function()
    vim.schedule(function()
      if vim.api.nvim_buf_is_valid(b.buf) and #vim.fn.win_findbuf(b.buf) == 0 and browser.of(b.buf) == b then
        b.left = true
        browser.leave(b)
        require("pivi.browser.preview").close(b)
      end
    end)
  end)
  on("QuitPre", function()
    -- The preview alone would keep Neovim open.
    require("pivi.browser.preview").close(b)
  end)
  on("CursorMoved", function()
    if vim.fn.line(".") ~= b.placed then
      b.wanted, b.moved = nil, true
    end
    require("pivi.browser.preview").follow(b)
  end)
  on("BufUnload", function()
    vim.schedule(function()
      if not vim.api.nvim_buf_is_loaded(b.buf) and browser.of(b.buf) == b then
        require("pivi.browser.preview").close(b)
        browser.close(b)
      end
    end)
  end)
  vim.api.nvim_create_autocmd({ "VimResized", "WinResized" }, {
    group = vim.api.nvim_create_augroup("pivi.browser.resized", {}),
    desc = "Fit the list of sessions to its window",
    callback = function()
      if browser.of(b.buf) == b and #vim.fn.win_findbuf(b.buf) > 0 then
        paint.paint(b)
      end
    end,
  })
end

---@param b pivi.Browser
function M.prepare(b)
  local bo = vim.bo[b.buf]
  bo.buftype = "nofile"
  bo.bufhidden = "hide"
  bo.swapfile = false
  bo.undofile = false
  bo.undolevels = -1
  bo.modeline = false
  bo.readonly = false
  bo.modifiable = false
  bo.textwidth = 0
  require("pivi.highlight").define(LINKS)
  require("pivi.browser.keys").map(b)
  watch(b)
  for _, win in ipairs(vim.fn.win_findbuf(b.buf)) do
    entered(b, win)
  end
  if bo.filetype ~= "pivi-sessions" then
    bo.filetype = "pivi-sessions"
  end
end

---@param b pivi.Browser
---@param mods? table
function M.show(b, mods)
  b.left = nil
  local before = vim.api.nvim_list_wins()
  require("pivi.window").put(b.buf, { mods = mods, focus = true }, function(win)
    vim.api.nvim_win_set_var(win, "pivi_sessions", not vim.list_contains(before, win))
    entered(b, win)
    require("pivi.browser.preview").returned(b)
  end)
end

---Closes the window that was opened for it; another one shows what it showed before, else another buffer.
---@param b pivi.Browser
function M.quit(b)
  require("pivi.browser.preview").close(b)
  local before = vim.fn.bufnr("#")
  -- The window was fixed to what goes.
  vim.wo.winfixbuf = false
  local window = require("pivi.window")
  if vim.w.pivi_sessions and not window.is_last(vim.api.nvim_get_current_win()) then
    vim.cmd.close()
  elseif before > 0 and before ~= b.buf and vim.api.nvim_buf_is_valid(before) then
    vim.cmd.buffer(before)
  elseif #window.fixed() > 1 then
    vim.cmd.close()
  else
    vim.cmd.enew()
  end
end

return M
