---Highlight groups: those of the host's table, the winbar's and what is rendered. Each is linked to a standard one, or
---has colours derived from the colour scheme's, unless the user or the scheme sets it.
local M = {}

---@type table<string, string>
local links = {
  PiviPhase = "Title",
  PiviError = "DiagnosticError",
  PiviSubheading = "@markup.heading",
  PiviStrong = "@markup.strong",
  PiviEmphasis = "@markup.italic",
  PiviStrike = "@markup.strikethrough",
  PiviList = "@markup.list",
  PiviQuote = "@markup.quote",
  PiviLink = "Underlined",
  PiviUrl = "Underlined",
  PiviCode = "@markup.raw",
  PiviMarker = "NonText",
  PiviDiffAdd = "Added",
  PiviDiffDelete = "Removed",
}

---@class pivi.Derived
---@field ink? string group whose foreground it has
---@field tint string group whose foreground is mixed into the background
---@field amount number how much of it, 0 to 1
---@field bold? boolean

---@type table<string, pivi.Derived>
local DERIVED = {
  PiviPrompt = { ink = "Function", tint = "Function", amount = 0.16, bold = true },
  PiviReply = { ink = "Title", tint = "Normal", amount = 0.09, bold = true },
  PiviSection = { ink = "Statement", tint = "Normal", amount = 0.09, bold = true },
  PiviCodeBlock = { tint = "Normal", amount = 0.05 },
  PiviDiffAddText = { tint = "Added", amount = 0.3 },
  PiviDiffDeleteText = { tint = "Removed", amount = 0.3 },
}

---The least contrast of headings, and of what tells how something went.
local HEADING, SIGNAL = 4.5, 3

---What we made of each derived group: it is made anew while nobody else has set it.
---@type table<string, vim.api.keyset.highlight>
local made = {}

---@param group string
---@return vim.api.keyset.get_hl_info
local function colours(group)
  return vim.api.nvim_get_hl(0, { name = group, link = false })
end

---@param from integer 0xRRGGBB
---@param to integer
---@param amount number
---@return integer
local function mix(from, to, amount)
  local result = 0
  for _, unit in ipairs({ 0x10000, 0x100, 1 }) do
    local a, b = math.floor(from / unit) % 0x100, math.floor(to / unit) % 0x100
    result = result + math.floor(a + (b - a) * amount + 0.5) * unit
  end
  return result
end

---How light a colour is, 0 to 1, as the guidelines for web content (WCAG) have it.
---@param colour integer 0xRRGGBB
---@return number
local function luminance(colour)
  local sum = 0
  for unit, weight in pairs({ [0x10000] = 0.2126, [0x100] = 0.7152, [1] = 0.0722 }) do
    local part = math.floor(colour / unit) % 0x100 / 255
    sum = sum + weight * (part <= 0.03928 and part / 12.92 or ((part + 0.055) / 1.055) ^ 2.4)
  end
  return sum
end

---How well one colour stands out from the other, 1 (not at all) to 21.
---@param a integer
---@param b integer
---@return number
local function contrast(a, b)
  local light, dark = luminance(a), luminance(b)
  return (math.max(light, dark) + 0.05) / (math.min(light, dark) + 0.05)
end

---A colour that can be read on a background, as near to the given one as may be.
---@param colour integer
---@param ink integer the colour of plain text, towards which it goes
---@param paper integer
---@param least number contrast
---@return integer
local function readable(colour, ink, paper, least)
  for step = 0, 10 do
    local mixed = mix(colour, ink, step / 10)
    if contrast(mixed, paper) >= least then
      return mixed
    end
  end
  return ink
end

---@return integer ink of plain text
---@return integer paper
local function plain()
  local dark, normal = vim.o.background == "dark", colours("Normal")
  return normal.fg or (dark and 0xe0e2ea or 0x14161b), normal.bg or (dark and 0x14161b or 0xe0e2ea)
end

---@param how pivi.Derived
---@return vim.api.keyset.highlight
local function derive(how)
  local tint = colours(how.tint)
  local text, paper = plain()
  local ink = how.ink and colours(how.ink) or {}
  local line = colours("CursorLine")
  local bg = mix(paper, tint.fg or text, how.amount)
  return {
    fg = ink.fg and readable(ink.fg, text, bg, HEADING),
    bg = bg,
    ctermfg = ink.ctermfg,
    -- Without true colours there is nothing to mix: a heading looks like the cursor's line.
    ctermbg = how.ink and line.ctermbg or nil,
    bold = how.bold,
    cterm = how.bold and { bold = true } or nil,
  }
end

---What a group is linked to; a colour of our own where that can't be read: colour schemes that know nothing of
---diagnostics leave Neovim's own colours for them, which are made for a dark background.
---@param name string
---@param target string
local function link(name, target)
  local now = vim.api.nvim_get_hl(0, { name = name })
  if made[name] and vim.deep_equal(now, made[name]) then
    vim.api.nvim_set_hl(0, name, {})
    made[name] = nil
  end
  vim.api.nvim_set_hl(0, name, { link = target, default = true })
  local text, paper = plain()
  local known = colours(target)
  local ours = vim.api.nvim_get_hl(0, { name = name }).link == target and vim.startswith(target, "Diagnostic")
  if ours and known.fg and not known.bg and contrast(known.fg, paper) < SIGNAL then
    known.fg = readable(known.fg, text, paper, SIGNAL)
    vim.api.nvim_set_hl(0, name, known --[[@as vim.api.keyset.highlight]])
    made[name] = vim.api.nvim_get_hl(0, { name = name })
  end
end

local function set_all()
  for name, target in pairs(links) do
    if not DERIVED[name] then
      link(name, target)
    end
  end
  for name, how in pairs(DERIVED) do
    local now = vim.api.nvim_get_hl(0, { name = name })
    if next(now) == nil or vim.deep_equal(now, made[name]) then
      vim.api.nvim_set_hl(0, name, derive(how))
      made[name] = vim.api.nvim_get_hl(0, { name = name })
    end
  end
end

---Whether the groups are set, and set again with the colour scheme.
local watching = false

local function watch()
  watching = true
  local augroup = vim.api.nvim_create_augroup("pivi.highlight", {})
  local function on(event, pattern)
    vim.api.nvim_create_autocmd(event, {
      group = augroup,
      pattern = pattern,
      desc = "Set pivi's highlight groups again",
      callback = set_all,
    })
  end
  on("ColorScheme")
  on("OptionSet", { "background", "termguicolors" })
end

---@param groups [string, string][] each with what it is linked to
---@return string[] names in the host's order
function M.define(groups)
  local names, known = {}, watching
  for i, group in ipairs(groups) do
    local name, target = unpack(group)
    names[i], known = name, known and links[name] == target
    links[name] = target
  end
  if not known then
    set_all()
  end
  if not watching then
    watch()
  end
  return names
end

return M
