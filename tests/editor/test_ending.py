"""However Neovim or the host ends, and whatever runs then: no process stays, and what was sent is stored."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from tests.conftest import StartEditor
from tests.support.editor import Editor
from tests.support.model import Model, Reply, ToolCall
from tests.support.pi import Pi
from tests.support.processes import processes_with
from tests.support.talk import stored

PROMPT = "go on, please"
DOINGS = ("nothing", "answering", "tool")
ENDS: dict[str, str | int] = {
    "qa!": "qa!",
    "cq": "cq",
    "SIGHUP": signal.SIGHUP,
    "SIGTERM": signal.SIGTERM,
    "SIGKILL": signal.SIGKILL,
}

_HOST = """
for _, channel in ipairs(vim.api.nvim_list_chans()) do
  if channel.stream == 'job' then
    return vim.fn.jobpid(channel.id)
  end
end
"""

_PAGES = """
return vim.tbl_filter(function(buf)
  return vim.api.nvim_buf_get_name(buf):find('^pivi://') ~= nil
end, vim.api.nvim_list_bufs())
"""


def resumed(nvim: Editor) -> int:
    """Resumes this directory's last session until all of it is there; returns its buffer."""
    nvim.command("Pi resume")
    data = nvim.wait_events("PiviPainted", "PiviAttached", "PiviBackfilled")["PiviPainted"]
    nvim.wait_for("return vim.b.pivi.phase == 'idle'")
    # The host, Pi and Pi's guardian; were they not seen here, their absence would prove nothing.
    assert len(_others(nvim)) >= 3, _others(nvim)
    return int(data["buf"])


def busy(nvim: Editor, model: Model, doing: str) -> None:
    """Has Pi do something that would go on for long."""
    if doing == "answering":
        model.script(Reply(text="half of an answer", hold_after=2))
        nvim.command(f"Pi send {PROMPT}")
        model.wait_held()
    elif doing == "tool":
        model.script(Reply(tool_calls=[ToolCall("bash", {"command": "sleep 60"})]))
        nvim.command(f"Pi send {PROMPT}")
        _wait_running(nvim, "sleep 60")


def end(nvim: Editor, how: str | int) -> None:
    """Ends Neovim; 5 s later nothing may be left."""
    if isinstance(how, str):
        nvim.close(how)
    else:
        nvim.kill(how)


def kill_host(nvim: Editor) -> None:
    """SIGKILL; 5 s later only Neovim may be left."""
    os.kill(nvim.lua(_HOST), signal.SIGKILL)
    nvim.wait_for("return vim.b.pivi.phase == 'failed'")
    until = time.monotonic() + 5
    while left := _others(nvim):
        assert time.monotonic() < until, left
        time.sleep(0.02)


def wrapped(pi: Pi) -> list[str]:
    """A command that has Pi for a child, as wrappers that wait for it have."""
    script = pi.home.root / "wrapper"
    script.write_text(f'#!/bin/sh\n"{pi.path}" "$@"\ntrue\n')
    script.chmod(0o755)
    return [str(script)]


def prompts(file: Path) -> int:
    """How often the session file holds the prompt."""
    return file.read_text().count(f'"{PROMPT}"')


def _others(nvim: Editor) -> dict[int, str]:
    left = processes_with(nvim.home.mark)
    left.pop(nvim.pid, None)
    return left


def _wait_running(nvim: Editor, command: str) -> None:
    until = time.monotonic() + 10
    while not any(line == command for line in _others(nvim).values()):
        assert time.monotonic() < until, f"{command} does not run: {_others(nvim)}"
        time.sleep(0.02)


@pytest.mark.parametrize("doing", DOINGS)
@pytest.mark.parametrize("how", ENDS)
def test_nothing_is_left_of_us(start_nvim: StartEditor, pi: Pi, model: Model, how: str, doing: str) -> None:
    stored(pi)
    nvim = start_nvim()
    resumed(nvim)
    busy(nvim, model, doing)
    end(nvim, ENDS[how])


