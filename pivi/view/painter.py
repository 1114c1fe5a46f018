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
    acknowledges nothing, and then the fill waits too. An update is held back only where it is more than
    `IN_FLIGHT` patches; while it is `updating`, the newest of the updates that follow waits.
    """

    def __init__(self, icons: Icons, send: Callable[[int, Patch], None]) -> None:
        self.page = Page(icons)
        self._icons = icons
        self._send = send
        self._sent = 0
        self._seen = 0
        self._fill: Iterator[Patch] = iter(())
        self._work: Iterator[Patch] | None = None
        self._latest: tuple[Sequence[Block], bool] | None = None
        self._fresh = False

    @property
    def updating(self) -> bool:
        return self._work is not None

    @property
    def behind(self) -> bool:
        return self._sent - self._seen >= IN_FLIGHT

    def acknowledge(self, sequence: int) -> None:
        """The editor has applied the patch of that number and all before it."""
        self._seen = max(self._seen, sequence)
        while not self.behind and self._advance():
            pass

    def first(self, blocks: Sequence[Block], *, settled: bool, window_rows: int) -> None:
        """Paint the title and the tail into an emptied buffer; `more` goes on."""
        self.page = Page(self._icons)
        self._fill = self.page.fill(blocks, settled=settled, window_rows=window_rows)
        self._work = self._latest = None
        self._seen = self._sent
        self._fresh = True
        self.more()

    def rest(self, blocks: Sequence[Block], *, settled: bool) -> None:
        """All blocks are known now, of which a tail is painted: `more` brings in what lies above."""
        self._latest = None
        while self._advance():
            pass
        self._begin(self.page.update(blocks, settled=settled, hold_back=True))
        self._fill = self.page.rest()

    def more(self) -> bool:
        """Send the next patch of what is left of an update, or of the fill; False when there is none."""
        if self._advance():
            return True
        patch = next(self._fill, None)
        if patch is None:
            return False
        self._put(patch)
        return True

    def update(self, blocks: Sequence[Block], *, settled: bool) -> None:
        """Send what makes the page show `blocks`."""
        if self.updating:
            self._latest = blocks, settled
        else:
            self._begin(self.page.update(blocks, settled=settled))

    def _begin(self, work: Iterator[Patch]) -> None:
        self._work = work
        for _ in range(IN_FLIGHT):
            if not self._advance():
                return

    def _advance(self) -> bool:
        """Send the next patch of an update; False when there is none."""
        while self._work is not None:
            patch = next(self._work, None)
            if patch is not None:
                self._put(patch)
                return True
            latest, self._work, self._latest = self._latest, None, None
            if latest is not None:
                self._work = self.page.update(latest[0], settled=latest[1])
        return False

    def _put(self, patch: Patch) -> None:
        self._sent += 1
        patch.fresh, self._fresh = self._fresh, False
        self._send(self._sent, patch)
