"""The sessions of a directory, or of all directories, newest first."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Generator, Iterator

import msgspec

from .details import Details, read_details
from .headers import DISCOVERY_BYTES, Header, read_header
from .location import Location
from .paths import Directory, is_utf8

# Longest time in seconds that `rows` works between two slices, short enough for an event loop.
BUDGET = 0.008


class File(msgspec.Struct, frozen=True):
    """A regular file named `*.jsonl`. `mtime` in seconds since 1970, `size` in bytes."""

    path: str
    mtime_ns: int
    size: int

    @property
    def mtime(self) -> float:
        return self.mtime_ns / 1e9


class Head(msgspec.Struct, frozen=True):
    """A session by what its first record says."""

    file: File
    header: Header


class Row(msgspec.Struct, frozen=True):
    """A session as the list shows it.

    `title` is the name, else the first prompt, else a note that there is none: always one line. `cwd` is ""
    where the header has none. `created` and `mtime` are seconds since 1970; `messages` counts those of all
    branches; `size` is in bytes.
    """

    path: str
    id: str
    cwd: str
    name: str | None
    title: str
    created: float | None
    mtime: float
    messages: int
    size: int


class Slice(msgspec.Struct, frozen=True):
    """One step of a listing: the rows it found, and how far it is.

    `done` of `total` files are looked at (`total` grows while directories are read). `skipped` files are no
    readable sessions, `elsewhere` belong to other directories. `problem` tells why a directory can't be read.
    """

    rows: tuple[Row, ...]
    done: int
    total: int
    skipped: int
    elsewhere: int
    problem: str | None


class Store:
    """One look at the session files of a location. Make a new one for each look.

    The counts are complete when the iterator that fills them has ended.
    """

    def __init__(self, location: Location, cwd: str, everywhere: bool = False) -> None:
        self.location = location
        self.directory = Directory(cwd, location.home)
        self.everywhere = everywhere
        self.files: list[File] = []
        self.skipped = 0
        self.elsewhere = 0
        self.done = 0
        self.problem: str | None = None
        self._seen: set[tuple[int, int]] = set()

    def collect(self) -> Iterator[None]:
        """Fill `files`, newest first, yielding after each name."""
        for folder in self._folders():
            try:
                yield from self._collect_from(folder)
            except FileNotFoundError:
                continue
            except OSError as error:
                self.problem = self.problem or error.strerror
        self.files.sort(key=lambda file: (file.mtime_ns, os.path.basename(file.path)), reverse=True)

    def _folders(self) -> list[str]:
        if not self.everywhere or self.location.flat:
            return [self.location.dir]
        # The own bucket comes first: it may be found by another way than the others.
        folders = [self.location.dir]
        try:
            with os.scandir(self.location.sessions_dir) as entries:
                folders += sorted(entry.path for entry in entries if entry.is_dir() or entry.is_symlink())
        except FileNotFoundError:
            pass
        except OSError as error:
            self.problem = error.strerror
        return folders

    def _collect_from(self, folder: str) -> Iterator[None]:
        with os.scandir(folder) as entries:
            for entry in entries:
                if not entry.name.endswith(".jsonl"):
                    continue
                try:
                    state = entry.stat()
                except OSError:
                    state = None
                if state is None or not _may_be_session(entry.path, state):
                    self.skipped += 1
                elif (key := (state.st_dev, state.st_ino)) not in self._seen:
                    self._seen.add(key)
                    self.files.append(File(entry.path, state.st_mtime_ns, state.st_size))
                yield

    def heads(self) -> Iterator[Head | None]:
        """The sessions wanted, newest first; None for each other file. Call `collect` to its end before."""
        for file in self.files:
            self.done += 1
            header = read_header(file.path, DISCOVERY_BYTES)
            if header is None:
                self.skipped += 1
                yield None
            elif self.everywhere or self._is_here(header):
                yield Head(file, header)
            else:
                self.elsewhere += 1
                yield None

    def _is_here(self, header: Header) -> bool:
        if header.cwd:
            return self.directory.is_same(header.cwd)
        # Pi runs a session without a directory where it is; only a bucket tells that it is ours.
        return not self.location.flat


def _may_be_session(path: str, state: os.stat_result) -> bool:
    # Pi can't name a file whose name is no UTF-8.
    return stat.S_ISREG(state.st_mode) and state.st_size > 0 and is_utf8(path)


def heads(store: Store) -> Iterator[Head]:
    """The sessions of a store by their headers alone, newest first; nothing else of the files is read."""
    for _ in store.collect():
        pass
    for head in store.heads():
        if head is not None:
            yield head


def row(head: Head) -> Row:
    """The row of one session, reading the whole file. Raises OSError where it can't be read."""
    details = Details()
    for _ in read_details(head.file.path, details):
        pass
    return _row(head, details)


def rows(
    location: Location, cwd: str, everywhere: bool = False, budget: float = BUDGET
) -> Generator[Slice, None, None]:
    """The list in slices, newest first: those of `cwd`, or of all directories.

    Works for about `budget` seconds between two slices (some are empty), so that an event loop can go on in
    between; close it to cancel. The last slice has the complete counts. One bad file costs a count.
    """
    store = Store(location, cwd, everywhere)
    ready: list[Row] = []
    until = time.perf_counter() + budget
    for row_ in _work(store):
        if row_ is not None:
            ready.append(row_)
        if time.perf_counter() >= until:
            yield _slice(store, ready)
            ready = []
            until = time.perf_counter() + budget
    yield _slice(store, ready)


def _work(store: Store) -> Iterator[Row | None]:
    yield from store.collect()
    for head in store.heads():
        if head is None:
            yield None
            continue
        details = Details()
        try:
            for _ in read_details(head.file.path, details):
                yield None
        except OSError:
            store.skipped += 1
            continue
        yield _row(head, details)


def _slice(store: Store, ready: list[Row]) -> Slice:
    return Slice(tuple(ready), store.done, len(store.files), store.skipped, store.elsewhere, store.problem)


def _row(head: Head, details: Details) -> Row:
    return Row(
        path=head.file.path,
        id=head.header.id,
        cwd=head.header.cwd or "",
        name=details.name,
        title=details.name or details.prompt or "No prompt yet",
        created=head.header.created,
        mtime=head.file.mtime,
        messages=details.messages,
        size=head.file.size,
    )
