"""Blocks laid out one below the other: the rows of one patch."""

from __future__ import annotations

from pivi.transcript.blocks import Block
from pivi.view.groups import KIND_OF
from pivi.view.patch import MARK, Laid


class Strip:
    """Grows downwards. `size`: characters; the rest is as in a `Patch`."""

    __slots__ = ("blocks", "lines", "marks", "size", "strings")

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.size = 0
        self.blocks: list[int] = []
        self.marks: list[int] = []
        self.strings: list[str] = []

    @property
    def rows(self) -> int:
        return len(self.lines)

    def add(self, number: int, block: Block, laid: Laid) -> None:
        marks = laid.marks
        self.blocks += (len(laid.lines), number, KIND_OF[type(block)], laid.fold, len(marks) // MARK)
        self.marks += marks
        self.strings += laid.strings
        self.lines += laid.lines
        self.size += laid.size
