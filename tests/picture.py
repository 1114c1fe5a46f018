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
# The name of a buffer is a session's id, another one each time.
PLAIN = ("-c", "set laststatus=0 noruler noshowcmd")


class _Home(PiHome):
    """The project lies in HOME, so that no picture shows where that is."""

    @property
    def project(self) -> Path:
        return self.home / "thermo"


def main() -> None:
    """Three pictures: a session at its end, a large one after a search, the browser with a list of hits."""
    PICTURES.mkdir(exist_ok=True)
    for make in (_resumed, _large, _sessions):
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
    with _screen(pi, 120, 36, "-c", "set ruler", "-c", "Pi resume") as terminal:
        terminal.wait(lambda text: "context" in text and "reading" not in text, 30)
        terminal.keys("gg/edit src.m71\r")
        terminal.wait(lambda text: "edit src/m71" in text)
        _write(
            terminal, "large", "A Pi session of 50 MB in Neovim, at the match of a search near its beginning"
        )


def _sessions(pi: Pi, model: Model) -> None:
    """The browser with its preview, and what a search in all sessions found."""
    tell_others(pi.home)
    tell(pi, model)
    with _screen(pi, 120, 34, *PLAIN, "-c", "Pi sessions") as terminal:
        terminal.wait(lambda text: NAME in text)
        terminal.keys("jj")
        terminal.wait(lambda text: "words_f" in text)
        terminal.keys(":botright Pi grep zero\r")
        terminal.wait(lambda text: "Freezing point|" in text)
        title = "Sessions of Pi in Neovim: a list, a preview beside it, and below what a search found in them"
        _write(terminal, "sessions", title)


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
