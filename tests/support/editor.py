"""The real Neovim, headless and embedded, with the plugin on its path and a home of its own."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pynvim

from tests.support.home import PiHome
from tests.support.pi import Pi
from tests.support.processes import wait_gone
from tests.support.tools import NVIM, PYTHON, ROOT, runtime

EVENTS = (
    "PiviPainted",
    "PiviAttached",
    "PiviBackfilled",
    "PiviTurnStarted",
    "PiviSettled",
    "PiviExited",
)

PATIENCE = 90
"""Seconds in which Neovim must answer a request."""

_WATCH = """
local channel, names = ...
vim.api.nvim_create_autocmd('User', {
  pattern = names,
  callback = function(args)
    vim.rpcnotify(channel, 'user_event', args.match, args.data or vim.empty_dict())
  end,
})
"""


def options(pi: Pi) -> dict[str, Any]:
    """`vim.g.pivi` for this Pi."""
    return {"python": str(PYTHON), "pi": {"command": [str(pi.path)], "env": pi.home.pi_env}}


def command_line(version: str, settings: dict[str, Any], *args: str) -> list[str]:
    """Neovim without the user's files, with the plugin and `vim.g.pivi`."""
    text = json.dumps(settings).replace("'", "''")
    return [
        str(NVIM[version]),
        "--clean",
        "-n",
        *("--cmd", f"let g:pivi = json_decode('{text}')"),
        *("--cmd", f"set runtimepath^={str(ROOT).replace(' ', chr(92) + ' ')}"),
        *args,
    ]


def environment(version: str, home: PiHome) -> dict[str, str]:
    """The home's, with the runtime files that belong to this Neovim."""
    return {**home.env, "VIMRUNTIME": str(runtime(NVIM[version]))}


class Editor:
    """A running Neovim; `nvim` is pynvim's object for it, `events` the User events of ours so far."""

    def __init__(
        self,
        version: str,
        home: PiHome,
        settings: dict[str, Any],
        *args: str,
        cwd: Path | None = None,
        size: tuple[int, int] | None = None,
    ) -> None:
        """`args` go to Neovim; `size` = columns and rows of a screen that is attached, none otherwise."""
        self.version = version
        self.home = home
        self.events: list[tuple[str, dict[str, Any]]] = []
        self.alive = True
        self._seen = 0
        env = [f"{name}={value}" for name, value in environment(version, home).items()]
        place = str(cwd or home.project).replace(" ", "\\ ")
        # Where a message does not fit and nobody can press Enter, Neovim does nothing for a second.
        room = [] if size else ["--cmd", "set lines=33 cmdheight=10"]
        argv = command_line(version, settings, "--embed", "--headless", *room, "--cmd", f"cd {place}", *args)
        # pynvim gives its own environment to a child; `env` replaces it and is replaced by Neovim.
        handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        self.nvim = pynvim.attach("child", argv=["/usr/bin/env", "-i", *env, *argv])
        # pynvim takes these signals away from the program that waits for Neovim.
        for number, handler in handlers.items():
            signal.signal(number, handler)
        messages: Any = self.nvim._session.loop
        messages._setup_signals = messages._teardown_signals = lambda *signals: None
        self.pid = cast(int, self.nvim.funcs.getpid())
        if size is not None:
            self.nvim.ui_attach(*size, rgb=True)
        self.lua(_WATCH, self.nvim.channel_id, list(EVENTS))

    def command(self, command: str) -> None:
        """An Ex command. Raises pynvim.NvimError."""
        with self._answers():
            self.nvim.command(command)

    def lua(self, code: str, *args: Any) -> Any:
        """Runs Lua with `...` = args; returns what it returns."""
        with self._answers():
            return self.nvim.exec_lua(code, *args)

    @contextmanager
    def _answers(self) -> Iterator[None]:
        """A Neovim that waits for a key answers nobody: it is killed, and the request raises EOFError."""
        timer = self.nvim.loop.call_later(PATIENCE, os.kill, self.pid, signal.SIGKILL)
        try:
            yield
        finally:
            timer.cancel()

    def lines(self, buffer: int = 0) -> list[str]:
        """Lines of a buffer, 0 for the current one."""
        return cast("list[str]", self.nvim.api.buf_get_lines(buffer, 0, -1, True))

    def text(self, buffer: int = 0) -> str:
        """Text of a buffer, lines joined."""
        return "\n".join(self.lines(buffer))

    def messages(self) -> str:
        """`:messages`."""
        return cast(str, self.nvim.api.exec2("messages", {"output": True})["output"])

    def wait_event(self, name: str, timeout: float = 15) -> dict[str, Any]:
        """The data of the next User event of this name. Events before it are passed over.

        Raises TimeoutError with what Neovim has said.
        """
        end = time.monotonic() + timeout
        while True:
            self._gather()
            while self._seen < len(self.events):
                found, data = self.events[self._seen]
                self._seen += 1
                if found == name:
                    return data
            self._idle(end, f"User {name}")

    def wait_events(self, *names: str, timeout: float = 15) -> dict[str, dict[str, Any]]:
        """The data of the next event of each name, in whatever order they come."""
        end = time.monotonic() + timeout
        start = self._seen
        while True:
            self._gather()
            found: dict[str, dict[str, Any]] = {}
            for number, (name, data) in enumerate(self.events[start:], start):
                if name in names and name not in found:
                    found[name] = data
                    if len(found) == len(set(names)):
                        self._seen = number + 1
                        return found
            self._idle(end, f"User {', '.join(name for name in names if name not in found)}")

    def wait_for(self, condition: str, *args: Any, timeout: float = 15) -> Any:
        """Until the Lua code `condition` returns something true, which is returned; Neovim idles between."""
        end = time.monotonic() + timeout
        while not (value := self.lua(condition, *args)):
            self._idle(end, condition, 0.01)
        return value

    def close(self, command: str = "qa!", seconds: float = 5) -> None:
        """Quits Neovim; no process that it started may be left after so many seconds (AssertionError)."""
        self.nvim.command(command, async_=True)
        self._end(seconds)

    def kill(self, number: int = signal.SIGKILL, seconds: float = 5) -> None:
        """Sends a signal to Neovim; like `close` otherwise."""
        os.kill(self.pid, number)
        self._end(seconds)

    def _end(self, seconds: float) -> None:
        self.alive = False
        try:
            self._drain()
        finally:
            self.nvim.close()
        wait_gone(self.home.mark, seconds)

    def _drain(self) -> None:
        end = time.monotonic() + 5
        try:
            while time.monotonic() < end:
                self._next(0.5)
        except (EOFError, OSError):
            return

    def _gather(self) -> None:
        pending = self.nvim._session._pending_messages
        while pending:
            self._take(pending.popleft())

    def _take(self, message: Any) -> None:
        if message is not None and message[1] == "user_event":
            self.events.append((message[2][0], message[2][1]))

    def _next(self, seconds: float) -> None:
        """Waits for one message of Neovim, at most so long."""
        timer = self.nvim.loop.call_later(seconds, self.nvim._session.stop)
        try:
            self._take(self.nvim._session.next_message())
        finally:
            timer.cancel()

    def _idle(self, end: float, what: str, longest: float = 60) -> None:
        left = end - time.monotonic()
        if left <= 0:
            status = self.lua("return vim.inspect(vim.b.pivi)")
            names = [name for name, _ in self.events]
            raise TimeoutError(
                f"not seen: {what}\nevents: {names}\nb:pivi: {status}\nmessages: {self.messages()}"
            )
        self._next(min(left, longest))
