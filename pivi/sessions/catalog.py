"""The catalog: the sessions of a store as rows, headers first, details as they are read, newest first."""

from __future__ import annotations

import asyncio
import functools
import time
from collections.abc import Callable

import msgspec

from .batches import Batch, Batches, Pace
from .cache import Cache
from .examining import examine
from .headers import read_header
from .known import Known
from .listing import File, Head, Row, Store, row_of
from .walk import Progress, Walk, spread
from .worker import Examine
from .workers import COUNT, WorkerGoneError, Workers

SMALL = 1 << 24
"""Bytes that are read here rather than in processes of their own: those take a while to start."""
_BARE = 500
"""Rows that are told by their header alone; with more nobody could do anything before all is read."""
_GLANCE = 60
"""Rows that are told before all files are found, where there are very many."""
_PART = 250
"""Rows that are told at once; the editor takes them in one go."""
_EVERY = 0.03
"""Seconds between two tellings of details."""
_MOMENT = 60.0
"""A file that changed so many seconds ago may be in use."""

Tell = Callable[[list[Row], Progress], None]
Marks = Callable[[File], tuple[bool, bool]]
"""Is the session open here, is it open elsewhere?"""


class Catalog:
    """One stream of rows: of each session one by its header, unless all is known, and one with its details.

    `tell` takes them in parts, the last one with `final`. Cancel `run` to leave it; what was read is kept in
    the cache.
    """

    def __init__(self, store: Store, cache: Cache, workers: Workers, tell: Tell, marks: Marks) -> None:
        self._walk = Walk(store, cache)
        self._cache = cache
        self._workers = workers
        self._tell = tell
        self._marks = marks
        self._ready: list[Row] = []
        self._timer: asyncio.TimerHandle | None = None
        self._now = time.time()
        self._told: set[File] = set()

    async def run(self) -> None:
        """Find, read and tell all. Raises WorkerGoneError."""
        walk = self._walk
        try:
            self._glance()
            await walk.collect()
            left = await self._tell_known()
            unread = sum(file.size for file, _, _ in left)
            readers = [self._here] if unread <= SMALL else [self._there] * COUNT
            await spread(functools.partial(self._fill, left), readers)
            self._cache.keep_only(walk.store.files)
        finally:
            self._cache.write()
            if self._timer is not None:
                self._timer.cancel()
        self._flush(final=True)

    def _glance(self) -> None:
        """Tell the first of very many, most likely the newest."""
        store, cache = self._walk.store, self._cache
        for file in store.glance(_GLANCE):
            known = cache.get(file)
            if known is not None and not known.is_of(file):
                known = None
            header = known.header if known is not None else read_header(file.path)
            if header is not None and store.wants(header):
                self._add(Head(file, header), known)
                self._told.add(file)
        self._flush()

    async def _tell_known(self) -> list[tuple[File, Known | None, bool]]:
        """Tell what is known and still true, and return the other files with what is known of them."""
        store, told, pace = self._walk.store, self._told, Pace()
        left: list[tuple[File, Known | None, bool]] = []
        for file, known, fresh in self._walk.found():
            if fresh and known is not None and (known.header is None or known.facts is not None):
                store.done += 1
                head = store.head(file, known.header)
                if file not in told:
                    self._add(head, known)
            else:
                left.append((file, known, fresh))
            if len(self._ready) >= _PART or pace.is_over:
                self._flush()
                await pace.rest()
        return left

    async def _fill(self, left: list[tuple[File, Known | None, bool]], batches: Batches) -> None:
        """Tell what the headers of these files tell, and leave the rest to the readers."""
        walk, pace, bare = self._walk, Pace(), 0
        for file, known, fresh in left:
            walk.store.done += 1
            if walk.store.is_certain and bare >= _BARE:
                walk.left += 1
                batches.add(file, known)
            else:
                bare += 1
                head = walk.head(file, known, fresh)
                if head is not None:
                    if file not in self._told:
                        self._add(head, None)
                    walk.left += 1
                    batches.add(file, known)
            if len(self._ready) >= _PART or pace.is_over:
                self._flush()
                await pace.rest()
        self._flush()

    async def _here(self, batch: Batch) -> None:
        pace = Pace()
        for file, known in batch:
            steps = examine(file.path, known)
            try:
                while True:
                    next(steps)
                    if pace.is_over:
                        await pace.rest()
            except StopIteration as end:
                self._take(file, end.value)
            except OSError:
                self._take(file, None)

    async def _there(self, batch: Batch) -> None:
        order = Examine([(file.path, known) for file, known in batch])
        for (file, _), known in zip(batch, await self._workers.examine(order), strict=True):
            self._take(file, known)

    def _take(self, file: File, known: Known | None) -> None:
        self._walk.left -= 1
        if known is None:
            self._walk.store.skipped += 1
            return
        self._cache.put(file, known)
        # It may have grown since it was found.
        file = msgspec.structs.replace(file, size=known.size, mtime_ns=known.mtime_ns)
        self._add(self._walk.store.head(file, known.header), known)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_EVERY, self._flush)

    def _add(self, head: Head | None, known: Known | None) -> None:
        if head is None:
            return
        running, elsewhere = self._marks(head.file)
        elsewhere = elsewhere or (not running and self._now - head.file.mtime < _MOMENT)
        self._ready.append(row_of(head, known.facts if known is not None else None, running, elsewhere))

    def _flush(self, final: bool = False) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        rows, self._ready = self._ready, []
        while len(rows) > _PART:
            self._tell(rows[:_PART], self._walk.progress())
            rows = rows[_PART:]
        if rows or final:
            self._tell(rows, self._walk.progress(final))


async def rows_of(store: Store, cache: Cache, workers: Workers) -> tuple[list[Row], Progress]:
    """All rows, each once and whole, newest first, and the counts. Raises WorkerGoneError."""
    found: dict[str, Row] = {}
    last = Progress(0, 0)

    def take(rows: list[Row], progress: Progress) -> None:
        nonlocal last
        found.update((row.path, row) for row in rows)
        last = progress

    await Catalog(store, cache, workers, take, lambda file: (False, False)).run()
    return list(found.values()), last


__all__ = ["Catalog", "Marks", "Progress", "Tell", "WorkerGoneError", "rows_of"]
