"""The host goes on while a request waits for a file system that does not answer."""

from __future__ import annotations

import asyncio
import fcntl
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pynvim
import pytest

from pivi.conversation import Options, Viewing, browsing, targets
from pivi.conversation.guard import Guard
from pivi.conversation.screen import Screen
from pivi.host import Host, _Unwalked
from pivi.sessions import locks
from pivi.sessions.catalog import Catalog
from pivi.sessions.locks import Locks
from pivi.sessions.search import Search
from pivi.sessions.targets import TargetError
from pivi.view.icons import UNICODE
from pivi.view.patch import Patch
from tests.support.told import longest_hold


class Nvim:
    """What the host needs of Neovim: its loop, and an inbox."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.told: list[tuple[Any, ...]] = []
        self.answers: dict[int, asyncio.Event] = {}

    def exec_lua(self, code: str, method: str, *args: Any, async_: bool) -> None:
        self.told.append((method, *args))
        if method == "answer":
            self.answers.setdefault(args[0], asyncio.Event()).set()

    async def answer(self, number: int) -> None:
        await asyncio.wait_for(self.answers.setdefault(number, asyncio.Event()).wait(), 10)


@pytest.mark.parametrize("method", ["resume", "view", "fork", "health", "catalog", "search"])
async def test_a_slow_store_holds_nobody(
    method: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def slow(*_: object) -> Any:
        time.sleep(0.5)
        raise TargetError("There is none.")

    monkeypatch.setattr(targets, "location_of", slow)
    monkeypatch.setattr("pivi.conversation.browsing.location_of", slow)
    monkeypatch.setattr("pivi.conversation.health.location_of", slow)
    nvim = Nvim()
    host = Host(cast(pynvim.Nvim, nvim))
    params = {"cwd": str(tmp_path), "target": "x" if method == "fork" else None, "look": 1, "pattern": "x"}
    host.request(1, method, params)
    assert await longest_hold(nvim.answer(1)) < 0.3
    assert nvim.told == [("answer", 1, None, "There is none.")]
    await host._browsing.close()


@pytest.mark.parametrize("method", ["catalog", "search"])
async def test_a_look_that_is_left_at_once_reads_nothing(
    method: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    read: list[str] = []
    prepare = browsing._store

    async def run(self: object) -> None:
        read.append(type(self).__name__)

    def slow(params: dict[str, Any]) -> Any:
        time.sleep(0.1)
        return prepare(params)

    for work in (Catalog, Search):
        monkeypatch.setattr(work, "run", run)
    monkeypatch.setattr(browsing, "_store", slow)
    nvim = Nvim()
    host = Host(cast(pynvim.Nvim, nvim))
    params = {"cwd": str(tmp_path), "look": 1, "pattern": "x"}
    host.request(1, method, params)
    host.request(2, "leave", params)
    await nvim.answer(1)
    await nvim.answer(2)
    await asyncio.sleep(0)
    assert read == []
    host.request(3, method, params)
    host.request(4, "leave", params)
    host.request(5, method, params)
    await nvim.answer(3)
    await nvim.answer(5)
    await asyncio.sleep(0)
    assert read == [method.title()]
    assert host._browsing._looks == {}
    await host._browsing.close()


@pytest.fixture
def guard(tmp_path: Path) -> Guard:
    found = Guard(Screen(UNICODE, lambda number, patch: None, lambda: None))
    found._locks = Locks(str(tmp_path / "locks"))
    return found


async def test_a_lock_that_another_process_keeps_holds_nobody(
    guard: Guard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "_PATIENCE", 0.5)
    place = tmp_path / "locks"
    place.mkdir()
    session = str(tmp_path / "a.jsonl")
    with open(place / "lock", "wb") as file:  # noqa: ASYNC230
        fcntl.flock(file, fcntl.LOCK_EX)
        assert await longest_hold(guard.hold(session)) < 0.3
        assert await longest_hold(guard.release()) < 0.3
    await guard.hold(session)
    assert len(list(place.glob("*.json"))) == 1
    await guard.release()
    assert list(place.glob("*.json")) == []


async def test_the_last_word_on_a_lock_counts(guard: Guard, tmp_path: Path) -> None:
    session = str(tmp_path / "a.jsonl")
    for _ in range(20):
        await asyncio.gather(guard.hold(session), guard.release(), guard.hold(session), guard.release())
        assert list((tmp_path / "locks").glob("*.json")) == []
    await asyncio.gather(guard.hold(session), guard.release(), guard.hold(session))
    assert len(list((tmp_path / "locks").glob("*.json"))) == 1


class Closing:
    """What is to be closed when Neovim ends; it takes a while, or fails."""

    def __init__(self, error: Exception | None = None, *, waits_for: Closing | None = None) -> None:
        self.begun = asyncio.Event()
        self.ended = False
        self._error = error
        self._waits_for = waits_for

    async def close(self) -> None:
        self.begun.set()
        if self._error is not None:
            raise self._error
        if self._waits_for is not None:
            await self._waits_for.begun.wait()
        await asyncio.sleep(0.05)
        self.ended = True

    def kill_now(self) -> None:
        pass


async def test_when_neovim_ends_all_is_closed_at_once_and_each_failure_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    nvim = Nvim()
    host = Host(cast(pynvim.Nvim, nvim))
    sound = Closing()
    readers = Closing(waits_for=sound)
    vars(host)["_browsing"] = readers
    host._requests.open = cast(Any, {1: Closing(ValueError("one")), 2: sound, 3: Closing(OSError("three"))})
    host.request(9, "leaving", {})
    await nvim.answer(9)
    assert sound.ended and readers.ended
    assert nvim.told[:2] == [("failed", "ValueError: one"), ("failed", "OSError: three")]
    assert "ValueError: one" in capsys.readouterr().err


class Session:
    """What pynvim sends, as it hands it over to be packed."""

    def __init__(self) -> None:
        self.loop = SimpleNamespace(_loop=asyncio.get_running_loop())
        self._loop_thread = None
        self.sent: list[tuple[Any, ...]] = []

    def request(self, name: str, *args: Any, async_: bool) -> None:
        assert async_
        self.sent.append((name, *args))


def rows_in_between() -> Patch:
    """A patch of rows that come in between others."""
    return Patch(
        row=1, old=0, lines=["", "a"], new=2, blocks=[2, 1, 0, 0, 0], gone=[], marks=[],
        strings=[], groups=[], total=9,
    )  # fmt: skip


async def sent(*functions: str) -> tuple[Any, ...]:
    """What goes to an editor that has these functions when such a patch is to be applied."""
    session = Session()
    metadata = {"functions": [{"name": name} for name in functions]}
    host = Host(pynvim.Nvim(cast(Any, session), 1, metadata, {}))
    host.request(0, "ack", {"conv": 1, "buf": 7, "seq": 1})
    host._requests.open[1] = Viewing(1, host, Options(), "/")
    await asyncio.sleep(0)
    host.patch(1, 2, rows_in_between())
    (only,) = session.sent
    return only


async def test_rows_go_straight_into_the_buffer_and_are_not_walked_through() -> None:
    name, calls = await sent("nvim_exec_lua", "nvim_call_atomic")
    assert name == "nvim_call_atomic"
    assert type(calls) is _Unwalked
    # A walk makes lists of tuples.
    assert [(type(call), call[0]) for call in calls] == [
        (tuple, "nvim_exec_lua"),
        (tuple, "nvim_buf_set_lines"),
        (tuple, "nvim_exec_lua"),
    ]
    assert calls[1][1] == (7, 1, 1, False, ["", "a"])


async def test_rows_go_as_any_patch_where_the_editor_has_no_such_call() -> None:
    name, code, (method, number, sequence, packed) = await sent("nvim_exec_lua")
    assert name != "nvim_call_atomic" and "pivi.inbox" in code
    assert (method, number, sequence) == ("patch", 1, 2)
    assert msgspec.msgpack.decode(packed)["lines"] == ["", "a"]
