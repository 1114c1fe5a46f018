"""Folds that a reader opens and closes while a large session is read stay so when all of it is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench.sessions import Writer
from tests.conftest import StartEditor
from tests.support.editor import Editor
from tests.support.pi import Pi
from tests.support.stored import bucket

pytestmark = pytest.mark.matrix

MB = 1 << 20

_HALF = "return vim.api.nvim_buf_line_count(0) > 5000 and (vim.b.pivi or {}).reading ~= nil"
_ACT = """
local keys, pattern = ...
vim.fn.cursor(vim.fn.line('$') - 4000, 1)
local lnum = vim.fn.search(pattern, 'W')
assert(lnum > 0, pattern)
vim.cmd.normal({ keys, bang = true })
return { vim.fn.line('$') - lnum, vim.fn.foldclosed(lnum) }
"""
_SHAPE = """
local rows = ...
local shape, last = {}, vim.fn.line('$')
for lnum = last - rows, last do
  local closed = vim.fn.foldclosed(lnum)
  shape[#shape + 1] = vim.fn.foldlevel(lnum) .. (closed == -1 and '.' or closed == lnum and '+' or '-')
end
return table.concat(shape, ' ')
"""
_STATES = """
local open, closed = 0, 0
for lnum = 1, vim.fn.line('$') do
  if vim.fn.foldlevel(lnum) > vim.fn.foldlevel(lnum - 1) then
    if vim.fn.foldclosed(lnum) == -1 then open = open + 1 else closed = closed + 1 end
  end
end
return { open, closed }
"""


_MADE = """
local c, win = require('pivi.conversations').by_buf(0), vim.api.nvim_get_current_win()
return vim.bo.filetype == 'pivi' and c.windows[win].tick == c.page.tick and not c.windows[win].queue
"""


@pytest.fixture
def large(pi: Pi) -> Path:
    """A session of 20 MB."""
    path = bucket(pi.home.sessions_dir, pi.home.project) / "2026-11-01T12-00-00-000Z_large.jsonl"
    Writer(path, 20 * MB, pi.home.project)
    return path


def half_read(nvim: Editor) -> None:
    nvim.command("Pi resume")
    nvim.wait_event("PiviPainted")
    nvim.wait_for(_HALF)


def complete(nvim: Editor) -> None:
    assert nvim.lua("return vim.b.pivi.reading ~= nil"), "it was all there before the folds were touched"
    nvim.wait_event("PiviBackfilled", timeout=60)
    nvim.wait_for("return vim.b.pivi.phase == 'idle'")
    assert nvim.messages() == ""


def test_one_by_one(start_nvim: StartEditor, large: Path) -> None:
    nvim = start_nvim(size=(80, 24))
    half_read(nvim)
    nvim.command("split")
    rows = []
    for keys, pattern in (("zo", "^### bash"), ("zc", "^### edit"), ("za", "^### read")):
        below, closed = nvim.lua(_ACT, keys, pattern)
        assert (closed == -1) == (keys != "zc")
        rows.append(below)
    shape = nvim.lua(_SHAPE, 4000)
    nvim.command("wincmd w")
    other = nvim.lua(_SHAPE, 4000)
    complete(nvim)
    assert nvim.lua(_SHAPE, 4000) == other != shape
    nvim.command("wincmd w")
    assert nvim.lua(_SHAPE, 4000) == shape
    assert len(set(rows)) == 3


@pytest.mark.parametrize(("keys", "states"), [("zM", [False, True]), ("zR", [True, False])])
def test_all_of_them(start_nvim: StartEditor, large: Path, keys: str, states: list[bool]) -> None:
    nvim = start_nvim(size=(80, 24))
    half_read(nvim)
    nvim.command("split")
    nvim.command(f"normal! {keys}")
    shape = nvim.lua(_SHAPE, 4000)
    complete(nvim)
    assert nvim.lua(_SHAPE, 4000) == shape
    assert [count > 0 for count in nvim.lua(_STATES)] == states, "what comes later too"
    nvim.command("wincmd w")
    assert all(count > 0 for count in nvim.lua(_STATES)), "the other window is as it was"


def test_while_it_is_hidden(start_nvim: StartEditor, large: Path) -> None:
    nvim = start_nvim(size=(80, 24))
    half_read(nvim)
    for keys, pattern in (("zo", "^### bash"), ("zc", "^### edit")):
        nvim.lua(_ACT, keys, pattern)
    shape = nvim.lua(_SHAPE, 4000)
    nvim.command("enew")
    nvim.wait_event("PiviBackfilled", timeout=60)
    unmade = nvim.lua(f"vim.cmd('buffer pivi://') return not (function() {_MADE} end)()")
    assert unmade, "all folds were there before"
    nvim.command("enew | buffer pivi://")
    nvim.wait_for(_MADE)
    assert nvim.lua(_SHAPE, 4000) == shape
    assert nvim.messages() == ""


@pytest.mark.parametrize(("keys", "states"), [("zM", [False, True]), ("zR", [True, False])])
def test_while_its_folds_are_made(
    start_nvim: StartEditor, large: Path, keys: str, states: list[bool]
) -> None:
    nvim = start_nvim(size=(80, 24))
    half_read(nvim)
    nvim.command("enew")
    nvim.wait_event("PiviBackfilled", timeout=60)
    unmade = nvim.lua(f"vim.cmd('buffer pivi:// | normal! {keys}') return not (function() {_MADE} end)()")
    assert unmade, "all folds were there before"
    nvim.wait_for(_MADE)
    assert [count > 0 for count in nvim.lua(_STATES)] == states
    assert nvim.messages() == ""


def test_a_fold_level_of_the_users_own_is_no_wish(start_nvim: StartEditor, large: Path) -> None:
    nvim = start_nvim("--cmd", "autocmd FileType pivi setlocal foldlevel=99", size=(80, 24))
    half_read(nvim)
    complete(nvim)
    few, many = sorted(nvim.lua(_STATES))
    assert few > 0 and many > 0
