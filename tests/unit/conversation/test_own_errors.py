"""An error of our own, which nobody foresaw: it is told, and nobody waits on."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pivi.conversation import Conversation, Options, TroubleError, Viewing
from pivi.conversation import screen as screen_module
from pivi.conversation.browsing import Browsing
from pivi.pi.launch import Continue, Resume
from pivi.sessions.catalog import Catalog
from pivi.sessions.search import Search
from pivi.view.page import Page
from tests.support.stores import header, lines, message
from tests.support.told import Told, options, stored

UNREAD = "Not read to its beginning: an error of pivi's, see :Pi log."
UNATTACHED = "Pi could not be taken into use: an error of pivi's own, whole in :Pi log."


class OwnError(Exception):
    """One that nobody foresaw."""


async def fails(*_: object, **__: object) -> None:
    raise OwnError


def long(folder: Path) -> Path:
    """A session of which a tail is read first."""
    file = folder / "long.jsonl"
    parents = [None, *map(str, range(6000))]
    records = [message(str(n), parents[n], "user", f"prompt {n} " + "words " * 100) for n in range(6000)]
    file.write_bytes(lines([header("fake", str(folder)), *records]))
    return file


async def ended(told: Told, name: str) -> None:
    """Until the task of this name has failed as it was made to."""
    (task,) = [task for task in told.tasks if task.get_name().startswith(name)]
    with pytest.raises(OwnError):
        await asyncio.wait_for(task, 20)


async def test_while_pi_is_attached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told, file = Told(), stored(tmp_path)
    one = told.one = Conversation(1, told, options(file), str(tmp_path))
    monkeypatch.setattr(one._turns, "catch_up", fails)
    one.resume(str(file), Resume(str(file)), 0, 50)
    await told.wait(lambda: one.phase == "starting")
    await one.send("hello", 1, options(file))
    await ended(told, "attaching")
    assert (told.status["phase"], told.status["error"]) == ("failed", UNATTACHED)
    assert ("words_back", 1, "hello", [1], UNATTACHED) in told.messages
    assert one._link._client is None
    await told.close()


async def test_while_a_view_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told, file = Told(), long(tmp_path)
    view = told.one = Viewing(1, told, Options(), str(tmp_path))
    monkeypatch.setattr(screen_module, "_extend", fails)
    await view.open(str(file), 0, 50)
    await ended(told, "reading")
    assert told.status["error"] == UNREAD
    assert "reading" not in told.status
    with pytest.raises(TroubleError, match="not in this transcript"):
        view.screen.locate("0")
    assert view.screen.locate("5999")
    await told.close()


async def test_while_a_session_is_read_that_pi_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told, file = Told(), long(tmp_path)
    one = told.one = Conversation(1, told, options(file, "silent"), str(tmp_path))
    monkeypatch.setattr(screen_module, "_extend", fails)
    one.resume(str(file), Resume(str(file)), 0, 50)
    await ended(told, "reading")
    assert told.status["error"] == UNREAD
    assert "reading" not in told.status
    await told.close()


@pytest.mark.parametrize(("method", "message"), [("catalog", "rows"), ("search", "hits")])
async def test_while_sessions_are_read(
    method: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = Told()
    look = Browsing(told, list)
    for work in (Catalog, Search):
        monkeypatch.setattr(work, "run", fails)
    await look.methods[method](1, {"look": 7, "cwd": str(tmp_path), "options": {}, "pattern": "x"})
    await ended(told, "look 7")
    (end,) = [args for args in told.messages if args[:2] == (message, 7)]
    assert (
        end[3]["final"] and end[3]["problem"] == "Not all was read: an error of pivi's own, whole in :Pi log."
    )
    await look.close()


async def test_while_rows_are_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told, file = Told(), long(tmp_path)
    view = told.one = Viewing(1, told, Options(), str(tmp_path))
    await view.open(str(file), 0, 50)

    def no_more(*_: object) -> None:
        raise OwnError

    monkeypatch.setattr(Page, "_take_chunk", no_more)
    await ended(told, "reading")
    assert view.screen.reading is None
    await told.close()


async def test_a_file_that_is_gone_when_pi_has_none_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, file = Told(), stored(tmp_path)
    elsewhere = tmp_path / "elsewhere" / "b.jsonl"
    one = told.one = Conversation(1, told, options(elsewhere), str(tmp_path))

    async def nothing(*, paint: bool = True) -> None:
        file.unlink()

    monkeypatch.setattr(one._turns, "catch_up", nothing)
    one.resume(str(file), Continue(), 0, 50)
    await told.until("attaching")
    assert told.status["phase"] == "failed"
    assert told.status["error"] == f"The session can't be read, missing: {file}."
    await told.close()


async def test_a_file_that_can_not_be_read_again_when_pi_has_none_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, file = Told(), stored(tmp_path)
    one = told.one = Conversation(1, told, options(tmp_path / "elsewhere" / "b.jsonl"), str(tmp_path))

    async def nothing(*, paint: bool = True) -> None:
        pass

    async def unreadable(path: str) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(one._turns, "catch_up", nothing)
    monkeypatch.setattr(one.screen, "read_again", unreadable)
    one.resume(str(file), Continue(), 0, 50)
    await told.until("attaching")
    assert told.status["phase"] == "failed"
    assert told.status["error"] == f"The session can't be read, Input/output error: {file}."
    await told.close()
