"""The sessions of a store found one by one, with what is known of them, for several readers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence

import msgspec

from .batches import Batch, Batches, Pace
from .cache import Cache
from .headers import read_header
from .known import Known
from .listing import File, Head, Store


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
    """One look at a store. `left` are files that were found and are still to be read."""

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

    def found(self) -> Iterator[tuple[File, Known | None, bool]]:
        """The files, newest first, with what is known of each, and whether that is still true."""
        folder, names = "", self.cache.folder(self.store.location.dir)
        for file in self.store.files:
            if file.folder != folder:
                folder, names = file.folder, self.cache.folder(file.folder)
            known = names.get(file.name)
            yield file, known, known is not None and known.is_of(file)

    def head(self, file: File, known: Known | None, fresh: bool) -> Head | None:
        """The session in the file, where it is wanted; its header is read where it is not known."""
        header = known.header if fresh and known is not None else read_header(file.path)
        head = self.store.head(file, header)
        if head is None and not fresh:
            self.cache.put(file, Known(file.size, file.mtime_ns, file.inode, header))
        return head


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
