"""Short texts for one line: titles, paths and ages, safe to show anywhere."""

from __future__ import annotations

import os
import re

from pivi.view.cells import shortened
from pivi.view.safe import DIRECTIONS, line_text

_ON_ONE_LINE = {
    **dict.fromkeys(map(ord, DIRECTIONS + "\ufeff")),
    **dict.fromkeys(map(ord, "\x85\u2028\u2029"), " "),
}
_SPACES = re.compile(r"\s+")

# Characters looked at before cutting: enough for any title, whatever the prompt's size.
_WINDOW = 4096

_DAY = 86_400
# Below this many seconds, in units of so many, named so.
_AGES = (
    (3600, 60, "min"),
    (_DAY, 3600, "h"),
    (60 * _DAY, _DAY, "days"),
    (730 * _DAY, 30 * _DAY, "months"),
)


def tidy(text: str, width: int = 200) -> str:
    """`text` as one line of at most `width` display columns, without what is not seen."""
    head = text.lstrip()[:_WINDOW]
    # Most need nothing but this look.
    plain = head.isascii() and head.isprintable() and "  " not in head
    line = head.rstrip() if plain else _SPACES.sub(" ", _line(head)).strip()
    if len(text) > _WINDOW * 2:
        return shortened(line, width - 1, "").rstrip() + "…"
    return shortened(line, width, "…")


def _line(text: str) -> str:
    return line_text(text.translate(_ON_ONE_LINE))


def shown(path: str) -> str:
    """A path for a sentence, at its end, since the rest is what a narrow message cuts: whole but for the home
    directory.
    """
    home = os.path.expanduser("~")
    short = "~" + path[len(home) :] if home != "/" and f"{path}/".startswith(f"{home}/") else path
    return _line(short)


def age(seconds: float) -> str:
    """How long ago, for people: `just now`, `5 min ago`, `3 h ago`, `12 days ago`."""
    if seconds < 60:
        return "just now"
    for below, unit, name in _AGES:
        if seconds < below:
            count = int(seconds // unit)
            return f"1 {name.rstrip('s')} ago" if count == 1 else f"{count} {name} ago"
    return f"{int(seconds // (365 * _DAY))} years ago"
