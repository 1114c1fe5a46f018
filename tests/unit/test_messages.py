"""What a sentence about a long path says in the one line that a screen of 80 columns has for it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pivi.conversation.acts import Acts
from pivi.conversation.exporting import export_closed
from pivi.conversation.options import Options
from pivi.conversation.screen import stored_header
from pivi.pi.answers import State
from pivi.pi.diagnose import no_model, old_node, old_pi, refused_prompt
from pivi.pi.probe import Versions
from pivi.sessions.locks import Holder, Locks
from pivi.sessions.rename import rename
from pivi.sessions.seen import Seen
from pivi.sessions.targets import find
from pivi.sessions.trash import Trashed, restore, trash
from pivi.sessions.wording import shown
from tests.support.stores import Store, header, lines, talk

CELLS = 68
"""That Neovim shows at 80 columns before it asks for Enter."""
CUT = "… (:Pi log)"
"""How a message ends that does not fit."""
NAME = "a-directory-with-a-name-of-seventy-characters-as-they-come-with-mktemp"


def visible(sentence: str) -> str:
    """What is seen of it."""
    return sentence if len(sentence) <= CELLS else sentence[: CELLS - len(CUT)]


def told(act: Callable[[], object]) -> str:
    """What is seen of what it raises."""
    with pytest.raises(Exception) as caught:
        act()
    return visible(str(caught.value))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path.resolve() / NAME)


def test_targets(store: Store) -> None:
    cwd, other = store.project("p" * 60), store.project("q" * 60)

    def look(target: str | None, where: str = cwd) -> str:
        return told(lambda: find(target, where, store.location(where)))

    assert ":Pi new" in look(None) and ":Pi new" in look("abc")
    elsewhere = store.put("abc", other)
    assert ":Pi new" in look(None)
    assert "resume it by its path" in look("abc")
    store.put("one-1", cwd)
    store.put("one-2", cwd)
    assert ":Pi sessions" in look("one")
    assert ":Pi sessions" in look("nothing")
    assert "name an id" in look(" ")
    assert "no such file" in look("/no/such.jsonl") and ":Pi sessions" in look("/no/such.jsonl")
    Path(cwd, "notes.jsonl").write_text("not a session")
    seen = look("./notes.jsonl")
    assert "lacks its header" in seen and ":Pi sessions" in seen
    Path(other).rmdir()
    assert ":Pi fork" in look(str(elsewhere)) and ":Pi view" in look(str(elsewhere))
    store.bucket(cwd).chmod(0)
    try:
        if not os.access(store.bucket(cwd), os.R_OK):
            assert "can't be read: Permission denied" in look(None)
    finally:
        store.bucket(cwd).chmod(0o755)


def test_files(store: Store) -> None:
    cwd = store.project("p")
    file = str(store.put("one", cwd))
    old = Path(cwd, "old.jsonl")
    old.write_bytes(lines([header("o", cwd, version=1), *talk()]))
    seen = Seen(1, 1.0)
    assert "changed meanwhile; try again" in told(lambda: rename(file, "x", seen))
    assert "no session that could be named" in told(lambda: rename(cwd + "/none", "x", seen))
    assert "resume it once, then name it" in told(lambda: rename(str(old), "x", seen))
    assert "changed meanwhile; try again" in told(lambda: trash(file, seen))
    assert "Restore it from the trash" in told(lambda: restore(Trashed(file, "")))
    assert "the other stays in the trash" in told(lambda: restore(Trashed(file, file)))
    assert "no longer in the trash" in told(lambda: restore(Trashed(f"{cwd}/b", f"{cwd}/a")))
    assert "can't be read" in told(lambda: stored_header(f"{cwd}/none"))


def test_export(store: Store) -> None:
    cwd = store.project("p")
    file = str(store.put("one", cwd))
    there = Path(cwd, "there.md")
    there.touch()

    def write(session: str, to: str) -> str:
        return told(lambda: asyncio.run(export_closed(session, to, Options(), force=False)))

    assert "add ! to write over it" in write(file, str(there))
    assert "give another name" in write(file, file)
    assert "can't be written, No such file" in write(file, f"{cwd}/none/x.md")
    assert "can't be read" in write(f"{cwd}/none", f"{cwd}/x.md")


class Running:
    """A session that is open here."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.phase: Any = "starting"

    async def rename(self, name: str) -> bool:
        return False


def test_a_session_in_use(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    file = str(store.put("one", store.project("p")))
    params = {"path": file, "name": "x", "paths": [file], "seen": [{"size": 1, "mtime": 1.0}]}
    here = Acts(lambda: [Running(file)])
    assert "name it when that is done" in told(lambda: asyncio.run(here.rename(0, params)))
    assert "Close it first" in visible(asyncio.run(here.trash(0, params))["refused"][0])
    nowhere = Acts(list)
    held = Holder(file, pid=1, started="", host="", editor=4_194_304)
    monkeypatch.setattr(Locks, "holder", lambda self, path: held)
    assert "(4194304), close it there" in told(lambda: asyncio.run(nowhere.rename(0, params)))


def test_pi() -> None:
    assert "Put it on PATH" in visible(str(old_node(Versions(None, (20, 1, 0), f"/{NAME}/node"))))
    assert "update it with `npm install" in visible(str(old_pi(Versions((0, 80, 3), None, None))))
    assert "`/login`" in visible(str(no_model(State("s"))))
    assert "`/login`" in visible(refused_prompt("No API key found for the selected model."))


def test_the_home_directory_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    assert shown("/home/me/a") == "~/a" and shown("/home/me") == "~"
    assert shown("/home/mean/a") == "/home/mean/a"
    monkeypatch.setenv("HOME", "/")
    assert shown("/a") == "/a"
