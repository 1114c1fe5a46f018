"""Rows come at once, details as they are read, and nothing holds them up."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pivi.sessions import batches, catalog
from pivi.sessions.cache import Cache
from pivi.sessions.catalog import Catalog, rows_of
from pivi.sessions.listing import File, Row, Scope
from pivi.sessions.listing import Store as Look
from pivi.sessions.walk import Progress
from pivi.sessions.worker import Examine
from pivi.sessions.workers import WorkerGoneError, Workers
from tests.support.stores import Store, lines, message


class Told:
    """A catalog's stream as it came."""

    def __init__(self, store: Store, cwd: str, scope: Scope = "directory") -> None:
        self.rows: list[Row] = []
        self.progress: list[Progress] = []
        self.workers = Workers()
        self.opened: set[int] = set()
        look = Look(store.location(cwd), cwd, scope)
        cache = Cache(str(store.root / "cache"))
        self.catalog = Catalog(look, cache, self.workers, self._take, self._marks)

    def _take(self, rows: list[Row], progress: Progress) -> None:
        self.rows += rows
        self.progress.append(progress)

    def _marks(self, file: File) -> tuple[bool, bool]:
        return file.inode in self.opened, False

    async def run(self) -> Told:
        await self.catalog.run()
        await self.workers.close()
        return self

    def whole(self) -> list[str]:
        return [row.id for row in self.rows if row.messages is not None]


def big(store: Store, ident: str, cwd: str, mb: int, at: float) -> Path:
    file = store.put(ident, cwd)
    with file.open("ab") as out:
        for number in range(mb):
            out.write(lines([message(str(number), None, "assistant", "x" * (1 << 20))]))
    os.utime(file, (at, at))
    return file


async def until(condition: Callable[[], bool]) -> None:
    for _ in range(1000):
        if condition():
            return
        await asyncio.sleep(0.005)
    raise TimeoutError


