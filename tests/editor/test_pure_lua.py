"""What Lua works out from lines alone: marks lie in them, pieces cover them, time is what they take."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pivi.transcript import blocks as b
from tests.editor.test_motions import paint
from tests.support.editor import Editor
from tests.support.home import make_home
from tests.support.tools import PYTHON, chosen_nvim
from tests.unit.view.editor import at_once
from tests.unit.view.test_page import LISTS

MARKS = (
    "`",
    "```",
    "````lua",
    "~~~",
    "*",
    "**",
    "_",
    "~~",
    "|",
    "| a | b |",
    "|---|:-:|",
    "[x](y)",
    "<",
    "\\",
    "> ",
    "- ",
)
WORDS = (
    "word",
    " ",
    "  ",
    "\t",
    "é",
    "e\u0301",
    "日本",
    "👩\u200d💻",
    "שלום",
    "src/a.py:3",
    "12",
    "(",
    ")",
    '"',
    "#",
    "=",
    "-",
)
LINE = st.lists(st.sampled_from(MARKS + WORDS), max_size=8).map("".join) | st.text(
    st.characters(exclude_categories=["Cc", "Cs"]), max_size=20
)
LINES = st.lists(LINE, max_size=14)
DIFF = st.lists(st.tuples(st.sampled_from("+- "), st.integers(1, 99), LINE), max_size=14).map(
    lambda rows: [f"{sign}{number:3} {text}" for sign, number, text in rows]
)
EXAMPLES = settings(max_examples=150)


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    running = Editor(
        chosen_nvim().default, make_home(tmp_path_factory.mktemp("lua")), {"python": str(PYTHON)}
    )
    yield running
    running.close()


def is_place(line: str, column: int) -> bool:
    """Does a character begin, or the line end, at this byte?"""
    data = line.encode()
    return 0 <= column <= len(data) and (column == len(data) or data[column] & 0xC0 != 0x80)


def lie_in(spans: list[Any], lines: list[str]) -> bool:
    """Lists of row, column, end row and end column, of which the last may be the start of the row behind."""
    for row, column, end_row, end_column in spans:
        behind = end_row == len(lines) and end_column == 0
        if not (0 <= row <= end_row and is_place(lines[row], column)):
            return False
        if not (behind or (is_place(lines[end_row], end_column) and (row, column) <= (end_row, end_column))):
            return False
    return True


_CHANGED = """
return vim.tbl_map(function(span)
  return { { span[1], span[2], span[3], span[4] }, span.group or span.line }
end, require('pivi.changes').spans(...))
"""


def test_looks_of_a_diff_lie_in_its_lines(editor: Editor) -> None:
    @EXAMPLES
    @given(DIFF)
    def check(lines: list[str]) -> None:
        found = editor.lua(_CHANGED, lines)
        assert lie_in([span for span, _ in found], lines)
        whole = [span[0] for span, group in found if group in ("PiviDiffAdd", "PiviDiffDelete")]
        assert whole == sorted(set(whole)) and all(lines[row][0] in "+-" for row in whole)

    check()


def test_what_did_not_change_is_the_same_in_both_lines(editor: Editor) -> None:
    @EXAMPLES
    @given(LINE, LINE)
    def check(old: str, new: str) -> None:
        lines = [f"-  1 {old}", f"+  1 {new}"]
        kept = []
        words = [(span, group) for span, group in editor.lua(_CHANGED, lines) if group.endswith("Text")]
        for row, line in enumerate(lines):
            rest, at, data = b"", 5, line.encode()
            for (_, first, _, last), _ in (one for one in words if one[0][0] == row):
                assert at <= first < last
                rest, at = rest + data[at:first], last
            kept.append(rest + data[at:])
        assert not words or kept[0] == kept[1]
        assert old != new or not words

    check()


def test_pieces_cover_the_lines_once_and_fences_keep_apart(editor: Editor) -> None:
    @EXAMPLES
    @given(LINES)
    def check(lines: list[str]) -> None:
        pieces, fences, code = editor.lua(
            """
          local lines = ...
          local fences = require('pivi.fences')
          local found = fences.find(lines)
          return {
            vim.tbl_map(function(p) return { p.first, p.last } end, require('pivi.pieces').cut(lines, 1)),
            vim.tbl_map(function(f) return { f.first, f.last, f.closed } end, found),
            vim.tbl_map(function(f) return fences.code(lines, f) end, found),
          }
        """,
            lines,
        )
        assert [row for first, last in pieces for row in range(first, last + 1)] == list(
            range(1, len(lines) + 1)
        )
        end = 0
        for (first, last, closed), own in zip(fences, code, strict=True):
            assert end < first <= last <= len(lines)
            end = last
            inner = lines[first : last - 1 if closed else last]
            assert len(own) == len(inner)
            assert all(line.endswith(part) for line, part in zip(inner, own, strict=True))

    check()


def test_spans_of_markdown_lie_in_their_lines(editor: Editor) -> None:
    @EXAMPLES
    @given(LINES.filter(bool))
    def check(lines: list[str]) -> None:
        spans, cells = editor.lua(
            """
          local spans, tables = require('pivi.markdown').spans(table.concat(..., '\\n'))
          local cells = {}
          for _, known in ipairs(tables) do
            for i, row in ipairs(known.cells) do
              for _, cell in ipairs(row) do
                table.insert(cells, { known.row + i - 1, cell[1], known.row + i - 1, cell[2] })
              end
            end
          end
          return { vim.tbl_map(function(s) return { s[1], s[2], s[3], s[4] } end, spans), cells }
        """,
            lines,
        )
        assert lie_in(spans, lines) and lie_in(cells, lines), (lines, spans, cells)

    check()


CELL = st.text(st.sampled_from("ab é日ö*`"), max_size=9).map(lambda text: text.strip() or "x")


def test_columns_of_a_table_stand_below_each_other(editor: Editor) -> None:
    @EXAMPLES
    @given(
        st.integers(1, 4).flatmap(
            lambda n: st.lists(st.lists(CELL, min_size=n, max_size=n), min_size=1, max_size=5)
        )
    )
    def check(rows: list[list[str]]) -> None:
        head, *body = ["| " + " | ".join(row) + " |" for row in rows]
        lines = [head, "|" + "---|" * len(rows[0]), *body]
        shown = editor.lua(
            """
          local lines = ...
          local _, found = require('pivi.markdown').spans(table.concat(lines, '\\n'))
          local shown = vim.deepcopy(lines)
          for _, known in ipairs(found) do
            local pads = require('pivi.tables').pads(lines, known, math.huge, {})
            table.sort(pads, function(a, b) return a.col > b.col end)
            for _, pad in ipairs(pads) do
              local line = shown[pad.row + 1]
              shown[pad.row + 1] = line:sub(1, pad.col) .. pad.text .. line:sub(pad.col + 1)
            end
          end
          return vim.tbl_map(function(line)
            local bars = {}
            for at in line:gmatch('()|') do table.insert(bars, vim.fn.strdisplaywidth(line:sub(1, at))) end
            return { #found, bars, line }
          end, shown)
        """,
            lines,
        )
        if shown[0][0]:
            assert len({tuple(bars) for _, bars, _ in shown}) == 1, shown

    check()


def test_a_path_is_part_of_its_line(editor: Editor) -> None:
    @EXAMPLES
    @given(LINE)
    def check(line: str) -> None:
        found = editor.lua(
            """
          local line, found = ..., {}
          for col = 1, #line do
            for _, path in ipairs(require('pivi.paths').at(line, col)) do table.insert(found, path) end
          end
          return found
        """,
            line,
        )
        for path in found:
            assert path["path"] in line and ("lnum" not in path or str(path["lnum"]) in line)

    check()


TIMED = """
local name, count = ...
local lines = {}
for i = 1, count do
  lines[i] = ({
    changes = (i % 3 == 0 and '+' or '-') .. i .. ' some words of line ' .. i % 7,
    fences = i % 9 == 0 and '```' or '> - text `code` ' .. i,
    pieces = i % 9 == 0 and '```' or 'text *it* ' .. i,
    markdown = '- **item** ' .. i .. ' `code` [a](b)',
  })[name]
end
local work = ({
  changes = function() require('pivi.changes').spans(lines) end,
  fences = function() require('pivi.fences').find(lines) end,
  pieces = function() require('pivi.pieces').cut(lines, 1) end,
  markdown = function() require('pivi.markdown').spans(table.concat(lines, '\\n')) end,
})[name]
local best = math.huge
for _ = 1, 5 do
  local start = os.clock()
  work()
  best = math.min(best, os.clock() - start)
end
return best
"""


@pytest.mark.parametrize("name", ["changes", "fences", "pieces", "markdown"])
def test_time_is_that_of_the_lines(editor: Editor, name: str) -> None:
    editor.lua(TIMED, name, 100)
    few, many = editor.lua(TIMED, name, 400), editor.lua(TIMED, name, 3200)
    assert many < 8 * few * 2.5 + 0.002


FOLDS = """
local levels, closed = {}, {}
for lnum = 1, vim.fn.line('$') do
  levels[lnum] = vim.fn.foldlevel(lnum)
  closed[lnum] = vim.fn.foldclosed(lnum)
end
return { levels, closed }
"""


def test_folds_nest_as_on_the_page_and_each_level_opens_what_it_names(editor: Editor) -> None:
    @settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
    @given(LISTS)
    def check(blocks: list[b.Block]) -> None:
        editor.command("silent! %bwipe!")
        paint(editor, blocks)
        expected = at_once(blocks)
        tops = [expected.top(number) for number in range(len(blocks))]
        ends = [top + expected.placed[number][0] - 1 for number, top in enumerate(tops)]
        folds = [(tops[n] + 1, ends[n]) for n in range(len(blocks)) if expected.placed[n][2]]
        folds += [
            (tops[first] + 1, ends[last]) for first, (last, _) in expected.groups.items() if first != last
        ]
        rows = range(len(expected.lines))
        levels, _ = editor.lua(FOLDS)
        assert levels == [sum(first <= row <= last for first, last in folds) for row in rows]
        for name in ("prompts", "talk", "all"):
            editor.command(f"Pi fold {name}")
            again, closed = editor.lua(FOLDS)
            assert again == levels
            shut = {row for row in rows if closed[row] != -1}
            for number, block in enumerate(blocks):
                top = tops[number] + 1
                if isinstance(block, b.Prompt) and not block.run:
                    assert name == "talk" or top not in shut, (name, number)
                if isinstance(block, (b.ToolCall, b.Thinking)) and name != "all" and levels[top] > 1:
                    assert top in shut, (name, number)
            assert name != "all" or not shut
        assert editor.messages() == ""

    check()
