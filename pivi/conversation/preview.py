"""A session painted for a glance: its end, or what lies around one entry. Only that part of it is read."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from typing import Any

import msgspec

from pivi.conversation.editor import TroubleError
from pivi.conversation.names import names
from pivi.conversation.screen import stored_header
from pivi.pi.records import Header, decode_lines
from pivi.sessions import wording
from pivi.sessions.finding import entry_at
from pivi.sessions.reading import next_line, read_lines, read_tail
from pivi.transcript.blocks import Block
from pivi.transcript.stored import Transcript
from pivi.view.icons import Icons
from pivi.view.layout import layout
from pivi.view.page import Page
from pivi.view.patch import Patch
from pivi.view.strip import Strip

_PIECE = 1 << 18
"""Bytes that are read at the end, or on each side of the entry."""
_CONTEXT = 4
"""Blocks that are shown before the entry's."""


async def preview(path: str, entry: str, rows: int, icons: Icons) -> dict[str, Any]:
    """A patch for an empty buffer, as a table, with the names that it needs.

    It shows the end of the session, or what is around `entry` where that is not "" and can be found; then
    `at` is the row (0-based) to bring into view.

    Raises `TroubleError`.
    """
    header = stored_header(path)
    try:
        offset = await _offset(path, entry) if entry else -1
        transcript = _end(path, header) if offset < 0 else _around(path, header, offset)
    except OSError as error:
        raise TroubleError(f"The session can't be read, {error.strerror}: {wording.shown(path)}.") from error
    shown = _centred(transcript, entry, rows, icons) if offset >= 0 else None
    if shown is None:
        patch = next(Page(icons).fill(transcript.blocks(), window_rows=rows))
        return {**msgspec.structs.asdict(patch), "names": names()}
    patch, at = shown
    return {**msgspec.structs.asdict(patch), "names": names(), "at": at}


async def _offset(path: str, entry: str) -> int:
    for offset in entry_at(path, entry):
        if offset >= 0:
            return offset
        await asyncio.sleep(0)
    return -1


def _end(path: str, header: Header) -> Transcript:
    tail = read_tail(path, _PIECE)
    return _transcript(header, tail.lines, partial=not tail.whole)


def _around(path: str, header: Header, offset: int) -> Transcript:
    start = next_line(path, offset - _PIECE) if offset > _PIECE else 0
    end = next_line(path, min(offset + _PIECE, os.path.getsize(path)))
    lines = [line for part in read_lines(path, start=start, end=end) for line in part]
    return _transcript(header, lines, partial=start > 0)


def _transcript(header: Header, lines: Sequence[bytes], partial: bool) -> Transcript:
    transcript = Transcript(header, partial=partial)
    transcript.extend(decode_lines(lines))
    return transcript


def _centred(transcript: Transcript, entry: str, rows: int, icons: Icons) -> tuple[Patch, int] | None:
    """None where the part that was read does not tell where the entry belongs."""
    blocks = transcript.blocks()
    at = _index(blocks, transcript, entry)
    if at is not None and blocks[at].run:
        # It is on a branch that would be folded away: show it as part of the conversation that it ends.
        transcript.move_leaf(entry)
        blocks = transcript.blocks()
        at = _index(blocks, transcript, entry)
    if at is None:
        return None
    strip, row = Strip(), 0
    chosen = [(0, blocks[0]), *list(enumerate(blocks))[max(1, at - _CONTEXT) :]]
    for number, block in chosen:
        if number == at:
            row = strip.rows + 1
        elif number > at and strip.rows - row > rows:
            break
        strip.add(number, block, layout(block, icons))
    patch = Patch(
        row=0,
        old=0,
        lines=strip.lines,
        new=strip.rows,
        blocks=strip.blocks,
        gone=[],
        marks=strip.marks,
        strings=strip.strings,
        groups=[],
        total=strip.rows,
    )
    return patch, row


def _index(blocks: Sequence[Block], transcript: Transcript, entry: str) -> int | None:
    """Where the entry is shown; a result is with its call, above it."""
    call = transcript.call_of(entry)
    if call:
        return next((number for number, block in enumerate(blocks) if block.key == call), None)
    by_entry: dict[str, int] = {}
    for number, block in enumerate(blocks):
        by_entry.setdefault(block.key.rpartition("/")[0], number)
    return next((by_entry[key] for key in transcript.above(entry) if key in by_entry), None)
