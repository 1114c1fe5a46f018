"""What of a session, a path or an error stands in a list or a sentence is one safe line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pivi.pi.errors import first_sentence
from pivi.sessions.wording import shown, tidy
from tests.unit.view.editor import is_control

NASTY = st.text(
    st.sampled_from(
        "\x00\t\r\n\x1b\x7f\x85\x9b\x9c\x9d\x07\x08\u2028\u2029\u202e\u2069\u200f\u061c[]0;2KmG\\ab "
    )
    | st.characters(),
    max_size=60,
)


@given(NASTY, st.integers(1, 50))
def test_one_safe_line(text: str, width: int) -> None:
    for line in (tidy(text, width), shown(f"/{text}"), first_sentence(text)):
        assert not any(map(is_control, line))
        assert len(line.splitlines()) <= 1


@pytest.mark.parametrize(
    ("raw", "line"),
    [
        ("  two\n\n lines\u2028more ", "two lines more"),
        ("\x1b[31mred\x1b[0m \x9b1mbold", "red bold"),
        ("\x1b]8;;http://x/\x1b\\link\x1b]8;;\x07", "link"),
        ("evil\u202egpj.exe\u2069", "evilgpj.exe"),
        ("שלום \u200fעולם", "שלום עולם"),
        ("日本語の題名", "日本…"),
        ("👩‍💻👩‍💻👩‍💻👩‍💻", "👩‍💻👩‍💻…"),
    ],
)
def test_a_title(raw: str, line: str) -> None:
    assert tidy(raw, {"日": 5, "👩": 22}.get(raw[:1], 40)) == line


def test_a_path_is_whole() -> None:
    long = "/very/long" * 40
    assert shown(long) == long
    assert shown("/a\nb/\x1b[31mc\u202e") == "/a b/c"


def test_the_sentence_of_a_terminal_s_output() -> None:
    assert first_sentence("\x9b31m\x1b]0;title\x07error: no\tkey\u202e\n") == "error: no key<202e>"
    assert len(first_sentence("日" * 500)) == 150
