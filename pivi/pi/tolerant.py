"""JSON that a strict decoder refuses: half surrogates, control characters, huge numbers, endless nesting.

One odd string in one entry must not cost a whole answer. What is here walks over the text without
recursion and is used only where msgspec has failed.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from typing import Any

import msgspec

DEPTH = 200
"""Values nested deeper than this are replaced by `DEEP`: no decoder follows them for ever."""

_DIGITS = 300
"""Of a whole number; Python itself reads no more than some thousand."""

DEEP = "… (nested too deeply to be shown)"

_MARK = re.compile(rb'["\[\]{}]')
_MEMBER = re.compile(rb'["\[\]{},]')
_BLANKS = b" \t\r\n"


def loads(text: bytes) -> Any:
    """Decode JSON as far as it is JSON. Raises `ValueError` where it is not.

    Half surrogates are kept, bytes that are no UTF-8 become U+FFFD.
    """
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        pass
    try:
        return _json(text)
    except RecursionError:
        return _json(prune(text))


def dumps(value: Any) -> bytes:
    """Encode as JSON; where there are half surrogates, which fit no UTF-8, in ASCII with escapes."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()


def _json(text: bytes) -> Any:
    return json.loads(text.decode("utf-8", "replace"), strict=False, parse_constant=lambda _: None, **NUMBERS)


def _float(text: str) -> float:
    return max(-sys.float_info.max, min(float(text), sys.float_info.max))


def _int(text: str) -> int | float:
    return int(text) if len(text) <= _DIGITS else _float(text)


NUMBERS: dict[str, Any] = {"parse_float": _float, "parse_int": _int}
"""How Python's `json` takes any number of JSON: one beyond all floats is the last one, which can be written
again."""


def whole(text: str) -> str:
    """`text` with U+FFFD for its half surrogates, which fit no UTF-8; Node writes them so too."""
    try:
        text.encode()
        return text
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def prune(text: bytes, depth: int = DEPTH) -> bytes:
    """The same text with all that is nested deeper than `depth` replaced by the string `DEEP`."""
    kept: list[bytes] = []
    level = copied = at = 0
    while mark := _MARK.search(text, at):
        sign, at = mark.group(), mark.end()
        if sign == b'"':
            at = _string_end(text, at)
        elif sign in b"[{":
            level += 1
            if level == depth + 1:
                kept.append(text[copied : mark.start()])
        else:
            if level == depth + 1:
                kept.append(json.dumps(DEEP).encode())
                copied = at
            level -= 1
    if level <= depth:
        kept.append(text[copied:])
    return b"".join(kept)


def members(text: bytes) -> dict[str, bytes]:
    """The members of a JSON object as text, undecoded. Raises `ValueError` where it is no object.

    The last one counts where a name comes twice.
    """
    found: dict[str, bytes] = {}
    for part in _parts(text, b"{"):
        if not part.startswith(b'"'):
            raise ValueError("a member without a name")
        end = _string_end(part, 1)
        name, rest = part[:end], part[end:].lstrip(_BLANKS)
        if not rest.startswith(b":"):
            raise ValueError("a member without a value")
        found[str(loads(name))] = rest[1:].strip()
    return found


def elements(text: bytes) -> list[bytes]:
    """The elements of a JSON array as text, undecoded. Raises `ValueError` where it is no array."""
    return list(_parts(text, b"["))


def _parts(text: bytes, opening: bytes) -> Iterator[bytes]:
    """The parts of the outermost array or object, cut at its commas."""
    text = text.strip()
    if not text.startswith(opening):
        raise ValueError(f"no {opening.decode()} at the start")
    level, at, start = 1, 1, 1
    while mark := _MEMBER.search(text, at):
        sign, at = mark.group(), mark.end()
        if sign == b'"':
            at = _string_end(text, at)
        elif sign in b"[{":
            level += 1
        elif sign in b"]}":
            level -= 1
            if level == 0:
                if last := text[start : mark.start()].strip():
                    yield last
                return
        elif level == 1:
            yield text[start : mark.start()].strip()
            start = at
    raise ValueError("no end")


def _string_end(text: bytes, at: int) -> int:
    """The place after the quote that ends the string whose content starts at `at`."""
    while True:
        quote = text.find(b'"', at)
        if quote < 0:
            raise ValueError("a string without an end")
        before = quote - 1
        while before >= at and text[before] == 0x5C:
            before -= 1
        if (quote - before) % 2:
            return quote + 1
        at = quote + 1
