"""Whatever stands in a session's records in the place of what is expected, every reader gets through."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Generator
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import pytest

from pivi.conversation.exporting import Closed
from pivi.conversation.options import Options
from pivi.conversation.preview import preview
from pivi.sessions.examining import examine
from pivi.sessions.scan import scan
from pivi.sessions.sought import Matcher, sought
from pivi.view.icons import TABLES
from pivi.view.markdown import document, plain
from pivi.view.page import Page

T = TypeVar("T")

SESSIONS = sorted((Path(__file__).parents[1] / "data" / "sessions").glob("*/*.jsonl"))
BEYOND = "a number beyond all"
"""In its place stands one that is no float; JSON has no limit."""
ODD: list[Any] = [
    *(None, True, 0, -1, 1e308, 2**63, 2**70, 12345678901234567890123, 10**400, BEYOND),
    *("", "x", "\u202e", "\ud800", "a\0b\x1b[31m\r\n\t", "9" * 400, "2026-13-99T99:99:99Z"),
    *([], [None], ["x"], [[]], [{}], [{"type": "text", "text": 5}]),
    *({}, {"a": None}, {"type": "text"}, {"type": "toolCall"}),
]
"""Values that decoders, arithmetic, encoders or terminals have trouble with."""
CONTROL = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f]")
OPTIONS = msgspec.convert({}, Options)


def mutated(value: Any, chance: random.Random) -> Any:
    """`value` with some of what is in it gone, exchanged, doubled or replaced."""
    if chance.random() < 0.04:
        return chance.choice(ODD)
    if isinstance(value, list):
        items = [mutated(item, chance) for item in value]
        return [*items, chance.choice(ODD)] if chance.random() < 0.03 else items
    if isinstance(value, (int, float)) and chance.random() < 0.1:
        return chance.choice((BEYOND, 1e308, 10**30, -1))
    if not isinstance(value, dict):
        return value
    kept = {key: mutated(item, chance) for key, item in value.items() if chance.random() >= 0.02}
    if value and chance.random() < 0.02:
        kept[chance.choice(list(value))] = chance.choice(list(value.values()))
    return kept


def written(path: Path, chance: random.Random) -> list[str]:
    """Writes a real session so changed, and gives the ids in it."""
    first, *rest = chance.choice(SESSIONS).read_bytes().splitlines()
    values = [mutated(json.loads(line), chance) for line in rest[:200]]
    header = json.loads(first)
    odd = mutated({key: header[key] for key in ("version", "timestamp", "cwd")}, chance)
    odd = odd if isinstance(odd, dict) else {}
    header |= {**odd, "type": "session", "parentSession": chance.choice(ODD)}
    lines = [json.dumps(value, ensure_ascii=chance.random() < 0.5) for value in (header, *values)]
    numbers = ("1e999", "-1e999", "9" * 400, "9" * 5000)
    lines = [line.replace(json.dumps(BEYOND), chance.choice(numbers)) for line in lines]
    path.write_bytes(
        chance.choice([b"\n", b"\r\n"]).join(line.encode("utf-8", "surrogatepass") for line in lines)
    )
    return [value["id"] for value in values if isinstance(value, dict) and isinstance(value.get("id"), str)]


def end_of(steps: Generator[None, None, T]) -> T:
    try:
        while True:
            next(steps)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


@pytest.mark.parametrize("seed", range(400))
def test_odd_values(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "odd.jsonl"
    chance = random.Random(seed)
    ids = written(path, chance)
    known = end_of(examine(str(path), None))
    assert known.header and known.facts
    msgspec.msgpack.encode(known)
    for pattern, regex in (("e", False), ("x|\\d", True)):
        msgspec.msgpack.encode(end_of(scan(str(path), Matcher(sought(pattern, regex)))))
    closed = Closed(str(path), OPTIONS)
    asyncio.run(closed.read())
    blocks = closed.screen.transcript.blocks()
    for icons in TABLES.values():
        page, rows = Page(icons), 0
        for patches in (page.fill(blocks, window_rows=40), page.rest()):
            for patch in patches:
                msgspec.msgpack.encode(patch)
                rows += patch.new - patch.old
                assert not any(map(CONTROL.search, patch.lines))
        assert rows == page.rows
        text = "".join(document(blocks, icons, closed.screen.transcript.model))
        assert text + "".join(plain(blocks, icons))
    for entry in ("", *chance.sample(ids, min(3, len(ids)))):
        assert asyncio.run(preview(str(path), entry, 40, TABLES["ascii"]))["lines"]
