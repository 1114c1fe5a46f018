"""The editor fixture itself: what other tests lean on."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.conftest import StartEditor
from tests.support.editor import Editor
from tests.support.pi import Pi
from tests.support.processes import processes_with
from tests.support.terminal import Terminal

pytestmark = pytest.mark.matrix


def test_its_own_version_runtime_and_home(nvim: Editor) -> None:
    version = nvim.lua("return tostring(vim.version())")
    assert version.startswith(nvim.version)
    assert nvim.lua("return vim.fn.getcwd()") == str(nvim.home.project)
    assert nvim.lua("return vim.env.VIMRUNTIME .. ' ' .. vim.fn.stdpath('data')").count("nvim") >= 2
    assert str(nvim.home.root) in nvim.lua("return vim.fn.stdpath('state')")


def test_options_name_the_real_pi(nvim: Editor, pi: Pi) -> None:
    command = nvim.lua("return vim.g.pivi.pi.command")
    done = subprocess.run(
        [*command, "--version"], env=pi.home.env, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == pi.version


def test_user_events_are_waited_for(nvim: Editor) -> None:
    nvim.lua("""
      local function fire(name, n)
        vim.api.nvim_exec_autocmds('User', { pattern = name, data = { n = n } })
      end
      vim.defer_fn(function() fire('PiviAttached', 1) end, 20)
      vim.defer_fn(function() fire('PiviPainted', 2) end, 30)
      vim.defer_fn(function() fire('PiviBackfilled', 3) end, 40)
    """)
    found = nvim.wait_events("PiviPainted", "PiviAttached")
    assert {name: data["n"] for name, data in found.items()} == {"PiviAttached": 1, "PiviPainted": 2}
    assert nvim.wait_event("PiviBackfilled")["n"] == 3
    with pytest.raises(TimeoutError, match="PiviExited"):
        nvim.wait_event("PiviExited", timeout=0.05)


def test_conditions_are_waited_for(nvim: Editor) -> None:
    nvim.lua("vim.defer_fn(function() vim.g.ready = 7 end, 30)")
    assert nvim.wait_for("return vim.g.ready") == 7


def test_what_is_left_behind_is_found_and_ended(start_nvim: StartEditor) -> None:
    editor = start_nvim(size=(80, 24))
    editor.lua(
        "vim.fn.jobstart({'sh', '-c', 'trap \"\" TERM HUP; sleep 60 & wait; wait'}, { detach = true })"
    )
    with pytest.raises(AssertionError, match="sleep 60"):
        editor.close(seconds=0.2)
    assert not processes_with(editor.home.mark)


def test_a_terminal_shows_nothing_of_what_it_is_asked(tmp_path: Path) -> None:
    program = r"printf 'a\033P+q4D\033'; sleep 0.05; printf '\\b\033'; sleep 0.05; printf '[1mc\n'"
    terminal = Terminal(["sh", "-c", program], {}, 20, 2, str(tmp_path))
    try:
        assert terminal.wait(lambda text: "c" in text) == "abc\n"
        assert terminal.screen.buffer[0][2].bold
    finally:
        terminal.close()
