"""A session that is open elsewhere is known to be, and no longer than it is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from pivi.sessions.locks import Holder, Locks, started

_OTHER = """
import sys
from pivi.sessions.locks import Locks
print(Locks(sys.argv[1]).acquire(sys.argv[2]), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def place(tmp_path: Path) -> str:
    return str(tmp_path / "locks")


def other(place: str, path: str) -> subprocess.Popen[str]:
    """A process that has the session open until its stdin ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", _OTHER, place, path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[3],
    )
    assert process.stdout is not None and process.stdout.readline() == "None\n"
    return process


def test_another_process_has_it_until_it_ends(place: str, tmp_path: Path) -> None:
    path, locks = str(tmp_path / "a.jsonl"), Locks(place)
    with other(place, path) as process:
        assert locks.holder(path) == locks.acquire(path) == next(locks.held())
        holder = locks.holder(path)
        assert holder is not None and (holder.pid, holder.path) == (process.pid, path)
        locks.release(path)
        assert locks.holder(path) == holder
        process.kill()
    assert locks.holder(path) is None and not list(locks.held())
    assert locks.acquire(path) is None


def test_our_own_is_no_obstacle(place: str, tmp_path: Path) -> None:
    path, locks = str(tmp_path / "a.jsonl"), Locks(place)
    assert locks.acquire(path) is None and locks.acquire(path) is None
    assert locks.holder(path) is None and not list(locks.held())
    locks.release(path)
    locks.release(path)
    assert [name for name in os.listdir(place) if name.endswith(".json")] == []


def test_a_link_to_the_file_is_the_same_session(place: str, tmp_path: Path) -> None:
    path, link = tmp_path / "a.jsonl", tmp_path / "link.jsonl"
    path.touch()
    link.symlink_to(path)
    with other(place, str(link)) as process:
        assert Locks(place).holder(str(path)) is not None
        process.kill()


def test_a_number_that_another_process_has_now_is_stale(place: str, tmp_path: Path) -> None:
    path, locks = str(tmp_path / "a.jsonl"), Locks(place)
    locks.acquire(path)
    (file,) = (name for name in os.listdir(place) if name.endswith(".json"))
    lock = Path(place, file)
    mine = msgspec.json.decode(lock.read_bytes(), type=Holder)
    lock.write_bytes(msgspec.json.encode(msgspec.structs.replace(mine, pid=1)))
    assert locks.holder(path) is None
    lock.write_bytes(msgspec.json.encode(msgspec.structs.replace(mine, host="elsewhere")))
    assert locks.holder(path) is not None
    lock.write_bytes(b"\x00garbage")
    assert locks.holder(path) is None and locks.acquire(path) is None


def test_a_state_directory_that_cannot_be_written_warns_nobody(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    locks = Locks(str(tmp_path / "file"))
    assert locks.acquire("/a") is None and locks.holder("/a") is None and not list(locks.held())
    locks.release("/a")


def test_of_two_at_once_one_has_it(place: str, tmp_path: Path) -> None:
    path = str(tmp_path / "a.jsonl")
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", _OTHER, place, path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[3],
        )
        for _ in range(4)
    ]
    told = [racer.stdout.readline() for racer in racers if racer.stdout]
    assert told.count("None\n") == 1
    for racer in racers:
        racer.communicate()


def test_when_a_process_was_started() -> None:
    assert started(os.getpid()) == started(os.getpid()) != ""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert started(ended.pid) == ""


def test_a_process_that_has_ended_and_nobody_has_waited_for_holds_nothing(place: str, tmp_path: Path) -> None:
    path = str(tmp_path / "a.jsonl")
    code = f"from pivi.sessions.locks import Locks; print(Locks({place!r}).acquire({path!r}))"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.read() == b"None\n"
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert started(child.pid) == ""
        assert Locks(place).holder(path) is None
