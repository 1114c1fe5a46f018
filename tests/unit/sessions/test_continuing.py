"""`--continue` is used only where it takes the very file that was painted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pivi.sessions.targets import continue_takes
from tests.support.stores import Store, header, lines, talk


def takes(store: Store, path: Path, cwd: str, *args: str) -> bool:
    return continue_takes(str(path), cwd, store.location(cwd, *args))


def test_the_newest_and_no_other(store: Store) -> None:
    cwd = store.project("p")
    old, new = store.put("old", cwd, at=1000), store.put("new", cwd, at=2000)
    assert takes(store, new, cwd) and not takes(store, old, cwd)
    os.utime(old, (3000, 3000))
    assert takes(store, old, cwd) and not takes(store, new, cwd)


def test_a_newer_neighbour_in_a_shared_bucket(store: Store) -> None:
    one, other = store.project("a-b"), store.project("a/b")
    mine = store.put("mine", one, at=2000)
    theirs = store.put("theirs", other, at=1000)
    assert takes(store, mine, one) and not takes(store, theirs, other)
    os.utime(theirs, (3000, 3000))
    assert not takes(store, mine, one) and not takes(store, theirs, one)


def test_a_broken_link_or_a_name_that_node_cannot_stat(store: Store) -> None:
    cwd = store.project("p")
    file = store.put("a", cwd)
    link = file.parent / "broken.jsonl"
    link.symlink_to("nowhere")
    assert not takes(store, file, cwd)
    link.unlink()
    assert takes(store, file, cwd)
    with open(os.fsencode(file.parent) + b"/b\xff.jsonl", "wb"):
        pass
    assert not takes(store, file, cwd)


def test_equal_times_are_nobodys_to_decide(store: Store) -> None:
    cwd = store.project("p")
    one, two = store.put("one", cwd, at=1000), store.put("two", cwd, at=1000)
    assert not takes(store, one, cwd) and not takes(store, two, cwd)
    os.utime(two, ns=(0, 1000 * 10**9 + 100))
    assert not takes(store, two, cwd)
    os.utime(two, ns=(0, 1000 * 10**9 + 1_000_000))
    assert takes(store, two, cwd)


def test_newer_files_that_are_no_sessions(store: Store) -> None:
    cwd = store.project("p")
    file = store.put("a", cwd, at=1000)
    (file.parent / "dir.jsonl").mkdir()
    (file.parent / "empty.jsonl").touch()
    (file.parent / "notes.jsonl").write_text("# notes\n")
    assert takes(store, file, cwd)
    os.mkfifo(file.parent / "pipe.jsonl")
    assert not takes(store, file, cwd)
    os.utime(file, (4e9, 4e9))
    assert takes(store, file, cwd)


def test_a_flat_directory_with_sessions_of_all_directories(store: Store) -> None:
    cwd, other = store.project("p"), store.project("q")
    flat = store.root / "flat"
    flat.mkdir()
    args = ("--session-dir", str(flat))
    mine = store.put("mine", cwd, folder=flat, at=1000)
    theirs = store.put("theirs", other, folder=flat, at=2000)
    assert takes(store, mine, cwd, *args) and takes(store, theirs, other, *args)
    assert not takes(store, theirs, cwd, *args)
    assert not takes(store, mine, cwd)
    (store.root / "link").symlink_to(cwd)
    linked = store.put("linked", str(store.root / "link"), folder=flat, at=3000)
    assert not takes(store, linked, cwd, *args) and takes(store, mine, cwd, *args)


@pytest.mark.parametrize(
    "content",
    [
        lines([header("a", "CWD"), *talk()])[:-1],
        lines([header("a", "CWD"), *talk()])[:-20],
        lines([header("a", "CWD", version=2), *talk()]),
        lines([header("a", "CWD", version=None), *talk()]),
        lines([header("a", "CWD", version="3"), *talk()]),
        lines([header("a", None), *talk()]),
        lines([header("a", ""), *talk()]),
        lines([header("a", "CWD", more="x" * (1 << 20)), *talk()]),
        b"",
        b"# notes\n",
    ],
)
def test_files_that_pi_would_write_to_or_not_see(store: Store, content: bytes) -> None:
    cwd = store.project("p")
    file = store.bucket(cwd) / "a.jsonl"
    file.write_bytes(content.replace(b"CWD", cwd.encode()))
    assert not takes(store, file, cwd)


def test_sessions_that_pi_moves_at_its_start(store: Store) -> None:
    cwd = store.project("p")
    file = store.put("a", cwd)
    (store.agent / "old.jsonl").write_bytes(lines([header("old", cwd), *talk()]))
    assert not takes(store, file, cwd)


def test_links_to_the_project_the_bucket_and_the_file(store: Store) -> None:
    cwd = store.project("p")
    file = store.put("a", cwd)
    (store.root / "link").symlink_to(cwd)
    (store.root / "file.jsonl").symlink_to(file)
    assert takes(store, store.root / "file.jsonl", str(store.root / "link"))
    moved = store.root / "moved"
    file.parent.rename(moved)
    file.parent.symlink_to(moved)
    assert takes(store, moved / file.name, cwd)


def test_the_last_look_is_a_new_look(store: Store) -> None:
    cwd = store.project("p")
    file = store.put("a", cwd)
    assert takes(store, file, cwd)
    file.unlink()
    assert not takes(store, file, cwd)
