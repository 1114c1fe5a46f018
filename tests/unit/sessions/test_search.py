"""A search finds what was said and done, where it was, and nothing that only JSON holds."""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pivi.sessions import search
from pivi.sessions.cache import Cache
from pivi.sessions.listing import Store as Look
from pivi.sessions.said import words
from pivi.sessions.scan import MOST, Hit, scan
from pivi.sessions.search import Search
from pivi.sessions.sought import BadPatternError, Matcher, sought
from pivi.sessions.walk import Progress
from pivi.sessions.worker import Scan
from pivi.sessions.workers import WorkerGoneError, Workers
from tests.support.stores import Record, Store, header, lines, message, session_info, talk


def found(path: Path, pattern: str, regex: bool = False) -> list[Hit]:
    steps = scan(str(path), Matcher(sought(pattern, regex)))
    while True:
        try:
            next(steps)
        except StopIteration as end:
            hits: list[Hit] = end.value
            return hits


def told(path: Path, pattern: str, regex: bool = False) -> list[tuple[str, str, str]]:
    return [(hit.entry, hit.role, hit.line) for hit in found(path, pattern, regex)]


@pytest.fixture
def file(store: Store) -> Path:
    arguments = {"command": "rg 'the Needle'\nls", "deep": [{"a": ["needle in a haystack"]}]}
    call = {"type": "toolCall", "id": "call_1", "name": "bash", "arguments": arguments}
    thought = {"type": "thinking", "thinking": "a needle?", "thinkingSignature": "needle"}
    output = [{"type": "image", "data": "needle"}, {"type": "text", "text": "out needle"}]
    more: list[Record] = [
        message("10", "4", "user", "a plain\nneedle  here"),
        message("11", "10", "assistant", [thought, call], model="needle"),
        message("12", "11", "toolResult", output, toolName="needle", details={"diff": "needle"}),
        message("13", "12", "bashExecution", None, command="echo needle", output="needle\n"),
        message("14", "13", "system", "needle of nobody"),
        {"type": "compaction", "id": "15", "parentId": "14", "summary": "about a needle"},
        {"type": "custom_message", "id": "16", "parentId": "15", "content": "needle", "display": False},
        {"type": "label", "id": "17", "parentId": "16", "targetId": "needle", "label": "my needle"},
        session_info("needle work"),
    ]
    return store.put("a", store.project("p"), more=more)


def test_only_what_was_said_or_done(file: Path) -> None:
    assert told(file, "needle") == [
        ("10", "user", "needle here"),
        ("11", "thinking", "a needle?"),
        ("11", "tool", "rg 'the Needle'"),
        ("11", "tool", "needle in a haystack"),
        ("12", "tool", "out needle"),
        ("13", "shell", "echo needle"),
        ("13", "shell", "needle"),
        ("15", "summary", "about a needle"),
        ("17", "label", "my needle"),
        ("00000005", "name", "needle work"),
    ]


def test_a_capital_makes_case_count(file: Path) -> None:
    assert told(file, "Needle") == [("11", "tool", "rg 'the Needle'")]
    assert told(file, r"\Sdle'", True) == [("11", "tool", "rg 'the Needle'")]
    assert told(file, r"N\wedle", True) == [("11", "tool", "rg 'the Needle'")]


def test_words_are_in_one_line_in_any_order_and_phrases_as_they_are(file: Path) -> None:
    assert told(file, "haystack needle") == [("11", "tool", "needle in a haystack")]
    assert told(file, '"in a" needle') == [("11", "tool", "needle in a haystack")]
    assert told(file, '"needle a"') == [] == told(file, "plain needle")
    assert told(file, '"in a hay')[0][0] == "11"


def test_what_json_escapes_is_found(store: Store) -> None:
    said = 'say "quoted" C:\\dir\\file a/b\ttab \x1b[31mred привет ПРИВЕТ 日本語 😀 Straße'
    written = [
        json.dumps(message("1", None, "user", said), ensure_ascii=ascii_only) for ascii_only in (True, False)
    ]
    for number, text in enumerate(written):
        file = store.root / f"{number}.jsonl"
        file.write_text(json.dumps(header("a", "/x")) + "\n" + text.replace("a/b", "a\\/b") + "\n")
        for pattern in (
            "\\dir",
            "a/b",
            "/",
            "\\",
            "привет",
            "Привет".lower(),
            "日本",
            "😀",
            "straße",
            "c:\\dir\\file",
        ):
            assert len(found(file, pattern)) == 1, pattern
        assert len(found(file, 'say\\s"quoted"', True)) == 1


