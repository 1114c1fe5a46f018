"""Colours of a tool's output: a terminal's SGR sequences as spans of highlight groups."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from pivi.view import groups

_SGR: Final = re.compile("(?:\x1b\\[|\x9b)([0-9;:]*)m")
_MOST: Final = 4000
"""Spans that one block may have; what comes later is plain."""

# ECMA-48: 30 to 37 and 90 to 97, in this order. White is the ordinary text here.
_COLOURS: Final = (
    groups.SGR_BLACK,
    groups.SGR_RED,
    groups.SGR_GREEN,
    groups.SGR_YELLOW,
    groups.SGR_BLUE,
    groups.SGR_MAGENTA,
    groups.SGR_CYAN,
    -1,
)
_STYLES: Final = {1: groups.SGR_BOLD, 3: groups.SGR_ITALIC, 4: groups.SGR_UNDERLINE}
_STYLE_OFF: Final = {22: 1, 23: 3, 24: 4}


class Span(NamedTuple):
    """`row` counts from 0, `column` and `end` are bytes."""

    row: int
    column: int
    end: int
    group: int


def coloured(text: str) -> tuple[str, list[Span]]:
    """`text` without its SGR sequences, and what they colour. Other sequences stay in it."""
    spans: list[Span] = []
    parts: list[str] = []
    row = column = 0
    for piece, style in _pieces(text):
        parts.append(piece)
        for at, line in enumerate(piece.split("\n")):
            if at:
                row, column = row + 1, 0
            end = column + len(line.encode("utf-8", "replace"))
            if line and len(spans) < _MOST:
                spans += [Span(row, column, end, group) for group in style]
            column = end
    return "".join(parts), spans


def _pieces(text: str) -> Iterator[tuple[str, list[int]]]:
    """The text between the sequences, each with the groups in force."""
    colour, styles, start = -1, set[int](), 0
    for match in _SGR.finditer(text):
        yield text[start : match.start()], _in_force(colour, styles)
        colour = _heed(match[1], colour, styles)
        start = match.end()
    yield text[start:], _in_force(colour, styles)


def _in_force(colour: int, styles: set[int]) -> list[int]:
    return [group for group in (colour, *(_STYLES[one] for one in sorted(styles))) if group >= 0]


def _heed(parameters: str, colour: int, styles: set[int]) -> int:
    """Change `styles` as the sequence says; returns the colour from now on."""
    codes = [int(code[:4] or 0) for code in re.split("[;:]", parameters)]
    at = 0
    while at < len(codes):
        code = codes[at]
        at += 1
        if code == 0:
            colour = -1
            styles.clear()
        elif code in _STYLES:
            styles.add(code)
        elif code in _STYLE_OFF:
            styles.discard(_STYLE_OFF[code])
        elif 30 <= code <= 37 or 90 <= code <= 97:
            colour = _COLOURS[code % 10]
        elif code == 39:
            colour = -1
        elif code in (38, 48, 58):
            # 5;n is one of 256 colours, 2;r;g;b any: of these only the first sixteen have a name here.
            indexed = codes[at : at + 1] == [5]
            if code == 38:
                known = indexed and codes[at + 1 : at + 2] and codes[at + 1] < 16
                colour = _COLOURS[codes[at + 1] % 8] if known else -1
            at += 2 if indexed else 4
    return colour
