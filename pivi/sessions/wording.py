"""Short texts for one line: titles, paths and ages, safe to show anywhere."""

from __future__ import annotations

import os
import re

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]")
_SURROGATES = re.compile("[\ud800-\udfff]")
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
    """`text` as one line of at most `width` characters; control and escape sequences are gone."""
    head = text.lstrip()[:_WINDOW]
    # Most need nothing but this look.
    plain = head.isascii() and head.isprintable() and "  " not in head
    line = head.rstrip() if plain else _clean(head)
    if len(line) > width or len(text) > _WINDOW * 2:
        return line[: width - 1].rstrip() + "…"
    return line


def _clean(head: str) -> str:
    head = _ESCAPES.sub("", head)
    return _SPACES.sub(" ", _SURROGATES.sub("\ufffd", _UNSAFE.sub(" ", head))).strip()


def shown(path: str) -> str:
    """A path for a sentence, at its end: the rest is what a narrow message cuts.

    Whole but for the home directory, and what is no plain character is `?`.
    """
    home = os.path.expanduser("~")
    short = "~" + path[len(home) :] if home != "/" and f"{path}/".startswith(f"{home}/") else path
    return _SURROGATES.sub("?", _UNSAFE.sub("?", short))


def age(seconds: float) -> str:
    """How long ago, for people: `just now`, `5 min ago`, `3 h ago`, `12 days ago`."""
    if seconds < 60:
        return "just now"
    for below, unit, name in _AGES:
        if seconds < below:
            count = int(seconds // unit)
            return f"1 {name.rstrip('s')} ago" if count == 1 else f"{count} {name} ago"
    return f"{int(seconds // (365 * _DAY))} years ago"
