"""What is too large keeps its head and its tail, and a row between them says what is missing."""

from __future__ import annotations

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from pivi.view.bounds import BLOCK_BYTES, BLOCK_ROWS, LINE_BYTES, bounded, unbounded
from pivi.view.icons import ASCII, UNICODE


def test_within_the_bounds_nothing_is_cut() -> None:
    for text in ("", "a\nb", "x" * LINE_BYTES, "\n".join(["y"] * BLOCK_ROWS), ("z" * 4095 + "\n") * 63):
        assert bounded(text, UNICODE) == (text, text.split("\n"), text.count("\n") + 1, ())


def test_lines_past_two_thousand() -> None:
    body = bounded("\n".join(map(str, range(1, 10_001))), UNICODE)
    rows = body.rows
    assert (len(rows), body.lines, body.notes) == (2001, 10_000, (1500,))
    assert rows[1499:1502] == ["1500", "[… 8,000 lines, 40.0 kB, left out here: <CR> opens it whole]", "9501"]
    assert rows[-1] == "10000"


def test_a_long_line() -> None:
    body = bounded("before\n" + "a" * 200_000 + "b" * 200_000 + "\nafter", ASCII)
    rows = body.rows
    assert rows[0] == "before" and rows[-1] == "after" and body.notes == (2,)
    assert rows[1] == "a" * 3072 and rows[3] == "b" * 1024
    assert rows[2] == "[... 395.9 kB of this line left out here: <CR> opens it whole]"


def test_a_line_is_never_cut_within_a_character() -> None:
    for shift in range(4):
        body = bounded("x" * shift + "😀" * 2000, UNICODE)
        assert "\ufffd" not in body.text and len(body.rows) == 3


def test_a_long_progress_bar_is_no_long_line() -> None:
    assert bounded("\r".join(f"{n} %" for n in range(10_000)), UNICODE).text == "9999 %"


def test_bytes_are_counted_not_characters() -> None:
    assert len(bounded("é" * 2048, UNICODE).rows) == 1
    assert len(bounded("é" * 2049, UNICODE).rows) == 3


LINES = st.sampled_from(["", "é", "x" * 5000, "y" * 4000, "\x1b[1m", "\x00" * 2000, "z\r" * 9])


@given(st.lists(LINES, max_size=9), st.sampled_from([1, 3, 60, 400]))
@settings(max_examples=50, deadline=None)
def test_nothing_is_over_the_bounds(lines: list[str], times: int) -> None:
    text = "\n".join(lines * times)
    body = bounded(text, UNICODE)
    rows = body.rows
    assert body.text == "\n".join(rows) and body.lines == text.count("\n") + 1
    assert max(len(row.encode()) for row in rows) <= LINE_BYTES
    kept = [row for at, row in enumerate(rows) if at not in body.notes]
    assert len("\n".join(kept).encode()) <= BLOCK_BYTES
    assert len(unbounded(text).rows) == body.lines
    if not body.notes:
        assert body.text == unbounded(text).text


def test_the_cost_is_that_of_what_is_shown() -> None:
    for text in ("one line of many\n" * 1_000_000, "x" * 20_000_000, "\x1b[31mred\r\n" * 1_000_000):
        start = time.thread_time()
        bounded(text, UNICODE)
        assert time.thread_time() - start < 0.5
