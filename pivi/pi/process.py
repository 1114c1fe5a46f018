"""Pi as a child process: its pipes, its stderr, and its end."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import TypeVar, cast

import msgspec

from . import guardian
from .errors import Exit, PiGoneError, StartFailedError
from .framing import Framer
from .noted import Noted

_HEAD = 16 * 1024
_TAIL = 64 * 1024

T = TypeVar("T")

_UNKNOWN = 255
"""asyncio's status of a child that `subprocess`, which looks before it sends a signal, has waited for."""


class Launch(msgspec.Struct, frozen=True):
    """What is run: the whole argument list, the environment, and an existing working directory.

    `command` is the part of `argv` that names Pi itself, without any of its arguments.
    """

    argv: list[str]
    env: Mapping[str, str]
    cwd: str
    command: list[str]


class Process(asyncio.SubprocessProtocol):
    """A running child, in a session and process group of its own.

    `on_lines` gets whole lines of stdout, `on_stderr` text as it comes, `on_exit` the end, once, after
    all output. What these raise goes to `on_failure` and stops nothing. `noted` ends with the child.
    """

    def __init__(
        self,
        on_lines: Callable[[list[bytes]], None],
        on_stderr: Callable[[str], None],
        on_exit: Callable[[Exit], None],
        on_failure: Callable[[BaseException], None],
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._on_lines = on_lines
        self._on_stderr = on_stderr
        self._on_exit = on_exit
        self._on_failure = on_failure
        self._framer = Framer()
        self._stderr = _Kept()
        self._asked = False
        self._over = False
        self._transport: asyncio.SubprocessTransport | None = None
        self._guard: _Guard | None = None
        self._ending: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._exit: asyncio.Future[Exit] = self._loop.create_future()
        self.pid = 0
        self.noted = Noted(0, self._task, self._has_ended)

    async def start(self, launch: Launch) -> None:
        """Run it. Raises `StartFailedError` when it can't be run at all."""
        try:
            await self._loop.subprocess_exec(
                lambda: self,
                *launch.argv,
                cwd=launch.cwd,
                env=launch.env,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise StartFailedError(_unstartable(launch, error)) from error

    @property
    def exit(self) -> Exit | None:
        """How it ended; `None` while it runs."""
        return self._exit.result() if self._exit.done() else None

    def write(self, data: bytes) -> None:
        """Send bytes to its stdin, all of them, in order. Raises `PiGoneError` when it has ended."""
        if self._exit.done():
            raise PiGoneError(self._exit.result())
        pipe = self._stdin()
        if pipe is not None and not pipe.is_closing():
            pipe.write(data)

    async def wait(self) -> Exit:
        """Wait for its end."""
        return await asyncio.shield(self._exit)

    async def end(self) -> Exit:
        """End it in order: stdin closed, SIGTERM to the group, SIGKILL, half a second between each."""
        if not self._exit.done():
            self._asked = True
        if self._ending is None:
            pipe = self._stdin()
            if pipe is not None:
                pipe.close()
            self._ending = self._task(self._sweep())
        await asyncio.shield(self._ending)
        return await self.wait()

    def kill_now(self) -> None:
        """The same without the event loop, for the end of the host. Blocks 1.5 s at most."""
        pipe = self._stdin()
        if pipe is not None:
            # Closing the transport would need the loop.
            pipe.get_extra_info("pipe").close()
        if self.pid and not self._over:
            guardian.finish(self.pid, noted=self.noted.kin)
            self._let_go()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.SubprocessTransport, transport)
        self.pid = self._transport.get_pid()
        self.noted = Noted(self.pid, self._task, self._has_ended)
        try:
            self._guard = _Guard(self.pid)
        except OSError as error:
            self._on_failure(error)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 1:
            self._tell(self._on_lines, self._framer.feed(data))
        else:
            self._tell(self._on_stderr, self._stderr.add(data))

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        # A Pi that can't speak any more is of no use, and would be waited for without end.
        if fd == 1 and not self._exit.done():
            self._loop.call_later(guardian.GRACE, self._after_silence)

    def process_exited(self) -> None:
        # A descendant may hold the pipes open for as long as it likes.
        self._loop.call_later(guardian.GRACE, self._finished)

    def connection_lost(self, exc: Exception | None) -> None:
        self._finished()

    def _after_silence(self) -> None:
        if not self._exit.done():
            self._task(self._end_quietly())

    async def _end_quietly(self) -> None:
        await self.end()

    def _finished(self) -> None:
        if self._exit.done() or self._transport is None:
            return
        self._tell(self._on_stderr, self._stderr.flush())
        self._tell(self._on_lines, [self._framer.rest()])
        code = self._transport.get_returncode()
        if code == _UNKNOWN:
            code = self._transport.get_extra_info("subprocess").returncode
        died = code is not None and code < 0
        ended = Exit(
            status=None if died else code,
            signal=-code if died and code is not None else None,
            stderr=self._stderr.text(),
            asked=self._asked,
        )
        self._exit.set_result(ended)
        if not guardian.living(self.pid) and not guardian.alive(self.noted.kin):
            self._close()
        elif self._ending is None:
            self._ending = self._task(self._sweep())
        self._tell(self._on_exit, ended)

    async def _sweep(self) -> None:
        """End what is left of the group, then let the guardian go."""
        if not self._over:
            await asyncio.to_thread(guardian.finish, self.pid, noted=self.noted.kin)
        self._close()

    def _close(self) -> None:
        self._let_go()
        if self._transport is not None:
            self._transport.close()

    def _has_ended(self) -> bool:
        return self._exit.done() or self._transport is None or self._transport.get_returncode() is not None

    def _let_go(self) -> None:
        # From here on the number of the group may belong to others.
        self._over = True
        if self._guard is not None:
            self._guard.dismiss()
            self._guard = None

    def _stdin(self) -> asyncio.WriteTransport | None:
        if self._transport is None:
            return None
        return cast("asyncio.WriteTransport | None", self._transport.get_pipe_transport(0))

    def _tell(self, listener: Callable[[T], None], what: T) -> None:
        try:
            listener(what)
        except Exception as error:  # noqa: BLE001 - asyncio would close the pipe and tell nobody
            self._on_failure(error)

    def _task(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._task_done)
        return task

    def _task_done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            error = task.exception()
            if error is not None:
                self._on_failure(error)


class _Kept:
    """stderr: whole lines to pass on, and its start and end to keep."""

    def __init__(self) -> None:
        self._line = bytearray()
        self._head = ""
        self._tail = ""
        self._lost = False

    def add(self, data: bytes) -> str:
        """Take bytes; return the whole lines that they complete. An endless line is cut."""
        self._line += data
        end = len(self._line) if len(self._line) > _TAIL else self._line.rfind(b"\n") + 1
        return self._keep(end)

    def flush(self) -> str:
        """What is left without an end of line."""
        return self._keep(len(self._line))

    def text(self) -> str:
        """The start and the end of all that came."""
        return self._head + ("\n…\n" if self._lost else "") + self._tail

    def _keep(self, end: int) -> str:
        text = self._line[:end].decode("utf-8", "replace")
        del self._line[:end]
        if not self._tail:
            room = _HEAD - len(self._head)
            self._head += text[:room]
            rest = text[room:]
        else:
            rest = text
        self._tail += rest
        if len(self._tail) > _TAIL:
            self._lost = True
            self._tail = self._tail[-_TAIL:]
        return text


class _Guard:
    """The guardian beside one Pi. The pipe to it closes when this process dies, in whatever way."""

    def __init__(self, group: int) -> None:
        reading, self._pipe = os.pipe()
        try:
            self._process = subprocess.Popen(
                [sys.executable or "python3", "-I", "-S", guardian.__file__, str(group)],
                stdin=reading,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,
            )
        except OSError:
            os.close(self._pipe)
            raise
        finally:
            os.close(reading)

    def dismiss(self) -> None:
        """End the guardian; it must not see the pipe close, or it would do its work."""
        self._process.kill()
        self._process.wait()
        os.close(self._pipe)


def _unstartable(launch: Launch, error: OSError | ValueError) -> str:
    if not Path(launch.cwd).is_dir():
        return f"Pi can't be started in {launch.cwd}: there is no such directory."
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return f"{launch.argv[0]} can't be run: {reason}. Set pi.command to the path of Pi."
