"""How long the session browser holds the editor while it fills, is filtered and ordered anew."""

from __future__ import annotations

import time
from pathlib import Path

from tests.support.editor import Editor, options
from tests.support.home import PiHome
from tests.support.pi import Pi

_MEASURE = """
local last = vim.uv.hrtime()
_G.longest = 0
vim.uv.new_timer():start(1, 1, function()
  local now = vim.uv.hrtime()
  _G.longest = math.max(_G.longest, (now - last) / 1e6 - 1)
  last = now
end)
"""
_WARM = """
local params = { cwd = vim.fn.getcwd(), options = require('pivi.config').for_host() }
require('pivi.host').request('names', params, function() _G.warm = true end)
"""
_SHOWN = """
  local b = require('pivi.browser').of(vim.fn.bufnr('pivi-sessions://'))
  return not b.look and not b.painting and not b.due and b.list.matches > 0
"""


def hold(version: str, pi: Pi, home: PiHome, project: Path) -> float:
    """Milliseconds of the longest hold, host warm; the cache is as it is found."""
    editor = Editor(version, home, options(pi), cwd=project, size=(120, 40))
    try:
        editor.lua(_WARM)
        editor.wait_for("return _G.warm")
        editor.lua(_MEASURE)
        editor.command("Pi sessions")
        editor.wait_for(_SHOWN, timeout=60)
        for keys in ("/window", "<C-c>", "on", "ot"):
            editor.nvim.input(keys)
            time.sleep(0.3)
            editor.wait_for(_SHOWN)
        return float(editor.lua("return _G.longest"))
    finally:
        editor.close()
