"""Blocks laid out one below the other: the rows of one patch."""

from __future__ import annotations

from pivi.transcript.blocks import Block
from pivi.view.groups import KIND_OF
from pivi.view.patch import MARK, Laid


class Strip:
    """Grows downwards. Rows in `blocks` and `marks` count from its first row. `size`: characters."""

    __slots__ = ("blocks", "marks", "rows", "size", "strings", "texts")

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.rows = 0
        self.size = 0
        self.blocks: list[int] = []
        self.marks: list[int] = []
        self.strings: list[str] = []

    @property
    def text(self) -> str:
        return "\n".join(self.texts)

    def add(self, number: int, block: Block, laid: Laid) -> None:
        top = self.rows
        self.blocks += (top, laid.rows, number, KIND_OF[type(block)], laid.fold)
        if laid.marks:
            strings = len(self.strings)
            marks = iter(laid.marks)
            for row, column, end, group, string in zip(*[marks] * MARK, strict=True):
                self.marks += (row + top, column, end, group, string if string < 0 else string + strings)
            self.strings += laid.strings
        self.texts.append(laid.text)
        self.rows = top + laid.rows
        self.size += len(laid.text)
