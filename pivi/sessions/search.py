"""Full text search over the sessions of a store: hits as they are found, newest sessions first."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from . import scan
from .batches import Batch, Batches, Pace
from .cache import Cache
from .listing import File, Head, Store, row_of
from .sought import Sought
from .walk import Progress, Walk, spread
from .worker import Found, Scan
from .workers import COUNT, Workers

MOST = 5000
"""Hits that are told at all: nobody reads more."""


class Hit(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line that was said or done in a session.

    `path`, `id`, `title` and `active` (seconds since 1970) are the session's; `entry` is the id of the entry,
    `role` who said it, `line` one tidy line around the match, which begins at `col` (0-based, characters).
    """

    path: str
    id: str
    title: str
    entry: str
    role: str
    line: str
    col: int
    active: float | None = None


class Search:
    """One stream of hits. `tell` takes them in parts, the last one with `final`; cancel `run` to leave it."""

    def __init__(
        self,
        store: Store,
        cache: Cache,
        workers: Workers,
        sought: Sought,
        tell: Callable[[list[Hit], Progress], None],
    ) -> None:
        self._walk = Walk(store, cache)
        self._cache = cache
        self._workers = workers
        self._sought = sought
        self._tell = tell
        self._found = 0

    async def run(self) -> None:
        """Find all, or the first `MOST`. Raises WorkerGoneError."""
        try:
            await self._walk.collect()
            await spread(self._fill, [self._read] * COUNT)
        finally:
            self._cache.write()
        self._tell([], self._walk.progress(final=True))

    async def _fill(self, batches: Batches) -> None:
        walk, pace = self._walk, Pace()
        for file, known, fresh in walk.found():
            walk.store.done += 1
            if walk.head(file, known, fresh) is not None:
                walk.left += 1
                batches.add(file, known)
            if pace.is_over:
                await pace.rest()

    async def _read(self, batch: Batch) -> None:
        if self._found >= MOST:
            return
        files = [(file.path, known) for file, known in batch]
        hits: list[Hit] = []
        for (file, _), found in zip(batch, await self._workers.scan(Scan(files, self._sought)), strict=True):
            self._walk.left -= 1
            if found is None:
                self._walk.store.skipped += 1
            else:
                hits += self._hits(file, found)
        room = max(0, MOST - self._found)
        self._found += len(hits)
        if self._found > MOST:
            self._walk.problem = f"Only the first {MOST} places are shown; search for something rarer."
        self._tell(hits[:room], self._walk.progress())

    def _hits(self, file: File, found: Found) -> list[Hit]:
        if len(found.hits) == scan.MOST:
            self._walk.problem = f"Of some sessions only the first {scan.MOST} places are shown."
        known = found.known
        if known is None or known.header is None:
            return []  # nothing was found, or it is no session any more
        self._cache.put(file, known)
        row = row_of(Head(file, known.header), known.facts)
        return [
            Hit(row.path, row.id, row.title, hit.entry, hit.role, hit.line, hit.col, row.active)
            for hit in found.hits
        ]
