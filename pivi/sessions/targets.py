"""From what a user names to one session file."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence

import msgspec

from .cache import Cache
from .continuing import continue_takes
from .examining import examine
from .headers import Header, NoSessionError, Reason, read_header, require_header
from .known import Known
from .listing import Head, Row, Store, heads, row
from .location import Location
from .paths import Directory, expand, is_utf8, real, resolve
from .walk import Walk
from .wording import age, shown, tidy

__all__ = [
    "DirectoryGoneError",
    "Found",
    "NotASessionError",
    "NothingToResumeError",
    "TargetError",
    "check_directory",
    "continue_takes",
    "find",
]

# Candidates that a sentence names, and that the error holds: each costs reading its file.
_NAMED = 5
_HELD = 100


class Found(msgspec.Struct, frozen=True):
    """A session file to resume: its absolute path as Pi would spell it, and its header.

    `cwd` is the directory that Pi runs it in.
    """

    path: str
    header: Header
    cwd: str


class TargetError(Exception):
    """No session, or not one. The text is one sentence for the user, about the `candidates`, newest first."""

    def __init__(self, sentence: str, candidates: Sequence[Row] = ()) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.candidates = tuple(candidates)


class NothingToResumeError(TargetError):
    """This directory has no session yet. `alone`: nor has another one where it was looked for."""

    alone = False


class NotASessionError(TargetError):
    """The path is there or not, but it is no session that Pi would open."""


class DirectoryGoneError(TargetError):
    """The session is fine but its directory is not there: fork it, read it, or leave it."""

    def __init__(self, path: str, header: Header) -> None:
        self.path = path
        self.header = header
        self.directory = header.cwd or ""
        super().__init__(
            "Its directory no longer exists; :Pi fork it, or :Pi view it: the session is of "
            f"{shown(self.directory)}, its file {shown(path)}."
        )


_REASONS: dict[Reason, str] = {
    "missing": "no such file",
    "directory": "a directory",
    "special": "no regular file",
    "unreadable": "unreadable",
    "empty": "empty",
    "no session": "lacks its header",
}


def find(target: str | None, cwd: str, location: Location, cache: Cache | None = None) -> Found:
    """The session that `target` means in `cwd`: None for the newest one, else a full id, a unique id prefix,
    a name or a path. Ids, prefixes and names are those of `cwd` only; a path may belong to any directory.

    Raises TargetError or one of its kinds; reads only. Searching names reads the whole files that are not in
    the `cache`, so call it from a thread where the store may be large.
    """
    if target is None:
        return _newest(cwd, location)
    if not target.strip():
        raise TargetError("This target is blank; name an id, a name or a path.")
    looks_like_path = "/" in target or "\\" in target or target.endswith(".jsonl") or target == "~"
    if looks_like_path and (path := _existing(target, cwd, location)):
        return open_path(path, cwd, location)
    store = Store(location, cwd)
    here = _here(store, cache)
    matches = _by_id(target, here) or _by_name(target, here, cache)
    if len(matches) == 1:
        return _found(matches[0].file.path, matches[0].header, cwd, location)
    if matches:
        raise _ambiguous(target, store, matches)
    if path := _existing(target, cwd, location) or (_path(target, cwd, location) if looks_like_path else ""):
        return open_path(path, cwd, location)
    raise _unknown(target, store, here)


def open_path(path: str, cwd: str, location: Location) -> Found:
    """The session in the file at `path` (absolute), which may belong to any directory."""
    if not is_utf8(path):
        raise NotASessionError(
            f"Rename the file first, Pi can't open a path that is no UTF-8: {shown(path)}."
        )
    try:
        header = require_header(path)
    except NoSessionError as error:
        raise NotASessionError(
            f"This is no Pi session, {_REASONS[error.reason]}; see :Pi sessions: {shown(path)}."
        ) from None
    return _found(path, header, cwd, location)


def check_directory(path: str, cwd: str, location: Location) -> None:
    """Raises DirectoryGoneError where the file at `path` holds a session whose directory is not there."""
    header = read_header(path)
    if header is not None:
        _found(path, header, cwd, location)


def _found(path: str, header: Header, cwd: str, location: Location) -> Found:
    if not header.cwd or Directory(cwd, location.home).is_same(header.cwd):
        return Found(path, header, cwd)
    runs_in = resolve(header.cwd, cwd, location.home)
    if not os.path.isdir(runs_in):
        raise DirectoryGoneError(path, header)
    return Found(path, header, runs_in)


def _newest(cwd: str, location: Location) -> Found:
    store = Store(location, cwd)
    for head in heads(store):
        return _found(head.file.path, head.header, cwd, location)
    error = NothingToResumeError(
        f"{_none(store)}: none of {shown(cwd)} in {_searched(store)}{_left_out(store)}."
    )
    error.alone = store.elsewhere == 0
    raise error


def _existing(target: str, cwd: str, location: Location) -> str:
    """The path that a target names, where something is there (a broken link too); else ""."""
    spelled = _path(target, cwd, location)
    if os.path.lexists(spelled):
        return spelled
    # `link/..` means another place once the link is followed.
    followed = real(os.path.join(cwd, expand(target, location.home)))
    if os.path.lexists(followed):
        return followed
    beside = os.path.join(location.dir, target)
    return beside if target.endswith(".jsonl") and "/" not in target and os.path.lexists(beside) else ""


def _path(target: str, cwd: str, location: Location) -> str:
    return resolve(target, os.path.abspath(cwd), location.home)


def _by_id(target: str, here: Sequence[Head]) -> list[Head]:
    exact = [head for head in here if head.header.id == target]
    return exact or [head for head in here if head.header.id.startswith(target)]


def _here(store: Store, cache: Cache | None) -> list[Head]:
    if cache is None:
        return list(heads(store))
    walk = Walk(store, cache)
    for _ in store.collect():
        pass
    found = (walk.head(file, known, fresh) for file, known, fresh in walk.found())
    return [head for head in found if head is not None]


def _by_name(target: str, here: Iterable[Head], cache: Cache | None) -> list[Head]:
    wanted = tidy(target)
    named = [(head, name) for head in here if (name := _name(head, cache))]
    if cache is not None:
        cache.write()
    exact = [head for head, name in named if name == wanted]
    return exact or [head for head, name in named if name.casefold() == wanted.casefold()]


def _name(head: Head, cache: Cache | None) -> str:
    """The session's name, "" where it has none."""
    file = head.file
    known = cache.get(file) if cache is not None else None
    if known is None or known.facts is None or not known.is_of(file):
        try:
            known = _examined(file.path, known)
        except OSError:
            return ""  # it went away since its header was read
        if cache is not None:
            cache.put(file, known)
    return (known.facts.name or "") if known.facts is not None else ""


