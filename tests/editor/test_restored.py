"""Transcripts in a Vim session that was made with `:mksession`, and a session by its other name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import StartEditor
from tests.support.editor import Editor
from tests.support.entries import HEADER, answer, user
from tests.support.hard import json_line
from tests.support.model import Model
from tests.support.pi import Pi
from tests.support.processes import processes_with
from tests.support.stored import bucket, store

pytestmark = pytest.mark.matrix

_SHOWN = """
local shown = {}
for _, win in ipairs(vim.api.nvim_list_wins()) do
  local buf = vim.api.nvim_win_get_buf(win)
  table.insert(shown, {
    vim.fs.basename(vim.api.nvim_buf_get_name(buf)),
    (vim.b[buf].pivi or {}).phase or '',
    table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, true), '\\n'),
  })
end
return shown
"""
_COMPLETE = """
for _, win in ipairs(vim.api.nvim_list_wins()) do
  local status = vim.b[vim.api.nvim_win_get_buf(win)].pivi
  if not status or status.reading then
    return false
  end
end
return true
"""


_OPEN_WHOLE = """
local c = require('pivi.conversations').by_buf(0)
local number = require('pivi.page').at(c, vim.fn.search(...) - 1)
require('pivi.whole').open(c, number)
"""


@pytest.fixture
def file(pi: Pi) -> Path:
    return store(bucket(pi.home.sessions_dir, pi.home.project), pi.home.project, "aaaa-1111", "here")


@pytest.fixture
def far(pi: Pi) -> Path:
    """A session of another directory."""
    place = pi.home.root / "elsewhere"
    place.mkdir()
    return store(bucket(pi.home.sessions_dir, place), place, "bbbb-2222", "far away")


def running(nvim: Editor) -> int:
    """How many Pis run."""
    lines = processes_with(nvim.home.mark).values()
    return sum(line == "pi" or line.startswith("node ") for line in lines)


def resume(nvim: Editor) -> None:
    nvim.command("Pi resume")
    nvim.wait_event("PiviBackfilled")
    nvim.wait_for("return vim.b.pivi.phase == 'idle'")


def again(nvim: Editor, start_nvim: StartEditor) -> Editor:
    """Another Neovim with the same windows."""
    script = nvim.home.root / "Session.vim"
    nvim.command(f"mksession! {script}")
    nvim.close()
    restored = start_nvim("-S", str(script))
    restored.wait_for(_COMPLETE)
    return restored


def test_windows_fill_themselves_and_start_no_pi(
    start_nvim: StartEditor, pi: Pi, model: Model, file: Path, far: Path
) -> None:
    nvim = start_nvim()
    resume(nvim)
    nvim.command(f"split | Pi view {far}")
    nvim.wait_event("PiviBackfilled")
    before = nvim.lua(_SHOWN)
    nvim = again(nvim, start_nvim)
    after = nvim.lua(_SHOWN)
    assert [(name, text) for name, _, text in after] == [(name, text) for name, _, text in before]
    assert {phase for _, phase, _ in after} == {"view"}
    assert running(nvim) == 0
    nvim.command("wincmd j | Pi send and now?")
    nvim.wait_event("PiviSettled")
    assert nvim.lua("return vim.api.nvim_buf_get_name(0)") == "pivi://aaaa-1111"
    assert "You said: and now?" in nvim.text()
    assert running(nvim) == 1
    assert "E" not in {line[:1] for line in nvim.messages().splitlines()}


def test_a_vim_session_tells_no_names_and_a_whole_block_says_what_it_was(
    start_nvim: StartEditor, pi: Pi, file: Path, far: Path
) -> None:
    nvim = start_nvim()
    resume(nvim)
    nvim.command(f"split | Pi view {far}")
    nvim.wait_event("PiviBackfilled")
    nvim.lua(_OPEN_WHOLE, "^You said")
    nvim.wait_for("return vim.api.nvim_buf_get_name(0):find('pivi-block://', 1, true)")
    assert nvim.text() == "You said: far away"
    nvim.command("edit")
    nvim.wait_for("return vim.fn.getline(1) == 'You said: far away'")
    script = nvim.home.root / "Session.vim"
    nvim.command(f"mksession! {script}")
    nvim.close()
    nvim = start_nvim("-S", str(script))
    nvim.wait_for(
        "return #vim.tbl_filter(function(row) return row[2] == 'view' end, "
        "(function() " + _SHOWN + " end)()) == 2"
    )
    assert "This was a block of a transcript" in str(nvim.lua(_SHOWN))
    assert nvim.messages() == ""


def test_a_hidden_one_is_read_when_it_is_entered(start_nvim: StartEditor, pi: Pi, file: Path) -> None:
    nvim = start_nvim()
    resume(nvim)
    nvim.command("enew")
    script = nvim.home.root / "Session.vim"
    nvim.command(f"mksession! {script}")
    nvim.close()
    nvim = start_nvim("-S", str(script))
    nvim.lua("vim.wait(50)")
    nvim.command("buffer pivi://aaaa-1111")
    nvim.wait_event("PiviBackfilled")
    assert "You said: here" in nvim.text()
    assert nvim.lua("return vim.b.pivi.phase") == "view"
    nvim.command("Pi resume")
    nvim.wait_for("return vim.b.pivi.phase == 'idle'")


def test_a_branch_and_a_file_come_back_as_they_were(start_nvim: StartEditor, pi: Pi, tmp_path: Path) -> None:
    path = tmp_path / "tree.jsonl"
    records = [user("a", None, "root"), answer("b", "a", "one"), user("c", "a", "other branch")]
    path.write_bytes(b"".join(json_line(line) + b"\n" for line in [HEADER, *records]))
    stored = store(bucket(pi.home.sessions_dir, pi.home.project), pi.home.project, "cccc-3333", "words")
    nvim = start_nvim()
    nvim.command(f"edit {path}")
    nvim.wait_event("PiviBackfilled")
    nvim.command(f"split | Pi view {stored} --leaf 00000003")
    nvim.wait_event("PiviBackfilled")
    before = nvim.lua(_SHOWN)
    assert [name for name, _, _ in before] == ["cccc-3333@00000003", "tree.jsonl"]
    nvim = again(nvim, start_nvim)
    assert nvim.lua(_SHOWN) == before


def test_a_session_in_a_buffer_of_its_file_is_not_opened_twice(
    start_nvim: StartEditor, pi: Pi, file: Path
) -> None:
    nvim = start_nvim()
    nvim.command(f"edit {file}")
    nvim.wait_event("PiviBackfilled")
    nvim.command("Pi resume")
    nvim.wait_for("return vim.b.pivi.phase == 'idle'")
    buf = nvim.nvim.current.buffer.number
    nvim.command("split | edit pivi://aaaa-1111")
    nvim.wait_for("return vim.api.nvim_get_current_buf() == ...", buf)
    assert running(nvim) == 1
    assert nvim.lua("return vim.tbl_map(vim.api.nvim_win_get_buf, vim.api.nvim_list_wins())") == [buf, buf]
    assert nvim.lua("return vim.fn.bufnr('pivi://aaaa-1111')") == -1


def test_a_view_in_a_buffer_of_its_file_is_taken_up(start_nvim: StartEditor, pi: Pi, file: Path) -> None:
    nvim = start_nvim()
    nvim.command(f"edit {file}")
    nvim.wait_event("PiviBackfilled")
    buf = nvim.nvim.current.buffer.number
    nvim.command("split | edit pivi://aaaa-1111")
    nvim.wait_for("return vim.api.nvim_get_current_buf() == ...", buf)
    nvim.wait_for("return vim.b.pivi.phase == 'idle'")
    assert running(nvim) == 1


def test_the_session_browser_comes_back(start_nvim: StartEditor, pi: Pi, file: Path) -> None:
    nvim = start_nvim()
    nvim.command("Pi sessions")
    nvim.wait_for("return vim.fn.search('here', 'nw') > 0")
    script = nvim.home.root / "Session.vim"
    nvim.command(f"mksession! {script}")
    nvim.close()
    nvim = start_nvim("-S", str(script))
    nvim.wait_for("return vim.fn.search('here', 'nw') > 0")
    assert nvim.lua("return vim.bo.filetype") == "pivi-sessions"
    nvim.nvim.input("v")
    nvim.wait_event("PiviBackfilled")
    assert "You said: here" in nvim.text()
