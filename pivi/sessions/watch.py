"""Noticing that a session file has changed."""

from __future__ import annotations

import os

from .fingerprint import Fingerprint
from .reading import ends_a_line

_Stamp = tuple[int, int, int, int]


class Watch:
    """Looks at a file as often as it is asked to; that costs one stat while nothing happens.

    `mark` is the file's state when it was read.
    """

    def __init__(self, path: str, mark: Fingerprint) -> None:
        self._path = path
        self._known: _Stamp | None = (mark.size, mark.mtime_ns, mark.device, mark.inode)
        self._before: _Stamp | None = self._known

    def changed(self) -> bool:
        """Is it another file than at the last True, or is it gone? Tells each change once.

        A last line that has no LF yet is being written: it is waited for until two looks find it the same.
        """
        now = self._stamp()
        before, self._before = self._before, now
        if now == self._known or not (now == before or now is None or _is_whole(self._path, now[0])):
            return False
        self._known = now
        return True

    def _stamp(self) -> _Stamp | None:
        try:
            state = os.stat(self._path)
        except OSError:
            return None
        return state.st_size, state.st_mtime_ns, state.st_dev, state.st_ino


def _is_whole(path: str, size: int) -> bool:
    try:
        return ends_a_line(path, size)
    except OSError:  # it has just gone
        return False
