"""Finding one entry's line in a session file without decoding the others."""

from __future__ import annotations

import os
from collections.abc import Iterator

from . import jsontext
from .files import open_regular

_CHUNK = 1 << 22


def entry_at(path: str, ident: str) -> Iterator[int]:
    """The offset of the line of the entry with this id, at last; before that -1 for each piece of the file
    without it, so that a caller can pause or stop. Raises OSError."""
    needle = b'"id":"%b"' % ident.encode("utf-8", "replace")
    descriptor, _ = open_regular(path)
    try:
        offset, start, rest = 0, 0, b""
        while data := os.pread(descriptor, _CHUNK, offset):
            offset += len(data)
            cut = data.rfind(b"\n") + 1
            if not cut:
                rest += data
                continue
            lines = rest + data[:cut]
            found = _find(lines, needle, ident)
            if found >= 0:
                yield start + found
                return
            start += len(lines)
            rest = data[cut:]
            yield -1
        found = _find(rest, needle, ident)
        if found >= 0:
            yield start + found
    finally:
        os.close(descriptor)


def _find(lines: bytes, needle: bytes, ident: str) -> int:
    at = lines.find(needle)
    while at >= 0:
        start = lines.rfind(b"\n", 0, at) + 1
        end = lines.find(b"\n", at)
        end = len(lines) if end < 0 else end
        # A tool call's id, or one in somebody's data, may look the same.
        if _id(lines[start:end]) == ident:
            return start
        at = lines.find(needle, end)
    return -1


def _id(line: bytes) -> object:
    try:
        record = jsontext.parse(line)
    except ValueError:
        return None
    return record.get("id") if isinstance(record, dict) else None
