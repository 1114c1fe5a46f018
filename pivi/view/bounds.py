"""What is too large for a buffer, cut to its head and its tail, with a row that says what is missing."""

from __future__ import annotations

from typing import Final, NamedTuple

from pivi.view.icons import Icons
from pivi.view.safe import block_text
from pivi.view.words import bytes_text, count_text

LINE_BYTES: Final = 4096
BLOCK_BYTES: Final = 256 * 1024
BLOCK_ROWS: Final = 2000

_HEAD_ROWS: Final = 1500
_HEAD_BYTES: Final = 192 * 1024
_LINE_HEAD: Final = 3072
_LINE_TAIL: Final = LINE_BYTES - _LINE_HEAD
_RAW_LINE: Final = 64 * 1024
"""Of a longer line only both ends are looked at (characters)."""


class Body(NamedTuple):
    """Safe `text` and its `rows`, for `lines` lines; `notes`: the rows (0-based) that say what is missing."""

    text: str
    rows: list[str]
    lines: int
    notes: tuple[int, ...] = ()


def bounded(text: str, icons: Icons) -> Body:
    """`text` made safe, and cut where it is over the bounds. The cost is that of what is shown."""
    if len(text) <= BLOCK_BYTES:
        text = block_text(text)
        rows = text.split("\n")
        if len(rows) <= BLOCK_ROWS and _fits(text):
            return Body(text, rows, len(rows))
    return _cut(text, text.count("\n") + 1, icons)


def unbounded(text: str) -> Body:
    """`text` made safe and nothing else."""
    text = block_text(text)
    rows = text.split("\n")
    return Body(text, rows, len(rows))


def _fits(text: str) -> bool:
    """Is safe `text` within the bounds of bytes? Goes from line end to line end in the largest steps."""
    size = len(text)
    if size > BLOCK_BYTES:
        return False
    if size * 4 <= LINE_BYTES or (size <= LINE_BYTES and text.isascii()):
        return True
    if text.isascii():
        at = 0
        while size - at > LINE_BYTES:
            at = text.rfind("\n", at, at + LINE_BYTES + 1) + 1
            if not at:
                return False
        return True
    data = text.encode("utf-8")
    size = len(data)
    at = 0
    while size - at > LINE_BYTES:
        at = data.rfind(b"\n", at, at + LINE_BYTES + 1) + 1
        if not at:
            return False
    return size <= BLOCK_BYTES


def _cut(text: str, rows: int, icons: Icons) -> Body:
    head = _Piece(_HEAD_ROWS, _HEAD_BYTES)
    start = 0
    size = len(text)
    while start <= size:
        end = text.find("\n", start)
        end = size if end < 0 else end
        if not head.takes(_line_rows(text, start, end, icons)):
            break
        start = end + 1
    tail = _Piece(BLOCK_ROWS - _HEAD_ROWS, BLOCK_BYTES - _HEAD_BYTES)
    stop = size + 1
    while stop > start:
        begin = max(start, text.rfind("\n", start, stop - 1) + 1)
        if not tail.takes(_line_rows(text, begin, stop - 1, icons)):
            break
        stop = begin
    shown = [row for line in head.lines for row in line]
    if stop > start:
        missing = rows - len(head.lines) - len(tail.lines)
        gap = text[start : stop - 1]
        shown.append((_missing(f"{count_text(missing, 'line')}, {bytes_text(_size(gap))},", icons), True))
    shown += (row for line in reversed(tail.lines) for row in line)
    notes = tuple(i for i, (_, note) in enumerate(shown) if note)
    kept = [row for row, _ in shown]
    return Body("\n".join(kept), kept, rows, notes)


class _Piece:
    """Lines from one end, each as rows with a flag that tells notes, up to a number of lines and of bytes."""

    def __init__(self, most_lines: int, most_bytes: int) -> None:
        self.lines: list[list[tuple[str, bool]]] = []
        self._most_lines = most_lines
        self._left = most_bytes

    def takes(self, line: list[tuple[str, bool]]) -> bool:
        size = sum(_size(row) + 1 for row, note in line if not note)
        if len(self.lines) == self._most_lines or size > self._left:
            return False
        self.lines.append(line)
        self._left -= size
        return True


def _line_rows(text: str, start: int, end: int, icons: Icons) -> list[tuple[str, bool]]:
    if end - start <= _RAW_LINE:
        line = block_text(text[start:end].rstrip("\r"))
        data = line.encode("utf-8")
        if len(data) <= LINE_BYTES:
            return [(line, False)]
        missing = len(data) - LINE_BYTES
        first, last = data, data
    else:
        first = block_text(text[start : start + _RAW_LINE // 2]).encode("utf-8")
        last = block_text(text[end - _RAW_LINE // 2 : end].rstrip("\r")).encode("utf-8")
        missing = _size(text[start:end]) - LINE_BYTES
    return [
        (first[:_LINE_HEAD].decode("utf-8", "ignore"), False),
        (_missing(f"{bytes_text(missing)} of this line", icons), True),
        (last[-_LINE_TAIL:].decode("utf-8", "ignore"), False),
    ]


def _missing(what: str, icons: Icons) -> str:
    return f"[{icons.ellipsis} {what} left out here: {icons.key} opens it whole]"


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
