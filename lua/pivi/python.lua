---Which Python runs the host, and what it lacks.
local config = require("pivi.config")

local M = {}

---The plugin's root folder.
M.ROOT = vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, "S").source:sub(2)))))

---What the host imports and Python does not bring.
M.PACKAGES = { "pynvim", "msgspec", "platformdirs" }

---What it can do without: then no session can be moved to the trash.
M.TRASH = "send2trash"

---Exit statuses of the start below, far from those of Python and of signals.
M.MISSING, M.TOO_OLD, M.BROKEN = 91, 92, 93

---Looks for the packages in the process that becomes the host, so that a healthy start asks nobody twice.
M.CHECK = ([[
import sys
if sys.version_info < (3, 10):
    print("pivi needs Python 3.10 or newer; this is " + sys.version.split()[0], file=sys.stderr)
    sys.exit(%d)
missing = []
for name in "%s".split():
    try:
        __import__(name)
    except Exception as error:
        found = getattr(error, "name", None) != name
        missing.append("%%s (%%s)" %% (name, error) if found else name)
if missing:
    print("missing: " + ", ".join(missing), file=sys.stderr)
    sys.exit(%d)
]]):format(M.TOO_OLD, table.concat(M.PACKAGES, " "), M.MISSING)

---Whether the host itself can be imported: more than its packages may be broken.
M.CHECK_HOST = ([[
import traceback
sys.path.insert(0, %q)
try:
    import pivi.host
except Exception:
    traceback.print_exc()
    sys.exit(%d)
]]):format(M.ROOT, M.BROKEN)

---@class pivi.Python
---@field path string
---@field from string how it was found, in words

---@return pivi.Python[] in order of preference; never empty
function M.candidates()
  local option = config.get().python
  if option then
    return { { path = vim.fs.normalize(option), from = "option 'python'" } }
  end
  local found = {}
  local prog = vim.g.python3_host_prog
  if type(prog) == "string" and prog ~= "" then
    found[#found + 1] = { path = vim.fn.expand(prog, true), from = "g:python3_host_prog" }
  end
  local own = M.ROOT .. "/.venv/bin/python"
  if vim.uv.fs_stat(own) then
    found[#found + 1] = { path = own, from = "the plugin's .venv" }
  end
  found[#found + 1] = { path = "python3", from = "$PATH" }
  return found
end

---@param python pivi.Python
---@return string[]
function M.command(python)
  local code = M.CHECK .. "import pynvim\npynvim.start_host()\n"
  return { python.path, "-c", code, M.ROOT .. "/rplugin/python3/pivi_host.py" }
end

return M
