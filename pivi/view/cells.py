"""Text by the columns that it takes on the screen at most.

For texts of a bounded width; where one is fitted to a window, Neovim measures it.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_ATTACHED: Final = ("Mn", "Me", "Mc", "Cf")
"""Unicode categories of what belongs to the character before it: combining marks, joiners, selectors."""
_VIRAMA: Final = 9
"""The combining class of what joins two consonants of an Indic script."""
_AM: Final = "\u0e33\u0eb3"
"""Vowels of Thai and Lao that stand on the consonant too."""
_LAM: Final = "\u0644"
_ALEFS: Final = "\u0622\u0623\u0625\u0627"
"""Written as one with a lam before them."""
_EMOJI: Final = "\ufe0f"
"""Makes an emoji of the character before it, which then takes two columns."""
_MOST: Final = 16
"""Characters of a column, on the average: marks and joiners could be heaped up without end."""
_HEXAGRAMS: Final = re.compile("[\u2630-\u2637\u268a-\u268f\u4dc0-\u4dff]")
"""Wide since Unicode 16."""
_UNSEEN_COLUMNS: Final = 6
"""Neovim shows the number, `<200b>`."""


def shortened(text: str, columns: int, ellipsis: str) -> str:
    """`text` in at most so many display columns, never cut within a character.

    `ellipsis`, which is not wider than that, stands for what is cut off.
    """
    if len(text) <= columns and (text.isascii() or len(text) * _UNSEEN_COLUMNS <= columns):
        return text
    room = columns - len(ellipsis)
    width = kept = 0
    for at, char in enumerate(text):
        if width <= room and not _continues(text, at):
            kept = at
        # A mark at the start stands on nothing.
        width += _columns(char) if at else max(1, _columns(char))
        if width > columns or at > columns * _MOST:
            return text[:kept].rstrip(" ") + ellipsis
    return text


def whole_start(text: str, at: int) -> int:
    """`at`, or the place before it where what is seen as one character with what is there begins."""
    least = max(0, at - _MOST)
    while at > least and _continues(text, at):
        at -= 1
    return at


def _columns(char: str) -> int:
    """At most so many: Neovim's versions differ in some, and 0.10 shows each part of an emoji."""
    if " " <= char <= "~":
        return 1
    category = unicodedata.category(char)
    if category == "Cf":
        return 0 if char >= "\U000e0000" else _UNSEEN_COLUMNS
    if category in ("Mn", "Me"):
        return int(char == _EMOJI)
    if category == "Cn":
        return _UNSEEN_COLUMNS
    wide = unicodedata.east_asian_width(char) in "WF" or (category[0] in "NS" and char >= "\U0001d300")
    return 2 if wide or _HEXAGRAMS.match(char) else 1


def _continues(text: str, at: int) -> bool:
    """Is this part of what is seen as one character with the one before it?"""
    char = text[at]
    if at == 0 or " " <= char <= "~":
        return False
    before = text[at - 1]
    return (
        unicodedata.category(char) in _ATTACHED
        or unicodedata.category(before) == "Cf"
        or unicodedata.combining(before) == _VIRAMA
        or _is_skin(char)
        or _is_vowel(char)
        or char in _AM
        or (before == _LAM and char in _ALEFS)
        or (_is_flag(char) and _flags_before(text, at) % 2 == 1)
    )


def _is_skin(char: str) -> bool:
    """A colour of skin."""
    return "\U0001f3fb" <= char <= "\U0001f3ff"


def _is_vowel(char: str) -> bool:
    """A vowel or an end of a Korean syllable."""
    return "\u1160" <= char <= "\u11ff"


def _is_flag(char: str) -> bool:
    """One of the letters of which two are a flag."""
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _flags_before(text: str, at: int) -> int:
    start = at
    while start > 0 and _is_flag(text[start - 1]):
        start -= 1
    return at - start
