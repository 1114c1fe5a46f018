"""How long the session browser holds the editor, and how soon its preview is there."""

from __future__ import annotations

import time
from pathlib import Path
from typing import NamedTuple

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


_PREVIEWED = """
local path, entry = ...
_G.painted = nil
local start = vim.uv.hrtime()
local params = { path = path, entry = entry, rows = 80, options = require('pivi.config').for_host() }
require('pivi.host').request('preview', params, function(value)
  local preview = require('pivi.preview')
  preview.paint(preview.stand_in(vim.api.nvim_create_buf(false, true)), value, false)
  assert(value.at)
  _G.painted = (vim.uv.hrtime() - start) / 1e6
end)
"""
_KEY = """
local buf = vim.fn.bufnr('pivi-preview://')
local tick, start, timer = vim.b[buf].changedtick, vim.uv.hrtime(), vim.uv.new_timer()
_G.painted = nil
vim.api.nvim_input('j')
timer:start(1, 1, vim.schedule_wrap(function()
  if not timer:is_closing() and vim.b[buf].changedtick ~= tick then
    timer:close()
    _G.painted = (vim.uv.hrtime() - start) / 1e6
  end
end))
"""


class Previewed(NamedTuple):
    """Milliseconds to the preview by the key `j`, then at each entry; and of the longest hold."""

    took: list[float]
    hold: float


def preview(version: str, pi: Pi, home: PiHome, project: Path, path: Path, entries: list[str]) -> Previewed:
    """The preview of a session that stands below another one, host warm."""
    editor = Editor(version, home, options(pi), cwd=project, size=(200, 40))
    try:
        editor.command("Pi sessions")
        editor.wait_for(_SHOWN, timeout=60)
        editor.command("normal! gg")
        editor.wait_for("return vim.fn.bufnr('pivi-preview://') > 0", timeout=60)
        time.sleep(0.3)
        editor.lua(_MEASURE)
        editor.lua(_KEY)
        editor.wait_for("return _G.painted", timeout=60)
        took = [float(editor.lua("return _G.painted"))]
        for entry in entries:
            editor.lua(_PREVIEWED, str(path), entry)
            editor.wait_for("return _G.painted", timeout=60)
            took.append(float(editor.lua("return _G.painted")))
        return Previewed(took, float(editor.lua("return _G.longest")))
    finally:
        editor.close()
