"""The sessions of a directory, or of all directories, newest first."""

from __future__ import annotations

import heapq
import os
import stat
from collections.abc import Iterator
from operator import attrgetter
from typing import Literal

import msgspec

from .details import Details, read_details
from .facts import Facts
from .headers import DISCOVERY_BYTES, Header, read_header
from .location import Location
from .paths import Directory, is_utf8
from .worktrees import Worktrees

Scope = Literal["directory", "repository", "all"]

_NAMES = 8
"""Names after which others get their turn, where that is due."""


class File(msgspec.Struct, frozen=True, gc=False):
    """A regular file named `*.jsonl` as it was found: `size` in bytes, times since 1970."""

    folder: str
    name: str
    mtime_ns: int
    size: int
    device: int
    inode: int

    @property
    def path(self) -> str:
        return f"{self.folder}/{self.name}"

    @property
    def mtime(self) -> float:
        return self.mtime_ns / 1e9


class Head(msgspec.Struct, frozen=True, gc=False):
    """A session by what its first record says."""

    file: File
    header: Header


class Row(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A session as the list shows it.

    `title` is the name, else the first prompt, else a note that there is none: always one line, "" while it
    is not known. `prompt` is the first prompt where `title` is a name. `cwd` is "" where the header has none.
    Times are in seconds since 1970: `active` that of the last message of the user or an assistant, by which
    Pi sorts. `messages` counts those of all branches and roles, `prompts` those of the user. `parent` is the
    file that it was forked from, `model` the one used last, `cost` in dollars, `size` in bytes. What needs
    the whole file is None until that is read.
    """

    path: str
    id: str
    cwd: str
    title: str
    mtime: float
    size: int
    name: str | None = None
    created: float | None = None
    active: float | None = None
    messages: int | None = None
    prompts: int | None = None
    branches: int | None = None
    parent: str | None = None
    model: str | None = None
    cost: float | None = None
    tokens: int | None = None
    running: bool = False
    elsewhere: bool = False
    prompt: str | None = None


class Store:
    """One look at the session files of a location, or at the file `only`. Make a new one for each look.

    The counts are complete when the iterator that fills them has ended.
    """

    def __init__(
        self, location: Location, cwd: str, scope: Scope = "directory", only: str | None = None
    ) -> None:
        self.location = location
        self.directory = Directory(cwd, location.home)
        self.scope: Scope = "all" if only else scope
        self._only = only
        self._worktrees = Worktrees(cwd, location.home) if scope == "repository" else None
        self.files: list[File] = []
        self.skipped = 0
        self.elsewhere = 0
        self.done = 0
        self.problem: str | None = None
        self._seen: set[tuple[int, int]] = set()
        self._names: dict[str, list[str]] = {}

    def glance(self, count: int) -> list[File]:
        """Files of the own folder with the latest names, newest first; none unless there are many more.

        Names begin with the time at which a session began, so these are likely new, and they are found
        without a look at each file. Nothing is counted, and no file is left out of `collect`.
        """
        folder = self.location.dir
        try:
            names = self._names[folder] = _sessions_in(folder)
        except OSError:
            return []
        found: list[File] = []
        for name in heapq.nlargest(count, names) if len(names) > 10 * count else []:
            try:
                state = os.stat(os.path.join(folder, name))
            except OSError:
                continue  # `collect` tells of it
            if _may_be_session(name, state):
                found.append(_file(folder, name, state))
        return sorted(found, key=_newest, reverse=True)

    def collect(self) -> Iterator[None]:
        """Fill `files`, newest first, yielding after each few names."""
        if self._only is not None:
            try:
                self.files.append(_file(*os.path.split(self._only), os.stat(self._only)))
            except OSError:
                self.skipped += 1  # it has gone since it was named
            return
        for folder in self._folders():
            try:
                yield from self._collect_from(folder)
            except FileNotFoundError:
                continue
            except OSError as error:
                self.problem = self.problem or error.strerror
        self.files.sort(key=_newest, reverse=True)

    def _folders(self) -> list[str]:
        # The own bucket comes first: it may be found by another way than the others.
        folders = [self.location.dir]
        if self.scope == "directory" or self.location.flat:
            return folders
        try:
            with os.scandir(self.location.sessions_dir) as entries:
                others = sorted(entry.path for entry in entries if entry.is_dir() or entry.is_symlink())
        except FileNotFoundError:
            return folders
        except OSError as error:
            self.problem = error.strerror
            return folders
        return folders + [path for path in others if self._may_hold(os.path.basename(path))]

    def _may_hold(self, bucket: str) -> bool:
        return self._worktrees is None or self._worktrees.may_hold(bucket)

    def _collect_from(self, folder: str) -> Iterator[None]:
        # By its descriptor the path to it is gone through once, and not for each file.
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            own = os.fstat(descriptor)
            # The own bucket is one of all, and a link may lead to another one.
            if (own.st_dev, own.st_ino) in self._seen:
                return
            self._seen.add((own.st_dev, own.st_ino))
            # A look for a glance has just been there.
            names = self._names.pop(folder, []) or _sessions_in(descriptor)
            yield from self._take(folder, descriptor, names)
        finally:
            os.close(descriptor)

    def _take(self, folder: str, descriptor: int, names: list[str]) -> Iterator[None]:
        seen, files = self._seen, self.files
        for number, name in enumerate(names):
            try:
                state = os.stat(name, dir_fd=descriptor)
            except OSError:
                state = None
            if state is None or not _may_be_session(name, state):
                self.skipped += 1
            elif (key := (state.st_dev, state.st_ino)) not in seen:
                seen.add(key)
                files.append(_file(folder, name, state))
            if number % _NAMES == 0:
                yield

    @property
    def is_certain(self) -> bool:
        """Are nearly all of the files wanted?"""
        return self.scope == "all" or (self.scope == "directory" and not self.location.flat)

    def heads(self) -> Iterator[Head | None]:
        """The sessions wanted, newest first; None for each other file. Call `collect` to its end before."""
        for file in self.files:
            self.done += 1
            yield self.head(file, read_header(file.path, DISCOVERY_BYTES))

    def head(self, file: File, header: Header | None) -> Head | None:
        """The session where it is wanted; else the file is counted."""
        if header is None:
            self.skipped += 1
        elif self.wants(header):
            return Head(file, header)
        else:
            self.elsewhere += 1
        return None

    def wants(self, header: Header) -> bool:
        """Is a session with this header one of the scope's?"""
        if self.scope == "all":
            return True
        if header.cwd:
            tells = self._worktrees or self.directory
            return tells.is_same(header.cwd)
        # Pi runs a session without a directory where it is; only a bucket tells that it is ours.
        return self.scope == "directory" and not self.location.flat


def _sessions_in(folder: str | int) -> list[str]:
    return [name for name in os.listdir(folder) if name.endswith(".jsonl")]


def _file(folder: str, name: str, state: os.stat_result) -> File:
    return File(folder, name, state.st_mtime_ns, state.st_size, state.st_dev, state.st_ino)


_newest = attrgetter("mtime_ns", "name")


def _may_be_session(name: str, state: os.stat_result) -> bool:
    # Pi can't name a file whose name is no UTF-8.
    return stat.S_ISREG(state.st_mode) and state.st_size > 0 and (name.isascii() or is_utf8(name))


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
    return row_of(head, details.facts)


def row_of(head: Head, facts: Facts | None, running: bool = False, elsewhere: bool = False) -> Row:
    """The row of a session; without `facts` what its header tells."""
    file, header = head.file, head.header
    path, cwd, mtime = file.path, header.cwd or "", file.mtime_ns / 1e9
    if facts is None:
        own = Row(path, header.id, cwd, "", mtime, file.size, created=header.created, parent=header.parent)
        return msgspec.structs.replace(own, running=running, elsewhere=elsewhere)
    # By position, since this is done for every session: names cost twice the time.
    return Row(
        path,
        header.id,
        cwd,
        facts.name or facts.prompt or "No prompt yet",
        mtime,
        file.size,
        facts.name,
        header.created,
        facts.active or header.created or mtime,
        facts.messages,
        facts.prompts,
        facts.branches,
        header.parent,
        facts.model,
        facts.cost,
        facts.tokens,
        running,
        elsewhere,
        facts.prompt if facts.name else None,
    )
