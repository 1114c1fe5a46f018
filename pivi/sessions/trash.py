"""Moving session files to the trash of the desktop, and back."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import msgspec

from .files import hold, open_regular
from .seen import RefusedError, Seen
from .wording import shown


class Trashed(msgspec.Struct, frozen=True):
    """A file that was moved: `path` was its place; `now` where it lies, "" where the trash does not tell."""

    path: str
    now: str


def trash(path: str, seen: Seen) -> Trashed:
    """Move the file to the trash.

    Raises RefusedError where it is not as it was seen, also where that is found out only afterwards (it is
    put back then), OSError.
    """
    try:
        # Only needed here; an environment made before it was asked for lacks it.
        from send2trash import send2trash
    except ImportError:
        raise RefusedError(":Pi install brings what is missing, Python's send2trash.") from None
    state = os.lstat(path)
    descriptor, now = open_regular(path)
    try:
        if not hold(descriptor, path) or not seen.is_still(now):
            raise RefusedError(f"Not moved, it has changed meanwhile; try again: {shown(path)}.")
        send2trash(path)
    except OSError as error:
        raise RefusedError(f"Not moved to the trash, {error.strerror or error}: {shown(path)}.") from error
    finally:
        os.close(descriptor)
    moved = Trashed(path, _find(path, state))
    if moved.now and not seen.is_still(os.stat(moved.now)):
        restore(moved)
        raise RefusedError(f"Not moved, it was being written to; try again: {shown(path)}.")
    return moved


def restore(moved: Trashed) -> None:
    """Bring a file back to its place. Raises RefusedError, OSError."""
    if not moved.now:
        raise RefusedError(f"Restore it from the trash, which does not tell its place: {shown(moved.path)}.")
    try:
        # Unlike a rename this never takes the place of a file that has come there meanwhile.
        os.link(moved.now, moved.path, follow_symlinks=False)
    except FileExistsError:
        raise RefusedError(f"It is there again; the other stays in the trash: {shown(moved.path)}.") from None
    except FileNotFoundError:
        folder = os.path.dirname(moved.path)
        if os.path.exists(moved.now) and not os.path.exists(folder):
            raise RefusedError(f"Its directory is gone, it stays in the trash: {shown(folder)}.") from None
        raise RefusedError(f"It is no longer in the trash: {shown(moved.path)}.") from None
    os.unlink(moved.now)
    folder, name = os.path.split(moved.now)
    note = os.path.join(os.path.dirname(folder), "info", f"{name}.trashinfo")
    if os.path.exists(note):
        os.unlink(note)


def _find(path: str, state: os.stat_result) -> str:
    """Where in the trash the file lies: it is still the same one."""
    stem = os.path.splitext(os.path.basename(path))[0]
    for folder in _folders(path):
        try:
            entries = list(os.scandir(folder))
        except OSError:
            continue  # there is none, or none that may be looked into
        for entry in entries:
            if entry.name.startswith(stem) and entry.inode() == state.st_ino:
                found = entry.stat(follow_symlinks=False)
                if found.st_dev == state.st_dev:
                    return entry.path
    return ""


def _folders(path: str) -> Iterator[str]:
    if sys.platform == "darwin":
        yield os.path.expanduser("~/.Trash")
        return
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    yield os.path.join(data, "Trash", "files")
    top = os.path.realpath(os.path.dirname(path))
    while not os.path.ismount(top):
        top = os.path.dirname(top)
    yield os.path.join(top, ".Trash", str(os.getuid()), "files")
    yield os.path.join(top, f".Trash-{os.getuid()}", "files")
