"""What goes to the trash is what was seen, and it comes back as it was."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pivi.sessions import trash as module
from pivi.sessions.files import hold
from pivi.sessions.seen import RefusedError, Seen
from pivi.sessions.trash import Trashed, restore, trash
from tests.support.stores import Store


def seen(file: Path) -> Seen:
    state = file.stat()
    return Seen(state.st_size, state.st_mtime_ns / 1e9)


@pytest.fixture
def file(store: Store, monkeypatch: pytest.MonkeyPatch) -> Path:
    data = store.root / "data"
    monkeypatch.setenv("XDG_DATA_HOME", str(data))
    monkeypatch.setenv("HOME", str(store.home))
    # The trash of a desktop, whatever this machine has.
    from send2trash import plat_other as other

    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr(other, "XDG_DATA_HOME", os.fsencode(data))
    monkeypatch.setattr(other, "HOMETRASH_B", os.fsencode(data / "Trash"))
    monkeypatch.setattr("send2trash.send2trash", other.send2trash)
    return store.put("a", store.project("a b"))


def test_there_and_back(file: Path, store: Store) -> None:
    content, time = file.read_bytes(), file.stat().st_mtime_ns
    moved = trash(str(file), seen(file))
    assert not file.exists() and Path(moved.now).read_bytes() == content
    restore(moved)
    assert (file.read_bytes(), file.stat().st_mtime_ns) == (content, time)
    assert not [name for _, _, names in os.walk(store.root / "data") for name in names]


def test_two_of_one_name_come_back_each_to_its_place(file: Path, store: Store) -> None:
    other = store.put("a", store.project("q"), prompt="other")
    contents = file.read_bytes(), other.read_bytes()
    first, second = trash(str(file), seen(file)), trash(str(other), seen(other))
    assert first.now != second.now
    restore(first)
    restore(second)
    assert (file.read_bytes(), other.read_bytes()) == contents


def test_a_changed_file_stays(file: Path) -> None:
    old = seen(file)
    with file.open("ab") as out:
        out.write(b"x")
    with pytest.raises(RefusedError, match="changed meanwhile"):
        trash(str(file), old)
    assert file.exists()


def test_a_file_that_is_written_to_while_it_moves_comes_back(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import send2trash

    move = send2trash.send2trash

    def late(path: str) -> None:
        with open(path, "ab") as out:
            out.write(b"late")
        move(path)

    monkeypatch.setattr(send2trash, "send2trash", late)
    with pytest.raises(RefusedError, match="being written to"):
        trash(str(file), seen(file))
    assert file.read_bytes().endswith(b"late")


def test_what_has_come_there_meanwhile_is_not_written_over(file: Path) -> None:
    moved = trash(str(file), seen(file))
    file.write_bytes(b"new")
    with pytest.raises(RefusedError, match="there again"):
        restore(moved)
    assert file.read_bytes() == b"new" and Path(moved.now).exists()


def test_a_directory_that_is_gone_is_said(file: Path) -> None:
    moved = trash(str(file), seen(file))
    file.parent.rmdir()
    with pytest.raises(RefusedError, match="directory is gone"):
        restore(moved)
    assert Path(moved.now).exists()


def test_a_trash_that_was_emptied(file: Path) -> None:
    moved = trash(str(file), seen(file))
    Path(moved.now).unlink()
    with pytest.raises(RefusedError, match="no longer"):
        restore(moved)
    with pytest.raises(RefusedError, match="does not tell"):
        restore(Trashed(str(file), ""))


def test_directories_and_missing_files_are_refused(file: Path) -> None:
    with pytest.raises(OSError):
        trash(str(file.parent), seen(file.parent))
    with pytest.raises(OSError):
        trash(str(file.parent / "none.jsonl"), seen(file))
    assert module._find(str(file), file.stat()) == ""


def test_a_file_that_another_neovim_is_changing_stays(file: Path) -> None:
    descriptor = os.open(file, os.O_RDONLY)
    assert hold(descriptor, str(file))
    with pytest.raises(RefusedError, match="changed meanwhile"):
        trash(str(file), seen(file))
    os.close(descriptor)
    assert trash(str(file), seen(file)).now
