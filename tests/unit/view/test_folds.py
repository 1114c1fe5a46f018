"""Sections and runs: their folds lie within each other or apart, and end where they should."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pivi.transcript import blocks as b
from pivi.view.folds import group_fold
from pivi.view.patch import CLOSED, OPEN
from tests.unit.view.editor import ANY_BLOCK, TITLES, arranged


@given(st.builds(arranged, TITLES, st.lists(ANY_BLOCK, max_size=30)), st.booleans())
@settings(deadline=None)
def test_folds_never_cross(blocks: list[b.Block], settled: bool) -> None:
    open_until: list[int] = []
    for first in range(len(blocks)):
        while open_until and open_until[-1] < first:
            open_until.pop()
        fold = group_fold(blocks, first, settled)
        if fold:
            assert first < fold[0] < len(blocks)
            assert not open_until or fold[0] <= open_until[-1]
            open_until.append(fold[0])


def reply(section: str = "r", run: str = "") -> b.Answer:
    return b.Answer(key="a", section=section, run=run, text="x")


HEAD = b.Reply(key="r", section="r")
RUN = b.Branch(key="b", section="r", entries=2, first_prompt="")


def test_the_last_section_folds_once_it_is_settled() -> None:
    assert group_fold([HEAD, reply()], 0, settled=False) is None
    assert group_fold([HEAD, reply()], 0, settled=True) == (1, OPEN)
    assert group_fold([HEAD, reply(), reply("other")], 0, settled=False) == (1, OPEN)
    assert group_fold([HEAD], 0, settled=True) is None


def test_a_section_holds_a_run_whole_or_not_at_all() -> None:
    within = [HEAD, reply(), RUN, reply(run="b"), reply()]
    assert group_fold(within, 0, settled=True) == (4, OPEN)
    assert group_fold(within, 2, settled=True) == (3, CLOSED)
    crossing = [HEAD, reply(), RUN, reply(run="b"), reply("other", run="b")]
    assert group_fold(crossing, 0, settled=True) == (1, OPEN)
    assert group_fold(crossing, 2, settled=True) == (4, CLOSED)


def test_the_title_heads_no_fold() -> None:
    title = b.Title(key="t", section="t", name="", session_id="", cwd="")
    assert group_fold([title, reply("t")], 0, settled=True) is None
