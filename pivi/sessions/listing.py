"""The sessions of a directory, or of all directories, newest first."""

from __future__ import annotations

import heapq
import os
import stat
from collections.abc import Iterator
from typing import Literal

import msgspec

from .details import Details, read_details
from .facts import Facts
from .headers import DISCOVERY_BYTES, Header, read_header
from .location import Location
from .paths import Directory, is_utf8
from .worktrees import Worktrees

Scope = Literal["directory", "repository", "all"]


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

    def glance(self, count: int) -> list[File]:
        """Files of the own folder with the latest names, newest first; none unless there are many more.

        Names begin with the time at which a session began, so these are likely new, and they are found
        without a look at each file. Nothing is counted, and no file is left out of `collect`.
        """
        folder = self.location.dir
        try:
            names = [name for name in os.listdir(folder) if name.endswith(".jsonl")]
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
        """Fill `files`, newest first, yielding after each name."""
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
        # The own bucket is one of all, and a link may lead to another one.
        own = os.stat(folder)
        if (own.st_dev, own.st_ino) in self._seen:
            return
        self._seen.add((own.st_dev, own.st_ino))
        with os.scandir(folder) as entries:
            for entry in entries:
                if not entry.name.endswith(".jsonl"):
                    continue
                try:
                    state = entry.stat()
                except OSError:
                    state = None
                if state is None or not _may_be_session(entry.name, state):
                    self.skipped += 1
                elif (key := (state.st_dev, state.st_ino)) not in self._seen:
                    self._seen.add(key)
                    self.files.append(_file(folder, entry.name, state))
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


def _file(folder: str, name: str, state: os.stat_result) -> File:
    return File(folder, name, state.st_mtime_ns, state.st_size, state.st_dev, state.st_ino)


def _newest(file: File) -> tuple[int, str]:
    return file.mtime_ns, file.name


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
