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

---@param how pivi.Derived
---@return vim.api.keyset.highlight
local function derive(how)
  local dark = vim.o.background == "dark"
  local normal, tint = colours("Normal"), colours(how.tint)
  local paper = normal.bg or (dark and 0x14161b or 0xe0e2ea)
  local ink = how.ink and colours(how.ink) or {}
  local line = colours("CursorLine")
  return {
    fg = ink.fg,
    bg = mix(paper, tint.fg or normal.fg or (dark and 0xe0e2ea or 0x14161b), how.amount),
    ctermfg = ink.ctermfg,
    -- Without true colours there is nothing to mix: a heading looks like the cursor's line.
    ctermbg = how.ink and line.ctermbg or nil,
    bold = how.bold,
    cterm = how.bold and { bold = true } or nil,
  }
end

local function set_all()
  for name, target in pairs(links) do
    if not DERIVED[name] then
      vim.api.nvim_set_hl(0, name, { link = target, default = true })
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

---@param groups {name: string, link: string}[]
---@return string[] names in the host's order
function M.define(groups)
  local names = {}
  for i, group in ipairs(groups) do
    names[i] = group.name or group[1]
    links[names[i]] = group.link or group[2]
  end
  set_all()
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
  return names
end

return M
