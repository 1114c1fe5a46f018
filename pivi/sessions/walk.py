"""The sessions of a store found one by one, with what is known of them, for several readers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

import msgspec

from .batches import Batch, Batches, Pace
from .cache import Cache
from .headers import read_header
from .known import Known
from .listing import Head, Store


class Progress(msgspec.Struct, omit_defaults=True):
    """How far a look at the sessions is.

    `done` of `total` files are read (`total` grows while directories are read). `skipped` files are no
    readable sessions, `elsewhere` belong to other directories. `problem` tells in a sentence what is not
    complete. `final`: nothing comes after this.
    """

    done: int
    total: int
    skipped: int = 0
    elsewhere: int = 0
    problem: str | None = None
    final: bool = False


class Walk:
    """One look at a store. `left` are files that were found wanted and are not read yet."""

    def __init__(self, store: Store, cache: Cache) -> None:
        self.store = store
        self.cache = cache
        self.left = 0
        self.problem: str | None = None

    def progress(self, final: bool = False) -> Progress:
        """How far it is."""
        store = self.store
        done, problem = store.done - self.left, self.problem or store.problem
        return Progress(done, len(store.files), store.skipped, store.elsewhere, problem, final)

    async def collect(self) -> None:
        """Find the files."""
        pace = Pace()
        for _ in self.store.collect():
            if pace.is_over:
                await pace.rest()

    async def heads(self) -> AsyncIterator[tuple[Head, Known | None]]:
        """The sessions wanted, newest first, with what is known of each as it is now, if anything.

        Others get their turn in between.
        """
        store, pace = self.store, Pace()
        for file in store.files:
            store.done += 1
            known = self.cache.get(file.path)
            fresh = known is not None and known.is_of(file)
            header = known.header if fresh and known is not None else read_header(file.path)
            head = store.head(file, header)
            if head is not None:
                yield head, known
            elif not fresh:
                self.cache.put(file.path, Known(file.size, file.mtime_ns, file.inode, header))
            if pace.is_over:
                await pace.rest()


async def spread(
    fill: Callable[[Batches], Awaitable[None]], readers: Sequence[Callable[[Batch], Awaitable[None]]]
) -> None:
    """Let `fill` add to batches while each of the `readers` takes from them. Cancelling it stops all."""
    batches = Batches()

    async def filled() -> None:
        await fill(batches)
        batches.end(len(readers))

    tasks = [asyncio.ensure_future(work) for work in (filled(), *map(batches.read, readers))]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
