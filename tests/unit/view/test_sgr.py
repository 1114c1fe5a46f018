"""Colours of outputs: nothing of a sequence is left, and each span lies where its text is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pivi.transcript.blocks import Outcome, ToolCall
from pivi.view import groups
from pivi.view.layout import layout
from pivi.view.patch import MARK
from pivi.view.sgr import Span, coloured


def test_a_colour_ends_where_it_is_reset() -> None:
    plain, spans = coloured("a\x1b[31mred\x1b[0m b")
    assert plain == "ared b"
    assert spans == [Span(0, 1, 4, groups.SGR_RED)]


def test_a_colour_goes_on_over_lines_and_counts_bytes() -> None:
    plain, spans = coloured("ü\x1b[1;32mgrün\ntoo\x1b[22m!\x1b[m")
    assert plain == "ügrün\ntoo!"
    green, bold = groups.SGR_GREEN, groups.SGR_BOLD
    assert spans == [
        Span(0, 2, 7, green),
        Span(0, 2, 7, bold),
        Span(1, 0, 3, green),
        Span(1, 0, 3, bold),
        Span(1, 3, 4, green),
    ]


def test_one_of_256_colours_does_not_read_its_number_as_another_sequence() -> None:
    assert coloured("\x1b[38;5;1mx\x1b[48;2;1;31;4my")[1] == [
        Span(0, 0, 1, groups.SGR_RED),
        Span(0, 1, 2, groups.SGR_RED),
    ]
    assert coloured("\x1b[38;2;1;31;4mx")[1] == []


def test_a_tool_call_shows_the_colours_of_its_output() -> None:
    call = ToolCall(
        key="a/0", name="bash", tool_id="t", subject="ls", outcome=Outcome("\x1b[34mdir\x1b[0m\nfile")
    )
    laid = layout(call)
    row = laid.lines.index("dir")
    marks = [tuple(laid.marks[at : at + MARK]) for at in range(0, len(laid.marks), MARK)]
    assert (row, 0, 3, groups.SGR_BLUE) in marks
    assert "\x1b" not in laid.text


@given(
    st.lists(
        st.sampled_from(["a", "ü", "\n", "\r", "\x1b[31m", "\x1b[1m", "\x1b[0m", "\x1b[2K", "\x1b", "\x9b"])
    )
)
def test_every_span_lies_in_its_line(pieces: list[str]) -> None:
    call = ToolCall(key="a/0", name="bash", tool_id="t", subject="x", outcome=Outcome("".join(pieces)))
    laid = layout(call)
    rows = laid.lines
    for at in range(0, len(laid.marks), MARK):
        row, column, end = laid.marks[at : at + 3]
        assert row < len(rows)
        assert end < 0 or column <= end <= len(rows[row].encode())
