"""Acting on a file only as it was seen."""

from __future__ import annotations

import os

import msgspec


class Seen(msgspec.Struct, frozen=True):
    """A session file as its row told it: `size` in bytes, `mtime` in seconds since 1970."""

    size: int
    mtime: float

    def is_still(self, state: os.stat_result) -> bool:
        """Is the file as it was?"""
        return state.st_size == self.size and state.st_mtime_ns / 1e9 == self.mtime


class RefusedError(Exception):
    """A file was left as it is; the text is one sentence that says why."""
