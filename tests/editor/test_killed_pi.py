"""A Pi that somebody kills takes the commands of its tools along, and leaves what was meant to stay."""

from __future__ import annotations

import os
import signal

import pytest

from tests.conftest import StartEditor
from tests.editor.test_ending import resumed, wrapped
from tests.editor.test_turns import kill_pi
from tests.support.editor import Editor
from tests.support.model import Model, Reply, ToolCall
from tests.support.pi import Pi
from tests.support.processes import processes_with
from tests.support.talk import stored


def has(nvim: Editor, command: str) -> list[int]:
    """The processes that run this command."""
    return [pid for pid, line in processes_with(nvim.home.mark).items() if line == command]


def until(nvim: Editor, command: str, count: int) -> None:
    """Until so many processes run this command."""
    for _ in range(500):
        if len(has(nvim, command)) == count:
            return
        nvim.lua("vim.wait(20)")
    raise AssertionError(processes_with(nvim.home.mark))


@pytest.mark.matrix
@pytest.mark.parametrize("wrapper", [False, True], ids=["plain", "wrapper"])
@pytest.mark.parametrize(
    "command", ["sleep 77", "sleep 77 & sleep 78; true", "trap '' TERM; sleep 77; sleep 77"]
)
def test_the_command_of_a_tool(
    start_nvim: StartEditor, pi: Pi, model: Model, command: str, wrapper: bool
) -> None:
    stored(pi)
    program = wrapped(pi) if wrapper else [str(pi.path)]
    nvim = start_nvim(settings={"pi": {"command": program, "env": pi.home.pi_env}})
    resumed(nvim)
    model.script(Reply(tool_calls=[ToolCall("bash", {"command": command})]))
    nvim.command("Pi send run it")
    until(nvim, "sleep 77", 1)
    nvim.lua("vim.wait(300)")
    kill_pi(nvim)
    until(nvim, "sleep 77", 0)
    until(nvim, "sleep 78", 0)
    assert "SIGKILL" in nvim.lua("return vim.b.pivi.error") or wrapper


def test_what_a_tool_left_behind_stays(start_nvim: StartEditor, pi: Pi, model: Model) -> None:
    stored(pi)
    nvim = start_nvim()
    resumed(nvim)
    server = "setsid sleep 79 >/dev/null 2>&1 </dev/null & echo begun"
    model.script(
        Reply(tool_calls=[ToolCall("bash", {"command": server})]),
        Reply(tool_calls=[ToolCall("bash", {"command": "sleep 77"})]),
    )
    nvim.command("Pi send begin a server, then work")
    until(nvim, "sleep 77", 1)
    nvim.lua("vim.wait(1500)")
    kill_pi(nvim)
    until(nvim, "sleep 77", 0)
    (left,) = has(nvim, "sleep 79")
    os.kill(left, signal.SIGKILL)
    until(nvim, "sleep 79", 0)
