"""Patches in any chunking make the buffer that laying out at once makes."""

from __future__ import annotations

from copy import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pivi.transcript import blocks as b
from pivi.view.page import CHUNK_ROWS, FIRST_ROWS, Page
from pivi.view.patch import CLOSED, OPEN
from tests.unit.view.editor import ANY_BLOCK, TITLES, Editor, arrange, arranged, at_once

LISTS = st.builds(arranged, TITLES, st.lists(ANY_BLOCK, max_size=25))
CHUNKS = {"chunk_rows": st.integers(1, 60), "chunk_bytes": st.integers(1, 20_000)}


def filled(page: Page, blocks: list[b.Block], settled: bool = True) -> Editor:
    editor = Editor()
    for patch in page.fill(blocks, settled=settled, window_rows=4):
        editor.apply(patch)
    return editor


def talk(turns: int) -> list[b.Block]:
    """Prompts with replies; every block has a number in its text."""
    blocks: list[b.Block] = [b.Title(key="t", section="t", name="talk", session_id="s", cwd="/")]
    for turn in range(turns):
        prompt, reply = f"{turn}/p", f"{turn}/r"
        blocks += (
            b.Prompt(key=prompt, section=prompt, text=f"question {turn}"),
            b.Reply(key=reply, section=reply),
            b.Thinking(key=f"{turn}/t", section=reply, text=f"thought {turn}\n" * 3),
            b.Answer(key=f"{turn}/a", section=reply, text=f"answer {turn}"),
        )
    return blocks


@given(LISTS, st.booleans(), st.fixed_dictionaries(CHUNKS))
@settings(max_examples=60, deadline=None)
def test_a_fill_makes_what_laying_out_at_once_makes(
    blocks: list[b.Block], settled: bool, chunks: dict[str, Any]
) -> None:
    page = Page(**chunks)
    editor = filled(page, blocks, settled)
    assert editor.shown() == at_once(blocks, settled).shown()
    assert page.percent == 100 and page.rows == len(editor.lines)


def changed(blocks: list[b.Block], data: st.DataObject, others: list[b.Block]) -> list[b.Block]:
    """Another list: some blocks gone, some new, some with another key, some moved."""
    rest = [copy(block) if data.draw(st.booleans()) else block for block in blocks[1:]]
    for other in others:
        rest.insert(data.draw(st.integers(0, len(rest))), other)
    cut = data.draw(st.integers(0, len(rest)))
    gone = data.draw(st.integers(0, 5))
    del rest[cut : cut + gone]
    if len(rest) > 2 and data.draw(st.booleans()):
        rest.append(rest.pop(0))
    if len(rest) > 0 and data.draw(st.booleans()):
        renamed = data.draw(st.integers(0, len(rest) - 1))
        rest[renamed] = copy(rest[renamed])
        rest[renamed].key = f"live/{rest[renamed].key}"
    title = copy(blocks[0])
    assert isinstance(title, b.Title)
    title.name += data.draw(st.sampled_from(["", "!"]))
    return [title, *rest]


def regrouped(blocks: list[b.Block]) -> list[b.Block]:
    """The same blocks with sections and runs told anew; what moves is another object, as from an adapter."""
    found = [copy(block) for block in blocks]
    arrange(found)
    return [
        old if (old.section, old.run) == (new.section, new.run) else new
        for old, new in zip(blocks, found, strict=True)
    ]


@given(LISTS, st.lists(ANY_BLOCK, max_size=6), st.data(), st.fixed_dictionaries(CHUNKS))
@settings(max_examples=80, deadline=None)
def test_updates_during_and_after_a_fill(
    blocks: list[b.Block], others: list[b.Block], data: st.DataObject, chunks: dict[str, Any]
) -> None:
    for at, other in enumerate(others):
        other.key = f"other/{at}"
    page, editor = Page(**chunks), Editor()
    when = data.draw(st.integers(0, 4))
    now, settled = blocks, True
    for at, patch in enumerate(page.fill(blocks, window_rows=3)):
        editor.apply(patch)
        if at == when:
            now, settled = regrouped(changed(blocks, data, others)), data.draw(st.booleans())
            for update in page.update(now, settled=settled):
                editor.apply(update)
    assert editor.shown() == at_once(now, settled).shown()
    now = regrouped(changed(now, data, []))
    for update in page.update(now):
        editor.apply(update)
    assert editor.shown() == at_once(now).shown()
    assert list(page.update(now)) == []


