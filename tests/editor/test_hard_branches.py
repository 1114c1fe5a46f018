"""Branches, compactions and tool calls in states that people met, as a reader of the transcript sees them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import StartEditor
from tests.support.entries import Line, answer, call, entry, result, user
from tests.support.hard import Hard

pytestmark = pytest.mark.matrix

STEM = [user("a", None, "the stem"), answer("b", "a", "a common answer")]
FIRST = [user("c", "b", "first way"), answer("d", "c", "first answer")]
SECOND = [user("e", "b", "second way"), answer("f", "e", "second answer")]


@pytest.fixture
def hard(tmp_path: Path, start_nvim: StartEditor) -> Hard:
    return Hard(tmp_path, start_nvim(size=(80, 24)))


@pytest.mark.parametrize("columns", [80, 50])
def test_other_branches_are_folded_where_they_part_with_their_prompt_count_age_and_leaf(
    columns: int, tmp_path: Path, start_nvim: StartEditor
) -> None:
    hard = Hard(tmp_path, start_nvim(size=(columns, 24)))
    text = hard.shown(*STEM, *FIRST, *SECOND)
    heading = '*Another branch: 2 entries, "first way"*'
    seen = hard.seen()
    assert seen.index("a common answer") < seen.index(heading) < seen.index("second way")
    assert "first answer" in text
    assert "first answer" not in seen
    assert [shown for line, shown in hard.decorations() if line == heading] == ["2026-01-01 00:00 · leaf d"]
    hard.nvim.command("call search('Another branch')")
    told = hard.nvim.lua("""
      local now = os.time({ year = 2026, month = 1, day = 4, hour = 1 })
      local time = os.time
      os.time = function(...) return select('#', ...) == 0 and now or time(...) end
      local text = vim.fn.foldtextresult('.')
      os.time = time
      return text
    """)
    assert heading in told and " lines · 3d ago" in told
    hard.nvim.command("normal! zo")
    assert "first answer" in hard.seen()


@pytest.mark.parametrize(
    "last",
    [
        entry("label", "g", "d", targetId="c", label="here"),
        entry("session_info", "g", "d", name="renamed"),
        entry("model_change", "g", "d", provider="p", modelId="m2"),
    ],
    ids=["label", "name", "model"],
)
def test_the_last_line_decides_which_branch_goes_on(last: Line, hard: Hard) -> None:
    hard.shown(*STEM, *FIRST, *SECOND, last)
    seen = hard.seen()
    assert "first answer" in seen
    assert "second answer" not in seen
    assert hard.status("leaf_id") == "g"


def test_labels_stand_where_they_point(hard: Hard) -> None:
    label = entry("label", "g", "f", targetId="c", label="old")
    gone = entry("label", "h", "g", targetId="e", label="gone")
    cleared = entry("label", "i", "h", targetId="e")
    hard.shown(
        *STEM, *FIRST, *SECOND, label, gone, cleared, entry("label", "j", "i", targetId="c", label="new")
    )
    assert [(line, shown) for line, shown in hard.decorations() if "⚑" in shown] == [("## You", "⚑ new")]


def test_what_a_compaction_left_behind_is_folded_before_it(hard: Hard) -> None:
    summary = entry("compaction", "g", "f", summary="In short.", firstKeptEntryId="e", tokensBefore=5)
    text = hard.shown(*STEM, *FIRST, *SECOND, summary, user("h", "g", "and on"))
    assert text.index("the stem") < text.index("second way") < text.index("In short.") < text.index("and on")
    seen = hard.seen()
    assert "*What was compacted: 2 entries*" in seen
    assert "the stem" not in seen
    assert "second way" in seen


def test_two_compactions(hard: Hard) -> None:
    one = entry("compaction", "g", "f", summary="Once.", firstKeptEntryId="e", tokensBefore=5)
    two = entry("compaction", "i", "h", summary="Twice.", firstKeptEntryId="h", tokensBefore=5)
    text = hard.shown(*STEM, *SECOND, one, user("h", "g", "kept"), two)
    seen = hard.seen()
    assert [word for word in ("the stem", "second answer", "Once.") if word not in text] == []
    assert [word for word in ("kept", "Twice.") if word not in seen] == []
    assert "Once." not in seen


@pytest.mark.parametrize("kept", ["gone", "", None, 7])
def test_a_compaction_whose_kept_entry_is_missing(kept: object, hard: Hard) -> None:
    text = hard.shown(
        *STEM, entry("compaction", "g", "b", summary="In short.", firstKeptEntryId=kept, tokensBefore=5)
    )
    assert "a common answer" in text
    assert "In short." in hard.seen()
    assert hard.status("leaf_id") == "g"


def test_a_call_without_a_result_has_no_outcome(hard: Hard) -> None:
    hard.shown(STEM[0], answer("b", "a", call("1", command="sleep 9")))
    assert ["### bash sleep 9", "… no result"] in hard.decorations()
    assert not any("✓" in shown for _, shown in hard.decorations())


def test_a_result_before_its_call_and_calls_that_end_out_of_order(hard: Hard) -> None:
    calls = answer("b", "r", call("1", command="one"), call("2", command="two"), call("3", command="three"))
    text = hard.shown(
        STEM[0],
        result("r", "a", "3", "out of three"),
        calls,
        result("r2", "b", "2", "out of two", isError=True),
        result("r1", "r2", "1", "out of one"),
    )
    order = [
        text.index(word)
        for word in ("### bash one", "out of one", "### bash two", "out of two", "out of three")
    ]
    assert order == sorted(order)
    shown = {line: shown for line, shown in hard.decorations() if line.startswith("###")}
    assert shown == {
        "### bash one": "✓ 1 line",
        "### bash two": "✗ failed · 1 line",
        "### bash three": "✓ 1 line",
    }


def test_a_result_of_an_unknown_call(hard: Hard) -> None:
    text = hard.shown(*STEM, result("r", "b", "unknown", "whose is this"))
    assert "*A result whose call is not in this session.*" in text
    assert "whose is this" in text


@pytest.mark.parametrize(
    ("stop", "shown"), [("error", "**Error:** 529 overloaded"), ("aborted", "*Aborted.")]
)
def test_an_empty_answer_that_failed_tells_why(stop: str, shown: str, hard: Hard) -> None:
    hard.shown(STEM[0], answer("b", "a", stop=stop, errorMessage="529 overloaded"))
    assert any(line.startswith(shown) for line in hard.seen())


def test_a_hidden_attempt_is_folded(hard: Hard) -> None:
    text = hard.shown(
        STEM[0],
        answer("b", "a", "half an", stop="error", errorMessage="529 overloaded"),
        entry("context_edit", "x", "b", targetId="b", replacement=None),
        answer("c", "x", "it worked"),
    )
    seen = hard.seen()
    assert "half an" in text
    assert not any("half an" in line or "529" in line for line in seen)
    assert "it worked" in seen


def test_fences_in_an_output_do_not_end_its_own(hard: Hard) -> None:
    output = "```\n## no heading\n`````\nmore"
    text = hard.shown(
        STEM[0], answer("b", "a", call("1")), result("r", "b", "1", output), answer("c", "r", "after")
    )
    assert f"``````\n{output}\n``````" in text
    assert "after" in hard.seen()


def test_an_unclosed_fence_in_an_answer_ends_with_it(hard: Hard) -> None:
    hard.shown(
        STEM[0],
        answer("b", "a", "look:\n\n```py\nx = 1"),
        user("c", "b", "and now"),
        answer("d", "c", "*this*"),
    )
    assert "and now" in hard.seen()
    headings = [line for line, _ in hard.decorations() if line.startswith("## ")]
    assert headings == ["## You", "## Pi", "## You", "## Pi"]
