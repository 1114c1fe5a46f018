"""The tree of entries: which items are on the active branch, and which lie folded away."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from .items import Item

ACTIVE, BRANCH, BEFORE = 0, 1, 2
"""States of an item: on the active branch, on another one, left behind by a compaction."""


class Walk(msgspec.Struct):
    """The way from a leaf to the root. `root` is the number of the item at which it ends.

    `broken` tells why it ends there, if not at an item without a parent.
    """

    states: bytearray
    path: list[int]
    root: int = -1
    broken: str = ""


def walk(items: Sequence[Item], index: Mapping[str, int], leaf: int) -> Walk:
    """Follow the parents from item `leaf`; -1 for none."""
    states = bytearray([BRANCH]) * len(items)
    path: list[int] = []
    at = leaf
    broken = ""
    while at >= 0:
        if not states[at]:
            broken = "circle"
            break
        states[at] = ACTIVE
        path.append(at)
        parent = items[at].parent
        if parent is None:
            break
        above = index.get(parent)
        if above is None:
            broken = "missing"
            break
        at = above
    return Walk(states, path, path[-1] if path else -1, broken)


def breaks(found: Walk, count: int, orphans: Iterable[int]) -> dict[int, str]:
    """What to say in front of which items: where parents are missing or go round in a circle."""
    said = dict.fromkeys(orphans, "The entry before this one is missing.")
    if found.broken:
        lost = count - len(found.path)
        why = "is missing" if found.broken == "missing" else "comes after it: a circle"
        who = "1 entry is" if lost == 1 else f"{lost} entries are"
        rest = f" {who} not part of the conversation." if lost else ""
        said[found.root] = f"The entry before this one {why}.{rest}"
    return said


def compaction(items: Sequence[Item], found: Walk) -> int:
    """The number of the newest compaction on the active branch, -1 if there is none."""
    return next((at for at in found.path if items[at].kept is not None), -1)


def leave_behind(found: Walk, at: int, kept: int) -> None:
    """Mark what lies above item `kept` on the way (all above the compaction `at` if `kept` is not on it)."""
    path = found.path
    below = path.index(kept if kept in path else at)
    for number in path[below + 1 :]:
        found.states[number] = BEFORE


def runs(items: Sequence[Item], states: bytearray) -> Iterator[tuple[int, int, int]]:
    """Neighbours of one state as (state, start, end); a loose item goes with the one before it."""
    if not any(states):
        if items:
            yield ACTIVE, 0, len(items)
        return
    start, state = 0, -1
    for number, item in enumerate(items):
        if item.loose:
            continue
        if states[number] != state:
            if state >= 0:
                yield state, start, number
                start = number
            state = states[number]
    if start < len(items):
        yield max(state, ACTIVE), start, len(items)


def known(items: Sequence[Item], found: Iterable[tuple[int, int, int]]) -> tuple[int, bool]:
    """Where the part of a tail begins that does not depend on what lies before, and whether in a section."""
    start = next((number for number in range(len(items), 0, -1) if items[number - 1].unsure), 0)
    for state, first, end in found:
        if end <= start:
            continue
        if 0 < first == start:
            return start, False
        if state == ACTIVE:
            start = _known(items, start, end)
            if start < end:
                return start, True
        start = end
    return start, False


def _known(items: Sequence[Item], start: int, end: int) -> int:
    """The same within a run whose beginning is not there."""
    if start == 0 or items[start - 1].place == "quiet":
        while start < end and items[start].place == "quiet":
            start += 1
    # Small things in front of an answer: whether the heading of the reply comes between is not known.
    telling = (number for number in range(start, end) if items[number].place in ("heads", "answers"))
    at = next(telling, start)
    return at if items[at : at + 1] and items[at].place == "answers" else start
