"""A target is one session of this directory or a clear sentence; never Pi's to guess."""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator
from pathlib import Path

import pytest

from pivi.sessions import examining
from pivi.sessions.cache import Cache
from pivi.sessions.known import Known
from pivi.sessions.targets import (
    DirectoryGoneError,
    Found,
    NotASessionError,
    NothingToResumeError,
    TargetError,
    find,
)
from tests.support.stores import Store, header, lines, session_info, talk


def found(store: Store, cwd: str, target: str | None, *args: str) -> Found:
    return find(target, cwd, store.location(cwd, *args))


def refused(store: Store, cwd: str, target: str | None, kind: type[TargetError] = TargetError) -> TargetError:
    with pytest.raises(kind) as caught:
        find(target, cwd, store.location(cwd))
    sentence = str(caught.value)
    assert "\n" not in sentence and sentence.endswith(".") and sentence == caught.value.sentence
    return caught.value


def test_without_a_target_the_newest_file_of_this_directory(store: Store) -> None:
    one, other = store.project("a-b"), store.project("a/b")
    store.put("old", one, at=1000)
    new = store.put("new", one, at=2000)
    store.put("other", other, at=3000)
    assert found(store, one, None).path == str(new)
    assert found(store, one + "/", None).header.id == "new"
    os.utime(new, (500, 500))
    assert found(store, one, None).header.id == "old"


def test_nothing_to_resume_names_the_directory_and_what_to_do(store: Store) -> None:
    cwd = store.project("p")
    for wanted in ("", "1 there belong to other directories", "2 files there are no readable sessions"):
        error = refused(store, cwd, None, NothingToResumeError)
        assert store.location(cwd).dir in str(error) and ":Pi new" in str(error) and wanted in str(error)
        if not wanted:
            store.put("other", store.project("q"), folder=store.bucket(cwd))
            (store.bucket(cwd) / "broken.jsonl").symlink_to("nowhere")
            (store.bucket(cwd) / "empty.jsonl").touch()
    assert sorted(os.listdir(store.bucket(cwd))) == [
        "2026-01-02T03-04-05-000Z_other.jsonl", "broken.jsonl", "empty.jsonl",
    ]  # fmt: skip


def test_a_full_id_before_a_longer_one_and_a_unique_prefix(store: Store) -> None:
    cwd = store.project("p")
    store.put("0199aaaa", cwd)
    store.put("0199aaaa-longer", cwd)
    store.put("0288", cwd)
    assert found(store, cwd, "0199aaaa").header.id == "0199aaaa"
    assert found(store, cwd, "0199aaaa-").header.id == "0199aaaa-longer"
    assert found(store, cwd, "02").header.id == "0288"


def test_an_ambiguous_prefix_lists_what_was_found(store: Store) -> None:
    cwd = store.project("p")
    store.put("0199aaaa-0001", cwd, prompt="Fix the parser")
    store.put("0199aaaa-0002", cwd, more=[session_info("Other work")])
    error = refused(store, cwd, "0199")
    told = ("0199aaaa-0001", "0199aaaa-0002", "Fix the parser", "Other work", " ago")
    for wanted in (*told, store.location(cwd).dir):
        assert wanted in str(error)
    assert sorted(row.id for row in error.candidates) == ["0199aaaa-0001", "0199aaaa-0002"]


def test_two_files_with_one_id_are_ambiguous_too(store: Store) -> None:
    cwd = store.project("p")
    shutil.copy(store.put("same", cwd), store.bucket(cwd) / "copy.jsonl")
    assert len(refused(store, cwd, "same").candidates) == 2


def test_a_name_as_it_is_now(store: Store) -> None:
    cwd = store.project("p")
    store.put("1", cwd, more=[session_info("fix/login now"), session_info("Done")])
    store.put("2", cwd, more=[session_info("fix/login now")])
    store.put("3", cwd, more=[session_info("twice")])
    store.put("4", cwd, more=[session_info("Twice"), session_info("twice")])
    assert found(store, cwd, "fix/login now").header.id == "2"
    assert found(store, cwd, "done").header.id == "1"
    assert [row.id for row in refused(store, cwd, "twice").candidates] in (["3", "4"], ["4", "3"])


def test_ids_and_names_of_other_directories_are_not_taken(store: Store) -> None:
    cwd, other = store.project("a-b"), store.project("a/b")
    foreign = store.put("0199ffff", other, more=[session_info("foreign")])
    far = store.put("0300", store.project("far"))
    assert str(foreign) in str(refused(store, cwd, "0199"))
    error = refused(store, cwd, "0300")
    assert str(far) in str(error) and store.project("far") in str(error)
    assert [row.id for row in error.candidates] == ["0300"]
    store.put("mine", cwd)
    error = refused(store, cwd, "foreign")
    assert "mine" in str(error) and ":Pi sessions" in str(error)


