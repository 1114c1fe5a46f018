"""Numbers, times and amounts as people read them."""

from __future__ import annotations

import pytest

from pivi.transcript.blocks import Image, Usage
from pivi.view import words
from pivi.view.icons import ASCII, UNICODE


@pytest.mark.parametrize(
    ("shown", "wanted"),
    [
        (words.bytes_text(1), "1 byte"),
        (words.bytes_text(999), "999 bytes"),
        (words.bytes_text(24_149), "24.1 kB"),
        (words.bytes_text(999_999), "1.0 MB"),
        (words.bytes_text(50_000_000), "50.0 MB"),
        (words.tokens_text(999), "999"),
        (words.tokens_text(2349), "2.3k"),
        (words.tokens_text(98_400), "98k"),
        (words.tokens_text(1_250_000), "1.2M"),
        (words.duration_text(0), "0 ms"),
        (words.duration_text(230), "0.2 s"),
        (words.duration_text(185_000), "3 min 5 s"),
        (words.count_text(1, "line"), "1 line"),
        (words.count_text(12_000, "line"), "12,000 lines"),
        (words.clock_text(None), ""),
        (words.date_text(10**40), ""),
        (words.usage_text(Usage(), UNICODE), ""),
        (words.usage_text(Usage(2300, 200, 0, 900, 0, 0.0061), UNICODE), "↑2.3k ↓200 W900 $0.006"),
        (words.usage_text(Usage(cost=0.0001), UNICODE), "<$0.001"),
        (words.usage_text(Usage(2300, 200), ASCII), "in 2.3k out 200"),
        (words.image_text(Image("image/png\n", 812), UNICODE), "[image: image/png , 812 bytes]"),
    ],
)
def test_as_people_read_it(shown: str, wanted: str) -> None:
    assert shown == wanted


def test_progress_tells_the_time_and_the_last_line() -> None:
    assert words.progress_text(0.4, "", UNICODE) == "running"
    assert words.progress_text(12.9, "one\ntwo\x1b[0m\n\n", UNICODE) == "running · 12 s · two"
    assert words.progress_text(61, " 10%\r 20%\r", ASCII) == "running, 1 min 1 s, 20%"
    assert words.progress_text(0, "x" * 9000, UNICODE) == f"running · {'x' * 59}…"
