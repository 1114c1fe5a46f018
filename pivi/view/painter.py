"""The painter: sends a page's patches in order, and knows how far the editor is behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from pivi.transcript.blocks import Block
from pivi.view.icons import Icons
from pivi.view.page import Page
from pivi.view.patch import Patch

IN_FLIGHT: Final = 6
"""Patches that may be on their way before a fill waits."""


class Painter:
    """Paints one buffer through `send(sequence, patch)`.

    A fill is advanced by its owner with `more` while it is not `behind`; an editor that waits for a key
    acknowledges nothing, and then the fill waits too. Updates are never held back.
    """

    def __init__(self, icons: Icons, send: Callable[[int, Patch], None]) -> None:
        self.page = Page(icons)
        self._icons = icons
        self._send = send
        self._sent = 0
        self._seen = 0
        self._fill: Iterator[Patch] = iter(())
        self._fresh = False

    @property
    def behind(self) -> bool:
        return self._sent - self._seen >= IN_FLIGHT

    def acknowledge(self, sequence: int) -> None:
        """The editor has applied the patch of that number and all before it."""
        self._seen = max(self._seen, sequence)

    def first(self, blocks: Sequence[Block], *, settled: bool, window_rows: int) -> None:
        """Paint the title and the tail into an emptied buffer; `more` goes on."""
        self.page = Page(self._icons)
        self._fill = self.page.fill(blocks, settled=settled, window_rows=window_rows)
        self._seen = self._sent
        self._fresh = True
        self.more()

    def rest(self, blocks: Sequence[Block], *, settled: bool) -> None:
        """All blocks are known now, of which a tail is painted: `more` brings in what lies above."""
        for patch in self.page.update(blocks, settled=settled, hold_back=True):
            self._put(patch)
        self._fill = self.page.rest()

    def more(self) -> bool:
        """Send the fill's next patch; False when there is none left."""
        patch = next(self._fill, None)
        if patch is None:
            return False
        self._put(patch)
        return True

    def update(self, blocks: Sequence[Block], *, settled: bool) -> None:
        """Send what makes the page show `blocks`."""
        for patch in self.page.update(blocks, settled=settled):
            self._put(patch)

    def _put(self, patch: Patch) -> None:
        self._sent += 1
        patch.fresh, self._fresh = self._fresh, False
        self._send(self._sent, patch)
