"""Reading a session's lines: whole ones, from the end or the beginning, of any length."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pivi.sessions.reading import fingerprint, read_lines, read_tail
from tests.support.stores import Store


def write(folder: Path, content: bytes) -> str:
    file = folder / "s.jsonl"
    file.write_bytes(content)
    return str(file)


def split(content: bytes) -> list[bytes]:
    lines = content.split(b"\n")
    return lines if lines[-1] else lines[:-1]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from([b"a", b"bcd", b"\n", b"\r\n", b"\x0b\x0c\x1c\x85\xe2\x80\xa8"])), st.data())
def test_every_tail_holds_whole_lines_only(
    tmp_path_factory: pytest.TempPathFactory, parts: list[bytes], data: st.DataObject
) -> None:
    content = b"".join(parts)
    path = write(tmp_path_factory.getbasetemp(), content)
    tail = read_tail(path, data.draw(st.integers(1, len(content) + 2)))
    assert tail.lines == split(content[tail.offset :])
    assert tail.offset == 0 or content[tail.offset - 1 : tail.offset] == b"\n"
    assert tail.lines or not content
    assert tail.whole == (tail.offset == 0) and tail.size == len(content)
    assert tail.torn == bool(content and not content.endswith(b"\n"))
    before: list[bytes] = []
    while tail.offset:
        tail = read_tail(path, data.draw(st.integers(1, 5)), end=tail.offset)
        assert tail.lines
        before = tail.lines + before
    whole = [line for piece in read_lines(path, data.draw(st.integers(1, 9))) for line in piece]
    assert whole == split(content)
    assert not before or whole[: len(before)] == before


def test_a_line_longer_than_the_wish_is_read_whole(tmp_path: Path) -> None:
    huge = b"x" * (11 << 20)
    path = write(tmp_path, b"head\n" + huge + b"\n")
    tail = read_tail(path, 1000)
    assert tail.lines == [huge] and tail.offset == 5 and not tail.torn
    start = time.thread_time()
    assert [line for piece in read_lines(path, 4096) for line in piece] == [b"head", huge]
    assert time.thread_time() - start < 2


def test_the_tail_of_a_big_file_costs_what_the_tail_is(tmp_path: Path) -> None:
    path = write(tmp_path, (b"x" * 2000 + b"\n") * 25_000)
    best = min(_time(path) for _ in range(5))
    assert best < 0.02


def _time(path: str) -> float:
    start = time.thread_time()
    tail = read_tail(path, 256 << 10)
    assert len(tail.lines) == 131 or len(tail.lines) == 130
    return time.thread_time() - start


def test_a_part_between_two_offsets(tmp_path: Path) -> None:
    path = write(tmp_path, b"a\nb\nc\nd\n")
    assert list(read_lines(path, start=2, end=6)) == [[b"b", b"c"]]
    assert read_tail(path, 100, end=4).lines == [b"a", b"b"]


def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", "", "missing"):
        with pytest.raises(OSError):
            read_tail(str(tmp_path / name), 10)
        with pytest.raises(OSError):
            list(read_lines(str(tmp_path / name)))


def test_reading_leaves_bytes_and_mtime(store: Store) -> None:
    file = store.put("a", store.project("p"))
    before = file.read_bytes(), file.stat().st_mtime_ns
    read_tail(str(file), 10)
    list(read_lines(str(file)))
    assert (file.read_bytes(), file.stat().st_mtime_ns) == before


def test_a_file_that_changes_under_us_is_noticed(tmp_path: Path) -> None:
    content = (b"y" * 99 + b"\n") * 2000
    path = write(tmp_path, content)
    mark = read_tail(path, 1000).mark
    assert mark == fingerprint(path) and mark.compare(path) == "same"
    with open(path, "ab") as file:
        file.write(b"more\n")
    assert mark.compare(path) == "grown"
    for other in (content[:-1] + b"z", content[:-5], b"z" + content[1:] + b"more\n"):
        Path(path).write_bytes(other)
        assert mark.compare(path) == "changed"
    Path(path).write_bytes(content)
    os.utime(path, ns=(0, mark.mtime_ns + 1))
    assert mark.compare(path) == "changed"
    os.unlink(path)
    assert mark.compare(path) == "gone"
    os.mkfifo(path)
    assert mark.compare(path) == "gone"
