"""The page: which blocks stand in the buffer, on how many rows, and what to send when they change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from pivi.transcript.blocks import Before, Block, Branch, ToolCall
from pivi.view.align import Alignment, align, hunks
from pivi.view.cutting import Most, Piece, pieces
from pivi.view.folds import group_fold
from pivi.view.icons import UNICODE, Icons
from pivi.view.layout import layout
from pivi.view.patch import CLOSED, Laid, Patch
from pivi.view.strip import Strip

CHUNK_ROWS: Final = 2500
CHUNK_BYTES: Final = 512 * 1024
FIRST_ROWS: Final = 3000
"""The first patch of a fill has at most so many rows below the title, whatever the window."""
CHUNK_BLOCKS: Final = 400
"""So many blocks hold the editor for long enough, however few rows they have."""


class Page:
    """What has been sent of a conversation, block by block.

    While it is filled (`fill`, `rest`) the title and a tail of the blocks stand in the buffer, and the rest
    waits to come in between. Patches must be applied in the order in which they are made. A block
    keeps its number for as long as it stands, also when it changes.
    """

    def __init__(
        self, icons: Icons = UNICODE, *, chunk_rows: int = CHUNK_ROWS, chunk_bytes: int = CHUNK_BYTES
    ) -> None:
        self.icons = icons
        self._chunk_rows = chunk_rows
        self._chunk_bytes = chunk_bytes
        self._clear()

    def _clear(self) -> None:
        self._blocks: list[Block] = []
        self._numbers: list[int] = []
        self._rows: list[int] = []
        self._waiting: list[Block] = []
        self._spare: tuple[Block, Laid] | None = None
        self._groups: dict[int, tuple[int, int]] = {}
        self._next = 0
        self._total = 0
        self._settled = True

    @property
    def rows(self) -> int:
        """Rows in the buffer once every patch made so far is applied."""
        return self._total

    @property
    def percent(self) -> int:
        """How much of the blocks has been sent: 100 unless a fill still runs."""
        blocks = len(self._blocks) + len(self._waiting)
        return 100 * len(self._blocks) // blocks if self._waiting else 100

    def block(self, number: int) -> Block:
        """The block of that number; KeyError where none stands in the buffer."""
        try:
            return self._blocks[self._numbers.index(number)]
        except ValueError:
            raise KeyError(number) from None

    def numbers_of(self, entry_id: str) -> list[int]:
        """The numbers of an entry's blocks in the buffer, headings of folds before it not counted."""
        start = f"{entry_id}/"
        return [
            number
            for block, number in zip(self._blocks, self._numbers, strict=True)
            if block.key.startswith(start) and not isinstance(block, (Before, Branch))
        ]

    def pending(self) -> list[tuple[int, ToolCall]]:
        """The calls at the page's end that still run or wait to, with their numbers."""
        found: list[tuple[int, ToolCall]] = []
        for block, number in zip(reversed(self._blocks), reversed(self._numbers), strict=True):
            if not block.key.startswith("live/"):
                break
            if isinstance(block, ToolCall) and block.pending:
                found.append((number, block))
        return found[::-1]

    def number_of(self, key: str) -> int | None:
        """The number of the block with this key; None where it does not stand in the buffer."""
        blocks = zip(self._blocks, self._numbers, strict=True)
        return next((number for block, number in blocks if block.key == key), None)

    def fill(
        self, blocks: Sequence[Block], *, settled: bool = True, window_rows: int = 50
    ) -> Iterator[Patch]:
        """Paint anew, in an empty buffer: the title and the tail that a window shows, then upwards.

        A block larger than a chunk is a chunk of its own. `update` may be called between two patches;
        the fill then goes on with what is new. `settled`: the last section grows no more.
        """
        self._clear()
        self._settled = settled
        if not blocks:
            return
        self._waiting = list(blocks[1:])
        strip = Strip()
        self._insert(0, blocks[:1], [layout(blocks[0], self.icons)], strip)
        self._insert(1, *self._take_tail(min(2 * window_rows, FIRST_ROWS)), strip)
        yield self._patch(0, 0, strip, self._new_groups(range(len(self._blocks))))
        yield from self.rest()

    def rest(self) -> Iterator[Patch]:
        """Send what still waits, upwards from the first block that stands below the title."""
        while self._waiting:
            strip = Strip()
            taken, laid = self._take_chunk()
            self._insert(1, taken, laid, strip)
            yield self._patch(self._rows[0], 0, strip, self._new_groups(range(1, 1 + len(taken))))

    def _take_tail(self, rows: int) -> tuple[list[Block], list[Laid]]:
        """The last blocks that wait, until they show that many rows, but within `FIRST_ROWS`."""
        return self._take(rows, FIRST_ROWS)

    def _take_chunk(self) -> tuple[list[Block], list[Laid]]:
        return self._take(self._chunk_rows, self._chunk_rows)

    def _take(self, enough: int, most: int) -> tuple[list[Block], list[Laid]]:
        """Take the last blocks that wait: until `enough` rows are seen, `most` in all, at least a block.

        Of a closed fold one row is seen, beside the empty one before it.
        """
        taken: list[Laid] = []
        rows = size = seen = 0
        for block in reversed(self._waiting):
            laid = self._lay_out(block)
            rows += laid.rows
            size += laid.size
            if taken and (rows > most or size > self._chunk_bytes):
                self._spare = (block, laid)
                break
            taken.append(laid)
            seen += 2 if laid.fold == CLOSED else laid.rows
            if seen >= enough or len(taken) == CHUNK_BLOCKS:
                break
        cut = len(self._waiting) - len(taken)
        blocks = self._waiting[cut:]
        del self._waiting[cut:]
        return blocks, taken[::-1]

    def _lay_out(self, block: Block) -> Laid:
        if self._spare and self._spare[0] is block:
            laid = self._spare[1]
            self._spare = None
            return laid
        return layout(block, self.icons)

    def _insert(self, at: int, blocks: Sequence[Block], laid: Sequence[Laid], strip: Strip) -> None:
        numbers = range(self._next, self._next + len(blocks))
        self._next += len(blocks)
        for number, block, one in zip(numbers, blocks, laid, strict=True):
            strip.add(number, block, one)
        self._blocks[at:at] = blocks
        self._numbers[at:at] = numbers
        self._rows[at:at] = [one.rows for one in laid]

    def _patch(self, row: int, old: int, strip: Strip, groups: list[int], gone: Iterable[int] = ()) -> Patch:
        self._total += strip.rows - old
        return Patch(
            row=row,
            old=old,
            lines=strip.lines,
            new=strip.rows,
            blocks=strip.blocks,
            gone=list(gone),
            marks=strip.marks,
            strings=strip.strings,
            groups=groups,
            total=self._total,
        )

    def update(
        self, blocks: Sequence[Block], *, settled: bool = True, hold_back: bool = False
    ) -> Iterator[Patch]:
        """Make the page show `blocks`: patches for what looks different, none for what does not.

        All of them have to be taken before anything else is asked for. Groups come with the last one, which
        has no rows where nothing else changed. `hold_back`: what is new right below the title waits for
        `rest` (a file's tail was painted, and now all of it is known). While something waits, that is so
        anyhow.
        """
        waiting = len(self._waiting)
        old = [*self._blocks[:1], *self._waiting, *self._blocks[1:]] if waiting else self._blocks
        alignment = align(old, blocks, from_end=hold_back)
        self._settled = settled
        if waiting or hold_back:
            return self._update_while_filling(blocks, alignment, waiting)
        return self._replace(blocks, alignment)

    def _update_while_filling(
        self, blocks: Sequence[Block], alignment: Alignment, waiting: int
    ) -> Iterator[Patch]:
        """What is above the first block that stands in the buffer's tail waits; the fill will come to it."""
        matched = [-1 if (old == 0) != (new == 0) else old for new, old in enumerate(alignment.matched)]
        tail = next((new for new, old in enumerate(matched) if old > waiting), len(blocks))
        self._waiting = list(blocks[1:tail])
        shown = [*blocks[:1], *blocks[max(tail, 1) :]]
        kept = [*matched[:1], *(old - waiting if old > 0 else old for old in matched[max(tail, 1) :])]
        return self._replace(shown, Alignment(kept, 0, 0, 0))

    def _replace(self, blocks: Sequence[Block], alignment: Alignment) -> Iterator[Patch]:
        most = Most(self._chunk_rows, self._chunk_bytes, CHUNK_BLOCKS)
        last: Patch | None = None
        at = top = 0
        for old, new in hunks(list(self._blocks), blocks, alignment):
            top += sum(self._rows[at : new.start])
            self._blocks[at : new.start] = blocks[at : new.start]
            at = new.start
            rows = self._rows[at : at + old.stop - old.start]
            matched = [i - old.start if i >= 0 else -1 for i in alignment.matched[new]]
            laid = (layout(block, self.icons) for block in blocks[new])
            for piece in pieces(rows, laid, matched, most):
                if last is not None:
                    yield last
                last = self._exchange(at, top, piece, blocks)
                at += len(piece.laid)
                top += last.new
        self._blocks[at:] = blocks[at:]
        groups = self._changed_groups(alignment.same)
        if groups and last is None:
            last = self._patch(self._total, 0, Strip(), [])
        if last is not None:
            last.groups = groups
            yield last

    def _exchange(self, at: int, top: int, piece: Piece, blocks: Sequence[Block]) -> Patch:
        """Put those of `blocks` that are next, from `at` on, in the place of what stands there, at row `top`.

        What is still to come stands in the buffer as it was.
        """
        old = slice(at, at + piece.gone)
        coming, gone = blocks[at : at + len(piece.laid)], self._numbers[old]
        strip, numbers = Strip(), list[int]()
        for block, laid, kept in zip(coming, piece.laid, piece.kept, strict=True):
            if kept >= 0:
                number = gone[kept]
            else:
                number, self._next = self._next, self._next + 1
            numbers.append(number)
            strip.add(number, block, laid)
        rows = sum(self._rows[old])
        self._blocks[old], self._numbers[old] = coming, numbers
        self._rows[old] = [laid.rows for laid in piece.laid]
        return self._patch(top, rows, strip, [], self._forget(gone, set(numbers)))

    def _forget(self, numbers: list[int], kept: set[int]) -> list[int]:
        gone = [number for number in numbers if number not in kept]
        for number in gone:
            self._groups.pop(number, None)
        return gone

    def _new_groups(self, headings: Iterable[int]) -> list[int]:
        """Group folds, as in a patch, that blocks at these indices head and that were not sent so."""
        flat: list[int] = []
        for at in headings:
            fold = group_fold(self._blocks, at, self._settled)
            number = self._numbers[at]
            if fold:
                group = (self._numbers[fold[0]], fold[1])
            elif number in self._groups:
                group = (number, self._groups[number][1])  # nothing is left of it but its heading
            else:
                continue
            if self._groups.get(number) != group:
                self._groups[number] = group
                flat += (number, *group)
        return flat

    def _changed_groups(self, same: int) -> list[int]:
        """Groups that are not as they were sent, from the outermost section on that the change can reach."""
        start = max(0, min(same, len(self._blocks)) - 1)
        while start > 0 and (
            self._blocks[start].run or self._blocks[start].section != self._blocks[start].key
        ):
            start -= 1
        return self._new_groups(range(start, len(self._blocks)))
