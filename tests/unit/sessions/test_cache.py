"""What was read of sessions is kept, believed only while it is true, and may be lost at any time."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pivi.sessions import cache as module
from pivi.sessions import examining
from pivi.sessions.cache import Cache
from pivi.sessions.catalog import rows_of
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
        read = examining.read

        def counted(descriptor: int, details: examining.Details, size: int) -> Iterator[None]:
            start = details.facts.read
            yield from read(descriptor, details, size)
            self.bytes += os.fstat(descriptor).st_size - start

        monkeypatch.setattr(examining, "read", counted)

    def list(self) -> dict[str, Row]:
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


def later(ident: str, text: str) -> bytes:
    return lines([message(ident, "4", "user", text, timestamp=1_800_000_000_000)])


def test_a_second_list_reads_nothing_and_is_the_same(counted: Counted) -> None:
    first = counted.list()
    assert counted.bytes > 0
    assert counted.list() == first and counted.bytes == 0


def test_of_a_grown_file_only_what_is_new_is_read(counted: Counted) -> None:
    counted.list()
    file = counted.store.bucket(counted.cwd) / "2026-01-02T03-04-05-000Z_a.jsonl"
    added = later("9", "more") + lines([session_info("later")])
    with file.open("ab") as out:
        out.write(added)
    row = counted.list()["a"]
    assert counted.bytes == len(added)
    assert (row.messages, row.prompts, row.name, row.active) == (3, 2, "later", 1_800_000_000)
    whole = counted.list()["a"]
    for one in counted.files:
        one.unlink()
    assert counted.list()["a"] == whole == row


@pytest.mark.parametrize("ending", [b"", b'{"type":"mess', later("9", "torn")[:-1]])
def test_a_last_line_without_its_end_is_read_again(counted: Counted, ending: bytes) -> None:
    file = counted.store.put("t", counted.cwd)
    with file.open("ab") as out:
        out.write(ending)
    counted.list()
    with file.open("ab") as out:
        out.write(b"\n" + later("10", "next"))
    row = counted.list()["t"]
    assert row.messages == 3 + ending.endswith(b"}")
    counted.place.rename(counted.store.root / "away")
    assert counted.list()["t"] == row


def test_a_rewritten_file_is_read_whole(counted: Counted) -> None:
    file = counted.store.put("r", counted.cwd)
    counted.list()
    inode = file.stat().st_ino
    # Longer than before and the same file: only its bytes tell.
    file.write_bytes(lines([header("r", counted.cwd), *talk("rewritten"), *talk("once more, and longer")]))
    assert file.stat().st_ino == inode
    assert counted.list()["r"].title == "rewritten"
    file.write_bytes(lines([header("r", counted.cwd), *talk("short")]))
    assert counted.list()["r"].title == "short"


def test_a_file_that_took_the_place_of_another(counted: Counted) -> None:
    file = counted.store.put("r", counted.cwd)
    counted.list()
    other = file.with_suffix(".new")
    other.write_bytes(lines([header("r", counted.cwd), *talk("HELLO")]))
    os.utime(other, ns=(0, file.stat().st_mtime_ns))
    other.replace(file)
    assert counted.list()["r"].title == "HELLO"


@pytest.mark.parametrize("damage", [b"", b"garbage", b"\x93\x01", b"\x93\xff\xa0\x80"])
def test_a_damaged_cache_is_made_again(counted: Counted, damage: bytes) -> None:
    first = counted.list()
    (file,) = counted.files
    good = file.read_bytes()
    file.write_bytes(damage or good[: len(good) // 2])
    assert counted.list() == first and file.read_bytes() == good


def test_a_cache_of_another_version_or_folder_is_made_again(
    counted: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = counted.list()
    monkeypatch.setattr(module, "_VERSION", 99)
    assert counted.list() == first and counted.bytes > 0
    (file,) = counted.files
    moved = counted.store.project("q")
    folder = counted.store.bucket(moved)
    Cache(str(counted.place)).write()
    file.rename(Cache(str(counted.place))._file(str(folder)))
    counted.store.put("a", moved, prompt="mine")
    counted.cwd = moved
    assert counted.list()["a"].title == "mine"


def test_a_cache_that_cannot_be_written_costs_nothing_else(counted: Counted) -> None:
    counted.place.write_text("a file")
    assert counted.list() == counted.list() and counted.bytes > 0


def test_files_that_are_gone_are_forgotten_and_nothing_else_is_left(counted: Counted) -> None:
    counted.list()
    (file,) = counted.files
    size = file.stat().st_size
    next(counted.store.bucket(counted.cwd).iterdir()).unlink()
    counted.list()
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
    assert one == other == set(counted.list().values()) and counted.bytes == 0
