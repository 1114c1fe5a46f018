"""JSON as Node's JSON.parse takes it, with msgspec's speed where the text is clean."""

from __future__ import annotations

import json
import sys
from typing import NoReturn

import msgspec

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
        return json.loads(readable, parse_constant=_refuse, parse_float=_finite)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def whole(text: str) -> str:
    """`text` with U+FFFD for its half surrogate pairs, which fit no UTF-8; Node writes them so too."""
    try:
        text.encode()
        return text
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _finite(text: str) -> float:
    return max(-sys.float_info.max, min(float(text), sys.float_info.max))


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