def test_a_path_may_belong_to_any_directory(store: Store) -> None:
    cwd, other = store.project("p"), store.project("q")
    file = store.put("q", other)
    (store.root / "x" / "p" / "s.jsonl").write_bytes(file.read_bytes())
    (store.home / "s").symlink_to(file)
    crooked = f"{cwd}/../../agent/sessions/{file.parent.name}//{file.name}"
    for target in (str(file), crooked, "s.jsonl", "~/s"):
        one = found(store, cwd, target)
        assert one.header.id == "q" and one.cwd == other and os.path.isabs(one.path)
    assert found(store, other, file.name).path == str(file)


def test_a_bare_file_name_in_the_directory_is_a_path(store: Store) -> None:
    cwd = store.project("p")
    (Path(cwd) / "notes").write_bytes(lines([header("n", cwd), *talk()]))
    assert found(store, cwd, "notes").header.id == "n"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"# Notes\n\ntext\n", "lacks its header"),
        (b"", "empty"),
        (b"\x00\xff" * 50, "lacks its header"),
        (b"\xef\xbb\xbf" + lines([header("a", "/x"), *talk()]), "lacks its header"),
    ],
)
@pytest.mark.parametrize("name", ["notes.md", "s.jsonl"])
def test_a_path_to_no_session_is_refused_and_untouched(
    store: Store, content: bytes, reason: str, name: str
) -> None:
    cwd = store.project("p")
    file = Path(cwd) / name
    file.write_bytes(content)
    before = file.stat().st_mtime_ns
    for target in (str(file), f"./{name}", name):
        assert reason in str(refused(store, cwd, target, NotASessionError))
    assert file.read_bytes() == content and file.stat().st_mtime_ns == before


def test_paths_with_nothing_to_read_are_refused(store: Store) -> None:
    cwd = store.project("p")
    os.mkfifo(Path(cwd) / "pipe.jsonl")
    (Path(cwd) / "gone.jsonl").symlink_to("nowhere")
    for target in ("/missing/x.jsonl", "x.jsonl", "gone.jsonl", "bad\nname/x.jsonl"):
        assert "no such file" in str(refused(store, cwd, target, NotASessionError))
    for target in (cwd, "~", "."):
        assert "directory" in str(refused(store, cwd, target, NotASessionError))
    assert "no regular file" in str(refused(store, cwd, "./pipe.jsonl", NotASessionError))
    assert not Path("/missing").exists()


@pytest.mark.parametrize(
    "target", ["", "  ", "\0", "a\0b.jsonl", "\ud83d", "%", "[", "*", "x" * 5000, "\x1b[31m"]
)
def test_odd_words_are_unknown_and_never_an_exception(store: Store, target: str) -> None:
    cwd = store.project("p")
    store.put("a", cwd)
    refused(store, cwd, target)


def test_a_path_that_node_cannot_name_is_refused(store: Store) -> None:
    cwd = store.project("p")
    path = os.fsdecode(os.fsencode(cwd) + b"/b\xff.jsonl")
    with open(path, "wb") as file:
        file.write(lines([header("a", cwd)]))
    assert "UTF-8" in str(refused(store, cwd, path, NotASessionError))


def test_a_session_whose_directory_is_gone_is_told_apart(store: Store) -> None:
    cwd, gone = store.project("p"), store.project("gone")
    file = store.put("g", gone)
    os.rmdir(gone)
    error = refused(store, cwd, str(file), DirectoryGoneError)
    assert isinstance(error, DirectoryGoneError)
    assert (error.path, error.directory, error.header.id) == (str(file), gone, "g")
    Path(gone).touch()
    refused(store, cwd, str(file), DirectoryGoneError)


def test_a_header_without_a_directory_runs_here(store: Store) -> None:
    cwd = store.project("p")
    file = store.bucket(cwd) / "a.jsonl"
    file.write_bytes(lines([header("a", None), *talk()]))
    assert found(store, cwd, None).cwd == cwd
    assert found(store, cwd, str(file)).cwd == cwd


def test_names_that_are_known_cost_no_reading(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    cwd, place = store.project("p"), str(store.root / "cache")
    for number in range(5):
        store.put(str(number), cwd, more=[session_info(f"number {number}")])
    reads: list[str] = []

    def examine(path: str, known: Known | None) -> Generator[None, None, Known]:
        reads.append(path)
        return examining.examine(path, known)

    monkeypatch.setattr("pivi.sessions.targets.examine", examine)
    for target in ("number 3", "NUMBER 4"):
        assert find(target, cwd, store.location(cwd), Cache(place)).header.id == target[-1]
    assert len(reads) == 5
    store.put("3", cwd, more=[session_info("another name now")])
    assert find("another name now", cwd, store.location(cwd), Cache(place)).header.id == "3"
    assert len(reads) == 6
    with pytest.raises(TargetError):
        find("number 3", cwd, store.location(cwd), Cache(place))
