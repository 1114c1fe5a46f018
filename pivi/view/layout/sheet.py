"""A sheet: the rows of one block while they are being written, with what lies on them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from pivi.transcript.blocks import Block, Image
from pivi.view import groups
from pivi.view.bounds import Body, bounded, unbounded
from pivi.view.icons import Icons
from pivi.view.patch import AT_END, AT_RIGHT, CLOSED, NO_FOLD, WHOLE_LINE, Laid
from pivi.view.safe import line_text, said_text
from pivi.view.sgr import coloured
from pivi.view.words import image_text

_BACKTICKS: Final = re.compile("`{3,}")
_NO_INFO: Final = str.maketrans("", "", "` \t")


class Sheet:
    """Rows are only ever added at the end. Row 0 is the empty one that parts a block from the one before.

    `first` is the row on which the block's own text begins.
    """

    __slots__ = ("first", "fold", "icons", "left_out", "lines", "marks", "size", "strings", "whole")

    def __init__(self, icons: Icons, whole: bool = False) -> None:
        self.icons = icons
        self.whole = whole
        self.lines: list[str] = [""]
        self.size = self.first = 1
        self.marks: list[int] = []
        self.strings: list[str] = []
        self.fold = NO_FOLD
        self.left_out = False

    def laid(self) -> Laid:
        return Laid(self.lines, self.size, self.marks, self.strings, self.fold)

    @property
    def rows(self) -> int:
        """How many there are so far: the next one's number."""
        return len(self.lines)

    def line(self, text: str, group: int = -1) -> None:
        """One row of safe text, as a whole in `group`."""
        if group >= 0:
            self.marks += (len(self.lines), 0, WHOLE_LINE, group)
        self.lines.append(text)
        self.size += len(text) + 1

    def blank(self) -> None:
        self.lines.append("")
        self.size += 1

    def text(self, text: str) -> None:
        """What was said, as it was said, within the bounds."""
        self._add(self._body(said_text(text).strip("\n")))

    def _body(self, text: str) -> Body:
        return unbounded(text) if self.whole else bounded(text, self.icons)

    def _add(self, body: Body) -> None:
        for note in body.notes:
            self.marks += (len(self.lines) + note, 0, WHOLE_LINE, groups.NOTE)
        self.lines += body.rows
        self.size += len(body.text) + 1

    def fence(self, text: str, info: str = "") -> Body:
        """`text` between fences longer than any run of backticks in it."""
        body = self._body(text.rstrip("\n"))
        fence = "```"
        # Of a single character the absence is found out many times faster.
        if "`" in body.text and fence in body.text:
            fence = "`" * (1 + max(map(len, _BACKTICKS.findall(body.text))))
        self.line(fence + line_text(info).translate(_NO_INFO))
        self._add(body)
        self.line(fence)
        return body

    def output(self, text: str) -> int:
        """What a program printed, in a fence, with its colours where nothing of it is overwritten or cut.

        Returns how many lines it has.
        """
        if "\x1b" not in text and "\x9b" not in text:
            return self.fence(text).lines
        plain, spans = coloured(text.replace("\r\n", "\n"))
        first = self.rows + 1
        body = self.fence(plain)
        if body.text == plain.rstrip("\n"):
            for row, column, end, group in spans:
                self.marks += (first + row, column, end, group)
        return body.lines

    def note(self, text: str, group: int = groups.NOTE) -> None:
        """A remark of ours or of Pi's about what happened: one calm line in italics."""
        self.line(f"*{line_text(text)}*", group)

    def notes(self, texts: Iterable[str]) -> None:
        """Remarks in a paragraph each, parted from what is above them."""
        for text in texts:
            self.blank()
            self.note(text)

    def images(self, images: Iterable[Image]) -> None:
        for image in images:
            self.line(image_text(image, self.icons), groups.IMAGE)

    def at_right(self, row: int, *words: str) -> None:
        """A decoration at the window's right edge, where there is anything to say."""
        self._string(row, AT_RIGHT, groups.META, self.icons.dot.join(word for word in words if word))

    def at_end(self, row: int, group: int, text: str) -> None:
        self._string(row, AT_END, group, text)

    def _string(self, row: int, where: int, group: int, text: str) -> None:
        if text:
            self.marks += (row, 0, where, group)
            self.strings.append(text)

    def begin_left_out(self, what: str) -> None:
        """A first row of its own for what is left out of the model's context, so that it can be folded."""
        self.note(what, groups.HIDDEN)
        self.blank()
        self.left_out = True
        self.fold = CLOSED

    def standing(self, block: Block) -> None:
        """What others said about the block later: its label, and whether the model still sees it."""
        if block.label:
            self.at_end(self.first, groups.LABEL, f"{self.icons.label} {line_text(block.label).strip()}")
        if block.context and not self.left_out:
            self.at_end(self.first, groups.HIDDEN, _CONTEXT[block.context])


_CONTEXT: Final = {"hidden": "hidden from the model", "replaced": "replaced for the model"}
