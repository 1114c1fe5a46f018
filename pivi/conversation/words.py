"""The user's words on their way to Pi: none of them is lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

import msgspec


class Word(msgspec.Struct, eq=False):
    """A prompt. `key` is the editor's number for it, 0 for none.

    `after`: the entry behind which Pi stores it, "" for the beginning of the session, None while it waits.
    `taken`: Pi has it in a turn, or in the queue of one. `stored`: Pi has it in the session's file.
    """

    text: str
    key: int = 0
    after: str | None = None
    taken: bool = False
    stored: bool = False


class Words:
    """Prompts that wait for Pi, and those that it took and has not stored yet.

    What goes nowhere is handed to `give_back(text, keys, why)`, what is stored to `stored(keys)`: until one
    of these comes the editor keeps the words too.
    """

    def __init__(
        self, give_back: Callable[[str, list[int], str], None], stored: Callable[[list[int]], None]
    ) -> None:
        self._give_back = give_back
        self._tell_stored = stored
        self._held: list[Word] = []
        self._sent: list[Word] = []

    @property
    def unstored(self) -> bool:
        """Is there anything that Pi took and is not known to have stored?"""
        return any(not word.stored for word in self._sent)

    def hold(self, word: Word) -> None:
        """Keep a prompt until Pi is ready."""
        self._held.append(word)

    def next_held(self) -> Word | None:
        """The first of the prompts that are held; it is no longer. The others stay until their turn."""
        return self._held.pop(0) if self._held else None

    def sent(self, word: Word, after: str) -> None:
        """A prompt is on its way, while entry `after` is the last one."""
        word.after = after
        self._sent.append(word)

    def done(self, word: Word) -> None:
        """Pi has dealt with a prompt, which it does not store."""
        if word in self._sent:
            self._sent.remove(word)
        self._told([word])

    def forget(self, word: Word) -> None:
        """Pi has not got a prompt, and the editor knows what is to become of it."""
        if word in self._sent:
            self._sent.remove(word)

    def stored(self, text: str) -> None:
        """Pi has stored a prompt of this text."""
        word = next((word for word in self._sent if word.text == text and not word.stored), None)
        if word is not None:
            word.stored = True
            self._told([word])

    def settled(self, said_since: Callable[[str], list[str]], why: str) -> bool:
        """Pi's turn is over: what it took is stored by now, or lost, and then given back.

        Tells whether anything was. `said_since` gives the prompts behind an entry. Extensions and templates
        make other words of a prompt: as many prompts as were taken are those that were taken.
        """
        taken = [word for word in self._sent if word.taken]
        self._sent = [word for word in self._sent if not word.taken]
        unseen = [word for word in taken if not word.stored]
        lost: list[Word] = []
        if unseen:
            said = said_since(taken[0].after or "")
            if len(said) < len(taken):
                found = Counter(said)
                found.subtract(word.text for word in taken if word.stored)
                for word in unseen:
                    found[word.text] -= 1
                lost = [word for word in unseen if found[word.text] < 0]
        self._told(word for word in unseen if word not in lost)
        return self._return(lost, why)

    def return_held(self, why: str = "") -> bool:
        """Give back what was held; tells whether there was anything."""
        held, self._held = self._held, []
        return self._return(held, why)

    def return_unstored(self, said_since: Callable[[str], list[str]], why: str) -> bool:
        """Give back what was sent and is not stored, not even among the prompts behind its `after`.

        Tells whether there was anything. What is stored is told to be.
        """
        sent, self._sent = self._sent, []
        found: dict[str, Counter[str]] = {}
        lost: list[Word] = []
        for word in sent:
            after = word.after or ""
            if after not in found:
                found[after] = Counter(said_since(after))
            if found[after][word.text] > 0:
                found[after][word.text] -= 1
            elif not word.stored:
                lost.append(word)
        self._told(word for word in sent if word not in lost and not word.stored)
        return self._return(lost, why)

    def give_back(self, word: Word, why: str) -> None:
        """Hand back one that was sent: Pi does not have it."""
        if word in self._sent:
            self._sent.remove(word)
        self._return([word], why)

    def give_back_queued(self, texts: Iterable[str], why: str) -> bool:
        """Hand these back together, which Pi had not begun with; tells whether there were any."""
        words = []
        for text in texts:
            word = next((word for word in self._sent if word.text == text and not word.stored), None)
            if word is not None:
                self._sent.remove(word)
            words.append(word or Word(text))
        return self._return(words, why)

    def _return(self, words: list[Word], why: str) -> bool:
        words = [word for word in words if word.text]
        if words:
            self._give_back("\n\n".join(word.text for word in words), _keys(words), why)
        return bool(words)

    def _told(self, words: Iterable[Word]) -> None:
        if keys := _keys(words):
            self._tell_stored(keys)


def _keys(words: Iterable[Word]) -> list[int]:
    return [word.key for word in words if word.key]
