"""Folds over several blocks: a section, and a run of entries that is folded away."""

from __future__ import annotations

from collections.abc import Sequence

from pivi.transcript.blocks import Before, Block, Branch, Title
from pivi.view.patch import CLOSED, OPEN


def group_fold(blocks: Sequence[Block], first: int, settled: bool) -> tuple[int, int] | None:
    """The fold which the block at `first` heads: index of its last block, and OPEN or CLOSED.

    `None` where it heads none: it is no heading (the title is none), stands alone, or its section may
    still grow, as only the last one may while it is not `settled`. Folds of sections and of runs lie
    within each other or apart.
    """
    block = blocks[first]
    if isinstance(block, (Branch, Before)):
        last = _run_end(blocks, first)
        return (last, CLOSED) if last > first else None
    if not block.section or block.section != block.key or isinstance(block, Title):
        return None
    last = _section_end(blocks, first)
    if last == first or (last == len(blocks) - 1 and not settled):
        return None
    return last, OPEN


def _run_end(blocks: Sequence[Block], first: int) -> int:
    run = blocks[first].key
    last = first
    while last + 1 < len(blocks) and blocks[last + 1].run == run:
        last += 1
    return last


def _section_end(blocks: Sequence[Block], first: int) -> int:
    """A section within a run ends with it; a section outside holds a run whole or not at all."""
    section, run = blocks[first].section, _run_of(blocks[first])
    last = first
    for at in range(first + 1, len(blocks)):
        block = blocks[at]
        if block.section != section or (run and _run_of(block) != run):
            break
        last = at
    inner = _run_of(blocks[last])
    if inner and inner != run and last + 1 < len(blocks) and _run_of(blocks[last + 1]) == inner:
        while _run_of(blocks[last]) == inner:
            last -= 1
    return last


def _run_of(block: Block) -> str:
    return block.key if isinstance(block, (Branch, Before)) else block.run
