"""A text is cut to columns, and never within what is seen as one character."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pivi.view.cells import shortened


@pytest.mark.parametrize(
    ("text", "columns", "cut"),
    [
        ("short", 5, "short"),
        ("longer", 5, "long…"),
        ("日本語です", 7, "日本語…"),
        ("日本語です", 6, "日本…"),
        ("日本語です", 10, "日本語です"),
        ("cafe\u0301 au lait", 5, "cafe\u0301…"),
        ("au lait au", 4, "au…"),
        ("👩‍💻👩‍💻👩‍💻", 12, "👩‍💻…"),
        ("👩‍💻👩‍💻👩‍💻", 4, "…"),
        ("👍🏽👍🏽👍🏽", 9, "👍🏽👍🏽…"),
        ("🇩🇪🇫🇷🇮🇹", 9, "🇩🇪🇫🇷…"),
        ("❤️❤️❤️", 5, "❤️❤️…"),
        ("नमस्ते दुनिया", 5, "नमस्ते…"),
        ("שלום עולם", 6, "שלום…"),
        ("سلام سلام", 3, "س…"),
        ("❤️‍🔥❤️‍🔥", 12, "❤️‍🔥…"),
        ("각각각", 4, "각…"),
    ],
)
def test_a_cut(text: str, columns: int, cut: str) -> None:
    assert shortened(text, columns, "…") == cut


@given(st.text(max_size=80), st.integers(1, 40))
def test_a_cut_is_a_beginning(text: str, columns: int) -> None:
    cut = shortened(text, columns, "…")
    assert cut == text or (cut.endswith("…") and text.startswith(cut[:-1].rstrip(" ")))


def test_time_is_that_of_what_is_shown() -> None:
    start = time.thread_time()
    for piece in ("🇩", "日", "x", "👩‍", "\u0301"):
        assert len(shortened(piece * 500_000, 60, "…")) <= 60 * 16
    assert time.thread_time() - start < 0.1
