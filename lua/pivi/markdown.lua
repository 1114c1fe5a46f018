---What Markdown means in a piece of text: spans to highlight and to conceal, and tables. Pure.
local M = {}

---@class pivi.Span
---@field [1] integer row, 0-based in the piece
---@field [2] integer column in bytes
---@field [3] integer end row
---@field [4] integer end column
---@field group? string highlight group
---@field line? string highlight group of the whole line, to the edge of the window
---@field conceal? string what stands for it where 'conceallevel' says so

---@class pivi.Table
---@field row integer row of its head
---@field cells integer[][][] of each row the first and the end column of each cell
---@field align ("left"|"right"|"center")[] by column

-- Patterns of one node each: those with children take Neovim milliseconds to prepare.
local BLOCKS = [[
  [(atx_heading) (setext_heading)] @heading
  [(atx_h1_marker) (atx_h2_marker) (atx_h3_marker) (atx_h4_marker) (atx_h5_marker) (atx_h6_marker)
   (setext_h1_underline) (setext_h2_underline) (pipe_table_delimiter_row)
   (block_quote_marker) "|"] @marker
  (block_continuation) @continuation
  [(list_marker_minus) (list_marker_plus) (list_marker_star) (list_marker_dot) (list_marker_parenthesis)
   (task_list_marker_checked) (task_list_marker_unchecked)] @list
  (block_quote) @quote
  (indented_code_block) @code
  (thematic_break) @rule
  (pipe_table) @table
  (pipe_table_cell) @cell
  (link_reference_definition) @url
  (inline) @inline
]]

local INLINE = [[
  (strong_emphasis) @strong
  (emphasis) @emphasis
  (strikethrough) @strike
  (code_span) @code
  [(link_text) (image_description) (link_label)] @link
  [(link_destination) (uri_autolink) (email_autolink)] @url
  [(emphasis_delimiter) (code_span_delimiter)] @delimiter
  ["[" "]" "(" ")" "!"] @bracket
  (backslash_escape) @escape
]]

---What of a link is hidden besides its brackets.
local LINKS = {
  inline_link = "link_destination",
  image = "link_destination",
  full_reference_link = "link_label",
  collapsed_reference_link = "",
}

local GROUPS = {
  heading = "PiviSubheading",
  marker = "PiviMarker",
  list = "PiviList",
  quote = "PiviQuote",
  rule = "PiviMarker",
  strong = "PiviStrong",
  emphasis = "PiviEmphasis",
  strike = "PiviStrike",
  code = "PiviCode",
  link = "PiviLink",
  url = "PiviUrl",
}

---Without one of these a text has nothing for the inline parser.
local MARKUP = "[%*_`%[<~\\]"

---@type table<string, vim.treesitter.Query>
local queries = {}

---@param lang string
---@param text string
---@return vim.treesitter.Query
local function query(lang, text)
  queries[lang] = queries[lang] or vim.treesitter.query.parse(lang, text)
  return queries[lang]
end

---@param node TSNode
---@return "left"|"right"|"center"
local function alignment(node)
  local left, right = false, false
  for mark in node:iter_children() do
    left = left or mark:type() == "pipe_table_align_left"
    right = right or mark:type() == "pipe_table_align_right"
  end
  return left and right and "center" or right and "right" or "left"
end

