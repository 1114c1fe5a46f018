"""`:Pi` from where Neovim is not at rest: scripts, autocommands, mappings, prompts, terminals."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.conftest import StartEditor
from tests.support.editor import command_line, environment, options
from tests.support.pi import Pi
from tests.support.stored import bucket, store
from tests.support.terminal import Terminal

SHOWN = "return vim.bo.filetype == 'pivi' and (vim.b.pivi or {}).phase == 'idle'"


@pytest.fixture
def session(pi: Pi) -> Path:
    return store(
        bucket(pi.home.sessions_dir, pi.home.project), pi.home.project, "early", "words of yesterday"
    )


@contextmanager
def terminal(version: str, pi: Pi, *args: str) -> Iterator[Terminal]:
    argv = command_line(version, options(pi), *args)
    running = Terminal(argv, environment(version, pi.home), 80, 24, str(pi.home.project))
    try:
        yield running
    finally:
        running.keys("\x1c\x0e\x1b:qa!\r")
        running.pump(0.5)
        running.close()


@pytest.mark.parametrize("mode", ["-es", "-Es"])
def test_a_script_reads_a_session_and_ends(nvim_version: str, pi: Pi, session: Path, mode: str) -> None:
    wait = f"lua vim.wait(9000, function() {SHOWN} end)"
    argv = command_line(
        nvim_version, options(pi), mode, "-c", "Pi resume", "-c", wait, "-c", "%print", "-c", "qa!"
    )
    env = environment(nvim_version, pi.home)
    run = subprocess.run(argv, env=env, cwd=pi.home.project, capture_output=True, text=True, timeout=30)
    said = run.stdout + run.stderr
    assert (run.returncode, "words of yesterday" in said, "E5" in said) == (0, True, False), said


def test_a_hit_enter_prompt_is_no_place_where_it_waits_for_ever(
    nvim_version: str, pi: Pi, session: Path
) -> None:
    with terminal(nvim_version, pi) as screen:
        screen.keys(":echo 'one' | echo 'two'\r")
        screen.wait(lambda text: "Press ENTER" in text)
        screen.keys(":Pi resume\r")
        screen.wait(lambda text: "words of yesterday" in text and "Press ENTER" not in text)


def test_a_message_that_fills_the_screen_while_it_paints(nvim_version: str, pi: Pi, session: Path) -> None:
    with terminal(nvim_version, pi) as screen:
        screen.keys(":exe 'Pi resume' | echo 'one' | echo 'two'\r")
        screen.wait(lambda text: "Press ENTER" in text)
        screen.pump(1)
        screen.keys("\r")
        screen.wait(lambda text: "words of yesterday" in text)


@pytest.mark.parametrize("mode", ["n", "t"])
def test_a_terminal_buffer_keeps_its_program(start_nvim: StartEditor, session: Path, mode: str) -> None:
    editor = start_nvim(size=(80, 24))
    editor.command("terminal cat")
    job = editor.lua("return vim.b.terminal_job_id")
    editor.command(f"{mode}noremap <F5> <Cmd>Pi resume<CR>")
    if mode == "t":
        editor.nvim.input("i")
        editor.wait_for("return vim.api.nvim_get_mode().mode == 't'")
    editor.nvim.input("<F5>")
    editor.wait_event("PiviBackfilled")
    editor.wait_for(SHOWN)
    assert "words of yesterday" in editor.text()
    assert editor.lua("return vim.fn.jobwait({ ... }, 0)[1]", job) == -1, "it runs on"
    assert editor.lua("return vim.api.nvim_get_mode().mode") == "n"
    assert editor.messages() == ""


@pytest.mark.parametrize("event", ["VimEnter", "UIEnter", "BufEnter", "FileType", "BufReadPost"])
def test_an_autocommand(start_nvim: StartEditor, pi: Pi, session: Path, event: str) -> None:
    file = pi.home.project / "a.lua"
    file.write_text("return 1\n")
    editor = start_nvim("--cmd", f"autocmd {event} * ++once ++nested Pi resume", str(file), size=(80, 24))
    editor.wait_for("return vim.fn.bufwinid('pivi://early') > 0")
    editor.wait_for("return (vim.b[vim.fn.bufnr('pivi://early')].pivi or {}).phase == 'idle'")
    assert "words of yesterday" in editor.text(editor.lua("return vim.fn.bufnr('pivi://early')"))
    assert editor.messages() == ""


def test_an_expr_mapping(start_nvim: StartEditor, session: Path) -> None:
    editor = start_nvim(size=(80, 24))
    editor.lua("""
      vim.keymap.set('n', '<F5>', function() vim.cmd('Pi resume') return '' end, { expr = true })
      vim.keymap.set('i', '<F6>', function() vim.cmd('Pi resume') return 'typed' end, { expr = true })
    """)
    for keys in ("<F5>", "i<F6>"):
        editor.nvim.input(keys)
        editor.wait_event("PiviBackfilled")
        editor.nvim.input("<Esc>")
        editor.wait_for("return vim.fn.bufwinid('pivi://early') > 0")
        assert editor.messages() == ""
        editor.command("silent bwipe! pivi://early")


def test_the_command_line_window(start_nvim: StartEditor, session: Path) -> None:
    editor = start_nvim(size=(80, 24))
    editor.nvim.input("q:iPi resume<Esc>")
    editor.wait_for("return vim.fn.getcmdwintype() == ':'")
    editor.nvim.input(":Pi resume<CR>")
    editor.wait_event("PiviBackfilled")
    editor.nvim.input(":quit<CR>")
    editor.wait_for(SHOWN)
    assert editor.messages() == ""