def test_where_the_match_begins_in_a_long_line(store: Store) -> None:
    file = store.root / "a.jsonl"
    file.write_bytes(
        lines(
            [
                header("a", "/x"),
                message("1", None, "user", "x " * 5000 + "\x1b[1mneedle\x1b[0m" + " y" * 5000),
            ]
        )
    )
    (hit,) = found(file, "needle")
    assert len(hit.line) <= 200 and hit.line[hit.col :].startswith("needle") and "\x1b" not in hit.line


def test_what_is_shown_of_a_long_line_begins_with_a_whole_character(store: Store) -> None:
    for shift in range(9):
        text = "👩‍👩‍👧e\u0301" * 40 + "." * shift + "needle" + " x" * 200
        path = store.put(f"a{shift}", store.project("p"), more=[message("10", "4", "user", text)])
        (hit,) = found(path, "needle")
        assert hit.line.startswith(("…👩‍👩‍👧", "…e\u0301")), hit.line


def test_a_file_full_of_hits_is_cut(store: Store) -> None:
    file = store.root / "a.jsonl"
    file.write_bytes(lines([header("a", "/x"), message("1", None, "user", "needle\n" * 1000)]))
    assert len(found(file, "needle")) == MOST


def test_damaged_lines_are_passed_over(store: Store) -> None:
    file = store.root / "a.jsonl"
    good = lines([message("9", None, "user", "a needle")])
    file.write_bytes(
        b'needle\n[1,"needle"]\n\x00\n{"type":"message","message":"needle"}\n' + good + good[:-3]
    )
    assert [hit.entry for hit in found(file, "needle")] == ["9"]


@pytest.mark.parametrize("pattern", ["", "  ", "("])
def test_what_is_no_pattern_is_said(pattern: str) -> None:
    with pytest.raises(BadPatternError):
        sought(pattern, regex=bool(pattern.strip()))


TEXTS = st.text(st.sampled_from('abAB .*+?|()[]{}\\"/\n\tüÜ日K^,2'), max_size=12)


@given(TEXTS, st.lists(TEXTS, min_size=1, max_size=4), st.booleans(), st.booleans())
def test_no_line_that_matches_is_passed_over_unread(
    pattern: str, said: list[str], regex: bool, ascii_only: bool
) -> None:
    try:
        matcher = Matcher(sought(pattern, regex))
    except (BadPatternError, re.error):
        return
    for text in said:
        if any(matcher.find(line) >= 0 for line in text.split("\n")):
            record = json.dumps(message("1", None, "user", text), ensure_ascii=ascii_only).encode()
            searched = record.lower() if matcher.ignore_case else record
            for needles in matcher.needs:
                assert any(needle in searched for needle in needles), (needles, record)


