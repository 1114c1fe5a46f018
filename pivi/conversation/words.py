"""The user's words on their way to Pi: none of them is lost."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable


class Words:
    """Prompts that wait for Pi, and those that it took and has not stored yet.

    What goes nowhere is handed to `give_back(text)`.
    """

    def __init__(self, give_back: Callable[[str], None]) -> None:
        self._give_back = give_back
        self._held: list[str] = []
        self._sent: list[str] = []

    def hold(self, text: str) -> None:
        """Keep a prompt until Pi is ready."""
        self._held.append(text)

    def next_held(self) -> str | None:
        """The first of the prompts that are held; it is no longer. The others stay until their turn."""
        return self._held.pop(0) if self._held else None

    def sent(self, text: str) -> None:
        """A prompt is on its way."""
        self._sent.append(text)

    def settled(self) -> None:
        """Pi has stored what it was sent."""
        self._sent.clear()

    def return_held(self) -> bool:
        """Give back what was held; tells whether there was anything."""
        held, self._held = self._held, []
        return self.give_back(held)

    def return_unstored(self, stored: Container[str]) -> bool:
        """Give back what was sent and is not among the `stored` prompts."""
        lost = [text for text in self._sent if text not in stored]
        self._sent.clear()
        return self.give_back(lost)

    def give_back(self, texts: Iterable[str]) -> bool:
        """Hand these back together; tells whether there were any."""
        words = [text for text in texts if text]
        for text in words:
            if text in self._sent:
                self._sent.remove(text)
        if words:
            self._give_back("\n\n".join(words))
        return bool(words)
