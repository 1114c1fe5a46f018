"""The catalog: the sessions of a store as rows, headers first, details as they are read, newest first."""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec

from .batches import Batch, Batches, Pace
from .cache import Cache
from .examining import examine
from .known import Known
from .listing import File, Head, Row, Store, row_of
from .walk import Progress, Walk, spread
from .worker import Examine
from .workers import COUNT, WorkerGoneError, Workers

SMALL = 1 << 24
"""Bytes that are read here rather than in processes of their own: those take a while to start."""
_PART = 500
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
        self._told = 0.0

    async def run(self) -> None:
        """Find, read and tell all. Raises WorkerGoneError."""
        walk = self._walk
        try:
            await walk.collect()
            unread = sum(file.size for file in walk.store.files if not self._is_known(file))
            if unread <= SMALL:
                await spread(self._fill, [self._here])
            else:
                await spread(self._fill, [self._there] * COUNT)
            self._cache.keep_only(file.path for file in walk.store.files)
        finally:
            self._cache.write()
        self._flush(final=True)

    def _is_known(self, file: File) -> bool:
        known = self._cache.get(file.path)
        return known is not None and known.is_of(file) and (known.header is None or known.facts is not None)

    async def _fill(self, batches: Batches) -> None:
        """Tell what is known without reading whole files, and leave the rest to the readers."""
        pace = Pace()
        async for head, known in self._walk.heads():
            facts = known.facts if known is not None and known.is_of(head.file) else None
            self._ready.append(self._row(head, known if facts is not None else None))
            if facts is None:
                self._walk.left += 1
                batches.add(head, known)
            if len(self._ready) >= _PART or pace.is_over:
                self._flush()
                await pace.rest()
        self._flush()

    async def _here(self, batch: Batch) -> None:
        pace = Pace()
        for head, known in batch:
            steps = examine(head.file.path, known)
            try:
                while True:
                    next(steps)
                    if pace.is_over:
                        self._flush_some()
                        await pace.rest()
            except StopIteration as end:
                self._take(head, end.value)
            except OSError:
                self._take(head, None)

    async def _there(self, batch: Batch) -> None:
        order = Examine([(head.file.path, known) for head, known in batch])
        for (head, _), known in zip(batch, await self._workers.examine(order), strict=True):
            self._take(head, known)
        self._flush_some()

    def _take(self, head: Head, known: Known | None) -> None:
        self._walk.left -= 1
        if known is None or known.header is None:
            self._walk.store.skipped += 1
            return
        self._cache.put(head.file.path, known)
        self._ready.append(self._row(head, known))

    def _row(self, head: Head, known: Known | None) -> Row:
        file = head.file
        if known is not None and known.header is not None:
            # It may have grown since it was found.
            file = msgspec.structs.replace(file, size=known.size, mtime_ns=known.mtime_ns)
            head = Head(file, known.header)
        row = row_of(head, known.facts if known is not None else None)
        running, elsewhere = self._marks(file)
        if not running and not elsewhere:
            elsewhere = time.time() - file.mtime < _MOMENT
        return (
            msgspec.structs.replace(row, running=running, elsewhere=elsewhere)
            if running or elsewhere
            else row
        )

    def _flush_some(self) -> None:
        if time.perf_counter() - self._told >= _EVERY:
            self._flush()

    def _flush(self, final: bool = False) -> None:
        rows, self._ready = self._ready, []
        self._told = time.perf_counter()
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
