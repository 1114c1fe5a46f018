"""Acts upon closed sessions: they hold nobody, and what could not be brought back can still be."""

from __future__ import annotations

import fcntl
from pathlib import Path
from typing import Any

import pytest

from pivi.conversation import acts as module
from pivi.conversation.acts import Acts
from pivi.conversation.editor import TroubleError
from pivi.sessions import locks
from pivi.sessions.locks import Locks
from pivi.sessions.seen import RefusedError
from pivi.sessions.trash import Trashed
from tests.support.stores import Store
from tests.support.told import longest_hold


@pytest.fixture
def acts(tmp_path: Path) -> Acts:
    found = Acts(list)
    found._locks = Locks(str(tmp_path / "locks"))
    return found


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path.resolve())


def of(*files: Path) -> dict[str, Any]:
    """The parameters that name these files as they are."""
    seen = [{"size": file.stat().st_size, "mtime": file.stat().st_mtime_ns / 1e9} for file in files]
    return {"paths": [str(file) for file in files], "seen": seen}


async def test_a_lock_that_another_process_keeps_holds_nobody(
    acts: Acts, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "_PATIENCE", 0.5)
    monkeypatch.setattr(module, "trash", lambda path, seen: Trashed(path, ""))
    file = store.put("a", store.project("p"))
    (tmp_path / "locks").mkdir()
    with open(tmp_path / "locks" / "lock", "wb") as lock:  # noqa: ASYNC230
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert await longest_hold(acts.trash(1, of(file))) < 0.3


async def test_what_can_not_be_brought_back_can_be_tried_again(
    acts: Acts, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [store.put(name, store.project("p")) for name in ("a", "b")]
    monkeypatch.setattr(module, "trash", lambda path, seen: Trashed(path, f"{path}.trashed"))
    back: list[str] = []
    full = [str(files[1])]

    def restore(one: Trashed) -> None:
        if one.path in full:
            raise RefusedError("No room.")
        back.append(one.path)

    monkeypatch.setattr(module, "restore", restore)
    token = (await acts.trash(1, of(*files)))["token"]
    with pytest.raises(TroubleError, match="No room"):
        await acts.untrash(2, {"token": token})
    full.clear()
    assert await acts.untrash(3, {"token": token}) == {"restored": [str(files[1])]}
    assert back == [str(file) for file in files]
    with pytest.raises(TroubleError, match="back already"):
        await acts.untrash(4, {"token": token})


async def test_what_is_opened_meanwhile_is_left_with_its_lock(
    acts: Acts, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = store.put("a", store.project("p"))
    looks = iter([False, True, True])

    class One:
        path = str(file)

    acts._opened = lambda: [One()] if next(looks) else []  # type: ignore[list-item]
    answer = await acts.trash(1, of(file))
    assert answer["moved"] == [] and "is open here" in answer["refused"][0]
    assert len(list((tmp_path / "locks").glob("*.json"))) == 1
    assert file.exists()
