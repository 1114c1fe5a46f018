"""Which block of a new list is which of an old one."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pivi.transcript.blocks import Block

_NOT_SHOWN = frozenset({"key", "section", "run"})


def shows_the_same(one: Block, other: Block) -> bool:
    """Do both look the same? Their keys and where they belong are no part of that."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    return all(
        getattr(one, field) == getattr(other, field)
        for field in one.__struct_fields__
        if field not in _NOT_SHOWN
    )


class Alignment(NamedTuple):
    """`matched`: for each new block the index of the old one that it is, or -1; indices only grow.

    The first `same` pairs are the very same objects; the first `head` and the last `tail` pairs show
    the same.
    """

    matched: list[int]
    same: int
    head: int
    tail: int


def align(old: Sequence[Block], new: Sequence[Block], *, from_end: bool = False) -> Alignment:
    """What stands first or last in both and shows the same is the same, whatever its key.

    Between these the key decides, and between equal keys again what is shown. `from_end`: what stands
    last is looked at before what stands first, the very first block apart.
    """
    same = _common_objects(old, new)
    shorter = min(len(old), len(new))
    if from_end:
        tail = _common_tail(old, new, min(1, shorter))
        same = min(same, shorter - tail)
        head = _common_head(old, new, same, shorter - tail)
    else:
        head = _common_head(old, new, same, shorter)
        tail = _common_tail(old, new, head)
    matched = [*range(head), *([-1] * (len(new) - head - tail)), *range(len(old) - tail, len(old))]
    old_at, new_at = head, head
    ends = (len(old) - tail, len(new) - tail)
    for i, j in [*_by_key(old, new, head, ends), ends]:
        _fill_gap(old, new, matched, (old_at, i), (new_at, j))
        if j < ends[1]:
            matched[j] = i
        old_at, new_at = i + 1, j + 1
    return Alignment(matched, same, head, tail)


def _common_objects(old: Sequence[Block], new: Sequence[Block]) -> int:
    same = 0
    for one, other in zip(old, new, strict=False):
        if one is not other:
            break
        same += 1
    return same


def _common_head(old: Sequence[Block], new: Sequence[Block], same: int, most: int) -> int:
    head = same
    while head < most and shows_the_same(old[head], new[head]):
        head += 1
    return head


def _common_tail(old: Sequence[Block], new: Sequence[Block], head: int) -> int:
    most = min(len(old), len(new)) - head
    tail = 0
    while tail < most and shows_the_same(old[-1 - tail], new[-1 - tail]):
        tail += 1
    return tail


def _by_key(
    old: Sequence[Block], new: Sequence[Block], head: int, ends: tuple[int, int]
) -> list[tuple[int, int]]:
    """The longest growing run of pairs with one key and one class, as (old index, new index)."""
    where = {(old[i].key, type(old[i])): i for i in range(head, ends[0])}
    pairs = [(where[name], j) for j in range(head, ends[1]) if (name := (new[j].key, type(new[j]))) in where]
    lowest: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for at, (i, _) in enumerate(pairs):
        length = bisect_left(lowest, i)
        before.append(last[length - 1] if length else -1)
        lowest[length : length + 1] = [i]
        last[length : length + 1] = [at]
    run: list[tuple[int, int]] = []
    at = last[-1] if last else -1
    while at >= 0:
        run.append(pairs[at])
        at = before[at]
    return run[::-1]


def _fill_gap(
    old: Sequence[Block],
    new: Sequence[Block],
    matched: list[int],
    olds: tuple[int, int],
    news: tuple[int, int],
) -> None:
    """Match what shows the same at both ends of a gap."""
    (i, i_end), (j, j_end) = olds, news
    while i < i_end and j < j_end and shows_the_same(old[i], new[j]):
        matched[j] = i
        i, j = i + 1, j + 1
    while i < i_end and j < j_end and shows_the_same(old[i_end - 1], new[j_end - 1]):
        i_end, j_end = i_end - 1, j_end - 1
        matched[j_end] = i_end


def hunks(old: Sequence[Block], new: Sequence[Block], alignment: Alignment) -> Iterator[tuple[slice, slice]]:
    """The ranges of `old` that look different from the ranges of `new` which take their place."""
    i = j = alignment.head
    i_end, j_end = len(old) - alignment.tail, len(new) - alignment.tail
    for at in range(j, j_end):
        match = alignment.matched[at]
        if match >= 0 and shows_the_same(old[match], new[at]):
            if match > i or at > j:
                yield slice(i, match), slice(j, at)
            i, j = match + 1, at + 1
    if i < i_end or j < j_end:
        yield slice(i, i_end), slice(j, j_end)
