"""JSON as Node's JSON.parse takes it, with msgspec's speed where the text is clean."""

from __future__ import annotations

import json
from typing import NoReturn

import msgspec

_decode = msgspec.json.Decoder().decode


def parse(text: bytes) -> object:
    """The value of one JSON text. Raises ValueError for what JSON.parse refuses.

    Invalid UTF-8 counts as U+FFFD, and half surrogate pairs are kept, as in Node.
    """
    try:
        return _decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        return json.loads(text.decode("utf-8", "replace"), parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def whole(text: str) -> str:
    """`text` with U+FFFD for its half surrogate pairs, which fit no UTF-8; Node writes them so too."""
    try:
        text.encode()
        return text
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
