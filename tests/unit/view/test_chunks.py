"""How much one patch brings, and takes away."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pivi.transcript import blocks as b
from pivi.view import page as module
from pivi.view.page import CHUNK_BLOCKS, Page
from pivi.view.patch import Patch
from tests.unit.view.editor import Editor, at_once

TITLE = b.Title(key="t", section="t", name="talk", session_id="s", cwd="/")


ROWS, BLOCKS = 100, 20
"""The bounds in these tests, so that few blocks are many."""


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHUNK_BLOCKS", BLOCKS)


def answers(count: int, text: str = "so", *, of: str = "") -> list[b.Block]:
    return [TITLE, *(b.Answer(key=f"{of}{n}/a", text=f"{text} {n}") for n in range(count))]


def applied(page: Page, editor: Editor, blocks: Sequence[b.Block]) -> list[Patch]:
    """The patches of an update, which the editor has applied as they came."""
    patches = []
    for patch in page.update(blocks):
        editor.apply(patch)
        patches.append(patch)
    assert editor.shown() == at_once(list(blocks)).shown()
    return patches


def filled(blocks: Sequence[b.Block]) -> tuple[Page, Editor]:
    page, editor = Page(chunk_rows=ROWS), Editor()
    for patch in page.fill(blocks):
        editor.apply(patch)
    return page, editor


def test_many_tiny_blocks_are_several_patches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHUNK_BLOCKS", CHUNK_BLOCKS)
    patches = list(Page(chunk_rows=10**6, chunk_bytes=10**8).fill(answers(3 * CHUNK_BLOCKS)))
    assert sum(patch.new for patch in patches) == 1 + 2 * 3 * CHUNK_BLOCKS
    assert max(patch.new for patch in patches) == 2 * CHUNK_BLOCKS


@pytest.mark.parametrize("key", ["", "other"], ids=["same keys", "other keys"])
@pytest.mark.parametrize("text", ["so", "so\nit\nwas " * 4], ids=["tiny", "long"])
@pytest.mark.parametrize("counts", [(150, 150), (150, 4), (4, 150)], ids=str)
def test_another_session_in_its_place_goes_and_comes_in_pieces(
    counts: tuple[int, int], text: str, key: str
) -> None:
    page, editor = filled(answers(counts[0], text))
    patches = applied(page, editor, answers(counts[1], f"not {text}", of=key))
    assert len(patches) > 5
    for patch in patches:
        assert patch.new <= ROWS and len(patch.blocks) <= 5 * BLOCKS
        assert patch.old <= ROWS and len(patch.gone) <= BLOCKS


def test_what_is_the_same_keeps_its_number_and_its_rows() -> None:
    before = answers(150)
    page, editor = filled(before)
    numbers = list(editor.order)
    after = list(before)
    for at in range(10, 140):
        if at % 30:
            after[at] = b.Answer(key=before[at].key, text=f"another {at}")
    patches = applied(page, editor, after)
    assert editor.order == numbers
    assert not any(patch.gone for patch in patches)
    middle = b.Answer(key="new", text="in between")
    applied(page, editor, [*after[:40], middle, *after[90:]])
    assert [*editor.order[:40], *editor.order[41:]] == [*numbers[:40], *numbers[90:]]
