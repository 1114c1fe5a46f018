"""One line of Pi's stdout: an answer, an event, a request of an extension, or no record at all."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

import msgspec

from . import tolerant

_NOTHING = msgspec.Raw(b"")
_TRIES = 8
_SMALL = ("id", "command", "success", "error")


class Record(msgspec.Struct):
    """What tells where a record belongs; `data` is not decoded, and empty where there is none."""

    type: str
    id: str | int | None = None
    command: str = ""
    success: bool = False
    error: str = ""
    data: msgspec.Raw = _NOTHING


_DECODER = msgspec.json.Decoder(Record)


def read(line: bytes) -> tuple[Record, bytes, bytes] | None:
    """The record in a line, its text, and what stood before it in the line; `None` where there is none.

    An extension can write to Pi's stdout past Pi. What it writes without an end of line is found glued
    to the front of the next record.
    """
    record = _record(line)
    if record is not None:
        return record, line, b""
    for match in islice(re.finditer(rb'(?<!^)\{"', line), _TRIES):
        text = line[match.start() :]
        record = _record(text)
        if record is not None:
            return record, text, line[: match.start()]
    return None


def event(text: bytes) -> dict[str, Any]:
    """The whole of a record that `read` found. Raises `ValueError` where it can't be decoded."""
    value = tolerant.loads(text)
    if not isinstance(value, dict):
        raise ValueError("no object")
    return value


def request(identity: str, command: str, params: dict[str, Any]) -> bytes:
    """The line that asks Pi for something. Parameters that are `None` are left out."""
    fields = {"id": identity, "type": command}
    fields.update((name, value) for name, value in params.items() if value is not None)
    return _line(fields)


def ui_response(identity: str, answer: dict[str, Any]) -> bytes:
    """The line that answers an extension's dialog."""
    return _line({"type": "extension_ui_response", "id": identity, **answer})


def _line(fields: dict[str, Any]) -> bytes:
    return tolerant.dumps(fields) + b"\n"


def _record(text: bytes) -> Record | None:
    try:
        return _DECODER.decode(text)
    except (msgspec.DecodeError, RecursionError):
        pass
    try:
        fields = tolerant.members(text)
        kind = tolerant.loads(fields["type"])
    except (ValueError, KeyError):
        return None
    if not isinstance(kind, str):
        return None
    small = {name: tolerant.loads(fields[name]) for name in _SMALL if name in fields}
    identity = small.get("id")
    return Record(
        type=kind,
        id=identity if isinstance(identity, (str, int)) else None,
        command=str(small.get("command", "")),
        success=small.get("success") is True,
        error=str(small.get("error", "")),
        data=msgspec.Raw(fields["data"]) if "data" in fields else _NOTHING,
    )
