"""Reading a session file's lines: its tail at once, the rest forwards. Only LF ends a line."""

from __future__ import annotations

import os
from collections.abc import Iterator

import msgspec

from .files import open_regular, read_exactly
from .fingerprint import Change, Fingerprint, take
from .headers import require_header

__all__ = [
    "Change",
    "Fingerprint",
    "Tail",
    "ends_a_line",
    "fingerprint",
    "header_line",
    "next_line",
    "read_lines",
    "read_tail",
]

CHUNK = 1 << 20


class Tail(msgspec.Struct, frozen=True):
    """The last lines of a file, without their LF.

    The first one begins at `offset` (bytes); `whole` tells that this is the file's beginning, so that the
    header is among them. `size` is the file's (or the given end). `torn`: the last line has no LF, so its
    writer may not be done. `mark` is the file's state when it was read.
    """

    lines: list[bytes]
    offset: int
    size: int
    whole: bool
    torn: bool
    mark: Fingerprint


def read_tail(path: str, want_bytes: int, end: int | None = None) -> Tail:
    """The whole lines within the last `want_bytes` bytes, and at least one where the file has any.

    `end` reads the part before an earlier tail: give that tail's `offset`. Time and memory go with what is
    returned: a line longer than the wish is read backwards in doubling steps. Raises OSError (also for what
    is no regular file).
    """
    descriptor, state = open_regular(path)
    try:
        size = state.st_size if end is None else min(end, state.st_size)
        start = max(0, size - max(1, want_bytes))
        pieces = [read_exactly(descriptor, size - start, start)]
        # A line feed at the very end closes the last line and begins none.
        cut = _first_line(pieces[0], size - start - 1) if start else 0
        while cut < 0:
            step = min(start, size - start)
            start -= step
            pieces.append(read_exactly(descriptor, step, start))
            found = pieces[-1].rfind(b"\n")
            cut = found + 1 if found >= 0 else -1 if start else 0
        mark = take(descriptor, state)
    finally:
        os.close(descriptor)
    pieces.reverse()
    data = pieces[0] if len(pieces) == 1 else b"".join(pieces)
    if cut:
        data = data[cut:]
    offset = start + cut
    lines = data.split(b"\n")
    torn = bool(lines and lines[-1])
    if lines and not lines[-1]:
        lines.pop()
    return Tail(lines, offset, size, offset == 0, torn, mark)


def _first_line(data: bytes, last: int) -> int:
    """Where the first line begins that is in `data` from its start; -1 for none."""
    found = data.find(b"\n", 0, last)
    return found + 1 if found >= 0 else -1


def read_lines(
    path: str, chunk: int = CHUNK, start: int = 0, end: int | None = None
) -> Iterator[list[bytes]]:
    """The lines from `start` to `end` (bytes) in order, as lists of about `chunk` bytes.

    Begin at a line's beginning, as `Tail.offset` is. A last line without LF comes last. Linear for lines of
    any length; the file may grow meanwhile, what comes after its size at the beginning is not read.
    Raises OSError.
    """
    descriptor, state = open_regular(path)
    try:
        limit = state.st_size if end is None else min(end, state.st_size)
        pieces: list[bytes] = []
        while start < limit:
            data = os.pread(descriptor, min(chunk, limit - start), start)
            if not data:
                break
            start += len(data)
            last = data.rfind(b"\n")
            if last < 0:
                pieces.append(data)
                continue
            pieces.append(data[:last])
            yield b"".join(pieces).split(b"\n")
            pieces = [data[last + 1 :]] if last + 1 < len(data) else []
        if pieces:
            yield [b"".join(pieces)]
    finally:
        os.close(descriptor)


def fingerprint(path: str) -> Fingerprint:
    """The file's state now. Raises OSError."""
    descriptor, state = open_regular(path)
    try:
        return take(descriptor, state)
    finally:
        os.close(descriptor)


def ends_a_line(path: str, size: int) -> bool:
    """Is the last of the file's first `size` bytes a LF? Of none it is. Raises OSError."""
    descriptor, _ = open_regular(path)
    try:
        return size == 0 or os.pread(descriptor, 1, size - 1) == b"\n"
    finally:
        os.close(descriptor)


def next_line(path: str, offset: int) -> int:
    """Where the first line begins behind the byte at `offset`; the size where none does. Raises OSError."""
    descriptor, state = open_regular(path)
    try:
        while offset < state.st_size:
            data = os.pread(descriptor, CHUNK, offset)
            found = data.find(b"\n")
            if found >= 0:
                return offset + found + 1
            offset += len(data) or state.st_size
        return state.st_size
    finally:
        os.close(descriptor)


def header_line(path: str) -> bytes:
    """The line of the file's header, without its LF. Raises NoSessionError, OSError."""
    end = require_header(path).end
    descriptor, _ = open_regular(path)
    try:
        return read_exactly(descriptor, end, 0).rstrip(b"\n").rpartition(b"\n")[2]
    finally:
        os.close(descriptor)