---@param node TSNode
---@return integer[][] cells first and end column of each, its blanks included
---@return ("left"|"right"|"center")[] align where it is the row of dashes
local function cells_of(node)
  local cells, align = {}, {}
  local _, first = node:range()
  local from, stop = first, first
  for child in node:iter_children() do
    local kind = child:type()
    local _, col, _, end_col = child:range()
    if kind == "|" then
      if #cells > 0 or col > first then
        cells[#cells + 1] = { from, col }
      end
      from = end_col
    elseif kind ~= "block_continuation" then
      stop = end_col
      if kind == "pipe_table_delimiter_cell" then
        align[#align + 1] = alignment(child)
      end
    end
  end
  if stop > from then
    cells[#cells + 1] = { from, stop }
  end
  return cells, align
end

---@param node TSNode
---@return pivi.Table
local function table_of(node)
  local found = { row = (node:range()), cells = {}, align = {} }
  for child in node:iter_children() do
    local kind = child:type()
    if kind:find("^pipe_table_.*row$") or kind == "pipe_table_header" then
      local cells, align = cells_of(child)
      found.cells[#found.cells + 1] = cells
      if kind == "pipe_table_delimiter_row" then
        found.align = align
      end
    end
  end
  return found
end

---@param lang string
---@param text string
---@return vim.treesitter.LanguageTree
local function parser_of(lang, text)
  return vim.treesitter.get_string_parser(text, lang, { injections = { [lang] = "" } })
end

---@param node TSNode
---@param name string its capture
---@param add fun(node: TSNode, group?: string, conceal?: string)
local function inline_node(node, name, add)
  local parent = node:parent()
  local hidden = parent and LINKS[parent:type()]
  if name == "delimiter" then
    return add(node, "PiviMarker", "")
  elseif name == "bracket" then
    return hidden and add(node, nil, "")
  end
  add(node, GROUPS[name])
  if hidden == node:type() then
    add(node, nil, "")
  end
end

---@param text string
---@param regions Range6[][]
---@param spans pivi.Span[]
local function inline(text, regions, spans)
  local parser = parser_of("markdown_inline", text)
  parser:set_included_regions(regions)
  parser:parse(true)
  local asked = query("markdown_inline", INLINE)
  local function add(node, group, conceal)
    local row, col, end_row, end_col = node:range()
    spans[#spans + 1] = { row, col, end_row, end_col, group = group, conceal = conceal }
  end
  for _, tree in pairs(parser:trees()) do
    for id, node in asked:iter_captures(tree:root(), text, 0, -1) do
      local name = asked.captures[id]
      if name == "escape" then
        local row, col = node:range()
        spans[#spans + 1] = { row, col, row, col + 1, group = "PiviMarker", conceal = "" }
      else
        inline_node(node, name, add)
      end
    end
  end
end

---@param node TSNode
---@param name string its capture
---@param text string
---@return string? group
local function block_group(node, name, text)
  if name == "continuation" then
    -- Within lists these are blanks, and those within quotes may be too.
    return vim.treesitter.get_node_text(node, text):find(">", 1, true) and "PiviMarker" or nil
  elseif name == "cell" then
    return node:parent():type() == "pipe_table_header" and "PiviStrong" or nil
  end
  return GROUPS[name]
end

---@param text string lines joined by LF
---@return pivi.Span[]
---@return pivi.Table[]
function M.spans(text)
  local spans, tables, regions = {}, {}, {}
  if not text:find("[%*_`%[<~\\#>|%-+=%d]") then
    return spans, tables
  end
  local parser = parser_of("markdown", text .. "\n")
  local asked = query("markdown", BLOCKS)
  for id, node in asked:iter_captures(parser:parse()[1]:root(), text, 0, -1) do
    local name = asked.captures[id]
    if name == "inline" or name == "cell" then
      if vim.treesitter.get_node_text(node, text):find(MARKUP) then
        regions[#regions + 1] = { { node:range(true) } }
      end
    elseif name == "table" then
      tables[#tables + 1] = table_of(node)
    end
    local group = block_group(node, name, text)
    if group then
      local row, col, end_row, end_col = node:range()
      spans[#spans + 1] = { row, col, end_row, end_col, group = group }
    end
  end
  if #regions > 0 then
    inline(text .. "\n", regions, spans)
  end
  return spans, tables
end

---What the first text has to wait for, in steps that are short each.
---@type (fun())[]
M.PREPARATIONS = {
  function()
    return vim.treesitter.get_string_parser
  end,
  function()
    vim.treesitter.language.add("markdown")
    vim.treesitter.language.add("markdown_inline")
  end,
  function()
    query("markdown", BLOCKS)
  end,
  function()
    query("markdown_inline", INLINE)
  end,
  function()
    parser_of("markdown", "a"):parse()
  end,
  function()
    M.spans("*a*")
  end,
}

return M
