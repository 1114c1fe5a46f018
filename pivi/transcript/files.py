"""The files that a session's tools read and changed, with what was done to each."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

import msgspec

from .blocks import Block, ToolCall
from .tools import TABLE, UNKNOWN, place

_CHANGED: Final = re.compile(r"^[+-]\s*(\d+) ", re.MULTILINE)


class Touched(msgspec.Struct):
    """What was done to one file.

    `path` is as the model gave it, `line` (1-based) where it was last looked at or changed, `did` words such
    as "read 3 times, edited". `changed` tells whether a change of it succeeded.
    """

    path: str
    line: int
    did: str
    changed: bool


def touched(blocks: Iterable[Block]) -> list[Touched]:
    """Files in the order in which they were first touched, changed ones before those that were only read."""
    counts: dict[str, dict[str, int]] = {}
    lines: dict[str, int] = {}
    changed: set[str] = set()
    for path, tool, line, did in _calls(blocks):
        row = TABLE[tool]
        counts.setdefault(path, {})
        counts[path][did] = counts[path].get(did, 0) + 1
        if line:
            lines[path] = line
        if row.changes and did == row.did:
            changed.add(path)
    found = [
        Touched(path, lines.get(path, 1), ", ".join(map(_times, dids.items())), path in changed)
        for path, dids in counts.items()
    ]
    return sorted(found, key=lambda file: not file.changed)


def _calls(blocks: Iterable[Block]) -> Iterable[tuple[str, str, int, str]]:
    """Path, tool, line (0 where none is told) and what was done, of each call and of those that it made."""
    for block in blocks:
        if not isinstance(block, ToolCall):
            continue
        outcome = block.outcome
        row = TABLE.get(block.name, UNKNOWN)
        if row.did and block.subject:
            path, line = place(block.name, block.subject)
            did = row.did
            if outcome is None or outcome.error:
                did = f"{block.name} failed" if outcome else f"{block.name} without a result"
            elif outcome.diff and (first := _CHANGED.search(outcome.diff)):
                line = int(first[1])
            yield path, block.name, line, did
        for call in outcome.nested if outcome else ():
            row = TABLE.get(call.name, UNKNOWN)
            if row.did and call.subject:
                path, line = place(call.name, call.subject)
                failed = bool(call.error) or call.status not in ("", "ok")
                yield path, call.name, line, f"{call.name} failed" if failed else row.did


def _times(item: tuple[str, int]) -> str:
    did, times = item
    return did if times == 1 else f"{did} {times} times"
