"""The last entry of a session file."""

from __future__ import annotations

from . import jsontext
from .reading import read_tail

_TAIL = 1 << 16


def last_record(path: str) -> object:
    """The last record in the file, None where it has none; what is no JSON is passed over, as Pi does.

    Raises OSError.
    """
    end: int | None = None
    while True:
        tail = read_tail(path, _TAIL, end)
        for line in reversed(tail.lines):
            try:
                return jsontext.parse(line)
            except ValueError:
                continue
        if tail.whole:
            return None
        end = tail.offset


def last_id(path: str) -> str | None:
    """The id of the last record, None where it has none or the file can't be read."""
    try:
        record = last_record(path)
    except OSError:
        return None
    ident = record.get("id") if isinstance(record, dict) else None
    return ident if isinstance(ident, str) else None
