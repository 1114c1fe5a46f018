---The line that is typed into to filter the list: a window over the left part of the list's winbar.
local M = {}

local group = vim.api.nvim_create_augroup("pivi.filter", {})

---@param b pivi.Browser
---@param lines integer
local function move(b, lines)
  local win = vim.fn.win_findbuf(b.buf)[1]
  if not win then
    return
  end
  local last = vim.api.nvim_buf_line_count(b.buf)
  local lnum = vim.api.nvim_win_get_cursor(win)[1] + lines
  -- A project's heading is passed over.
  while b.list.items[lnum] and not b.list.items[lnum].row do
    lnum = lnum + (lines > 0 and 1 or -1)
  end
  if lnum >= 1 and lnum <= last then
    vim.api.nvim_win_set_cursor(win, { lnum, 0 })
    b.moved = true
    require("pivi.browser.preview").follow(b)
  end
end

---@param b pivi.Browser
---@param list integer the list's window
local function window(b, list)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = "wipe"
  vim.bo[buf].buftype = "nofile"
  -- `nvim -M` has it off for every buffer.
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, { require("pivi.safe").line(b.text) })
  local right = vim.fn.strdisplaywidth(require("pivi.browser.bar").right(b, list))
  local win = vim.api.nvim_open_win(buf, true, {
    relative = "win",
    win = list,
    row = -1,
    col = 0,
    width = math.max(20, vim.api.nvim_win_get_width(list) - right - 2),
    height = 1,
    style = "minimal",
    zindex = 60,
  })
  vim.wo[win][0].winhighlight = "NormalFloat:Normal"
  vim.wo[win][0].wrap = false
  vim.api.nvim_buf_set_extmark(buf, vim.api.nvim_create_namespace("pivi.filter"), 0, 0, {
    virt_text = { { "filter: ", "Question" } },
    virt_text_pos = "inline",
    right_gravity = false,
  })
  return buf, win
end

---@param b pivi.Browser
function M.open(b)
  local browser = require("pivi.browser")
  local list = vim.api.nvim_get_current_win()
  local before = b.text
  local buf, win = window(b, list)
  local closed = false
  local function sync()
    local text = table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), " ")
    if text ~= b.text then
      browser.set(b, { filter = text })
    end
  end
  local function close()
    if closed then
      return
    end
    closed = true
    -- Neovim tells of no change while keys wait.
    if vim.api.nvim_buf_is_valid(buf) then
      sync()
    end
    vim.cmd.stopinsert()
    if vim.api.nvim_win_is_valid(win) then
      vim.api.nvim_win_close(win, true)
    end
    if vim.api.nvim_win_is_valid(list) then
      vim.api.nvim_set_current_win(list)
    end
  end
  local function key(lhs, run)
    vim.keymap.set({ "i", "n" }, lhs, run, { buffer = buf, nowait = true })
  end
  key("<CR>", function()
    close()
    vim.schedule(function()
      if vim.api.nvim_get_current_buf() == b.buf then
        -- What is under the cursor is what was typed for.
        require("pivi.browser.paint").finish(b)
        require("pivi.browser.actions").resume(b)
      end
    end)
  end)
  key("<Esc>", close)
  key("<C-c>", function()
    close()
    browser.set(b, { filter = before })
  end)
  for lhs, lines in pairs({ ["<C-n>"] = 1, ["<Down>"] = 1, ["<C-p>"] = -1, ["<Up>"] = -1 }) do
    key(lhs, function()
      sync()
      require("pivi.browser.paint").finish(b)
      move(b, lines)
    end)
  end
  vim.api.nvim_create_autocmd({ "TextChangedI", "TextChangedP", "TextChanged" }, {
    group = group,
    buffer = buf,
    callback = sync,
  })
  vim.api.nvim_create_autocmd({ "BufLeave", "WinLeave" }, {
    group = group,
    buffer = buf,
    callback = vim.schedule_wrap(close),
  })
  vim.cmd.startinsert({ bang = true })
end

return M
