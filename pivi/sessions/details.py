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

    `facts` may be those of an earlier reading; pieces then go on behind its `read`.
    """

    def __init__(self, facts: Facts | None = None) -> None:
        self.facts = facts if facts is not None else Facts(ends=[])
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


def goes_on(descriptor: int, facts: Facts) -> bool:
    """Are the bytes before `facts.read` those that the facts were taken from? Raises OSError."""
    return facts.read > 0 and seal(descriptor, facts.read) == facts.seal


def seal(descriptor: int, end: int) -> int:
    """What tells the bytes before `end` from others. Raises OSError."""
    length = min(_SEALED, end)
    return zlib.crc32(os.pread(descriptor, length, end - length))
