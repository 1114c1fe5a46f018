if vim.g.loaded_pivi then
  return
end
vim.g.loaded_pivi = true

vim.api.nvim_create_user_command("Pi", function(opts)
  require("pivi.command").run(opts)
end, {
  nargs = "*",
  bang = true,
  range = true,
  desc = "Conversations with the Pi coding agent",
  complete = function(lead, line, cursor)
    return require("pivi.complete").complete(lead, line, cursor)
  end,
})

vim.api.nvim_create_autocmd("BufReadCmd", {
  group = vim.api.nvim_create_augroup("pivi.sessions", {}),
  pattern = { "pivi-sessions://*", "pivi-hit://*" },
  desc = "Read the list of sessions anew; go to what a search has found",
  callback = function(event)
    if vim.startswith(event.match, "pivi-hit://") then
      require("pivi.hits").jump(event.buf)
    else
      require("pivi.browser").reload(event.buf)
    end
  end,
})

-- A transcript's text is the host's to give: `:edit` paints it anew.
vim.api.nvim_create_autocmd("BufReadCmd", {
  group = vim.api.nvim_create_augroup("pivi.read", {}),
  pattern = "pivi://*",
  desc = "Paint a transcript anew",
  callback = function(event)
    require("pivi.conversations").read(event.buf)
  end,
})

vim.api.nvim_create_autocmd("BufReadCmd", {
  group = vim.api.nvim_create_augroup("pivi.drafts", {}),
  pattern = "pivi-prompt://*",
  desc = "Show a draft again",
  callback = function(event)
    require("pivi.prompt").read(event.buf)
  end,
})

vim.api.nvim_create_autocmd("BufReadCmd", {
  group = vim.api.nvim_create_augroup("pivi.blocks", {}),
  pattern = "pivi-block://*",
  desc = "Show a block whole again",
  callback = function(event)
    require("pivi.whole").read(event.buf)
  end,
})

-- A Vim session names such buffers with `:file`, which tells each name unless 'shortmess' has this; it puts the
-- option back itself.
vim.api.nvim_create_autocmd("BufFilePost", {
  group = vim.api.nvim_create_augroup("pivi.names", {}),
  pattern = "pivi*://*",
  desc = "Restore a Vim session without a message for each transcript",
  callback = function()
    if vim.g.SessionLoad then
      vim.opt.shortmess:append("F")
    end
  end,
})

---Cheap: the first lines alone are looked at. Whether it really is a session is for the host to say.
---@param path string
---@return boolean
local function looks_like_session(path)
  local stat = vim.uv.fs_stat(path)
  if not stat or stat.type ~= "file" then
    return false
  end
  local file = io.open(path, "rb")
  local start = file and file:read(4096) or ""
  if file then
    file:close()
  end
  for line in start:gmatch("[^\n]+") do
    if line:find("^%s*{") then
      return line:find('"type"%s*:%s*"session"') ~= nil
    end
  end
  return false
end

local files = vim.api.nvim_create_augroup("pivi.files", {})

---Only the buffers of sessions are read by us, so that any other `.jsonl` is read as ever.
---@param buf integer
local function take_session(buf)
  vim.api.nvim_clear_autocmds({ group = files, event = "BufReadCmd", buffer = buf })
  if not vim.b[buf].pivi_raw and looks_like_session(vim.api.nvim_buf_get_name(buf)) then
    vim.api.nvim_create_autocmd("BufReadCmd", {
      group = files,
      buffer = buf,
      desc = "Show a session file as its transcript",
      callback = function()
        require("pivi.file").read(buf)
      end,
    })
  end
end

-- `:edit` unloads a buffer before it reads it again; meanwhile the file may have become a session.
vim.api.nvim_create_autocmd({ "BufNew", "BufUnload" }, {
  group = files,
  pattern = "*.jsonl",
  desc = "Find out whether the file is a session",
  callback = function(event)
    take_session(event.buf)
  end,
})

-- A Vim session gives such buffers their names, and no text.
vim.api.nvim_create_autocmd("SessionLoadPost", {
  group = vim.api.nvim_create_augroup("pivi.restored", {}),
  desc = "Fill the transcripts of a restored Vim session",
  callback = function(event)
    local name = vim.api.nvim_buf_get_name(event.buf)
    local session = name:match("%.jsonl$") and vim.bo[event.buf].buftype == "" and looks_like_session(name)
    if session then
      take_session(event.buf)
    end
    for _, buf in ipairs(vim.api.nvim_list_bufs()) do
      if vim.startswith(vim.api.nvim_buf_get_name(buf), "pivi://") then
        vim.b[buf].pivi_restored = true
      end
    end
    local scheme = name:match("^(pivi[%a-]*)://")
    if session or vim.list_contains({ "pivi", "pivi-prompt", "pivi-sessions", "pivi-block" }, scheme) then
      vim.schedule(function()
        if vim.api.nvim_buf_is_loaded(event.buf) then
          require("pivi.conversations").restore(event.buf)
        end
      end)
    end
  end,
})

-- Files that Neovim was started with.
for _, buf in ipairs(vim.api.nvim_list_bufs()) do
  if vim.api.nvim_buf_get_name(buf):match("%.jsonl$") then
    take_session(buf)
  end
end
