---Words that wait to be said: what Pi did not take is kept in a buffer of its conversation, and on disk.
local conversations = require("pivi.conversations")
local log = require("pivi.log")
local named = require("pivi.named")
local safe = require("pivi.safe")
local unsent = require("pivi.unsent")

local M = {}

local SCHEME = "pivi-prompt://"

local group = vim.api.nvim_create_augroup("pivi.prompt", {})

---@param buf integer
---@return string
local function text_of(buf)
  return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), "\n")
end

---@param buf integer
local function keep(buf)
  local text = text_of(buf)
  unsent.keep_draft(vim.b[buf].pivi_session, vim.trim(text) ~= "" and text or "")
end

---@param buf integer
---@param lines string[]
local function write(buf, lines)
  -- `nvim -M` has it off for every buffer, and users' autocommands for some.
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  keep(buf)
end

---@param buf integer
---@param session_id string
local function watch(buf, session_id)
  vim.bo[buf].buftype = "nofile"
  vim.bo[buf].swapfile = false
  vim.bo[buf].modeline = false
  vim.bo[buf].bufhidden = "hide"
  vim.bo[buf].filetype = "markdown"
  vim.b[buf].pivi_session = session_id
  vim.api.nvim_clear_autocmds({ group = group, buffer = buf })
  vim.api.nvim_create_autocmd({ "TextChanged", "InsertLeave", "CursorHoldI", "BufLeave", "VimLeavePre" }, {
    group = group,
    buffer = buf,
    desc = "Keep the draft on disk",
    callback = function()
      log.guard("keeping the draft", keep, buf)
    end,
  })
  vim.api.nvim_create_autocmd("BufWipeout", {
    group = group,
    buffer = buf,
    desc = "Who wipes a draft out does not want it any more",
    callback = function()
      if vim.v.exiting == vim.NIL then
        unsent.keep_draft(session_id, "")
      end
    end,
  })
end

---@param session_id string "" for words that no session was found for
---@return string
local function name_for(session_id)
  return SCHEME .. (session_id == "" and "unsent" or safe.name(session_id))
end

---@param session_id string
---@return integer buf
local function buffer_for(session_id)
  local name = name_for(session_id)
  local buf = named(name)
  if buf ~= -1 then
    -- Deleted and not wiped out, or restored by name alone: what it held comes back.
    vim.fn.bufload(buf)
    return buf
  end
  buf = vim.api.nvim_create_buf(true, true)
  vim.api.nvim_buf_set_name(buf, name)
  watch(buf, session_id)
  return buf
end

---The text of a draft's buffer was asked for (`:edit`, a restored Vim session, a deleted buffer).
---@param buf integer
function M.read(buf)
  local id = vim.b[buf].pivi_session or vim.api.nvim_buf_get_name(buf):sub(#SCHEME + 1)
  watch(buf, id == "unsent" and "" or id)
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, vim.split(unsent.draft(id), "\n", { plain = true }))
end

---The conversation that the current buffer holds words for.
---@return pivi.Conversation?
function M.conversation()
  local session_id = vim.b.pivi_session
  if not session_id then
    return nil
  end
  for _, c in ipairs(conversations.all()) do
    if c.session_id == session_id then
      return c
    end
  end
end

---Keeps words for later, below those that are kept already.
---@param session_id string
---@param text string
---@return integer buf
function M.keep(session_id, text)
  local buf = buffer_for(session_id)
  local known = text_of(buf)
  if vim.trim(known) == "" then
    write(buf, vim.split(text, "\n", { plain = true }))
  elseif known ~= text then
    write(buf, vim.split(known .. "\n\n" .. text, "\n", { plain = true }))
  end
  return buf
end

---Words that were kept last are needed no more. What was typed there meanwhile stays.
---@param buf integer
---@param text string
function M.drop(buf, text)
  if not vim.api.nvim_buf_is_loaded(buf) then
    return
  end
  local lines = vim.split(text, "\n", { plain = true })
  local all = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  local rest = #all - #lines
  if rest >= 0 and vim.deep_equal(vim.list_slice(all, rest + 1), lines) then
    write(buf, vim.list_slice(all, 1, math.max(0, rest - 1)))
  end
end

---Words come back: nothing that was typed is ever lost.
---@param session_id string
---@param text string
---@param why string a sentence, "" where that was told already
function M.give_back(session_id, text, why)
  local buf = M.keep(session_id, text)
  local sentence = ("your words are kept in :sbuffer %d"):format(buf)
  log.say(why == "" and sentence or ("%s: %s"):format(sentence, why), vim.log.levels.WARN)
end

---@param key integer of words in pivi.unsent
---@param why string
function M.return_words(key, why)
  local words = unsent.get(key)
  if words then
    M.give_back(words.session, words.text, why)
    unsent.forget(key)
  end
end

---Pi has stored words: a draft that says the same has been sent.
---@param key integer
function M.taken(key)
  local words = unsent.get(key)
  local buf = words and named(name_for(words.session)) or -1
  unsent.forget(key)
  if buf ~= -1 and words and vim.api.nvim_buf_is_loaded(buf) and text_of(buf) == words.text then
    write(buf, {})
  end
end

---Nobody knows any more what became of the words on the way.
---@param why string
---@return boolean any whether there were any
function M.host_died(why)
  local keys = unsent.on_the_way()
  for _, key in ipairs(keys) do
    M.return_words(key, why)
  end
  return #keys > 0
end

---What Neovims that have ended left of words for a session is its draft again, but what Pi has stored.
---@param c pivi.Conversation
function M.restore(c)
  local left = not c.view and c.conv and unsent.left(c) or {}
  if #left == 0 then
    return
  end
  local asked = vim.tbl_map(function(one)
    return { text = one.words.text, after = one.words.after or vim.NIL }
  end, left)
  require("pivi.host").request("unsaid", { conv = c.conv, words = asked }, function(value)
    local texts = {}
    for i, one in ipairs(left) do
      if not value or value[i] then
        texts[#texts + 1] = one.words.text
      end
    end
    if #texts > 0 then
      M.give_back(c.session_id, table.concat(texts, "\n\n"), "Neovim ended before Pi took them.")
    end
    for _, one in ipairs(left) do
      vim.uv.fs_unlink(one.path)
    end
  end)
end

vim.api.nvim_create_autocmd("User", {
  group = group,
  pattern = "PiviBackfilled",
  desc = "Bring back the words that an ended Neovim left",
  callback = function(event)
    local c = event.data and conversations.by_buf(event.data.buf)
    if c then
      log.guard("bringing words back", M.restore, c)
    end
  end,
})

return M
