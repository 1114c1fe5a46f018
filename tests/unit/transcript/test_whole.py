"""Nothing that Pi stored is lost: every session that the real Pi wrote, read whole and from its tail."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pivi.pi.records import decode_lines
from pivi.transcript import blocks as b
from pivi.transcript.stored import Transcript
from tests.support.entries import header_of

SESSIONS = sorted((Path(__file__).parents[2] / "data" / "sessions").glob("*/*.jsonl"))
EACH = pytest.mark.parametrize("path", SESSIONS, ids=lambda path: f"{path.parts[-2]}-{path.stem[:3]}")
Said = tuple[str, str]


def texts(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if part["type"] == "text")


def result_said(message: dict[str, Any]) -> Iterator[Said]:
    yield "result", texts(message["content"])
    if (message.get("details") or {}).get("diff"):
        yield "diff", message["details"]["diff"]


def stored_said(path: Path) -> list[Said]:
    """What a session says in file order, results at their calls, read with nothing of pivi's."""
    entries = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line][1:]
    messages = [entry["message"] for entry in entries if entry["type"] == "message"]
    results = {message["toolCallId"]: message for message in messages if message["role"] == "toolResult"}
    said: list[Said] = []
    for entry in entries:
        if entry["type"] in ("compaction", "branch_summary"):
            said.append(("summary", entry["summary"]))
        elif entry["type"] == "custom_message" and entry["display"]:
            said.append(("custom", texts(entry["content"])))
        elif entry["type"] == "message":
            message = entry["message"]
            if message["role"] == "user":
                said.append(("prompt", texts(message["content"])))
            elif message["role"] == "bashExecution":
                said.append(("shell", message["command"] + "\n" + message["output"]))
            elif message["role"] == "assistant":
                for part in message["content"]:
                    if part["type"] == "toolCall":
                        said.append(("call", f"{part['id']} {part['name']}"))
                        if part["id"] in results:
                            said += result_said(results[part["id"]])
                    elif part[part["type"]]:
                        said.append((part["type"], part[part["type"]]))
                if message.get("errorMessage"):
                    said.append(("error", message["errorMessage"]))
    return said


def shown(blocks: list[b.Block]) -> Iterator[Said]:
    for block in blocks:
        match block:
            case b.Prompt():
                yield "prompt", block.text
            case b.Answer():
                yield "text", block.text
            case b.Thinking():
                yield "thinking", block.text
            case b.Summary():
                yield "summary", block.text
            case b.Custom():
                yield "custom", block.text
            case b.Shell():
                yield "shell", block.command + "\n" + block.output
            case b.Stop():
                if block.message:
                    yield "error", block.message
            case b.ToolCall():
                yield "call", f"{block.tool_id} {block.name}"
                if block.outcome:
                    yield "result", block.outcome.text
                    if block.outcome.diff:
                        yield "diff", block.outcome.diff


def read(path: Path) -> tuple[Transcript, list[bytes]]:
    lines = path.read_bytes().split(b"\n")
    return Transcript(header_of(lines[0])), lines[1:-1]


def bare(block: b.Block) -> dict[str, Any]:
    fields = {name: getattr(block, name) for name in block.__struct_fields__}
    del fields["section"], fields["run"]
    return {"of": type(block).__name__, **fields}


def test_there_are_sessions_of_both_versions() -> None:
    assert len(SESSIONS) == 49


@EACH
def test_all_that_is_stored_is_in_one_block_in_order(path: Path) -> None:
    transcript, lines = read(path)
    transcript.extend(decode_lines(lines))
    blocks = transcript.blocks()
    assert list(shown(blocks)) == stored_said(path)
    keys = [block.key for block in blocks]
    assert len(set(keys)) == len(keys)
    assert not any(isinstance(block, (b.Damage, b.Unknown, b.Result)) for block in blocks)
    assert transcript.count == len(lines)
    assert transcript.leaf_id == json.loads(lines[-1])["id"]


@EACH
def test_sections_and_runs_name_headings_before_them(path: Path) -> None:
    transcript, lines = read(path)
    transcript.extend(decode_lines(lines))
    seen = {""}
    done: set[str] = set()
    last = ""
    for block in transcript.blocks():
        seen.add(block.key)
        assert block.section in seen
        assert block.run in seen
        if block.section != last:
            done.add(last)
            last = block.section
        assert not block.section or block.section not in done
        if isinstance(block, (b.Prompt, b.Reply, b.Summary, b.Custom, b.Shell, b.System)):
            assert block.section == block.key
        if isinstance(block, (b.Answer, b.Thinking, b.ToolCall)):
            assert block.section.endswith("/reply")


@EACH
def test_in_slices_the_same_and_unchanged_blocks_stay_the_same_objects(path: Path) -> None:
    whole, lines = read(path)
    entries = decode_lines(lines)
    whole.extend(entries)
    sliced, _ = read(path)
    before: list[b.Block] = []
    for number, line in enumerate(lines):
        copies = [(block, bare(block), (block.section, block.run)) for block in before]
        sliced.extend(decode_lines([line]))
        now = sliced.blocks()
        assert all(bare(one) == was and (one.section, one.run) == at for one, was, at in copies)
        if number == len(lines) // 2:
            sliced.move_leaf(sliced.leaf_id)
            again = sliced.blocks()
            assert len(now) == len(again)
            assert all(one is other for one, other in zip(now, again, strict=True))
        before = now
    assert before == whole.blocks()


@EACH
def test_every_tail_shows_the_end_of_the_whole(path: Path) -> None:
    whole, lines = read(path)
    whole.extend(decode_lines(lines))
    all_of_it = [bare(block) for block in whole.blocks()[1:]]
    for cut in range(len(lines)):
        part = Transcript(header_of(path.read_bytes().split(b"\n")[0]), partial=True)
        part.extend(decode_lines(lines[cut:]))
        tail = [bare(block) for block in part.blocks()[1:]]
        assert tail == all_of_it[len(all_of_it) - len(tail) :], cut


def test_a_tail_shows_nearly_all_that_is_in_it() -> None:
    path = next(path for path in SESSIONS if path.stem.startswith("03") and path.parts[-2] == "1.6.0")
    _, lines = read(path)
    part = Transcript(None, partial=True)
    part.extend(decode_lines(lines[-3:]))
    assert [type(block).__name__ for block in part.blocks()[1:]] == ["Answer"]
