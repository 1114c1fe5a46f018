"""Opening files for reading without ever waiting for one."""

from __future__ import annotations

import errno
import fcntl
import os
import stat

_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY


def open_regular(path: str) -> tuple[int, os.stat_result]:
    """A descriptor for reading a regular file, and its state.

    Raises OSError: the system's own, IsADirectoryError, or `EINVAL` for pipes, sockets and devices. Those
    are told by `stat`, since opening one may wait or act; O_NONBLOCK covers a change in between.
    """
    check_regular(path)
    descriptor = os.open(path, _FLAGS)
    try:
        state = os.fstat(descriptor)
        _check(state, path)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor, state


def check_regular(path: str) -> None:
    """Raises OSError where the path names no regular file."""
    _check(os.stat(path), path)


def hold(descriptor: int, path: str) -> bool:
    """Keep other Neovims from changing the file until the descriptor is closed.

    False where one of them is at it, or has moved it away since it was opened.
    """
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        # A file system without locks: then the looks before and after must do.
        if error.errno not in (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS):
            raise
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def _check(state: os.stat_result, path: str) -> None:
    if stat.S_ISDIR(state.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(state.st_mode):
        raise OSError(errno.EINVAL, "not a regular file", path)


def read_exactly(descriptor: int, length: int, offset: int) -> bytes:
    """`length` bytes from `offset`, fewer only where the file ends before."""
    pieces: list[bytes] = []
    while length > 0:
        piece = os.pread(descriptor, length, offset)
        if not piece:
            break
        pieces.append(piece)
        length -= len(piece)
        offset += len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)