def _examined(path: str, known: Known | None) -> Known:
    steps = examine(path, known)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: Known = end.value
            return found


def _rows(matches: Iterable[Head]) -> list[Row]:
    found: list[Row] = []
    for head in matches:
        try:
            found.append(row(head))
        except OSError:
            continue  # it went away since its header was read
    return found


def _ambiguous(target: str, store: Store, matches: Sequence[Head]) -> TargetError:
    rows = _rows(matches[:_HELD])
    where = f"{shown(store.directory.cwd)} in {_searched(store)}"
    start = f"{len(matches)} sessions match; give more, or see :Pi sessions"
    return TargetError(f"{start}: “{tidy(target)}” means {_named(rows, len(matches))} of {where}.", rows)


def _unknown(target: str, store: Store, here: Sequence[Head]) -> TargetError:
    everywhere = Store(store.location, store.directory.cwd, "all")
    foreign = _rows(_by_id(target, list(heads(everywhere)))[:_HELD])
    where = f"{shown(store.directory.cwd)} in {_searched(store)}"
    if foreign:
        places = [f"{shown(one.cwd) or 'no directory'} ({shown(one.path)})" for one in foreign[:_NAMED]]
        start = "Another directory's session; resume it by its path"
        sentence = (
            f"{start}, or :Pi fork that: “{tidy(target)}” is none of {where}, but of {', '.join(places)}."
        )
        return TargetError(sentence, foreign)
    if not here:
        return TargetError(f"{_none(store)}: “{tidy(target)}” is none of {where}{_left_out(store)}.")
    newest = _rows(here[:_NAMED])
    start = f"No such session here; choose with :Pi sessions: “{tidy(target)}” is none of {where}"
    return TargetError(f"{start}; the newest there are {_named(newest, len(here))}.", newest)


def _none(store: Store) -> str:
    """What to do where the directory has no session."""
    if store.problem:
        return f"The sessions can't be read: {store.problem}"
    return "No session of this directory yet; start one with :Pi new"


def _named(rows: Sequence[Row], total: int) -> str:
    width = _telling_width([one.id for one in rows])
    now = time.time()
    texts = [
        f"{tidy(one.id[:width])} ({age(now - one.mtime)}, {tidy(one.title, 50)})" for one in rows[:_NAMED]
    ]
    more = total - len(texts)
    return ", ".join(texts) + (f" and {more} more" if more > 0 else "")


def _telling_width(ids: Sequence[str]) -> int:
    """How many characters of these ids tell them apart, at least 8; equal ids are shown whole."""
    different = set(ids)
    width = 8
    while len({ident[:width] for ident in different}) < len(different):
        width += 1
    return width if len(different) == len(ids) else max(map(len, ids), default=width)


def _searched(store: Store) -> str:
    return f"{shown(store.location.dir)} ({shown(store.location.found_by)})"


def _left_out(store: Store) -> str:
    parts = []
    if store.elsewhere:
        parts.append(f"{store.elsewhere} there belong to other directories")
    if store.skipped:
        parts.append(f"{store.skipped} files there are no readable sessions")
    return f" ({', '.join(parts)})" if parts else ""
