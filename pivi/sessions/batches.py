"""Work for several readers at once: files in batches, newest first, huge files last."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

from .known import Known
from .listing import File

BUDGET = 0.008
"""Seconds that one piece of work on the event loop may take."""
_BYTES = 1 << 23
_FILES = 64
_HUGE = 1 << 26

Batch = list[tuple[File, Known | None]]
"""Files, and what was read of each before."""


class Pace:
    """Tells when it is time to let others work."""

    def __init__(self) -> None:
        self._until = time.perf_counter() + BUDGET

    @property
    def is_over(self) -> bool:
        return time.perf_counter() >= self._until

    async def rest(self) -> None:
        """Let others work."""
        await asyncio.sleep(0)
        self._until = time.perf_counter() + BUDGET


class Batches:
    """A queue of batches that fills while its readers take from it."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[Batch | None] = asyncio.Queue()
        self._batch: Batch = []
        self._bytes = 0
        self._huge: Batch = []

    def add(self, file: File, known: Known | None) -> None:
        """Add a file; those that were added first are read first."""
        if file.size >= _HUGE:
            self._huge.append((file, known))
            return
        self._batch.append((file, known))
        self._bytes += file.size
        if self._bytes >= _BYTES or len(self._batch) >= _FILES:
            self._put()

    def _put(self) -> None:
        if self._batch:
            self._queue.put_nowait(self._batch)
        self._batch, self._bytes = [], 0

    def end(self, readers: int) -> None:
        """Nothing more is added; each of the readers comes to its end."""
        self._put()
        for one in sorted(self._huge, key=lambda one: one[0].size):
            self._queue.put_nowait([one])
        for _ in range(readers):
            self._queue.put_nowait(None)

    async def read(self, take: Callable[[Batch], Awaitable[None]]) -> None:
        """One reader: hand each batch that it gets to `take`."""
        while (batch := await self._queue.get()) is not None:
            await take(batch)
