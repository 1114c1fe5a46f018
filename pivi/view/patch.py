"""What is sent to the editor: rows to put in place of others, with what lies on them."""

from __future__ import annotations

import msgspec

MARK = 4
"""Integers of one mark: row, column, end column, group (see `Laid.marks`)."""

WHOLE_LINE = -1
"""An end column: the whole line is highlighted, to the window's edge."""
AT_END = -2
"""An end column: the string is shown behind the line's text."""
AT_RIGHT = -3
"""An end column: the string is shown at the window's right edge."""

NO_FOLD, OPEN, CLOSED = 0, 1, 2
"""What a block's own fold is at first."""


class Laid(msgspec.Struct, gc=False):
    """One block laid out, with its `size` in characters.

    Row 0 is always empty: it parts the block from the one before it, belongs to no fold of the block, and so
    lines can be inserted above it without stretching a fold. Row 1 is the block's own first line. (Only the
    title has no such row: it is row 0 of the page.)
    `marks` are flat integers, four a mark: row (0-based, in the block), column and end column (0-based
    bytes, or one of the negative numbers above), index into `groups.NAMES`. A mark that shows a string takes
    the next one of `strings`.
    `fold`: the block's own fold, from row 1 to its last row.
    """

    lines: list[str]
    size: int
    marks: list[int]
    strings: list[str]
    fold: int = NO_FOLD

    @property
    def rows(self) -> int:
        return len(self.lines)

    @property
    def text(self) -> str:
        """The rows parted by LF."""
        return "\n".join(self.lines)


class Patch(msgspec.Struct, gc=False):
    """Rows that take the place of others, to be applied in one call.

    `row` (0-based) and `old` say which rows go, `lines` and their number `new` what comes; `blocks` are flat
    integers, five a block from the top: rows, number, kind (index into `groups.KINDS`), fold, how many marks.
    `gone` are numbers of blocks that are no more. `marks` and `strings` are those of the blocks, one after
    the other, as in `Laid`. `groups` are flat integers, three each: number of the first and of the last
    block that a fold spans (from the first's own first line), and OPEN or CLOSED; a fold for the same first
    block takes the place of the earlier one. `total` is the page's rows afterwards. `fresh`: the buffer is
    emptied first, whatever it holds.
    """

    row: int
    old: int
    lines: list[str]
    new: int
    blocks: list[int]
    gone: list[int]
    marks: list[int]
    strings: list[str]
    groups: list[int]
    total: int
    fresh: bool = False

    @property
    def inserts(self) -> bool:
        """Does it only bring rows, in between others that stay?"""
        return self.old == 0 and 0 < self.row < self.total - self.new
