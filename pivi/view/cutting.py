"""How an exchange of blocks is cut where it is large: into pieces that hold the editor for a moment each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pivi.view.patch import Laid


class Most(NamedTuple):
    """What one piece may bring, and take away, where it is more than one block."""

    rows: int
    size: int
    blocks: int


class Piece(NamedTuple):
    """The next `gone` of the old blocks go, and `laid` come in their place.

    `kept`: for each that comes the index among those that go of the one that it is, or -1.
    """

    gone: int
    laid: list[Laid]
    kept: list[int]


def pieces(rows: Sequence[int], laid: Iterable[Laid], matched: Sequence[int], most: Most) -> Iterator[Piece]:
    """Put blocks in the place of old ones, of which these are the `rows`.

    `matched`: for each new block the index of the old one that it is, or -1; indices only grow. A block is
    laid out when it is its turn.
    """
    before = _next_matches(matched, len(rows))
    start = end = 0
    coming, kept = list[Laid](), list[int]()

    def full() -> bool:
        return end > start and (end - start == most.blocks or sum(rows[start : end + 1]) > most.rows)

    def piece() -> Piece:
        nonlocal start, coming, kept
        found = Piece(end - start, coming, kept)
        start, coming, kept = end, [], []
        return found

    shown = size = 0
    for at, one in enumerate(laid):
        shown, size = shown + one.rows, size + one.size
        if coming and (shown > most.rows or size > most.size or len(coming) == most.blocks):
            # As much goes as comes, as far as nothing that goes is needed later.
            while end < before[at] and not full():
                end += 1
            yield piece()
            shown, size = one.rows, one.size
        while end <= matched[at]:
            if full():
                yield piece()
                shown, size = one.rows, one.size
            end += 1
        coming.append(one)
        kept.append(matched[at] - start if matched[at] >= 0 else -1)
    while end < len(rows):
        if full():
            yield piece()
        end += 1
    yield piece()


def _next_matches(matched: Sequence[int], end: int) -> list[int]:
    """For each new block the first old one that it or a later one is, `end` where there is none."""
    found = [end] * len(matched)
    for at in range(len(matched) - 1, -1, -1):
        following = found[at + 1] if at + 1 < len(matched) else end
        found[at] = matched[at] if matched[at] >= 0 else following
    return found