@given(
    st.recursive(
        st.none() | st.text(max_size=5), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_any_record_can_be_looked_into(value: object) -> None:
    inside = {"role": "user", "content": value}
    for record in (
        {"type": "message", "message": value},
        {"type": "message", "message": inside},
        {"type": "compaction", "summary": value},
    ):
        assert all(isinstance(text, str) for _, text in words(record))


async def search_all(store: Store, cwd: str, pattern: str) -> tuple[list[search.Hit], Progress]:
    hits: list[search.Hit] = []
    ends: list[Progress] = []

    def tell(part: list[search.Hit], progress: Progress) -> None:
        hits.extend(part)
        ends.append(progress)

    workers = Workers()
    look = Look(store.location(cwd), cwd)
    await Search(look, Cache(str(store.root / "cache")), workers, sought(pattern, False), tell).run()
    await workers.close()
    return hits, ends[-1]


async def test_hits_tell_of_their_session(store: Store, file: Path) -> None:
    cwd = store.project("p")
    store.put("other", store.project("q"), prompt="needle")
    store.put("b", cwd, prompt="Has a needle", at=1e9)
    (file.parent / "none.jsonl").write_text("needle\n")
    for _ in range(2):  # the second time from the cache
        hits, last = await search_all(store, cwd, "needle")
        told = {(hit.path, hit.id, hit.title, hit.active) for hit in hits}
        assert (str(file), "a", "needle work", 1_767_323_045.0) in told
        assert {title for _, _, title, _ in told} == {"needle work", "Has a needle"}
        assert len(hits) == 11 and last.final and (last.done, last.total, last.skipped) == (3, 3, 1)


async def test_too_many_hits_are_said(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    cwd = store.project("p")
    store.put("a", cwd, prompt="needle\n" * 50)
    monkeypatch.setattr(search, "MOST", 20)
    hits, last = await search_all(store, cwd, "needle")
    assert len(hits) == 20 and last.problem is not None and "20" in last.problem


async def test_a_search_is_left_at_once(store: Store) -> None:
    cwd = store.project("p")
    file = store.put("a", cwd)
    with file.open("ab") as out:
        for _ in range(40):
            out.write(lines([message("9", None, "user", "x" * 1_000_000)]))
    workers = Workers()
    pattern = sought("(x+x+)+y", True)
    look = Look(store.location(cwd), cwd)
    task = asyncio.ensure_future(
        Search(look, Cache(str(store.root / "c")), workers, pattern, lambda *_: None).run()
    )
    await asyncio.sleep(0.3)
    start = time.perf_counter()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.perf_counter() - start < 0.5
    await workers.close()


@pytest.mark.parametrize(
    ("regex", "text"),
    [
        ("said.{0,30}fence", "You said: mend the fence"),
        ("fel{2}o", "fello"),
        ("fo{,3}ence", "foence"),
        ("\\x41bc", "Abc"),
        ("\\u0041bc", "Abc"),
        ("\\101bc", "Abc"),
        ("\\N{LATIN SMALL LETTER A}bc", "abc"),
        ("x[]ab]y", "x]y"),
        ("[^]']+z", "qz"),
        ("[)]x(y)?z", ")xz"),
        ("[\\]a]b", "]b"),
        ("(a)\\1b", "aab"),
        ("a\\.b{", "a.b{"),
        ("one\\ttwo", "one\ttwo"),
        ("a\\{2}c", "a{2}c"),
    ],
)
def test_whatever_a_regular_expression_matches_is_found(regex: str, text: str, store: Store) -> None:
    file = store.put("a", store.project("p"), prompt=text)
    assert re.search(regex, text)
    assert [hit.line for hit in found(file, regex, True)] == [text.replace("\t", " ")]


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("/istanbul/", "\u0130stanbul"),
        ("/\u00b5s/", "5 \u03bcs"),
        ("/s/", "\u017f"),
        ("/is/", "\u0131\u017f"),
        ("/\u03c3/", "\u03c2"),
        ("/\u03c2/", "\u03c3"),
        ("/\u00df/", "\u1e9e"),
        ("/\u017f/", "S"),
        ("kelvin", "\u212aELVIN"),
        ("/\u0436\u0430/", "\u0416\u0410"),
    ],
)
@pytest.mark.parametrize("ascii_only", [True, False])
def test_what_is_the_same_where_case_does_not_count_is_found(
    pattern: str, text: str, ascii_only: bool, store: Store
) -> None:
    file = store.root / "a.jsonl"
    said = json.dumps(message("1", None, "user", text), ensure_ascii=ascii_only)
    file.write_bytes(lines([header("a", "/x")]) + said.encode() + b"\n")
    assert [hit.entry for hit in found(file, pattern.strip("/"), pattern.startswith("/"))] == ["1"]


async def test_a_pattern_that_tries_for_ever_is_given_up(store: Store) -> None:
    file = store.put("a", store.project("p"), prompt="a" * 60 + "b")
    workers = Workers()
    order = Scan([(str(file), None)], sought("(a+)+$", True), patience=0.3)
    with pytest.raises(WorkerGoneError, match="too long"):
        await workers.scan(order)
    again = await workers.scan(Scan(order.files, sought("a+b", True), patience=0.3))
    assert again[0] is not None and len(again[0].hits) == 1
    await asyncio.sleep(0.5)
    # What was in time leaves no alarm behind.
    assert await workers.scan(Scan(order.files, sought("nothing", False), patience=0.3))
    await workers.close()


def test_a_line_longer_than_a_chunk_is_found_and_costs_linear_time(store: Store) -> None:
    file = store.root / "a.jsonl"
    text = "x" * (20 << 20) + " needle"
    file.write_bytes(lines([header("a", "/x"), message("1", None, "user", text), *talk("needle")]))
    start = time.thread_time()
    assert [hit.entry for hit in found(file, "needle")] == ["1", "00000003"]
    assert time.thread_time() - start < 2


def test_chunks_cut_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    file = store.root / "a.jsonl"
    chance = random.Random(3)
    records = [
        message(str(n), None, "user", chance.choice(["needle ", "hay "]) * chance.randrange(1, 30))
        for n in range(300)
    ]
    file.write_bytes(lines([header("a", "/x"), *records])[:-1])
    whole = found(file, "needle")
    monkeypatch.setattr("pivi.sessions.scan._CHUNK", 100)
    assert found(file, "needle") == whole and len(whole) > 100
