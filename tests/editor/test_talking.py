"""The conversation goes on: prompts, live answers, and what becomes of them."""

from __future__ import annotations

import os
import signal
from typing import Any

import pytest

from tests.conftest import StartEditor
from tests.support.editor import Editor
from tests.support.model import Model, Reply, ToolCall
from tests.support.pi import Pi
from tests.support.stored import bucket, store
from tests.support.story import tell

# All that a reader sees of the current buffer: its lines, our marks, the folds of its window.
PAGE = """
local ns = vim.api.nvim_get_namespaces()['pivi.marks']
local marks = {}
for i, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, { details = true })) do
  mark[4].ns_id = nil
  marks[i] = { mark[2], mark[3], vim.inspect(mark[4]) }
end
local folds = {}
for line = 1, vim.fn.line('$') do
  folds[line] = { vim.fn.foldlevel(line), vim.fn.foldclosed(line) }
end
return { lines = vim.api.nvim_buf_get_lines(0, 0, -1, true), marks = marks, folds = folds }
"""


def resume(nvim: Editor) -> None:
    nvim.command("Pi resume")
    nvim.wait_event("PiviBackfilled")
    assert nvim.lua("return vim.b.pivi.phase") == "idle", nvim.messages()


def page(nvim: Editor) -> dict[str, Any]:
    shown: dict[str, Any] = nvim.lua(PAGE)
    return shown


@pytest.mark.matrix
def test_a_turn_seen_live_looks_like_the_same_turn_resumed(
    pi: Pi, model: Model, start_nvim: StartEditor
) -> None:
    tell(pi, model)
    nvim = start_nvim()
    resume(nvim)
    model.script(
        Reply(
            thinking="First a look, then a change.",
            text="Looking.",
            tool_calls=[
                ToolCall("bash", {"command": "cat README.md; exit 3"}),
                ToolCall("ls", {"path": "."}),
            ],
        ),
        Reply(tool_calls=[ToolCall("write", {"path": "new.txt", "content": "one\ntwo\n"})]),
        Reply(text="Done.\n\n```python\nprint(1)\n```\n"),
    )
    nvim.command("Pi send please look and write")
    nvim.wait_event("PiviTurnStarted")
    nvim.wait_event("PiviSettled")
    live = page(nvim)
    assert "please look and write" in live["lines"]
    nvim.command("bwipe!")
    resume(nvim)
    again = page(nvim)
    assert live["lines"] == again["lines"]
    assert live["marks"] == again["marks"]
    assert live["folds"] == again["folds"]


def test_a_prompt_that_is_sent_while_pi_starts_is_held_and_sent_once(
    pi: Pi, model: Model, start_nvim: StartEditor
) -> None:
    store(bucket(pi.home.sessions_dir, pi.home.project), pi.home.project, "early", "before")
    nvim = start_nvim()
    nvim.command("Pi resume")
    nvim.wait_event("PiviPainted")
    nvim.command("Pi send am I too early?")
    nvim.wait_event("PiviSettled")
    assert nvim.lines().count("am I too early?") == 1
    assert len(model.requests) == 1


def test_a_range_is_sent_as_it_stands(pi: Pi, model: Model, start_nvim: StartEditor) -> None:
    store(bucket(pi.home.sessions_dir, pi.home.project), pi.home.project, "range", "before")
    nvim = start_nvim()
    resume(nvim)
    nvim.command("split | enew | call setline(1, ['first line', '  second', 'not this'])")
    nvim.command("1,2Pi send")
    nvim.wait_event("PiviSettled")
    nvim.command("wincmd p")
    text = nvim.text()
    assert "first line\n  second\n" in text
    assert "not this" not in text


