from __future__ import annotations

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from pivi.pi.framing import Framer

SEPARATORS = "\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e\x1f\r"


@settings(deadline=None)
@given(st.lists(st.binary()), st.data())
def test_any_chunking_gives_the_lines_of_the_whole(parts: list[bytes], data: st.DataObject) -> None:
    text = b"\n".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=20)))
    framer = Framer()
    lines: list[bytes] = []
    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        lines += framer.feed(text[start:end])
    *whole, rest = text.split(b"\n")
    assert lines == [line[:-1] if line.endswith(b"\r") else line for line in whole]
    assert framer.rest() == rest
    assert framer.rest() == b""


def test_only_lf_ends_a_line() -> None:
    line = f"a{SEPARATORS}b".encode()
    assert Framer().feed(line + b"\n" + line + b"\r\n") == [line, line]


def test_a_huge_line_costs_what_a_small_one_does_per_byte() -> None:
    def seconds(size: int) -> float:
        framer, piece = Framer(), b"x" * 4096
        start = time.thread_time()
        for _ in range(size // len(piece)):
            assert framer.feed(piece) == []
        assert len(framer.feed(b"\n")[0]) == size // len(piece) * len(piece)
        return time.thread_time() - start

    small = min(seconds(5_000_000) for _ in range(3))
    assert min(seconds(50_000_000) for _ in range(3)) < 40 * small + 0.1


def test_lines_after_a_huge_one_are_found() -> None:
    framer = Framer()
    assert framer.feed(b"x" * 1_000_000) == []
    assert [len(line) for line in framer.feed(b"y\nz\nrest")] == [1_000_001, 1]
    assert framer.rest() == b"rest"
