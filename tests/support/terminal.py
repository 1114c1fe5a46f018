"""A terminal for tests: a program on a pty, its screen as text, cells and SVG."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Mapping

import pyte

from tests.support.picture import picture

_QUESTION = re.compile(rb"\x1bP.*?\x1b\\", re.DOTALL)
"""What a program asks a terminal by a DCS: pyte would show the letters of it."""


class Terminal:
    """Runs `argv` on a pty of `columns` x `rows` cells; call `pump` or `wait` to let the screen follow."""

    def __init__(self, argv: list[str], env: Mapping[str, str], columns: int, rows: int, cwd: str) -> None:
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self._held = b""
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
        """The screen as a picture that needs no font of its own: each run of cells is held to its place."""
        return picture(self.screen, title)

    def _read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._fd], [], [], max(seconds, 0))
        if ready:
            try:
                data = os.read(self._fd, 65536)
            except OSError:
                return False
            if not data:
                return False
            self._feed(data)
        return True

    def _feed(self, data: bytes) -> None:
        data = _QUESTION.sub(b"", self._held + data)
        rest = data.find(b"\x1bP")
        if rest < 0 and data.endswith(b"\x1b"):
            rest = len(data) - 1
        self._held = data[rest:] if rest >= 0 else b""
        self._stream.feed(data[:rest] if rest >= 0 else data)