@pytest.mark.matrix
def test_a_turn_that_is_stopped_keeps_what_was_said(pi: Pi, model: Model, start_nvim: StartEditor) -> None:
    store(bucket(pi.home.sessions_dir, pi.home.project), pi.home.project, "stopped", "before")
    nvim = start_nvim()
    resume(nvim)
    model.script(Reply(text="a first part and then nothing more", piece=5, hold_after=3))
    nvim.command("Pi send tell me a long story")
    model.wait_held()
    nvim.wait_for("return vim.fn.search('a first', 'nw') > 0")
    nvim.command("Pi abort")
    nvim.wait_event("PiviSettled")
    assert nvim.lua("return vim.b.pivi.phase") == "idle"
    assert "tell me a long story" in nvim.lines()
    assert "a first" in nvim.text()


@pytest.mark.matrix
def test_no_word_is_lost_when_pi_is_killed_in_a_turn(pi: Pi, model: Model, start_nvim: StartEditor) -> None:
    path = store(bucket(pi.home.sessions_dir, pi.home.project), pi.home.project, "killed", "before")
    nvim = start_nvim()
    resume(nvim)
    model.script(Reply(text="never ends", piece=2, hold_after=2))
    nvim.command("Pi send remember these words")
    model.wait_held()
    nvim.wait_event("PiviTurnStarted")
    os.kill(pi_process(pi), signal.SIGKILL)
    nvim.wait_event("PiviExited")
    assert nvim.lua("return vim.b.pivi.phase") == "failed"
    kept = "remember these words" in path.read_text()
    everywhere = "\n".join(nvim.text(number) for number in nvim.lua("return vim.api.nvim_list_bufs()"))
    assert kept or "remember these words" in everywhere
    assert "remember these words" in everywhere
    model.release()


def pi_process(pi: Pi) -> int:
    """The process of Pi in this home."""
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                ours = pi.home.mark.encode() in file.read()
            with open(f"/proc/{name}/comm", "rb") as file:
                program = file.read().strip()
        except OSError:
            continue
        if ours and program in (b"pi", b"node", b"node-MainThread", b"MainThread"):
            return int(name)
    raise AssertionError("Pi does not run")


def test_new_fork_stop_and_restart_tell_their_events(pi: Pi, model: Model, start_nvim: StartEditor) -> None:
    nvim = start_nvim()
    nvim.command("Pi new A fresh start")
    nvim.wait_event("PiviBackfilled")
    assert nvim.lua("return vim.b.pivi.session_name") == "A fresh start"
    nvim.command("Pi send hello")
    nvim.wait_event("PiviSettled")
    first = nvim.lua("return vim.b.pivi.session_file")
    nvim.command("Pi stop")
    nvim.wait_event("PiviExited")
    assert nvim.lua("return vim.b.pivi.phase") == "stopped"
    assert "hello" in nvim.lines()
    nvim.command("Pi restart")
    nvim.wait_event("PiviAttached")
    nvim.wait_for("return vim.b.pivi.phase == 'idle'")
    nvim.command("Pi fork")
    nvim.wait_events("PiviPainted", "PiviAttached", "PiviBackfilled")
    assert nvim.lua("return vim.b.pivi.session_file") != first
    assert "hello" in nvim.lines()


def test_a_stop_and_a_restart_while_pi_starts_leave_one_pi_or_none(
    pi: Pi, model: Model, start_nvim: StartEditor
) -> None:
    store(bucket(pi.home.sessions_dir, pi.home.project), pi.home.project, "hasty", "before")
    nvim = start_nvim()
    nvim.command("Pi resume")
    nvim.wait_event("PiviPainted")
    nvim.command("Pi stop")
    nvim.wait_event("PiviExited")
    assert nvim.lua("return vim.b.pivi.phase") == "stopped"
    assert nvim.lua("return vim.b.pivi.error") is None
    nvim.command("Pi restart")
    nvim.command("Pi restart")
    nvim.wait_for("return vim.b.pivi.phase == 'idle'")
    nvim.command("Pi send still one?")
    nvim.wait_event("PiviSettled")
    assert nvim.lines().count("still one?") == 1
    assert len(model.requests) == 1
