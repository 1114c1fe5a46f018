"""No input makes a control character or a line end reach a line, and what is clean stays as it is."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pivi.view.safe import DIRECTIONS, block_text, line_text, said_text
from tests.unit.view.editor import is_control

NASTY = st.text(
    st.sampled_from(
        "\x00\x07\x08\x0b\x0c\r\n\x1b\x1c\x1d\x1e\x1f\x7f\x85\x90\x9b\x9c\x9d\u2028\u2029\u202e\u2066\u200f\u061c[]0;2KmCGA\\ab\t"
    )
    | st.characters(),
    max_size=80,
)
SURROGATES = st.text(st.characters(categories=["Cs"]) | st.just("a"), max_size=5)


@given(NASTY | SURROGATES)
def test_a_line_has_no_control_at_all(text: str) -> None:
    assert not any(map(is_control, line_text(text)))
    assert len(line_text(text).splitlines()) <= 1


@given(NASTY | SURROGATES)
def test_a_block_has_tabs_and_line_feeds_only(text: str) -> None:
    shown = block_text(text)
    assert not any(is_control(char) for char in shown if char not in "\t\n")
    assert shown.count("\n") == text.count("\n")
    assert shown.encode("utf-8").decode("utf-8") == shown


@given(NASTY)
def test_what_is_safe_is_not_changed_again(text: str) -> None:
    assert block_text(block_text(text)) == block_text(text)
    assert line_text(line_text(text)) == line_text(text)


@given(
    st.text(
        st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"], exclude_characters=DIRECTIONS)
        | st.sampled_from("\t\n")
    )
)
def test_clean_text_is_the_very_same(text: str) -> None:
    assert block_text(text) is text


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x9b31mred\x9b0m", "red"),
        ("\x1b]8;;http://x/\x1b\\link\x1b]8;;\x07", "link"),
        ("\x1b]52;c;aGVsbG8=\x07done", "done"),
        ("\x1b]0;torn title", "0;torn title"),
        ("torn \x1b[3", "torn "),
        ("torn \x1b[31\n\x9b1;é", "torn \né"),
        ("\x1bPq#0;2;0\x1b\\after", "after"),
        ("a\x1b[3Cb", "a   b"),
        ("a\x1b[99999999999999999999Cb", "a" + " " * 200 + "b"),
        ("up\x1b[2Adown", "updown"),
        (" 10%\r 50%\r100%", "100%"),
        ("downloading\rdone", "doneloading"),
        ("downloading\r\x1b[Kdone", "done"),
        ("downloading\x1b[2K\x1b[1Gdone", "done"),
        ("waiting\r", "waiting"),
        ("dos\r\nfile\r\n", "dos\nfile\n"),
        ("|\b/\b-\bok", "ok"),
        ("abc\b \b", "ab "),
        ("_\bb_\bo_\bl_\bd", "bold"),
        ("\b\b\bx", "x"),
        ("a\tb", "a\tb"),
        ("nul\x00", "nul␀"),
        ("page\x0cbreak\x0b", "page␌break␋"),
        ("bell\x07", "bell"),
        ("line\u2028sep\u2029next\x85", "line␤sep␤next␤"),
        ("half \ud83d pair", "half \ufffd pair"),
        ("\x7f", "␡"),
        ("👩‍💻 é שלום", "👩‍💻 é שלום"),
        ("if x:\u202e } \u2066# done", "if x:<202e> } <2066># done"),
        ("א\u200f!\u061c", "א<200f>!<061c>"),
    ],
)
def test_as_a_terminal_leaves_it(raw: str, shown: str) -> None:
    assert block_text(raw) == shown


def test_words_are_not_overwritten() -> None:
    said = "old mac\rlines\r\nand \x1b[2Kerased\b \x9bKtoo"
    assert block_text(said_text(said)) == "old mac\nlines\nand erased␈ too"


def test_one_line_of_many() -> None:
    assert line_text("name\nwith\r\nlines\tand\rmore\x1b[0m") == "name with lines and more"


@pytest.mark.parametrize("piece", ["x\r", "x\b", "\x1b]", "\x9d", "\x1b[", "\x1b[K", "abc\b\b", "\r\x1b[2K."])
def test_time_is_linear(piece: str) -> None:
    start = time.thread_time()
    block_text(piece * 100_000)
    assert time.thread_time() - start < 2
