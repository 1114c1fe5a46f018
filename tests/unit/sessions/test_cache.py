"""What was read of sessions is kept, believed only while it is true, and may be lost at any time."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pivi.sessions import cache as module
from pivi.sessions import details, examining
from pivi.sessions.cache import Cache
from pivi.sessions.catalog import rows_of
from pivi.sessions.details import Details, read
from pivi.sessions.known import Known
from pivi.sessions.listing import Row
from pivi.sessions.listing import Store as Look
from pivi.sessions.workers import Workers
from tests.support.stores import Store, header, lines, message, session_info, talk


class Counted:
    """Lists a store with its cache, and counts the bytes that were read for details."""

    def __init__(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        self.store = store
        self.cwd = store.project("p")
        self.place = store.root / "cache"
        self.bytes = 0

        def counted(descriptor: int, details: Details, size: int) -> Iterator[None]:
            start = details.facts.read
            yield from read(descriptor, details, size)
            self.bytes += os.fstat(descriptor).st_size - start

        monkeypatch.setattr(examining, "read", counted)

    def rows(self) -> dict[str, Row]:
        self.bytes = 0
        look = Look(self.store.location(self.cwd), self.cwd)
        rows, _ = asyncio.run(rows_of(look, Cache(str(self.place)), Workers()))
        return {row.id: row for row in rows}

    @property
    def files(self) -> list[Path]:
        return sorted(self.place.glob("*"))


@pytest.fixture
def counted(store: Store, monkeypatch: pytest.MonkeyPatch) -> Counted:
    made = Counted(store, monkeypatch)
    store.put("a", made.cwd)
    store.put("b", made.cwd, prompt="other", more=[session_info("named")])
    return made


def examined(file: Path, known: Known | None) -> Known:
    steps = examining.examine(str(file), known)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: Known = end.value
            return found


def later(ident: str, text: str) -> bytes:
    return lines([message(ident, "4", "user", text, timestamp=1_800_000_000_000)])


def test_a_second_list_reads_nothing_and_is_the_same(counted: Counted) -> None:
    first = counted.rows()
    assert counted.bytes > 0
    assert counted.rows() == first and counted.bytes == 0


def test_of_a_grown_file_only_what_is_new_is_read(counted: Counted) -> None:
    counted.rows()
    file = counted.store.bucket(counted.cwd) / "2026-01-02T03-04-05-000Z_a.jsonl"
    added = later("9", "more") + lines([session_info("later")])
    with file.open("ab") as out:
        out.write(added)
    row = counted.rows()["a"]
    assert counted.bytes == len(added)
    assert (row.messages, row.prompts, row.name, row.active) == (3, 2, "later", 1_800_000_000)
    whole = counted.rows()["a"]
    for one in counted.files:
        one.unlink()
    assert counted.rows()["a"] == whole == row


@pytest.mark.parametrize("ending", [b"", b'{"type":"mess', later("9", "torn")[:-1]])
def test_a_last_line_without_its_end_is_read_again(counted: Counted, ending: bytes) -> None:
    file = counted.store.put("t", counted.cwd)
    with file.open("ab") as out:
        out.write(ending)
    counted.rows()
    with file.open("ab") as out:
        out.write(b"\n" + later("10", "next"))
    row = counted.rows()["t"]
    assert row.messages == 3 + ending.endswith(b"}")
    counted.place.rename(counted.store.root / "away")
    assert counted.rows()["t"] == row


def test_a_rewritten_file_is_read_whole(counted: Counted) -> None:
    file = counted.store.put("r", counted.cwd)
    counted.rows()
    inode = file.stat().st_ino
    # Longer than before and the same file: only its bytes tell.
    file.write_bytes(lines([header("r", counted.cwd), *talk("rewritten"), *talk("once more, and longer")]))
    assert file.stat().st_ino == inode
    assert counted.rows()["r"].title == "rewritten"
    file.write_bytes(lines([header("r", counted.cwd), *talk("short")]))
    assert counted.rows()["r"].title == "short"


def test_a_file_that_took_the_place_of_another(counted: Counted) -> None:
    file = counted.store.put("r", counted.cwd)
    counted.rows()
    other = file.with_suffix(".new")
    other.write_bytes(lines([header("r", counted.cwd), *talk("HELLO")]))
    os.utime(other, ns=(0, file.stat().st_mtime_ns))
    other.replace(file)
    assert counted.rows()["r"].title == "HELLO"


@pytest.mark.parametrize("damage", [b"", b"garbage", b"\x93\x01", b"\x93\xff\xa0\x80"])
def test_a_damaged_cache_is_made_again(counted: Counted, damage: bytes) -> None:
    first = counted.rows()
    (file,) = counted.files
    good = file.read_bytes()
    file.write_bytes(damage or good[: len(good) // 2])
    assert counted.rows() == first and file.read_bytes() == good


def test_a_cache_of_another_version_or_folder_is_made_again(
    counted: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = counted.rows()
    monkeypatch.setattr(module, "_VERSION", 99)
    assert counted.rows() == first and counted.bytes > 0
    (file,) = counted.files
    moved = counted.store.project("q")
    folder = counted.store.bucket(moved)
    Cache(str(counted.place)).write()
    file.rename(Cache(str(counted.place))._file(str(folder)))
    counted.store.put("a", moved, prompt="mine")
    counted.cwd = moved
    assert counted.rows()["a"].title == "mine"


def test_a_cache_that_cannot_be_written_costs_nothing_else(counted: Counted) -> None:
    counted.place.write_text("a file")
    assert counted.rows() == counted.rows() and counted.bytes > 0


def test_files_that_are_gone_are_forgotten_and_nothing_else_is_left(counted: Counted) -> None:
    counted.rows()
    (file,) = counted.files
    size = file.stat().st_size
    next(counted.store.bucket(counted.cwd).iterdir()).unlink()
    counted.rows()
    assert file.stat().st_size < size and counted.files == [file]
    assert file.stat().st_mode & 0o077 == 0


def test_two_share_it(counted: Counted) -> None:
    caches = [Cache(str(counted.place)) for _ in range(2)]
    looks = [Look(counted.store.location(counted.cwd), counted.cwd) for _ in range(2)]

    async def both() -> list[set[Row]]:
        found = await asyncio.gather(
            *(rows_of(look, cache, Workers()) for look, cache in zip(looks, caches, strict=True))
        )
        return [set(rows) for rows, _ in found]

    one, other = asyncio.run(both())
    assert one == other == set(counted.rows().values()) and counted.bytes == 0


def test_a_file_that_grows_while_it_is_read(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(details, "_CHUNK", 300)
    file = store.put("g", store.project("p"), more=[message(f"a{n}", "4", "user", "x") for n in range(9)])
    size, added = file.stat().st_size, later("n1", "new") + lines([session_info("grown")])
    fed: list[int] = []
    feed = Details.feed

    def noted(self: Details, data: bytes) -> None:
        fed.append(len(data))
        feed(self, data)

    monkeypatch.setattr(Details, "feed", noted)
    steps = examining.examine(str(file), None)
    with pytest.raises(StopIteration) as end:
        while True:
            next(steps)
            with file.open("ab") as out:
                out.write(added)
    known = end.value.value
    # What there was when it was opened, and no more.
    assert (known.size, sum(fed), known.facts.read) == (size, size, size) and known.facts.messages == 11
    assert known.facts.name is None and not known.torn
    rounds, total = len(fed), file.stat().st_size
    fed.clear()
    again = examined(file, known)
    assert again.facts is not None
    assert sum(fed) == total - size == rounds * len(added)
    assert (again.facts.messages, again.facts.name) == (11 + rounds, "grown")
    assert again == examined(file, None)


def test_a_file_that_is_rewritten_while_it_is_read_is_read_whole(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(details, "_CHUNK", 300)
    file = store.put("w", store.project("p"))
    steps = examining.examine(str(file), None)
    with pytest.raises(StopIteration) as end:
        for number in range(1000):
            next(steps)
            if number == 3:
                # In place, as Pi writes a file of an old version anew.
                file.write_bytes(lines([header("w", "/p"), *talk("other"), *talk("much longer" * 9)]))
    assert end.value.value.facts.prompt == "hello"
    assert examined(file, end.value.value) == examined(file, None)


def test_a_writer_at_work_is_followed(counted: Counted) -> None:
    file = counted.store.put("g", counted.cwd)
    code = """
