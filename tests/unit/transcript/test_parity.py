"""What is seen live equals what is read from the file afterwards, for every recorded stream."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pivi.pi.messages import BashExecution
from pivi.pi.records import Custom, Entry, MessageEntry, decode_lines
from pivi.transcript import blocks as b
from pivi.transcript.live import Live
from pivi.transcript.stored import Transcript
from tests.support.entries import header_of

DATA = Path(__file__).parents[2] / "data"
STREAMS = sorted(DATA.glob("events/*/*.jsonl"))
MOVES = ("fork", "clone", "new_session", "switch_session")

Test = Callable[[b.Block], bool]


def notice(*of: str) -> Test:
    return lambda block: isinstance(block, b.Notice) and block.of in of


def kind(*kinds: type[b.Block]) -> Test:
    return lambda block: isinstance(block, kinds)


STORED_ONLY: list[tuple[Test, str]] = [
    (kind(b.Title), "it is made of the header, for which there is no event"),
    (
        kind(b.Branch, b.Before),
        "what lies on other branches or before a compaction is folded when the file is read",
    ),
    (notice("label", "usage"), "Pi has no event for a label or for usage"),
    (
        lambda block: isinstance(block, b.Summary) and block.of == "branch",
        "Pi has no event for going to a branch",
    ),
    (lambda block: notice("context_edit")(block), "Pi has no event for an edit by an extension"),
]
"""Blocks that only the file has, each with the reason."""

NO_TIME: list[tuple[Test, str]] = [
    (kind(b.Summary), "compaction_end does not tell when"),
    (kind(b.Shell), "the answer to bash does not tell when"),
    (notice("model_change"), "the answer to set_model does not tell when"),
    (notice("thinking_level_change"), "thinking_level_changed does not tell when"),
    (notice("session_info"), "session_info_changed does not tell when"),
]
"""Blocks without a time live."""

TAKEN_OVER = {
    "13b": "a fork's file begins with what its parent had said, which is streamed nowhere",
    "13c": "a clone's file likewise",
}
"""Runs whose file holds more than their stream, each with the reason."""

MARKED = "18-custom-label-edit-usage"
"""In this stream an extension labels and edits, for which there are no events: marks are only stored."""


def said(block: b.Block, marks: bool = True) -> tuple[str, dict[str, Any]]:
    """What a block shows, without what names its place."""
    fields = {name: getattr(block, name) for name in block.__struct_fields__}
    for name in ("key", "section", "run"):
        del fields[name]
    if not marks:
        fields["label"] = fields["context"] = ""
    if any(test(block) for test, _ in NO_TIME):
        fields["time"] = None
    return type(block).__name__, fields


def read(path: Path) -> tuple[list[Entry], Transcript]:
    lines = path.read_bytes().split(b"\n")
    entries = decode_lines(lines[1:])
    transcript = Transcript(header_of(lines[0]))
    transcript.extend(entries)
    return entries, transcript


def play(path: Path, commands: list[BashExecution]) -> Live:
    """Feed the stream; direct commands, which it does not tell, are those that were stored."""
    live = Live()
    waiting = iter(commands)
    known: set[str] = set()
    for line in path.read_text("utf-8").split("\n"):
        if not line:
            continue
        event = json.loads(line)
        if event["type"] == "bash_execution_update" and event["id"] not in known:
            known.add(event["id"])
            command = next(waiting)
            live.shell(event["id"], command.command, command.exclude_from_context)
        live.feed(event)
        live.blocks()
        if event["type"] == "response" and event["command"] in MOVES and event["success"]:
            live = Live()
    return live


@pytest.mark.parametrize(
    "path", STREAMS, ids=lambda path: f"{path.parts[-2]}-{path.name[:2]}{path.name[2:3]}"
)
def test_live_equals_stored(path: Path) -> None:
    name = path.name.removesuffix(".events.jsonl")
    session = DATA / "sessions" / path.parts[-2] / f"{name}.jsonl"
    if not session.exists():
        assert name == "20-extension-ui", "only this run stored nothing"
        assert play(path, []).blocks() == []
        return
    entries, transcript = read(session)
    messages = [entry.message for entry in entries if isinstance(entry, MessageEntry)]
    live = play(path, [message for message in messages if isinstance(message, BashExecution)])
    marks = name != MARKED
    mine = [said(block, marks) for block in live.blocks()]
    theirs = [
        said(block, marks) for block in transcript.blocks() if not any(test(block) for test, _ in STORED_ONLY)
    ]
    assert mine
    assert mine == theirs[-len(mine) :]
    left = [name for name, fields in theirs[: -len(mine)]]
    if name[:3] not in TAKEN_OVER:
        assert set(left) <= {"Notice"}, "only the settings at the start come without an event"
    live.settle(entries)
    assert live.blocks() == []


def test_extension_state_is_told_live() -> None:
    entries, _ = read(DATA / "sessions/1.6.0" / f"{MARKED}.jsonl")
    live = play(DATA / "events/1.6.0" / f"{MARKED}.events.jsonl", [])
    state = next(entry for entry in entries if isinstance(entry, Custom))
    assert any(isinstance(one, b.Notice) and one.text.startswith(state.custom_type) for one in live.blocks())
