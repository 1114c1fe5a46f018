"""Telling whether the bytes that were read from a session file are still as they were."""

from __future__ import annotations

import hashlib
import os
from typing import Literal

import msgspec

from .files import open_regular, read_exactly

Change = Literal["same", "grown", "changed", "gone"]

_HEAD = 4096
_TAIL = 1 << 16


class Fingerprint(msgspec.Struct, frozen=True):
    """A file's state when its first `size` bytes were read. `mtime_ns` is in nanoseconds since 1970."""

    size: int
    mtime_ns: int
    device: int
    inode: int
    digest: bytes

    def compare(self, path: str) -> Change:
        """What became of the file since.

        `grown`: bytes were appended and the old ones are still there. `changed`: it was rewritten, cut or
        replaced. `gone`: it is not there or can't be read. Digests cover both ends, not every byte.
        """
        try:
            descriptor, state = open_regular(path)
        except (OSError, ValueError):
            return "gone"
        if (state.st_dev, state.st_ino) != (self.device, self.inode) or state.st_size < self.size:
            os.close(descriptor)
            return "changed"
        try:
            if digest(descriptor, self.size) != self.digest:
                return "changed"
        except OSError:
            return "gone"
        finally:
            os.close(descriptor)
        if state.st_size > self.size:
            return "grown"
        # The same size at another time: what lies between the two ends may be other bytes.
        return "same" if state.st_mtime_ns == self.mtime_ns else "changed"


def take(descriptor: int, state: os.stat_result) -> Fingerprint:
    """The fingerprint of an open file as far as `state` says it goes."""
    return Fingerprint(
        state.st_size, state.st_mtime_ns, state.st_dev, state.st_ino, digest(descriptor, state.st_size)
    )


def digest(descriptor: int, size: int) -> bytes:
    """A digest of the head and the tail of the first `size` bytes."""
    sum_ = hashlib.blake2b(digest_size=16)
    sum_.update(read_exactly(descriptor, min(_HEAD, size), 0))
    begin = max(_HEAD, size - _TAIL)
    if begin < size:
        sum_.update(read_exactly(descriptor, size - begin, begin))
    return sum_.digest()