@given(LISTS, st.data(), st.fixed_dictionaries(CHUNKS))
@settings(max_examples=40, deadline=None)
def test_a_tail_painted_first_and_then_all_of_it(
    blocks: list[b.Block], data: st.DataObject, chunks: dict[str, Any]
) -> None:
    cut = data.draw(st.integers(1, len(blocks)))
    page = Page(**chunks)
    editor = filled(page, [copy(block) for block in [blocks[0], *blocks[cut:]]])
    painted = len(editor.lines)
    for patch in page.update(blocks, hold_back=True):
        editor.apply(patch)
    assert len(editor.lines) == painted
    for patch in page.rest():
        assert patch.old == 0
        editor.apply(patch)
    assert editor.shown() == at_once(blocks).shown()


def test_a_painted_tail_that_looks_like_the_beginning_stays_at_the_end() -> None:
    blocks = talk(1)
    for at in range(1000):
        blocks.append(b.Notice(key=f"{at}/n", of="model_change", text=("fake-1", "fake-2")[at % 2]))
    blocks.insert(1, b.Notice(key="first", of="model_change", text="fake-1"))
    page = Page()
    filled(page, [copy(block) for block in [blocks[0], *blocks[-4:]]])
    assert list(page.update(blocks, hold_back=True)) == []
    assert page.percent < 2


def test_the_first_patch_is_the_title_and_what_a_window_shows() -> None:
    page = Page()
    fill = page.fill(talk(2000), window_rows=40)
    first = next(fill)
    assert (first.lines[0], first.lines[-1]) == ("# talk", "answer 1999")
    assert 80 <= first.new <= FIRST_ROWS + 1
    assert page.percent < 2
    assert all(patch.row == 1 and patch.old == 0 and patch.new <= CHUNK_ROWS for patch in fill)


def test_a_huge_block_is_a_chunk_of_its_own() -> None:
    blocks = [*talk(1), b.Answer(key="huge", text="line\n" * 1900), *talk(40)[1:]]
    assert [patch.new > 1900 for patch in Page(chunk_rows=100).fill(blocks)].count(True) == 1


def test_a_block_that_streams_costs_one_small_patch_and_keeps_its_number() -> None:
    blocks = talk(50)
    page = Page()
    editor = filled(page, blocks, settled=False)
    number = editor.order[-1]
    blocks[-1] = b.Answer(key=blocks[-1].key, section=blocks[-1].section, text="answer 49 goes on")
    (patch,) = page.update(blocks, settled=False)
    assert (patch.old, patch.new, patch.gone, patch.groups) == (2, 2, [], [])
    assert patch.blocks[1] == number and page.block(number) is blocks[-1]
    assert editor.top(number) == patch.row


def test_appending_is_one_patch_with_the_fold_of_what_is_now_complete() -> None:
    blocks = talk(3)
    page = Page()
    editor = filled(page, blocks[:-4], settled=False)
    (patch,) = page.update(blocks, settled=False)
    editor.apply(patch)
    assert (patch.row, patch.old) == (page.rows - patch.new, 0)
    assert patch.groups[2::3] == [OPEN]
    assert editor.shown() == at_once(blocks, settled=False).shown()
    (last,) = page.update(blocks, settled=True)
    assert (last.old, last.new, len(last.groups)) == (0, 0, 3)


def test_new_keys_alone_repaint_nothing() -> None:
    live = talk(4)
    stored = [copy(block) for block in live]
    for block in stored[9:]:
        block.key, block.section = f"x{block.key}", f"x{block.section}"
    page = Page()
    editor = filled(page, live)
    assert list(page.update(stored)) == []
    assert page.block(editor.order[-1]).key == "x3/a"


def test_a_run_is_one_closed_fold_and_sections_in_it_lie_within() -> None:
    blocks = talk(4)
    run = b.Branch(key="run", entries=4, first_prompt="question 1")
    blocks.insert(5, run)
    for block in blocks[6:10]:
        block.run = "run"
    groups = filled(Page(), blocks).shown()[3]
    assert (5, 9, CLOSED) in groups and (7, 9, OPEN) in groups


def test_numbers_that_are_not_there() -> None:
    page = Page()
    filled(page, talk(1))
    with pytest.raises(KeyError):
        page.block(99)
