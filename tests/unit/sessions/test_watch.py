"""Noticing that a session file has changed."""

from __future__ import annotations

import os
from pathlib import Path

from pivi.sessions.reading import fingerprint
from pivi.sessions.watch import Watch


def test_each_change_is_told_once(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text("a\n")
    watch = Watch(str(path), fingerprint(str(path)))
    assert not watch.changed()
    with path.open("a") as file:
        file.write("b\n")
    assert [watch.changed(), watch.changed()] == [True, False]
    other = tmp_path / "other"
    other.write_text("a\nb\n")
    os.replace(other, path)
    assert [watch.changed(), watch.changed()] == [True, False]
    path.unlink()
    assert [watch.changed(), watch.changed()] == [True, False]
    path.write_text("a\n")
    assert [watch.changed(), watch.changed()] == [True, False]


def test_a_line_that_is_being_written_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text("a\n")
    watch = Watch(str(path), fingerprint(str(path)))
    with path.open("a") as file:
        file.write("b")
        file.flush()
        assert not watch.changed()
        file.write("b")
        file.flush()
        assert not watch.changed()
        file.write("\n")
    assert watch.changed()


def test_a_last_line_that_stays_without_an_end_is_told(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text("a\n")
    watch = Watch(str(path), fingerprint(str(path)))
    path.write_text("a\nb")
    assert [watch.changed(), watch.changed(), watch.changed()] == [False, True, False]
