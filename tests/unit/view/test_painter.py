"""What is sent to an editor that is slow, or does not answer at all."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pivi.transcript import blocks as b
from pivi.view.icons import UNICODE
from pivi.view.painter import IN_FLIGHT, Painter
from tests.unit.view.editor import Editor, at_once
from tests.unit.view.test_chunks import BLOCKS, answers


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few blocks are many."""
    monkeypatch.setattr("pivi.view.page.CHUNK_BLOCKS", BLOCKS)


class Slow:
    """An editor that applies patches at once and acknowledges them when it is told to."""

    def __init__(self, blocks: Sequence[b.Block]) -> None:
        self.editor = Editor()
        self.sent = self.seen = 0
        self.painter = Painter(UNICODE, self._take)
        self.painter.first(blocks, settled=True, window_rows=50)
        while self.painter.more():
            self.acknowledge()

    def _take(self, sequence: int, patch: object) -> None:
        self.sent = sequence
        self.editor.apply(patch)  # type: ignore[arg-type]

    @property
    def in_flight(self) -> int:
        return self.sent - self.seen

    def acknowledge(self) -> None:
        """All that it has been sent."""
        self.seen = self.sent
        self.painter.acknowledge(self.seen)


def test_a_large_update_waits_for_the_editor_and_the_newest_comes_behind_it() -> None:
    slow = Slow(answers(300))
    slow.acknowledge()
    for text in ("first", "second", "last"):
        slow.painter.update(answers(300, text), settled=True)
    assert slow.in_flight == IN_FLIGHT
    most = 0
    rounds = 0
    while slow.in_flight:
        most = max(most, slow.in_flight)
        slow.acknowledge()
        rounds += 1
        assert not any("second" in line for line in slow.editor.lines)
    assert most == IN_FLIGHT and rounds > 3
    assert not slow.painter.updating
    assert slow.editor.shown() == at_once(answers(300, "last")).shown()


def test_small_updates_are_never_held_back() -> None:
    slow = Slow(answers(10))
    for count in range(11, 40):
        slow.painter.update(answers(count), settled=True)
        assert slow.editor.shown() == at_once(answers(count)).shown()
    assert slow.in_flight > IN_FLIGHT


def test_painting_anew_and_reading_the_rest_overtake_a_large_update() -> None:
    slow = Slow(answers(300))
    slow.acknowledge()
    slow.painter.update(answers(300, "other"), settled=True)
    assert slow.painter.updating
    slow.painter.rest([*answers(300, "other"), b.Answer(key="end", text="the end")], settled=True)
    while slow.painter.more():
        slow.acknowledge()
    assert slow.editor.lines[-1] == "the end"
    slow.painter.update(answers(300, "again"), settled=True)
    slow.editor = Editor()
    slow.painter.first(answers(3), settled=True, window_rows=50)
    assert not slow.painter.updating
    assert slow.editor.shown() == at_once(answers(3)).shown()
