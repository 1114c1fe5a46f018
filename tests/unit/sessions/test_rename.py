"""A name is added to a closed session as Pi would add it, or not at all."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from pivi.sessions.files import hold
from pivi.sessions.rename import rename
from pivi.sessions.seen import RefusedError, Seen
from tests.support.stores import Store, header, lines, talk


def seen(file: Path) -> Seen:
    state = file.stat()
    return Seen(state.st_size, state.st_mtime_ns / 1e9)


@pytest.fixture
def file(store: Store) -> Path:
    return store.put("a", store.project("p"), at=1_767_000_000.123)


def test_one_record_is_appended_and_nothing_else_changes(file: Path) -> None:
    before, time = file.read_bytes(), file.stat().st_mtime_ns
    rename(str(file), " The\r\nname ü ", seen(file))
    after = file.read_bytes()
    assert after.startswith(before) and after.endswith(b"\n")
    (line,) = after[len(before) :].splitlines()
    assert line.startswith(b'{"type":"session_info","id":"')
    record = json.loads(line)
    assert list(record) == ["type", "id", "parentId", "timestamp", "name"]
    assert (record["parentId"], record["name"]) == ("00000004", "The name ü")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", record["timestamp"])
    # `pi --continue` goes by it: a session does not become the last one by being named.
    assert file.stat().st_mtime_ns == time


def test_a_second_name_goes_on_from_the_first(file: Path) -> None:
    rename(str(file), "one", seen(file))
    rename(str(file), "", seen(file))
    first, second = (json.loads(line) for line in file.read_bytes().splitlines()[-2:])
    assert second["parentId"] == first["id"] and second["name"] == ""


@pytest.mark.parametrize("last", [b'{"type":"message","id":"cut', b'{"type":"label","id":"00000009"}'])
def test_a_torn_last_line_is_ended_first(file: Path, last: bytes) -> None:
    with file.open("ab") as out:
        out.write(last)
    rename(str(file), "n", seen(file))
    torn, added = file.read_bytes().splitlines()[-2:]
    assert torn == last
    assert json.loads(added)["parentId"] == ("00000009" if last.endswith(b"}") else "00000004")


def test_a_session_without_entries_gets_a_first_one(store: Store, file: Path) -> None:
    file.write_bytes(lines([header("a", store.project("p"))]))
    rename(str(file), "n", seen(file))
    assert json.loads(file.read_bytes().splitlines()[-1])["parentId"] is None


def test_a_huge_last_record_does_not_hide_its_id(file: Path) -> None:
    with file.open("ab") as out:
        out.write(b'{"type":"custom","id":"0000000f","data":"' + b"x" * (1 << 18) + b'"}\n')
    rename(str(file), "n", seen(file))
    assert json.loads(file.read_bytes().splitlines()[-1])["parentId"] == "0000000f"


def test_a_file_that_changed_since_it_was_listed_is_left_alone(file: Path) -> None:
    old = seen(file)
    with file.open("ab") as out:
        out.write(lines(talk()[:1]))
    before = file.read_bytes()
    with pytest.raises(RefusedError, match="changed meanwhile"):
        rename(str(file), "n", old)
    os.utime(file, (1, 1))
    with pytest.raises(RefusedError, match="changed meanwhile"):
        rename(str(file), "n", Seen(file.stat().st_size, old.mtime))
    assert file.read_bytes() == before


def test_a_file_that_is_gone_is_not_made(file: Path) -> None:
    old = seen(file)
    file.unlink()
    with pytest.raises(RefusedError):
        rename(str(file), "n", old)
    assert not file.exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"# notes\n",
        lines([header("a", "/x", version=1), *talk()]),
        lines([header("a", "/x"), *talk(), {"type": "odd"}]),
        lines([header("a", "/x"), *talk()]) + b"[1,2]\n",
    ],
    ids=["empty", "no session", "old", "no id", "no object"],
)
def test_what_pi_could_not_go_on_from_is_refused(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    with pytest.raises(RefusedError):
        rename(str(file), "n", seen(file))
    assert file.read_bytes() == content


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    with pytest.raises(RefusedError):
        rename(str(tmp_path / "pipe.jsonl"), "n", Seen(0, 0))


def test_a_file_that_another_neovim_is_changing_is_not_named(file: Path) -> None:
    before, descriptor = file.read_bytes(), os.open(file, os.O_RDONLY)
    assert hold(descriptor, str(file))
    with pytest.raises(RefusedError, match="changed meanwhile"):
        rename(str(file), "too late", seen(file))
    os.close(descriptor)
    assert file.read_bytes() == before
