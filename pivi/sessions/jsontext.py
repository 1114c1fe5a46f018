"""JSON as Node's JSON.parse takes it, with msgspec's speed where the text is clean."""

from __future__ import annotations

import json
from typing import NoReturn

import msgspec

from pivi.pi.tolerant import NUMBERS

_decode = msgspec.json.Decoder().decode


def parse(text: bytes) -> object:
    """The value of one JSON text. Raises ValueError for what JSON.parse refuses.

    Invalid UTF-8 counts as U+FFFD, and half surrogate pairs are kept, as in Node. A number that is beyond a
    float is the last one that is not, so that the value can be written again.
    """
    try:
        return _decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        readable = text.decode("utf-8", "replace")
        return json.loads(readable, parse_constant=_refuse, **NUMBERS)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