@pytest.fixture
def apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let processes of their own do even small work."""
    monkeypatch.setattr(catalog, "SMALL", 0)


async def test_headers_first_then_details_newest_first(store: Store) -> None:
    cwd = store.project("p")
    for number in range(5):
        store.put(str(number), cwd, at=number)
    told = await Told(store, cwd).run()
    assert [row.id for row in told.rows[:5]] == ["4", "3", "2", "1", "0"]
    assert told.rows[0].title == "" and told.rows[0].cwd == cwd and told.rows[0].created
    assert told.whole() == ["4", "3", "2", "1", "0"]
    assert [one.final for one in told.progress] == [False] * (len(told.progress) - 1) + [True]
    assert (told.progress[0].done, told.progress[-1].done, told.progress[-1].total) == (0, 5, 5)


async def test_a_huge_file_is_read_last_and_holds_up_nothing(
    store: Store, apart: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "_HUGE", 1 << 20)
    cwd = store.project("p")
    big(store, "huge", cwd, 30, at=9e8)
    for number in range(300):
        store.put(str(number), cwd, at=number)
    told = await Told(store, cwd).run()
    assert told.rows[0].id == "huge"
    assert told.whole().index("huge") > 200 and len(told.whole()) == 301


async def test_processes_tell_what_is_told_here(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    cwd = store.project("p")
    for number in range(150):
        store.put(str(number), cwd, at=number, prompt=f"prompt {number}")
    here = {row for row in (await Told(store, cwd).run()).rows if row.messages is not None}
    for file in (store.root / "cache").iterdir():
        file.unlink()
    monkeypatch.setattr(catalog, "SMALL", 0)
    assert {row for row in (await Told(store, cwd).run()).rows if row.messages is not None} == here


async def test_a_file_that_goes_away_meanwhile_costs_a_count(store: Store, apart: None) -> None:
    cwd = store.project("p")
    file = store.put("gone", cwd)
    store.put("stays", cwd)
    told = Told(store, cwd)
    take = told.catalog._tell

    def tell(rows: list[Row], progress: Progress) -> None:
        file.unlink(missing_ok=True)
        take(rows, progress)

    told.catalog._tell = tell
    await told.run()
    assert told.whole() == ["stays"] and told.progress[-1].skipped == 1


async def test_leaving_stops_at_once_and_keeps_what_was_read(
    store: Store, apart: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog, "COUNT", 1)  # the big one comes after the others, not beside them
    cwd = store.project("p")
    big(store, "big", cwd, 200, at=9e8)
    for number in range(20):
        store.put(str(number), cwd, at=number)
    told = Told(store, cwd)
    task = asyncio.ensure_future(told.run())
    await until(lambda: len(told.whole()) == 20)
    start = time.perf_counter()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.perf_counter() - start < 0.5
    again = Told(store, cwd)
    task = asyncio.ensure_future(again.run())
    await until(lambda: bool(again.rows))
    assert len([row for row in again.rows if row.messages is not None]) == 20
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await told.workers.close()
    await again.workers.close()


async def test_the_event_loop_is_never_held(store: Store) -> None:
    cwd = store.project("p")
    big(store, "big", cwd, 8, at=9e8)
    for number in range(500):
        store.put(str(number), cwd, at=number)
    longest = 0.0

    async def beat() -> None:
        nonlocal longest
        while True:
            start = time.perf_counter()
            await asyncio.sleep(0)
            longest = max(longest, time.perf_counter() - start)

    beating = asyncio.ensure_future(beat())
    await Told(store, cwd).run()
    beating.cancel()
    assert longest < 0.2


async def test_a_reading_process_that_dies_is_said(store: Store) -> None:
    workers = Workers()
    cwd = store.project("p")
    path = str(big(store, "big", cwd, 300, at=9e8))
    asking = asyncio.ensure_future(workers.examine(Examine([(path, None)] * 20)))
    await until(lambda: bool(_children()))
    for child in _children():
        os.kill(child, 9)
    with pytest.raises(WorkerGoneError):
        await asking
    await workers.close()


def _children() -> list[int]:
    text = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
    return [pid for pid in map(int, text.split()) if b"pivi.sessions.worker" in _command(pid)]


def _command(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


async def test_what_is_open_here_or_changed_a_moment_ago_is_marked(store: Store) -> None:
    cwd = store.project("p")
    told = Told(store, cwd)
    told.opened.add(store.put("open", cwd, at=time.time()).stat().st_ino)
    store.put("busy", cwd, at=time.time() - 5)
    store.put("old", cwd)
    await told.run()
    marks = {row.id: (row.running, row.elsewhere) for row in told.rows}
    assert marks == {"open": (True, False), "busy": (False, True), "old": (False, False)}


def add_work_tree(main: str, other: str) -> None:
    """The files of `git worktree add`."""
    git = Path(main, ".git", "worktrees", "w")
    git.mkdir(parents=True)
    (git / "commondir").write_text("../..\n")
    (git / "gitdir").write_text(f"{other}/.git\n")
    Path(other, ".git").write_text(f"gitdir: {git}\n")


async def test_the_scope_of_a_repository_is_all_its_work_trees(store: Store) -> None:
    main, other, beside = store.project("main"), store.project("other"), store.project("beside")
    add_work_tree(main, other)
    inner = store.project("main/src/deep")
    for ident, cwd in (("main", main), ("other", other), ("beside", beside), ("inner", inner)):
        store.put(ident, cwd)
    store.put("near", store.project("main-2"))
    for cwd in (main, other, inner):
        rows, _ = await rows_of(
            Look(store.location(cwd), cwd, "repository"), Cache(str(store.root / "cache")), Workers()
        )
        assert sorted(row.id for row in rows) == ["inner", "main", "other"]
    alone = Look(store.location(beside), beside, "repository")
    rows, _ = await rows_of(alone, Cache(str(store.root / "cache")), Workers())
    assert [row.id for row in rows] == ["beside"]


async def test_branches_are_the_ends_of_the_tree(store: Store) -> None:
    cwd = store.project("p")
    more = [
        message("a", "00000003", "user", "again"),
        message("b", "a", "user", "x"),
        message("c", "00000004", "user", "y"),
    ]
    store.put("two", cwd, more=more)
    store.put("one", cwd)
    told = await Told(store, cwd).run()
    assert {row.id: row.branches for row in told.rows if row.branches} == {"two": 2, "one": 1}


@pytest.mark.parametrize("known", [False, True])
async def test_of_very_many_the_newest_are_told_before_all_are_found(
    known: bool, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog, "_GLANCE", 3)
    cwd, other = store.project("a-b"), store.project("a/b")
    for number in range(40):
        store.put(f"{number:02d}", other if number == 38 else cwd, at=1_767_000_000 + number)
    if known:
        await Told(store, cwd).run()
    told = Told(store, cwd)
    collected: list[int] = []
    collect = told.catalog._walk.collect

    async def later() -> None:
        collected.append(len(told.rows))
        await collect()

    monkeypatch.setattr(told.catalog._walk, "collect", later)
    await told.run()
    # The neighbour's is none of ours.
    assert collected == [2] and [row.id for row in told.rows[:2]] == ["39", "37"]
    assert [row.messages is not None for row in told.rows[:2]] == [known, known]
    assert sorted(set(told.whole())) == sorted(told.whole()) and len(told.whole()) == 39
    headers = [row.id for row in told.rows if row.messages is None]
    assert len(headers) == len(set(headers)) == (0 if known else 39)
    last = told.progress[-1]
    assert (last.done, last.total, last.elsewhere, last.skipped) == (40, 40, 1, 0)
