"""A terminal for tests: a program on a pty, its screen as text, cells and SVG."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Mapping
from html import escape

import pyte

_CELL = (8.4, 18)
_DARK = {"fg": "#d8dee9", "bg": "#14161b"}
_NAMED = {
    "black": "#07080d",
    "red": "#ffc0b9",
    "green": "#b3f6c0",
    "brown": "#fce094",
    "blue": "#a6dbff",
    "magenta": "#ffcaff",
    "cyan": "#8cf8f7",
    "white": "#eef1f8",
}


class Terminal:
    """Runs `argv` on a pty of `columns` x `rows` cells; call `pump` or `wait` to let the screen follow."""

    def __init__(self, argv: list[str], env: Mapping[str, str], columns: int, rows: int, cwd: str) -> None:
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            os.execvpe(argv[0], argv, {**env, "TERM": "xterm-256color", "COLORTERM": "truecolor"})
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def keys(self, text: str) -> None:
        """Type `text` (raw: `\\r` is Enter, `\\x1b` Escape)."""
        os.write(self._fd, text.encode())

    def pump(self, seconds: float) -> None:
        """Let the program write for so long."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if not self._read(left):
                return

    def wait(self, condition: Callable[[str], bool], seconds: float = 10) -> str:
        """Pump until `condition` holds for the screen's text; returns the text. Raises TimeoutError."""
        end = time.monotonic() + seconds
        while not condition(text := self.text()):
            if time.monotonic() > end:
                raise TimeoutError(text)
            self._read(0.05)
        return text

    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display)

    def close(self) -> None:
        """End the program, if it has not ended."""
        try:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        except (ProcessLookupError, ChildProcessError):
            return
        finally:
            os.close(self._fd)

    def svg(self, title: str) -> str:
        """The screen as a picture."""
        width = self.screen.columns * _CELL[0] + 24
        height = self.screen.lines * _CELL[1] + 24
        shapes: list[str] = []
        for row in range(self.screen.lines):
            shapes += self._row(row)
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img">',
                f"<title>{escape(title)}</title>",
                f'<rect width="100%" height="100%" rx="6" fill="{_DARK["bg"]}"/>',
                '<g font-family="ui-monospace, Menlo, DejaVu Sans Mono, monospace" font-size="14" '
                'xml:space="preserve" style="white-space: pre">',
                *shapes,
                "</g></svg>",
            ]
        )

    def _row(self, row: int) -> list[str]:
        backs: list[str] = []
        texts: list[str] = []
        cells = self.screen.buffer[row]
        column = 0
        while column < self.screen.columns:
            style = _style(cells[column])
            end = column + 1
            while end < self.screen.columns and _style(cells[end]) == style:
                end += 1
            text = "".join(cells[at].data for at in range(column, end))
            x, y = 12 + column * _CELL[0], 12 + row * _CELL[1]
            fore, back, weight, slant, line = style
            if back != _DARK["bg"]:
                backs.append(
                    f'<rect x="{x:.1f}" y="{y:.1f}" width="{(end - column) * _CELL[0]:.1f}" '
                    f'height="{_CELL[1]}" fill="{back}"/>'
                )
            if text.strip():
                length = (end - column) * _CELL[0]
                texts.append(
                    f'<text x="{x:.1f}" y="{y + 13.5:.1f}" fill="{fore}" textLength="{length:.1f}"'
                    f"{weight}{slant}{line}>{escape(text)}</text>"
                )
            column = end
        return backs + texts

    def _read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._fd], [], [], max(seconds, 0))
        if ready:
            try:
                data = os.read(self._fd, 65536)
            except OSError:
                return False
            if not data:
                return False
            self._stream.feed(data)
        return True


def _style(cell: pyte.screens.Char) -> tuple[str, str, str, str, str]:
    fore, back = _colour(cell.fg, "fg"), _colour(cell.bg, "bg")
    if cell.reverse:
        fore, back = back, fore
    return (
        fore,
        back,
        ' font-weight="bold"' if cell.bold else "",
        ' font-style="italic"' if cell.italics else "",
        ' text-decoration="underline"' if cell.underscore else "",
    )


def _colour(name: str, plane: str) -> str:
    if name == "default":
        return _DARK[plane]
    return _NAMED.get(name, f"#{name}" if len(name) == 6 else _DARK[plane])
