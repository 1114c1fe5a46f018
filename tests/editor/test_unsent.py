"""Words on their way to Pi, and drafts: whatever ends then, they are found again, and none twice."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import StartEditor
from tests.editor.test_ending import _HOST
from tests.support.editor import Editor, options
from tests.support.home import PiHome
from tests.support.model import Model, Reply
from tests.support.pi import Pi
from tests.support.stored import bucket, store

_DRAFT = """
local buf = vim.fn.bufnr('pivi-prompt://')
return buf > 0 and table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, true), '\\n') or nil
"""


@pytest.fixture
def file(pi: Pi) -> Path:
    return store(bucket(pi.home.sessions_dir, pi.home.project), pi.home.project, "aaaa-1111", "first")


@pytest.fixture
def other(nvim_version: str, pi: Pi) -> Iterator[Editor]:
    """A second Neovim of the same user; each may end while the other goes on."""
    editor = Editor(nvim_version, PiHome(pi.home.root), options(pi))
    yield editor
    editor.close()


@pytest.fixture
def slow(start_nvim: StartEditor, pi: Pi) -> Editor:
    """A Neovim whose Pi does not come up."""
    program = pi.home.root / "slow"
    program.write_text('#!/bin/sh\ncase "$*" in *--version*) echo 1.6.0; exit;; esac\nsleep 60; true\n')
    program.chmod(0o755)
    return start_nvim(settings={"pi": {"command": [str(program)], "env": pi.home.pi_env}})


def kept(pi: Pi) -> list[Path]:
    """What is on disk of words."""
    return sorted((pi.home.root / "xdg" / "state" / "nvim" / "pivi" / "words").glob("*"))


def prompts(file: Path) -> list[str]:
    records = map(json.loads, file.read_text().splitlines())
    messages = [one["message"] for one in records if one["type"] == "message"]
    return [one["content"][0]["text"] for one in messages if one["role"] == "user"]


def resume(nvim: Editor) -> None:
    nvim.command("Pi resume")
    nvim.wait_events("PiviPainted", "PiviAttached", "PiviBackfilled")
    nvim.wait_for("return vim.b.pivi.phase == 'idle'")


def held(nvim: Editor, *texts: str) -> None:
    """Said while Pi starts."""
    nvim.command("Pi resume")
    nvim.wait_for("return (vim.b.pivi or {}).phase == 'starting'")
    for text in texts:
        nvim.command(f"Pi send {text}")
    nvim.lua("vim.wait(50)")


def no_draft(nvim: Editor) -> None:
    nvim.lua("vim.wait(200)")
    assert not nvim.lua(_DRAFT)


@pytest.mark.matrix
def test_the_host_is_killed_while_pi_starts(slow: Editor, pi: Pi, file: Path) -> None:
    held(slow, "precious words", "and more")
    os.kill(slow.lua(_HOST), signal.SIGKILL)
    slow.wait_for("return vim.b.pivi.phase == 'failed'")
    assert slow.lua(_DRAFT) == "precious words\n\nand more"
    assert slow.lua("return vim.fn.bufname(vim.fn.bufnr('pivi-prompt://'))") == "pivi-prompt://aaaa-1111"
    slow.wait_for("return vim.fn.execute('messages'):find('your words are kept', 1, true)")
    assert slow.messages().count("Python host ended") == 2, "once for each of what was said"


@pytest.mark.matrix
@pytest.mark.parametrize("how", ["qa!", "SIGKILL"])
def test_neovim_ends_while_pi_starts(
    slow: Editor, start_nvim: StartEditor, pi: Pi, file: Path, how: str
) -> None:
    held(slow, "precious words")
    if how == "qa!":
        slow.close()
    else:
        slow.kill()
    nvim = start_nvim()
    resume(nvim)
    nvim.wait_for(_DRAFT)
    assert nvim.lua(_DRAFT) == "precious words"
    assert "your words are kept in :sbuffer" in nvim.messages()
    nvim.command("sbuffer pivi-prompt:// | %Pi send")
    nvim.wait_event("PiviSettled")
    assert prompts(file) == ["first", "precious words"]
    assert nvim.lua(_DRAFT) == ""
    assert kept(pi) == []


def test_what_was_said_before_anything_was_open(
    slow: Editor, start_nvim: StartEditor, pi: Pi, model: Model
) -> None:
    slow.command("Pi send into the blue")
    slow.lua("vim.wait(300)")
    slow.close()
    nvim = start_nvim()
    nvim.command("Pi new")
    nvim.wait_for(_DRAFT)
    assert nvim.lua(_DRAFT) == "into the blue"
    assert model.requests == []


def test_neovim_is_killed_while_words_wait_for_their_turn(
    start_nvim: StartEditor, pi: Pi, model: Model, file: Path
) -> None:
    nvim = start_nvim()
    resume(nvim)
    model.script(Reply(text="half of an answer", hold_after=2))
    nvim.command("Pi send begin")
    model.wait_held()
    nvim.command("Pi send later")
    nvim.wait_for("return #require('pivi.unsent').on_the_way() == 1")
    nvim.kill()
    assert prompts(file) == ["first", "begin"]
    again = start_nvim()
    resume(again)
    again.wait_for(_DRAFT)
    assert again.lua(_DRAFT) == "later"


def test_what_pi_has_stored_does_not_come_back(
    start_nvim: StartEditor, pi: Pi, model: Model, file: Path
) -> None:
    nvim = start_nvim()
    resume(nvim)
    # Neovim is not told any more that they are stored.
    nvim.lua("require('pivi.inbox').words_stored = function() end")
    nvim.command("Pi send stored already")
    nvim.wait_event("PiviSettled")
    assert len(kept(pi)) == 1
    nvim.close()
    again = start_nvim()
    resume(again)
    no_draft(again)
    assert kept(pi) == []


def test_the_same_words_again_are_not_those_from_before(
    slow: Editor, start_nvim: StartEditor, pi: Pi, file: Path
) -> None:
    held(slow, "first")
    slow.close()
    nvim = start_nvim()
    resume(nvim)
    nvim.wait_for(_DRAFT)
    assert nvim.lua(_DRAFT) == "first"


def test_a_draft_that_is_written_on_outlives_neovim(
    slow: Editor, start_nvim: StartEditor, pi: Pi, file: Path
) -> None:
    held(slow, "begun")
    slow.command("Pi stop")
    slow.wait_for(_DRAFT)
    slow.command("sbuffer pivi-prompt://")
    slow.nvim.input("Goand written on<Esc>")
    slow.wait_for("return vim.fn.line('$') == 2")
    slow.command("bdelete")
    slow.command("sbuffer pivi-prompt://")
    assert slow.text() == "begun\nand written on"
    slow.close()
    nvim = start_nvim()
    resume(nvim)
    nvim.wait_for(_DRAFT)
    assert nvim.lua(_DRAFT) == "begun\nand written on"
    nvim.command("bwipe! pivi-prompt://")
    assert kept(pi) == []


def test_a_running_neovim_keeps_its_own(slow: Editor, other: Editor, pi: Pi, file: Path) -> None:
    held(slow, "mine")
    resume(other)
    no_draft(other)
    assert len(kept(pi)) == 1


def test_a_buffer_that_is_closed_while_pi_starts(slow: Editor, pi: Pi, file: Path) -> None:
    held(slow, "precious words")
    slow.command("bwipe!")
    slow.wait_for(_DRAFT)
    assert slow.lua(_DRAFT) == "precious words"
    assert slow.lua("return vim.fn.bufname(vim.fn.bufnr('pivi-prompt://'))") == "pivi-prompt://aaaa-1111"


@pytest.mark.matrix
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_on_a_full_disk_what_was_kept_stays_and_the_user_is_told_once(
    start_nvim: StartEditor, pi: Pi
) -> None:
    nvim = start_nvim()
    draft = "require('pivi.unsent').keep_draft('aaaa', ...)"
    nvim.lua(draft, "begun")
    (file,) = kept(pi)
    for text in ("begun and", "begun and written on"):
        file.with_name(f"{file.name}.{nvim.pid}").symlink_to("/dev/full")
        nvim.lua(draft, text)
        nvim.lua("vim.wait(20)")
        # Else reading it would never end.
        assert not file.is_symlink()
    assert json.loads(file.read_text())["text"] == "begun"
    assert nvim.messages().count("your words are not kept on disk") == 1
    assert "No space left" in nvim.messages()
    assert nvim.lua("return table.concat(require('pivi.log').lines(), ' ')").count("are not kept") == 2
    nvim.lua(draft, "begun and written on again")
    assert [json.loads(path.read_text())["text"] for path in kept(pi)] == ["begun and written on again"]


def test_where_words_can_not_be_put_the_user_is_told(start_nvim: StartEditor, pi: Pi) -> None:
    nvim = start_nvim()
    state = pi.home.root / "xdg" / "state" / "nvim" / "pivi"
    state.parent.mkdir(parents=True, exist_ok=True)
    state.write_text("no directory")
    nvim.lua("require('pivi.unsent').keep('words')")
    nvim.wait_for("return vim.fn.execute('messages'):find('your words are not kept on disk', 1, true)")
    assert nvim.lua("return require('pivi.unsent').get(1).text") == "words"