import sys, time
with open(sys.argv[1], "ab", buffering=0) as out:
    for number in range(400):
        line = sys.argv[2].replace("n0", f"n{number}").encode() + b"\\n"
        out.write(line[:30])
        out.write(line[30:])
        time.sleep(0.001)
"""
    line = later("n0", "more").decode().rstrip("\n")
    writer = subprocess.Popen([sys.executable, "-c", code, str(file), line])
    seen = [counted.rows()["g"].messages or 0]
    while writer.poll() is None:
        seen.append(counted.rows()["g"].messages or 0)
    assert writer.returncode == 0
    row = counted.rows()["g"]
    assert seen == sorted(seen) and len(set(seen)) > 3 and row.messages == 402
    counted.place.rename(counted.store.root / "away")
    assert counted.rows()["g"] == row


_SHARE = """
import sys
from pivi.sessions.cache import Cache
from pivi.sessions.examining import examine
from pivi.sessions.listing import Store
from pivi.sessions.location import session_dirs
place, cwd, agent, rounds = sys.argv[1:]
for number in range(int(rounds)):
    store = Store(session_dirs(cwd, (), {"HOME": cwd, "PI_CODING_AGENT_DIR": agent}), cwd)
    cache = Cache(place)
    for _ in store.collect():
        pass
    # What another one has written is whole, whenever it is read.
    known = cache.folder(store.location.dir)
    assert number == 0 or len(known) == len(store.files) > 0, (number, len(known))
    for file in store.files:
        steps = examine(file.path, cache.get(file))
        while True:
            try:
                next(steps)
            except StopIteration as end:
                cache.put(file, end.value)
                break
    cache.write()
"""


def test_two_processes_write_the_cache_at_once(counted: Counted) -> None:
    for number in range(20):
        counted.store.put(f"{number:02d}", counted.cwd, prompt="x" * 20 * number)
    argv = [sys.executable, "-c", _SHARE, str(counted.place), counted.cwd, str(counted.store.agent), "300"]
    both = [subprocess.Popen(argv, stderr=subprocess.PIPE) for _ in range(2)]
    assert [one.communicate()[1] for one in both] == [b"", b""]
    # Nothing half written stays, and all that was read is known.
    assert len(counted.files) == 1
    rows = counted.rows()
    assert len(rows) == 22 and counted.bytes == 0
    counted.place.rename(counted.store.root / "away")
    assert counted.rows() == rows
