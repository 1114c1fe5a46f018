"""A transcript that is left, emptied or closed while Pi talks or its session is read comes back whole."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from pivi.pi.records import decode_lines
from pivi.transcript.stored import Transcript
from tests.bench.sessions import Writer
from tests.conftest import StartEditor
from tests.editor.test_turns import busy, page, resume, say, status, stored
from tests.support.editor import Editor
from tests.support.entries import header_of
from tests.support.model import Model, Reply, ToolCall
from tests.support.pi import Pi
from tests.support.stored import bucket
from tests.unit.view.editor import at_once

COMMANDS = ["q", "bd!", "bw!", "e!", "silent! %d", "only", "tabclose", "b other", "hide", "enew", "bunload!"]
ALONE, TWICE, BESIDE = "silent only", "split", "split other | wincmd p"
"""In its tab page's only window, in two of them, or beside another buffer."""
WAYS = [
    *((command, BESIDE) for command in COMMANDS),
    *((command, TWICE) for command in ("q", "bd!", "bw!", "e!", "silent! %d", "only", "b other")),
    *((command, ALONE) for command in ("bd!", "bw!", "e!", "enew")),
]
BACK = """
local status = vim.b.pivi or {}
return vim.bo.filetype == 'pivi' and status.phase == 'idle' and not status.reading and vim.fn.line('$') > 1
"""


def leave(nvim: Editor, command: str, windows: str) -> None:
    nvim.command(f"badd other | {windows}")
    nvim.command("tab split | tabclose" if command == "tabclose" else command)


def come_back(nvim: Editor) -> None:
    nvim.command("Pi resume")
    nvim.wait_for(BACK)


def stored_lines(file: str) -> list[str]:
    """The file as text, by the host's own functions."""
    lines = Path(file).read_bytes().splitlines()
    transcript = Transcript(header_of(lines[0]))
    transcript.extend(decode_lines(lines[1:]))
    return at_once(transcript.blocks()).lines


def is_whole(nvim: Editor, *words: str) -> None:
    """What is shown is, once it is painted, what the same file shows when read anew; it has these words."""
    assert nvim.messages() == ""
    file, until = status(nvim)["session_file"], time.monotonic() + 15
    # The last reply's own fold comes when the turn has settled.
    while nvim.lines() != stored_lines(file) or not nvim.lua("return vim.fn.foldlevel('$') > 0"):
        nvim.lua("vim.wait(20)")
        assert time.monotonic() < until
    assert [text for text in words if text not in nvim.text()] == []
    shown = page(nvim)
    nvim.command("bwipe!")
    nvim.command(f"Pi view {file}")
    nvim.wait_for("return (vim.b.pivi or {}).phase == 'view' and not vim.b.pivi.reading")
    assert shown == page(nvim)


@pytest.mark.parametrize(("command", "windows"), WAYS)
def test_while_an_answer_streams(
    pi: Pi, model: Model, start_nvim: StartEditor, command: str, windows: str
) -> None:
    stored(pi)
    nvim = start_nvim(size=(80, 24))
    resume(nvim)
    busy(nvim, model, "tell me")
    leave(nvim, command, windows)
    model.release()
    come_back(nvim)
    is_whole(nvim, "first", "tell me")


@pytest.mark.parametrize(("command", "windows"), WAYS)
def test_while_a_session_is_read(pi: Pi, start_nvim: StartEditor, command: str, windows: str) -> None:
    project = pi.home.project
    file = bucket(pi.home.sessions_dir, project) / "2026-11-01T12-00-00-000Z_large.jsonl"
    Writer(file, 3 << 20, project)
    nvim = start_nvim(size=(80, 24))
    nvim.command("Pi resume")
    nvim.wait_event("PiviPainted")
    leave(nvim, command, windows)
    come_back(nvim)
    is_whole(nvim)


@pytest.mark.parametrize("how", ["enew", "hide", "quit"])
@pytest.mark.parametrize(("keys", "closed"), [("zo", False), ("zRzc", True)])
def test_folds_stay_while_it_is_hidden(
    pi: Pi, model: Model, start_nvim: StartEditor, how: str, keys: str, closed: bool
) -> None:
    stored(pi)
    nvim = start_nvim(size=(80, 24))
    nvim.command("split")
    resume(nvim)
    model.script(Reply(tool_calls=[ToolCall("bash", {"command": "seq 50"})]))
    say(nvim, "count")
    nvim.lua("vim.fn.search('^### bash')")
    nvim.command(f"normal! {keys}")
    nvim.command(how)
    nvim.lua("require('pivi').send('once more', { buf = vim.fn.bufnr('pivi://') })")
    nvim.wait_event("PiviSettled")
    nvim.command("buffer pivi://")
    assert "once more" in nvim.text()
    row = nvim.lua("return vim.fn.search('^### bash', 'bw')")
    assert nvim.lua("return {vim.fn.foldlevel('.'), vim.fn.foldclosed('.')}") == [2, row if closed else -1]
