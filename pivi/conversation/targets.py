"""Which session a request names. All of it reads files, and may wait for them: not in the event loop."""

from __future__ import annotations

from pivi.conversation.options import Options, location_of
from pivi.sessions.cache import Cache
from pivi.sessions.headers import read_header
from pivi.sessions.targets import DirectoryGoneError, Found, TargetError, continue_takes, find


def found_by(target: str | None, cwd: str, options: Options) -> tuple[Found, bool]:
    """The session that a target names, and whether `pi --continue` would take just that."""
    location = location_of(cwd, options)
    found = find(target, cwd, location, Cache() if target else None)
    return found, target is None and continue_takes(found.path, cwd, location)


def path_of(target: str | None, cwd: str, options: Options) -> str:
    """The file that a target names; its directory may be gone: it is only read, or forked from."""
    try:
        return find(target, cwd, location_of(cwd, options), Cache()).path
    except DirectoryGoneError as error:
        return error.path


def path_anywhere(target: str | None, cwd: str, options: Options) -> str:
    """The same; a whole id may be that of another directory's session."""
    try:
        return path_of(target, cwd, options)
    except TargetError as error:
        named = [row.path for row in error.candidates if row.id == target]
        if len(named) != 1:
            raise
        return named[0]


def is_stored(ident: str, cwd: str, options: Options) -> bool:
    """Whether a session of this directory has the id; Pi would go on with it."""
    try:
        header = read_header(path_of(ident, cwd, options))
    except TargetError:
        return False
    return header is not None and header.id == ident
