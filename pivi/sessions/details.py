"""Reading a session file for its facts, whole or from where an earlier reading ended."""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Iterator

from . import facts as of
from .facts import Facts
from .files import open_regular

_CHUNK = 1 << 22
# A record longer than this is counted, but not looked into.
_LONGEST_KEPT = 1 << 24
_SEALED = 1024
_HEAD = re.compile(
    rb'\{"type":"(?P<type>\w+)","id":"(?P<id>[^"\\]*)","parentId":(?:null|"(?P<parent>[^"\\]*)")'
    rb'(?:,"timestamp":"[^"\\]*","message":\{"role":"(?P<role>\w+)")?'
)


class Details:
    """Gathers the facts of one session from pieces of its file, given in order.

    `facts` may be those of an earlier reading; pieces then go on behind its `read`, and `before` are the
    bytes that its `seal` tells.
    """

    def __init__(self, facts: Facts | None = None, before: bytes = b"") -> None:
        self.facts = facts if facts is not None else Facts(ends=[])
        self._last = before
        self._pieces: list[bytes] = []
        self._kept = 0
        self._long = 0

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the file."""
        end = data.rfind(b"\n") + 1
        if end:
            self.facts.read += self._kept + self._long + end
            start = 0
            if self._pieces:
                start = data.find(b"\n") + 1
                self._keep(data[: start - 1])
                of.take(self.facts, self._line())
            of.take(self.facts, data[start:end])
            # Of what was taken in, not of what the file has by now.
            self.facts.seal = zlib.crc32(self._ending(data, end))
        self._last = self._ending(data, len(data))
        if end < len(data):
            self._keep(data[end:])

    def finish(self) -> None:
        """Take what was fed last as a whole line; at the end of the file it has no line feed.

        Its writer may not be done, so `read` stays before it, and the facts are good for this reading only.
        """
        if self._pieces:
            of.take(self.facts, self._line())

    @property
    def torn(self) -> bool:
        """Has what was fed last no line feed?"""
        return bool(self._pieces)

    def _ending(self, data: bytes, end: int) -> bytes:
        return (self._last + data[max(0, end - _SEALED) : end])[-_SEALED:]

    def _keep(self, piece: bytes) -> None:
        if self._kept + len(piece) <= _LONGEST_KEPT or not self._pieces:
            self._kept += len(piece)
            self._pieces.append(piece)
        else:
            self._long += self._kept - len(self._pieces[0]) + len(piece)
            self._kept = len(self._pieces[0])
            del self._pieces[1:]

    def _line(self) -> bytes:
        """The line that was kept; of one that is too long, a record that tells what its head tells."""
        line = b"".join(self._pieces)
        head = _HEAD.match(line) if self._long or len(line) > _LONGEST_KEPT else None
        if head is not None:
            parent = b'"%b"' % head["parent"] if head["parent"] is not None else b"null"
            told = (head["type"], head["id"], parent, head["role"] or b"")
            line = b'{"type":"%b","id":"%b","parentId":%b,"message":{"role":"%b"}}' % told
        self._pieces, self._kept, self._long = [], 0, 0
        return line


def read_details(path: str, details: Details) -> Iterator[None]:
    """Feed `details` from the file at `path`, from where its facts end, yielding after each piece so that a
    caller can pause or stop.

    Raises OSError where the file can't be read.
    """
    descriptor, state = open_regular(path)
    try:
        yield from read(descriptor, details, state.st_size)
        details.finish()
    finally:
        os.close(descriptor)


def read(descriptor: int, details: Details, size: int) -> Iterator[None]:
    """Like `read_details`, but of an open file of `size` bytes; a last line without line feed stays open."""
    offset = details.facts.read
    while data := os.pread(descriptor, min(_CHUNK, max(1, size - offset)), offset):
        offset += len(data)
        details.feed(data)
        yield
        if offset >= size:
            return  # what has been written meanwhile is for the next look


def sealed(descriptor: int, facts: Facts) -> bytes | None:
    """The bytes before `facts.read` that its seal tells; None where they are others now. Raises OSError."""
    length = min(_SEALED, facts.read)
    last = os.pread(descriptor, length, facts.read - length)
    return last if last and zlib.crc32(last) == facts.seal else None
