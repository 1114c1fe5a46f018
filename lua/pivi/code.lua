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

---The parser for what stands behind a fence; nil where none is installed.
---@param info string
---@return string? lang
function M.language(info)
  local name = (info:match("^[%w_+-]+") or ""):lower()
  if name ~= "" and known[name] == nil then
    local filetype = vim.filetype.match({ filename = "x." .. name })
    known[name] = parser_for(ALIASES[name] or name) or parser_for(filetype)
  end
  return known[name] or nil
end

---The parser for a file; nil where none is installed.
---@param path string
---@return string? lang
function M.language_of(path)
  local name = vim.fs.basename(path)
  local key = "/" .. (name:match("%.[^.]*$") or name)
  if known[key] == nil then
    known[key] = parser_for(vim.filetype.match({ filename = name }))
  end
  return known[key] or nil
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
