---Code highlighted by its language, where a parser for it is to be had.
local M = {}

---Names that people write behind a fence and that are no file type's.
local ALIASES = {
  js = "javascript",
  jsx = "javascript",
  py = "python",
  rb = "ruby",
  rs = "rust",
  sh = "bash",
  shell = "bash",
  ts = "typescript",
  viml = "vim",
  yml = "yaml",
}

---@type table<string, string|false>
local known = {}

---@param candidate string? a file type or a parser's name
---@return string|false
local function parser_for(candidate)
  local lang = candidate and (vim.treesitter.language.get_lang(candidate) or candidate)
  local found = lang
    and lang:find("^[%w_]+$")
    and pcall(vim.treesitter.language.add, lang)
    and pcall(vim.treesitter.language.inspect, lang)
    and vim.treesitter.query.get(lang, "highlights")
  return found and lang or false
end

---What code is written in, as it is told: by its fence, or by the file that it was read from.
---@class pivi.Told
---@field key string
---@field names fun(): (string?, string?) file types or names of parsers, the likeliest first

---@param info string what stands behind a fence
---@return pivi.Told? nil where nothing is told
function M.of_fence(info)
  local name = (info:match("^[%w_+-]+") or ""):lower()
  return name ~= ""
      and {
        key = name,
        names = function()
          return ALIASES[name] or name, vim.filetype.match({ filename = "x." .. name })
        end,
      }
    or nil
end

---@param path string
---@return pivi.Told
function M.of_file(path)
  local name = vim.fs.basename(path)
  return {
    key = "/" .. (name:match("%.[^.]*$") or name),
    names = function()
      return vim.filetype.match({ filename = name })
    end,
  }
end

---Whether it is found out already: the first time of a language may take Neovim ten milliseconds, most of them within
---one pattern of its query, so that it can't be done by and by.
---@param told pivi.Told
---@return boolean
function M.is_known(told)
  return known[told.key] ~= nil
end

---The parser for it; nil where none is installed.
---@param told pivi.Told
---@return string? lang
function M.language(told)
  if known[told.key] == nil then
    local first, second = told.names()
    known[told.key] = parser_for(first) or parser_for(second)
  end
  return known[told.key] or nil
end

---What the first language has to wait for.
function M.prepare()
  vim.filetype.match({ filename = "a.c" })
end

---@param code string
---@param lang string
---@return pivi.Span[] rows and columns are those in `code`
function M.spans(code, lang)
  local spans = {}
  local query = vim.treesitter.query.get(lang, "highlights")
  local tree = vim.treesitter.get_string_parser(code, lang, { injections = { [lang] = "" } }):parse()[1]
  if not query or not tree then
    return spans
  end
  for id, node in query:iter_captures(tree:root(), code, 0, -1) do
    local name = query.captures[id]
    if not name:find("^_") and name ~= "spell" and name ~= "nospell" and name ~= "conceal" then
      local row, col, end_row, end_col = node:range()
      spans[#spans + 1] = { row, col, end_row, end_col, group = ("@%s.%s"):format(name, lang) }
    end
  end
  return spans
end

return M
