"""Processes that read session files, so that many are read at once and the editor's side never waits."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from typing import TypeVar

import msgspec

from .known import Known
from .worker import LENGTH, ORDER, Examine, Found, Order, Scan

COUNT = max(1, min(4, os.cpu_count() or 1))
"""How many read at once: more share the same disk."""
_IDLE = 20.0
"""Seconds that a process without work is kept."""

# Buffers come and go with each file; glibc would give each back to the system, and take it anew.
_MEMORY = {"MALLOC_TRIM_THRESHOLD_": str(1 << 28), "MALLOC_MMAP_THRESHOLD_": str(1 << 25)}

T = TypeVar("T")
_knowns = msgspec.msgpack.Decoder(list[Known | None]).decode
_founds = msgspec.msgpack.Decoder(list[Found | None]).decode


class WorkerGoneError(Exception):
    """A reading process has ended in the middle of its work; the text is for the user."""


class Workers:
    """Starts processes as they are needed, and ends those that had nothing to do for a while."""

    def __init__(self) -> None:
        self._idle: list[tuple[Process, asyncio.TimerHandle]] = []
        self._ending: set[asyncio.Task[None]] = set()

    async def examine(self, order: Examine) -> list[Known | None]:
        """Raises WorkerGoneError. Cancelling it ends the process that works on it."""
        return _knowns(await self._ask(order))

    async def scan(self, order: Scan) -> list[Found | None]:
        """Raises WorkerGoneError. Cancelling it ends the process that works on it."""
        return _founds(await self._ask(order))

    async def _ask(self, order: Order) -> bytes:
        process = await self._take()
        try:
            answer = await _exchange(process, msgspec.msgpack.encode(order))
        except BaseException:
            self._end(process)
            raise
        self._rest(process)
        return answer

    async def _take(self) -> Process:
        while self._idle:
            process, timer = self._idle.pop()
            timer.cancel()
            if process.returncode is None:
                return process
        return await _start()

    def _rest(self, process: Process) -> None:
        timer = asyncio.get_running_loop().call_later(_IDLE, self._retire, process)
        self._idle.append((process, timer))

    def _retire(self, process: Process) -> None:
        self._idle = [one for one in self._idle if one[0] is not process]
        self._end(process)

    def _end(self, process: Process) -> None:
        task = asyncio.ensure_future(_ended(process))
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def close(self) -> None:
        """End those that have nothing to do, and wait for all that are ended."""
        for process, timer in self._idle:
            timer.cancel()
            self._end(process)
        self._idle.clear()
        await asyncio.gather(*self._ending)


async def _start() -> Process:
    # Its Python finds what this one finds, however this one was started.
    path = os.pathsep.join(part for part in sys.path if part)
    return await asyncio.create_subprocess_exec(
        sys.executable,
        # What `site` would do is in the path already, and takes a third of the start.
        *("-S", "-m", "pivi.sessions.worker"),
        stdin=PIPE,
        stdout=PIPE,
        env={**os.environ, **_MEMORY, "PYTHONPATH": path},
        start_new_session=True,
    )


async def _exchange(process: Process, text: bytes) -> bytes:
    assert process.stdin is not None and process.stdout is not None
    try:
        process.stdin.write(len(text).to_bytes(LENGTH, ORDER) + text)
        await process.stdin.drain()
        length = int.from_bytes(await process.stdout.readexactly(LENGTH), ORDER)
        return await process.stdout.readexactly(length)
    except (asyncio.IncompleteReadError, OSError) as error:
        if await process.wait() == -signal.SIGVTALRM:
            raise WorkerGoneError(
                "This pattern takes too long in one of the sessions; use a simpler one."
            ) from error
        raise WorkerGoneError("A process that reads sessions has ended too early.") from error


async def _ended(process: Process) -> None:
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):  # it has just ended
            process.kill()
    # Its pipes too.
    await process.communicate()
