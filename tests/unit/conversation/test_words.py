"""What was said comes back, or is stored; nothing is both, and nothing neither."""

from __future__ import annotations

import pytest

from pivi.conversation.words import Word, Words


class Told:
    """What `Words` told the editor."""

    def __init__(self) -> None:
        self.back: list[tuple[str, list[int], str]] = []
        self.stored: list[int] = []
        self.words = Words(lambda *back: self.back.append(back), self.stored.extend)

    def sent(self, *texts: str, after: str = "") -> None:
        for key, text in enumerate(texts, 1):
            self.words.sent(Word(text, key, taken=True), after)


@pytest.fixture
def told() -> Told:
    return Told()


def test_what_was_held_comes_back_together(told: Told) -> None:
    told.words.hold(Word("one", 1))
    told.words.hold(Word("two", 2))
    assert told.words.return_held("Pi was stopped.")
    assert not told.words.return_held()
    assert told.back == [("one\n\ntwo", [1, 2], "Pi was stopped.")]


def test_what_is_stored_is_told_once(told: Told) -> None:
    told.sent("same", "same", "other")
    told.words.stored("same")
    told.words.stored("elsewhere")
    assert told.stored == [1]
    assert told.words.unstored
    assert not told.words.settled(lambda after: ["same", "same", "other"], "")
    assert told.stored == [1, 2, 3]
    assert not told.words.unstored


def test_what_pi_took_and_dropped_comes_back_when_its_turn_is_over(told: Told) -> None:
    told.sent("one", "two", "three")
    told.words.stored("two")
    assert told.words.settled(lambda after: ["two", "three"], "Pi dropped it.")
    assert told.back == [("one", [1], "Pi dropped it.")]
    assert sorted(told.stored) == [2, 3]


def test_what_pi_made_other_words_of_is_stored(told: Told) -> None:
    told.sent("/review a.py", "and b.py")
    assert not told.words.settled(lambda after: ["Review the file a.py.", "and b.py"], "")
    assert told.back == [] and told.stored == [1, 2]


def test_what_pi_has_not_taken_yet_belongs_to_the_next_turn(told: Told) -> None:
    word = Word("late", 7)
    told.words.sent(word, "")
    assert not told.words.settled(lambda after: [], "")
    assert told.back == [] and told.stored == [] and told.words.unstored


def test_the_same_words_twice_of_which_one_is_stored(told: Told) -> None:
    told.sent("same", "same")
    told.words.stored("same")
    assert told.words.return_unstored(lambda after: ["same"], "Pi ended.")
    assert told.back == [("same", [2], "Pi ended.")]
    assert told.stored == [1]


def test_words_that_were_said_long_before_are_not_taken_for_these(told: Told) -> None:
    told.sent("go on", after="b")
    said = {"": ["go on"], "b": []}
    assert told.words.return_unstored(said.__getitem__, "Pi ended.")
    assert told.back == [("go on", [1], "Pi ended.")]


def test_what_turns_out_to_be_stored_does_not_come_back(told: Told) -> None:
    told.sent("one", "two")
    assert not told.words.return_unstored(lambda after: ["two", "one"], "Pi ended.")
    assert told.back == []
    assert sorted(told.stored) == [1, 2]


def test_what_waited_in_pi_comes_back_also_where_it_is_not_ours(told: Told) -> None:
    told.sent("ours")
    assert told.words.give_back_queued(["ours", "an extension's"], "Stopped.")
    assert told.back == [("ours\n\nan extension's", [1], "Stopped.")]
    assert not told.words.unstored
