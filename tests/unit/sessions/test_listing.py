"""The list shows this directory's sessions, whatever else lies beside them."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import time
from pathlib import Path

import pytest

from pivi.sessions.cache import Cache
from pivi.sessions.catalog import Progress, rows_of
from pivi.sessions.details import Details
from pivi.sessions.facts import Facts
from pivi.sessions.listing import Row, Scope
from pivi.sessions.listing import Store as Look
from pivi.sessions.workers import Workers
from tests.support.stores import Record, Store, header, lines, message, session_info, talk


def listed(
    store: Store, cwd: str, *args: str, everywhere: bool = False, scope: Scope = "directory"
) -> tuple[list[Row], Progress]:
    look = Look(store.location(cwd, *args), cwd, "all" if everywhere else scope)
    return asyncio.run(rows_of(look, Cache(str(store.root / "cache")), Workers()))


def ids(found: list[Row]) -> list[str]:
    return [row.id for row in found]


def details(content: bytes, step: int = 1 << 20) -> Facts:
    found = Details()
    for start in range(0, len(content), step):
        found.feed(content[start : start + step])
    found.finish()
    return found.facts


def test_newest_first_with_all_that_a_row_shows(store: Store) -> None:
    cwd = store.project("p")
    store.put("old", cwd, at=1000)
    store.put("new", cwd, at=3000, more=[session_info("Fix\n the  parser")])
    store.put("mid", cwd, at=2000, prompt="one\ntwo\x1b[31m red\x1b[0m")
    found, last = listed(store, cwd)
    assert [(row.id, row.title, row.name, row.messages, row.mtime) for row in found] == [
        ("new", "Fix the parser", "Fix the parser", 2, 3000.0),
        ("mid", "one two red", None, 2, 2000.0),
        ("old", "hello", None, 2, 1000.0),
    ]
    assert found[0].cwd == cwd and found[0].created == 1_767_323_045 and found[0].size > 500
    assert (last.done, last.total, last.skipped, last.elsewhere, last.problem) == (3, 3, 0, 0, None)


def test_two_directories_with_one_bucket_list_only_their_own(store: Store) -> None:
    one, other = store.project("a-b"), store.project("a/b")
    assert store.bucket(one) == store.bucket(other)
    store.put("one", one)
    store.put("other", other, at=1e9)
    assert ids(listed(store, one)[0]) == ["one"] and listed(store, one)[1].elsewhere == 1
    assert ids(listed(store, other)[0]) == ["other"]


def test_a_flat_directory_is_filtered_by_real_path(store: Store) -> None:
    cwd, other = store.project("p"), store.project("q")
    flat = store.root / "flat"
    flat.mkdir()
    (store.root / "link").symlink_to(cwd)
    stored = [cwd, f"{cwd}/", f"{store.root}//x/./q/../p", str(store.root / "link")]
    for number, path in enumerate(stored):
        store.put(f"p{number}", path, folder=flat, at=number)
    store.put("q", other, folder=flat)
    (flat / "none.jsonl").write_bytes(lines([header("none", None), *talk()]))
    args = ("--session-dir", str(flat))
    assert ids(listed(store, cwd, *args)[0]) == ["p3", "p2", "p1", "p0"]
    assert sorted(ids(listed(store, cwd, *args, everywhere=True)[0])) == ["none", "p0", "p1", "p2", "p3", "q"]


def test_links_to_project_bucket_and_file_are_followed_once(store: Store) -> None:
    cwd = store.project("p")
    file = store.put("a", cwd)
    (file.parent / "again.jsonl").symlink_to(file)
    elsewhere = store.root / "elsewhere.jsonl"
    elsewhere.write_bytes(lines([header("b", cwd), *talk()]))
    (file.parent / "b.jsonl").symlink_to(elsewhere)
    moved = store.root / "moved"
    file.parent.rename(moved)
    file.parent.symlink_to(moved)
    (store.agent / "sessions" / "--twice--").symlink_to(moved)
    (store.root / "link").symlink_to(cwd)
    assert sorted(ids(listed(store, str(store.root / "link"))[0])) == ["a", "b"]
    assert sorted(ids(listed(store, cwd, everywhere=True)[0])) == ["a", "b"]


@pytest.mark.parametrize("name", ["a b", "50%", "#1", "[x]", "*", "a|b", "new\nline", "-- --", "~"])
def test_directories_with_names_that_break_commands(store: Store, name: str) -> None:
    cwd = store.project(name)
    store.put("a", cwd)
    assert ids(listed(store, cwd)[0]) == ["a"]


def test_a_directory_that_is_no_utf8_finds_what_node_wrote_for_it(store: Store) -> None:
    cwd = os.fsdecode(os.fsencode(store.root) + b"/b\xff")
    Path(cwd).mkdir()
    folder = Path(store.location(cwd).dir)
    folder.mkdir(parents=True)
    store.put("a", f"{store.root}/b\ufffd", folder=folder)
    assert ids(listed(store, cwd)[0]) == ["a"]


def test_bad_files_are_counted_and_never_block(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    cwd = store.project("p")
    folder = store.put("good", cwd).parent
    os.mkfifo(folder / "pipe.jsonl")
    monkeypatch.chdir(folder)  # a socket's path may not be long
    with socket.socket(socket.AF_UNIX) as one:
        one.bind("socket.jsonl")
    (folder / "dir.jsonl").mkdir()
    (folder / "broken.jsonl").symlink_to("nowhere")
    (folder / "empty.jsonl").touch()
    (folder / "notes.jsonl").write_text("# notes\n" * 100)
    (folder / "zero.jsonl").symlink_to("/dev/zero")
    with open(os.fsencode(folder) + b"/b\xff.jsonl", "wb") as file:
        file.write(lines([header("bytes", cwd)]))
    (folder / "other.txt").touch()
    found, last = listed(store, cwd)
    assert ids(found) == ["good"] and last.skipped == 8
    # Of all directories this one is looked into once.
    (folder.parent / "--link--").symlink_to(folder)
    found, last = listed(store, cwd, everywhere=True)
    assert ids(found) == ["good"] and last.skipped == 8


def test_an_unreadable_file_costs_a_count(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    cwd = store.project("p")
    refused = str(store.put("a", cwd))
    store.put("b", cwd)
    open_ = os.open

    def refuse(path: str, flags: int, mode: int = 0o777) -> int:
        # Nothing is unreadable for root, so that a mode would not do in a container.
        if path == refused:
            raise PermissionError(13, "Permission denied", path)
        return open_(path, flags, mode)

    monkeypatch.setattr(os, "open", refuse)
    found, last = listed(store, cwd)
    assert ids(found) == ["b"] and last.skipped == 1


def test_no_directory_or_one_that_is_none(store: Store) -> None:
    cwd = store.project("p")
    assert listed(store, cwd) == ([], Progress(0, 0, final=True))
    assert listed(store, cwd, everywhere=True)[0] == []
    (store.root / "file").touch()
    assert listed(store, cwd, "--session-dir", str(store.root / "file"))[1].problem == "Not a directory"
    store.agent.joinpath("sessions").touch()
    assert listed(store, cwd, everywhere=True)[1].problem == "Not a directory"


def test_the_latest_name_wins_and_a_blank_one_clears(store: Store) -> None:
    names: list[object] = ["first", "second", " ", "x" * 10_000, "two\nlines\u2028three", "", 5]
    found = []
    for count in range(len(names) + 1):
        found.append(details(lines([header("a", "/x"), *talk(), *map(session_info, names[:count])])).name)
    assert found[:4] == [None, "first", "second", None]
    assert found[4] and len(found[4]) == 200 and found[4].endswith("…")
    assert found[5:] == ["two lines three", None, None]


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("plain", "plain"),
        ([{"type": "image", "data": "x" * 100}, {"type": "text", "text": " a "}, {"type": "text"}], "a"),
        ([{"type": "image", "data": ""}], None),
        ("", None),
        (None, None),
        ([5, {"type": "text", "text": 5}], None),
        ("\u202e \x07 \x1b]52;c;eA==\x07", None),
        ("bad \ud83d half", "bad \ufffd half"),
    ],
)
def test_a_title_from_odd_prompts(content: object, title: str | None) -> None:
    records = [header("a", "/x"), message("1", None, "system", "user"), message("2", "1", "user", content)]
    assert details(lines(records)).prompt == title
    assert details(lines([*records, message("3", "2", "user", "next")])).prompt == (title or "next")


def test_a_session_without_a_prompt_has_a_title(store: Store) -> None:
    cwd = store.project("p")
    (store.bucket(cwd) / "a.jsonl").write_bytes(lines([header("a", cwd)]))
    assert listed(store, cwd)[0][0].title == "No prompt yet"


def test_records_are_counted_however_they_are_spelled() -> None:
    records: list[Record] = [header("a", "/x"), *talk("one"), session_info("named")]
    inside = message("9", None, "toolResult", '{"type":"message"}\n{"type":"session_info","name":"no"}')
    usual = lines([*records, inside])
    spaced = "".join(json.dumps(dict(reversed(one.items()))) + "\r\n" for one in [*records, inside]).encode()
    torn = usual + b'garbage\n\n[1]\nnull\n\x00\n{"type":"session_info","name":"torn'
    for content in (usual, spaced, usual[:-1], torn, usual.replace(b"\n", b"\n\n")):
        for step in (1, 7, 1 << 20):
            found = details(content, step)
            assert (found.name, found.prompt, found.messages) == ("named", "one", 3)


def test_huge_records_are_passed_in_linear_time_and_bounded_memory(store: Store) -> None:
    start = time.thread_time()
    found = details(lines([message("1", None, "user", "x" * (40 << 20)), *talk("short")]), 1 << 16)
    assert (found.messages, found.prompt) == (3, "short")
    assert time.thread_time() - start < 2
