"""Searching one session file for what was said in it."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator

import msgspec

from pivi.pi.tolerant import whole
from pivi.view.cells import whole_start

from . import jsontext
from .files import open_regular
from .holds import holds
from .said import words
from .sought import Matcher
from .wording import tidy

_CHUNK = 1 << 22
_LONGEST_LINE = 1 << 26
MOST = 200
"""Hits that are told of one file."""
_WIDTH = 200
_BEFORE = 60


class Hit(msgspec.Struct):
    """One line of text that matches: `entry` is the entry's id, `role` who said it, `line` a part of the
    line around the match, tidied, and `col` (0-based, characters) where it begins in that."""

    entry: str
    role: str
    line: str
    col: int


def scan(path: str, matcher: Matcher) -> Generator[None, None, list[Hit]]:
    """The first `MOST` hits in a session file, in its order; yields after each piece. Raises OSError."""
    hits: list[Hit] = []
    for lines in _candidates(path, matcher):
        for line in lines:
            hits += _hits(line, matcher)
            if len(hits) >= MOST:
                return hits[:MOST]
        yield
    return hits


def _candidates(path: str, matcher: Matcher) -> Iterator[list[bytes]]:
    """The lines that may hold a match, in pieces of the file."""
    descriptor, state = open_regular(path)
    try:
        offset, rest = 0, b""
        chunk = min(_CHUNK, state.st_size + 1)
        while data := os.pread(descriptor, chunk, offset):
            offset += len(data)
            cut = data.rfind(b"\n") + 1
            if cut:
                yield _lines_with(rest + data[:cut], matcher)
                rest = data[cut:]
            elif len(rest) < _LONGEST_LINE:
                rest += data
        if rest:
            yield _lines_with(rest, matcher)
    finally:
        os.close(descriptor)


def _lines_with(data: bytes, matcher: Matcher) -> list[bytes]:
    if not matcher.needs:
        return data.split(b"\n")
    searched = data.lower() if matcher.ignore_case else data
    held: list[list[bytes]] = []
    for needles in matcher.needs:
        held.append([needle for needle in needles if holds(searched, needle)])
        if not held[-1]:
            return []
    spans = {span for needle in held[0] for span in _spans(searched, needle)}
    return [data[start:end] for start, end in sorted(spans)]


def _spans(data: bytes, needle: bytes) -> Iterator[tuple[int, int]]:
    """Where the lines begin and end that hold the needle."""
    at = data.find(needle)
    while at >= 0:
        start, end = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at)
        end = len(data) if end < 0 else end
        yield start, end
        at = data.find(needle, end)


def _hits(line: bytes, matcher: Matcher) -> Iterator[Hit]:
    try:
        record = jsontext.parse(line)
    except ValueError:
        return
    if not isinstance(record, dict):
        return
    for role, text in words(record):
        for one in text.split("\n"):
            at = matcher.find(one)
            if at >= 0:
                yield _hit(whole(str(record.get("id", ""))), role, one, at, matcher)


def _hit(entry: str, role: str, line: str, at: int, matcher: Matcher) -> Hit:
    start = whole_start(line, max(0, at - _BEFORE)) if len(line) > _WIDTH else 0
    shown = tidy(("…" if start else "") + line[start:], _WIDTH)
    return Hit(entry, role, shown, max(0, matcher.find(shown)))