@pytest.mark.matrix
@pytest.mark.parametrize("how", ["qa!", "SIGKILL"])
def test_nothing_is_left_of_a_tool(start_nvim: StartEditor, pi: Pi, model: Model, how: str) -> None:
    stored(pi)
    nvim = start_nvim()
    resumed(nvim)
    busy(nvim, model, "tool")
    end(nvim, ENDS[how])


@pytest.mark.parametrize("doing", DOINGS)
@pytest.mark.parametrize("how", ["qa!", "SIGTERM", "SIGKILL"])
def test_nothing_is_left_behind_a_wrapper(
    start_nvim: StartEditor, pi: Pi, model: Model, how: str, doing: str
) -> None:
    stored(pi)
    nvim = start_nvim(settings={"pi": {"command": wrapped(pi), "env": pi.home.pi_env}})
    resumed(nvim)
    busy(nvim, model, doing)
    end(nvim, ENDS[how])


def test_nothing_is_left_while_pi_starts(start_nvim: StartEditor, pi: Pi) -> None:
    stored(pi)
    nvim = start_nvim()
    nvim.command("Pi resume")
    nvim.wait_for("return (vim.b.pivi or {}).phase == 'starting'")
    end(nvim, "qa!")


@pytest.mark.parametrize("wrapper", [False, True], ids=["plain", "wrapper"])
@pytest.mark.parametrize("doing", DOINGS)
def test_a_killed_host_leaves_nothing(
    start_nvim: StartEditor, pi: Pi, model: Model, doing: str, wrapper: bool
) -> None:
    stored(pi)
    command = wrapped(pi) if wrapper else [str(pi.path)]
    nvim = start_nvim(settings={"pi": {"command": command, "env": pi.home.pi_env}})
    resumed(nvim)
    busy(nvim, model, doing)
    kill_host(nvim)
    assert nvim.messages().count("Python host ended") == 1


@pytest.mark.matrix
@pytest.mark.parametrize("doing", ["nothing", "answering"])
@pytest.mark.parametrize("command", ["Pi resume", "Pi send and again"])
def test_the_conversation_goes_on_after_the_host_was_killed(
    start_nvim: StartEditor, pi: Pi, model: Model, command: str, doing: str
) -> None:
    file = stored(pi)
    nvim = start_nvim()
    buf = resumed(nvim)
    busy(nvim, model, doing)
    kill_host(nvim)
    assert prompts(file) == (doing == "answering")
    assert "You said: first" in nvim.text(buf)
    nvim.command(command)
    data = nvim.wait_events("PiviPainted", "PiviAttached", "PiviBackfilled")["PiviPainted"]
    assert data["buf"] == buf
    if "send" in command:
        nvim.wait_event("PiviSettled")
        assert "You said: and again" in nvim.text(buf)
    nvim.wait_for("return vim.b[...].pivi.phase == 'idle'", buf)
    assert nvim.lua("return vim.b[...].pivi.error", buf) is None
    assert nvim.text(buf).count("You said: first") == 1
    assert nvim.messages().count("Python host ended") == 1
    assert nvim.lua(_PAGES) == [buf]


@pytest.mark.matrix
@pytest.mark.parametrize("doing", ["answering", "tool"])
def test_a_prompt_is_stored_when_neovim_ends_in_mid_turn(
    start_nvim: StartEditor, pi: Pi, model: Model, doing: str
) -> None:
    file = stored(pi)
    nvim = start_nvim()
    resumed(nvim)
    busy(nvim, model, doing)
    end(nvim, "qa!")
    assert prompts(file) == 1


@pytest.mark.parametrize("how", ["cq", "SIGHUP", "SIGTERM", "SIGKILL"])
def test_a_prompt_is_stored_however_neovim_ends(
    start_nvim: StartEditor, pi: Pi, model: Model, how: str
) -> None:
    file = stored(pi)
    nvim = start_nvim()
    resumed(nvim)
    busy(nvim, model, "answering")
    end(nvim, ENDS[how])
    assert prompts(file) == 1
