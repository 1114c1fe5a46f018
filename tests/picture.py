"""Makes the pictures of the README from real screens: `python -m tests.picture`."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.bench.sessions import Writer
from tests.support.editor import command_line, environment, options
from tests.support.home import PiHome, make_home
from tests.support.model import Model
from tests.support.pi import Pi
from tests.support.processes import wait_gone
from tests.support.stored import bucket
from tests.support.story import NAME, tell, tell_others
from tests.support.terminal import Terminal
from tests.support.tools import DEFAULT_NVIM, DEFAULT_PI, ROOT

PICTURES = ROOT / "doc" / "pictures"
MIB = 1 << 20
SIZES = ((80, 30), (200, 34))
"""Columns and rows."""
# The name of a buffer is a session's id, another one each time.
PLAIN = ("-c", "set laststatus=0 noruler noshowcmd")


class _Home(PiHome):
    """The project lies in HOME, so that no picture shows where that is."""

    @property
    def project(self) -> Path:
        return self.home / "thermo"


def main() -> None:
    """A session at its end; a large one after a search, the browser, and what a search found in two sizes."""
    PICTURES.mkdir(exist_ok=True)
    for make in (_resumed, _large, _sessions, _search):
        with tempfile.TemporaryDirectory(prefix="pivi-picture-") as folder, Model() as model:
            home = _Home(make_home(Path(folder)).root)
            home.project.mkdir()
            home.write_models(model.url)
            make(Pi(DEFAULT_PI, home), model)


def _resumed(pi: Pi, model: Model) -> None:
    """The demo's session, 80 columns wide, at its end."""
    tell(pi, model)
    with _screen(pi, 80, 49, *PLAIN, "-c", "Pi resume") as terminal:
        terminal.wait(lambda text: "context" in text and "A half goes up" in text)
        title = "A Pi session resumed in Neovim: a prompt, folded tool calls, a diff and the answer"
        _write(terminal, "resumed", title)


def _large(pi: Pi, model: Model) -> None:
    """A generated session of 50 MB, at a match near its beginning."""
    project = pi.home.project
    Writer(bucket(pi.home.sessions_dir, project) / "2026-11-01T12-00-00-000Z_large.jsonl", 50 * MIB, project)
    for columns, rows in SIZES:
        with _screen(pi, columns, rows, "-c", "set ruler", "-c", "Pi resume") as terminal:
            terminal.wait(lambda text: "context" in text and "reading" not in text, 30)
            terminal.keys("gg/edit src.m71\r")
            terminal.wait(lambda text: "edit src/m71" in text)
            title = f"A Pi session of 50 MB in Neovim, at a match near its beginning, {columns} columns"
            _write(terminal, f"large-{columns}", title)


def _sessions(pi: Pi, model: Model) -> None:
    """The browser with its preview."""
    tell_others(pi.home)
    tell(pi, model)
    for columns, rows in SIZES:
        with _screen(pi, columns, rows, "-c", "set noruler noshowcmd", "-c", "Pi sessions") as terminal:
            terminal.wait(lambda text: NAME in text)
            # Below so many columns there is room for it only where it is asked for.
            terminal.keys("jj" if columns > 120 else "pjj")
            terminal.wait(lambda text: "words_f" in text)
            title = f"Sessions of Pi in Neovim, a preview of the one under the cursor, {columns} columns"
            _write(terminal, f"sessions-{columns}", title)


def _search(pi: Pi, model: Model) -> None:
    """What a search in all sessions found, and one of the places."""
    tell_others(pi.home)
    tell(pi, model)
    for columns, rows in SIZES:
        with _screen(pi, columns, rows, *PLAIN, "-c", "Pi grep zero") as terminal:
            terminal.wait(lambda text: "below zero|" in text)
            terminal.keys("j\r")
            terminal.wait(lambda text: "view" in text and "reading" not in text)
            title = f"What was said about “zero” in Pi sessions, in Neovim's quickfix list, {columns} columns"
            _write(terminal, f"search-{columns}", title)


@contextmanager
def _screen(pi: Pi, columns: int, rows: int, *args: str) -> Iterator[Terminal]:
    """Neovim on a terminal, in the home's project."""
    command = command_line(DEFAULT_NVIM, options(pi), *args)
    terminal = Terminal(command, environment(DEFAULT_NVIM, pi.home), columns, rows, str(pi.home.project))
    try:
        yield terminal
        terminal.keys("\x1b:qa!\r")
        terminal.pump(3)
    finally:
        terminal.close()
        wait_gone(pi.home.mark)


def _write(terminal: Terminal, name: str, title: str) -> None:
    terminal.pump(0.5)
    (PICTURES / f"{name}.svg").write_text(terminal.svg(title) + "\n")


if __name__ == "__main__":
    main()
