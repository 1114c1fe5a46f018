"""Which files are sessions, whatever they begin with."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from pivi.sessions.headers import DISCOVERY_BYTES, NoSessionError, read_header, require_header
from tests.support.stores import Store, header, lines, talk

GOOD = lines([header("good", "/x")])


def write(folder: Path, content: bytes) -> str:
    file = folder / "s.jsonl"
    file.write_bytes(content)
    return str(file)


@pytest.mark.parametrize(
    "before",
    [b"", b"\n\n", b"garbage\n", b'{"torn": \n', b"null\n", b"false\n", b"0\n", b'""\n', b" \t\r\n",
     b"\xff\xfe\n", b"# a\n" * 5000, b"\xef\xbb\xbf{}\n"],
)  # fmt: skip
def test_lines_that_pi_passes_over(tmp_path: Path, before: bytes) -> None:
    found = read_header(write(tmp_path, before + GOOD + b"\n"))
    assert found and found.id == "good" and found.cwd == "/x" and found.end == len(before + GOOD)


@pytest.mark.parametrize(
    "content",
    [b"# Notes\n\n- one\n", b"[1]\n" + GOOD, b"true\n" + GOOD, b"{}\n" + GOOD, b'"x"\n' + GOOD, b"\n\n",
     b"\xef\xbb\xbf" + GOOD, b'{"type":"session"}\n', b'{"type":"session","id":5}\n', lines(talk()) + GOOD,
     b"\x00" * 10_000, b"[" * 100_000, b"{" * 100_000, b'{"a":' * 100_000],
)  # fmt: skip
def test_files_that_are_no_session(tmp_path: Path, content: bytes) -> None:
    path = write(tmp_path, content)
    assert read_header(path) is None
    with pytest.raises(NoSessionError) as caught:
        require_header(path)
    assert caught.value.reason == "no session"


@pytest.mark.parametrize("size", [4000, 4096, 5000, 1 << 20, 11 << 20])
@pytest.mark.parametrize("end", [b"\n", b"", b"\r\n"])
def test_header_lines_of_any_length(tmp_path: Path, size: int, end: bytes) -> None:
    line = lines([header("long", "/" + "x" * size)])[:-1] + end
    found = read_header(write(tmp_path, line))
    assert found and found.cwd == "/" + "x" * size and found.end == len(line)
    assert (found.end > DISCOVERY_BYTES) == (size >= DISCOVERY_BYTES)


def test_odd_values_in_a_header(tmp_path: Path) -> None:
    odd = header("odd", None, version="three", timestamp=5, parentSession=[]) | {"cwd": ["/x"]}
    found = read_header(write(tmp_path, lines([odd])))
    assert found and (found.cwd, found.version, found.created, found.parent) == (None, 0, None, None)
    branch = {key: value for key, value in odd.items() if key != "parentSession"} | {"branchedFrom": "/first"}
    early = read_header(write(tmp_path, lines([branch])))
    assert early and early.parent == "/first"
    old = read_header(write(tmp_path, b'{"type":"session","id":"a\\ud83d","cwd":"/x","n":1e999}\n'))
    assert old and old.version == 1 and old.id == "a\ufffd"


def test_nothing_waits_on_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "dir.jsonl").mkdir()
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "loop.jsonl").symlink_to("loop.jsonl")
    (tmp_path / "null.jsonl").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(os.path.relpath(tmp_path / "door.jsonl"))
        reasons = {}
        for name in ("pipe", "dir", "empty", "loop", "null", "door", "nothing", "empty.jsonl/x", "n" * 300):
            with pytest.raises(NoSessionError) as caught:
                require_header(str(tmp_path / f"{name}.jsonl"))
            reasons[name[:13]] = caught.value.reason
    assert reasons == {
        "pipe": "special", "dir": "directory", "empty": "empty", "loop": "missing", "null": "special",
        "door": "special", "nothing": "missing", "empty.jsonl/x": "missing", "n" * 13: "missing",
    }  # fmt: skip
    assert read_header("a\0b") is None


def test_reading_a_header_changes_nothing(store: Store) -> None:
    file = store.put("a", store.project("p"))
    before = file.stat().st_mtime_ns, file.read_bytes()
    assert read_header(str(file))
    assert (file.stat().st_mtime_ns, file.read_bytes()) == before
