---Foreign text for one line of the screen: titles, names, paths, messages, prompts.
local M = {}

---What a terminal takes for an order, whole.
local SEQUENCES = {
  -- CSI: parameters, intermediates, the final letter, which a torn one lacks
  "\27%[[0-?]*[ -/]*[@-~]?",
  -- OSC, DCS, SOS, PM, APC up to their end
  "\27[%]PX^_][^%c]*\7",
  "\27[%]PX^_][^%c]*\27\\",
  -- two characters, and what is left of a torn one
  "\27[ -/]*[0-~]?",
}

---Characters that let text be read in another order than it is stored.
local DIRECTIONS = { "\216\156", "\226\128[\142\143\170-\174]", "\226\129[\166-\169]" }

---Characters of UTF-8 beyond ASCII.
local UTF8 = {
  "[\194-\223][\128-\191]",
  "\224[\160-\191][\128-\191]",
  "[\225-\236\238\239][\128-\191][\128-\191]",
  "\237[\128-\159][\128-\191]",
  "\240[\144-\191][\128-\191][\128-\191]",
  "[\241-\243][\128-\191][\128-\191][\128-\191]",
  "\244[\128-\143][\128-\191][\128-\191]",
}

---Bytes beyond ASCII, each that is in no character as a question mark.
---@param bytes string
---@return string
local function readable(bytes)
  local parts, at = {}, 1
  while at <= #bytes do
    local stop
    for _, char in ipairs(UTF8) do
      stop = stop or select(2, bytes:find("^" .. char, at))
    end
    parts[#parts + 1] = stop and bytes:sub(at, stop) or "?"
    at = (stop or at) + 1
  end
  return table.concat(parts)
end

---@param text string
---@return string valid UTF-8: what Neovim gives, a path for one, may be none
local function decoded(text)
  local rest = text
  for _, char in ipairs(UTF8) do
    rest = rest:gsub(char, " ")
  end
  return rest:find("[\128-\255]") and text:gsub("[\128-\255]+", readable) or text
end

---A control of one byte (C1) as what it stands for: NEL as the line's end that it is, others as ESC and a letter.
---@param byte string the second one of its UTF-8
---@return string
local function escaped(byte)
  return byte == "\133" and "\n" or "\27" .. string.char(byte:byte() - 64)
end

---@param text string
---@return string one line without control characters, sequences and marks of direction, no blank at its end
function M.line(text)
  if text:find("[\128-\255]") then
    text = decoded(text)
  end
  if text:find("[%c\194\216\226]") then
    text = text:gsub("\194([\128-\159])", escaped)
    for _, pattern in ipairs(SEQUENCES) do
      text = text:gsub(pattern, "")
    end
    text = text:gsub("\226\128[\168\169]", " "):gsub("%c", " ")
    for _, pattern in ipairs(DIRECTIONS) do
      text = text:gsub(pattern, "")
    end
  end
  return text:match("^.*%S") or ""
end

---The same for the winbar or the status line, which would run `%{…}`.
---@param text string
---@return string
function M.bar(text)
  return (M.line(text):gsub("%%", "%%%%"))
end

---The same as a part of a buffer's name.
---@param text string
---@return string
function M.name(text)
  return (M.line(text):gsub("%s", "_"))
end

---@param text string
---@return string[] its lines, each as `line` has it, without empty ones at the end
function M.lines(text)
  local found = vim.tbl_map(M.line, vim.split(text, "\n", { plain = true }))
  while #found > 1 and found[#found] == "" do
    found[#found] = nil
  end
  return found
end

return M
