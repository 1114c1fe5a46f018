"""A preview shows what the transcript shows, at its end or at an entry, and reads little for it."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from pivi.conversation import preview as module
from pivi.conversation.editor import TroubleError
from pivi.conversation.preview import preview
from pivi.sessions.finding import entry_at
from pivi.view.icons import UNICODE
from pivi.view.safe import line_text
from tests.support.stores import Store, header, lines, message, talk

DATA = sorted((Path(__file__).parents[2] / "data" / "sessions" / "1.6.0").glob("*.jsonl"))


def entries(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_bytes().splitlines()[1:]]


def check(shown: dict[str, Any]) -> list[str]:
    rows: list[str] = shown["lines"]
    assert len(rows) == shown["new"] == shown["total"] and (shown["row"], shown["old"]) == (0, 0)
    assert sum(shown["blocks"][::5]) == len(rows)
    assert 4 * sum(shown["blocks"][4::5]) == len(shown["marks"])
    return rows


@pytest.mark.parametrize("file", DATA, ids=lambda file: file.stem)
async def test_every_entry_of_every_session(file: Path) -> None:
    end = check(await preview(str(file), "", 30, UNICODE))
    assert end[0].startswith("# ")
    for entry in entries(file):
        shown = await preview(str(file), entry["id"], 10, UNICODE)
        rows = check(shown)
        assert 0 < shown["at"] < len(rows)
        content = entry.get("message", {}).get("content")
        if entry["type"] == "message" and entry["message"]["role"] == "user" and isinstance(content, list):
            said = line_text(content[0].get("text", "").strip().split("\n")[0])
            assert any(said in row for row in rows[shown["at"] : shown["at"] + 4]), entry


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path.resolve())


@pytest.fixture
def long(store: Store) -> Path:
    file = store.root / "long.jsonl"
    records = [header("long", "/x"), *talk("the beginning")]
    for number in range(3000):
        parent = str(number - 1) if number else "00000004"
        records.append(message(str(number), parent, "user", f"prompt {number} " + "words " * 100))
    file.write_bytes(lines(records))
    return file


async def test_an_entry_in_the_middle_of_a_long_session(long: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PIECE", 1 << 13)
    start = time.process_time()
    for number in (0, 1, 1500, 2999):
        shown = await preview(str(long), str(number), 20, UNICODE)
        rows = check(shown)
        at = shown["at"]
        assert any(f"prompt {number} " in row for row in rows[at : at + 3]) and len(rows) < 100
    assert time.process_time() - start < 1


async def test_an_entry_on_another_branch_is_not_folded_away(store: Store) -> None:
    file = store.put("a", store.project("p"), more=[message("9", "00000002", "user", "another way")])
    shown = await preview(str(file), "00000003", 20, UNICODE)
    rows = check(shown)
    assert "hello" in rows[shown["at"] : shown["at"] + 4]


async def test_an_entry_that_is_not_there_shows_the_end(store: Store) -> None:
    file = store.put("a", store.project("p"))
    end = await preview(str(file), "", 20, UNICODE)
    assert await preview(str(file), "nowhere", 20, UNICODE) == end and "at" not in end


async def test_what_can_not_be_read_is_said(store: Store) -> None:
    for name, content in (("none", None), ("empty", b""), ("notes", b"# notes\n")):
        file = store.root / f"{name}.jsonl"
        if content is not None:
            file.write_bytes(content)
        with pytest.raises(TroubleError):
            await preview(str(file), "", 20, UNICODE)


def test_an_id_is_found_in_its_entry_only(store: Store) -> None:
    file = store.root / "a.jsonl"
    call = {"type": "toolCall", "id": "wanted", "name": "x", "arguments": {"id": "wanted"}}
    records = [
        header("wanted-not", "/x"),
        message("1", None, "assistant", [call]),
        message("wanted", "1", "user", "u"),
    ]
    file.write_bytes(lines(records)[:-1])
    offset = max(entry_at(str(file), "wanted"))
    assert json.loads(file.read_bytes()[offset:])["parentId"] == "1"
    assert max(entry_at(str(file), "none"), default=-1) == -1


async def test_a_result_among_parallel_ones_is_shown_at_its_call(store: Store) -> None:
    calls = [
        {"type": "toolCall", "id": f"c{i}", "name": "bash", "arguments": {"command": f"cat file{i}"}}
        for i in range(3)
    ]
    said = [{"type": "text", "text": "I look."}, *calls]
    results = [
        message(f"r{i}", f"r{i - 1}" if i else "a", "toolResult", [{"type": "text", "text": f"out {i}"}])
        for i in range(3)
    ]
    for number, result in enumerate(results):
        result["message"].update(toolCallId=f"c{number}", toolName="bash", isError=False)  # type: ignore[attr-defined]
    file = store.root / "parallel.jsonl"
    file.write_bytes(
        lines([header("s", "/x"), *talk(), message("a", "00000004", "assistant", said), *results])
    )
    for number in range(3):
        shown = await preview(str(file), f"r{number}", 30, UNICODE)
        assert f"cat file{number}" in check(shown)[shown["at"]]
