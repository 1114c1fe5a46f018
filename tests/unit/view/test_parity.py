"""What was seen live, once its entries are stored, makes the buffer of the file: text, marks and folds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pivi.pi.messages import BashExecution
from pivi.pi.records import MessageEntry, decode_lines
from pivi.transcript.live import Live
from pivi.transcript.stored import Transcript
from pivi.view.page import Page
from tests.support.entries import header_of
from tests.unit.transcript.test_parity import DATA, MOVES, STREAMS
from tests.unit.view.editor import Editor, at_once

STORED = [path for path in STREAMS if "20-extension-ui" not in path.name]
"""The run that is left out stored nothing."""


@pytest.mark.parametrize("path", STORED, ids=lambda path: f"{path.parts[-2]}-{path.name[:3]}")
def test_the_buffer_seen_live_is_that_of_the_file(path: Path) -> None:
    """Painted after every event, as entries that Pi has stored come in after every turn."""
    session = DATA / "sessions" / path.parts[-2] / f"{path.name.removesuffix('.events.jsonl')}.jsonl"
    lines = session.read_bytes().split(b"\n")
    entries = decode_lines(lines[1:])
    header = header_of(lines[0])
    commands = iter(
        entry.message
        for entry in entries
        if isinstance(entry, MessageEntry) and isinstance(entry.message, BashExecution)
    )
    transcript, live, page, editor = Transcript(header), Live(), Page(), Editor()
    known: set[str] = set()

    def paint(settled: bool) -> None:
        for patch in page.update([*transcript.blocks(), *live.blocks()], settled=settled):
            editor.apply(patch)

    for line in filter(None, path.read_text("utf-8").split("\n")):
        event = json.loads(line)
        if event["type"] == "bash_execution_update" and event["id"] not in known:
            known.add(event["id"])
            command = next(commands)
            live.shell(event["id"], command.command, command.exclude_from_context)
        live.feed(event)
        if event["type"] == "response" and event["command"] in MOVES and event["success"]:
            live = Live()
        paint(settled=False)
    transcript.extend(entries)
    live.settle(entries)
    assert live.blocks() == []
    paint(settled=True)
    stored = Transcript(header)
    stored.extend(entries)
    assert editor.shown() == at_once(stored.blocks()).shown()
