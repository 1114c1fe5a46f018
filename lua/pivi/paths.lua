---Paths in a line of text, with the line that they point to. Pure.
local M = {}

---@class pivi.Path
---@field path string
---@field lnum? integer
---@field col? integer

---What may stand behind a path: its line and column, as compilers, grep and people write them.
local PLACES = {
  "^(.-):(%d+):(%d+)",
  "^(.-):(%d+)%-%d+",
  "^(.-):(%d+)",
  "^(.-)%((%d+),%s*(%d+)%)",
  "^(.-)%((%d+)%)",
  "^(.-)#L(%d+)",
}

---A word as a path and its place.
---@param word string
---@return pivi.Path
local function split(word)
  word = word:gsub("^file://", "")
  for _, pattern in ipairs(PLACES) do
    local path, lnum, col = word:match(pattern)
    if path and path ~= "" then
      return { path = path, lnum = tonumber(lnum), col = tonumber(col) }
    end
  end
  return { path = (word:gsub("[.,;:!?]+$", "")) }
end

---The words that a path may be: quoted ones whole, else up to a blank, without brackets around them.
---@param line string
---@return {first: integer, last: integer, word: string}[] columns are 1-based bytes
local function words(line)
  local found = {}
  for first, word, last in line:gmatch("()[\"'`]([^\"'`]+)[\"'`]()") do
    found[#found + 1] = { first = first, last = last - 1, word = word }
  end
  for first, word, last in line:gmatch("()([^%s\"'`<>|]+)()") do
    local lead = word:match("^[%[({*]+") or ""
    word = word:sub(#lead + 1)
    if not word:find("%(%d+[%d, ]*%)") then
      word = word:gsub("[%])}*]+[.,;:]*$", "")
    end
    found[#found + 1] = { first = first + #lead, last = last - 1, word = word }
  end
  return found
end

---What may be a path at a column, the likeliest first.
---@param line string
---@param col integer 1-based byte
---@return pivi.Path[]
function M.at(line, col)
  local found = {}
  for _, word in ipairs(words(line)) do
    if col >= word.first and col <= word.last and word.word ~= "" then
      local path = split(word.word)
      -- Python: File "a.py", line 12
      path.lnum = path.lnum or tonumber(line:sub(word.last + 1):match("^,? line (%d+)"))
      found[#found + 1] = path
      if path.path:find("^[ab]/") then
        found[#found + 1] = { path = path.path:sub(3), lnum = path.lnum, col = path.col }
      end
      found[#found + 1] = { path = word.word }
    end
  end
  return found
end

---@class pivi.Tool a tool whose calls name a path
---@field path "subject"|"in" all of the heading behind the tool's name is it, or what follows the last "in"
---@field lines boolean it is a file's, and lines of that file stand below
---@field part boolean the first and the last of these may stand behind the path

---What a tool's heading says that it works on, with the first line of it.
---@param tools table<string, pivi.Tool> by name
---@param heading string
---@return pivi.Path?
---@return boolean? lines whether lines of that file stand below
function M.of_heading(tools, heading)
  local name, subject = heading:match("^### (%S+) (.+)$")
  local tool = tools[name]
  if not tool then
    return nil
  elseif tool.path == "in" then
    local path = subject:match(".* in (.-) %b()$") or subject:match(".* in (.*)$")
    return path and { path = path }, tool.lines
  end
  local path, lnum = nil, nil
  if tool.part then
    path, lnum = subject:match("^(.-):(%d+)%-?%d*$")
  end
  return path and { path = path, lnum = tonumber(lnum) } or { path = subject }, tool.lines
end

return M
