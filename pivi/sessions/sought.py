"""What is searched for: words or a regular expression, and which bytes a line that holds it must have."""

from __future__ import annotations

import re
import warnings

import msgspec

# Characters that every writer of JSON puts down as they are.
_AS_THEY_ARE = re.compile(r"[ !#-.0-\[\]-~]+")
_TERM = re.compile(r'"([^"]+)"?|(\S+)')
# What may stand before one of these in a regular expression need not be in the text.
_OPTIONAL = "?*{"
_GROUPS = {"(": 1, ")": -1}
# Beyond ASCII, what is the same where case does not count.
_PARTNERS = {"i": "\u0130\u0131", "k": "\u212a", "s": "\u017f"}
_LAST_CASED = 0x1E944
_TELLING = 3
"""Bytes without such characters that are enough to look for."""
# What is no text of its own: a class, a number of times, a class or a place by a letter, an escaped sign.
_NO_TEXT = re.compile(
    r"\[\^?\]?(?:\\.|[^\]\\])*\]|\{\d*,?\d*\}|\\[dDwWsSbBAZ]|\\[^a-zA-Z0-9]",
    re.DOTALL,
)


class BadPatternError(ValueError):
    """What was given can't be searched for; the text is one sentence."""


class Sought(msgspec.Struct, frozen=True):
    """`terms` must all be in one line, in any order; or `regex` must match in it.

    Case counts where the pattern has a capital letter.
    """

    terms: list[str]
    regex: str
    ignore_case: bool


def sought(pattern: str, regex: bool) -> Sought:
    """From what the user types: words, "a phrase" in quotes, or a regular expression of Python.

    Raises BadPatternError.
    """
    if not pattern.strip():
        raise BadPatternError("There is nothing to search for.")
    # In a regular expression a capital may be a class: \\S, \\W.
    capital = re.sub(r"\\.", "", pattern) if regex else pattern
    ignore_case = capital == capital.lower()
    if not regex:
        terms = [phrase or word for phrase, word in _TERM.findall(pattern)]
        return Sought([term.lower() for term in terms] if ignore_case else terms, "", ignore_case)
    try:
        _compiled(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise BadPatternError(f"This is no regular expression of Python: {error}.") from None
    return Sought([], pattern, ignore_case)


def _compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    with warnings.catch_warnings():
        # What may mean something else in a Python to come means this now.
        warnings.simplefilter("ignore", FutureWarning)
        return re.compile(pattern, flags)


class Matcher:
    """Finds it in single lines of text.

    `needs`: of each of these lists one is in every JSON line that holds it, in lower case where case does not
    count; the first is the most telling. None: any line may hold it.
    """

    def __init__(self, what: Sought) -> None:
        self.ignore_case = what.ignore_case
        self._terms = what.terms
        self._regex = _compiled(what.regex, re.IGNORECASE if what.ignore_case else 0) if what.regex else None
        runs = _needed(what.regex) if what.regex else what.terms
        folded = ("iks" if what.regex else "k") if self.ignore_case else None
        needs = (_needles(run, folded) for run in runs)
        self.needs = sorted(filter(None, needs), key=_worth, reverse=True)

    def find(self, line: str) -> int:
        """The character at which the first match begins, -1 for none."""
        if self._regex is not None:
            match = self._regex.search(line)
            return match.start() if match else -1
        text = line.lower() if self.ignore_case else line
        places = [text.find(term) for term in self._terms]
        return min(places) if min(places) >= 0 else -1


def _worth(needles: list[bytes]) -> int:
    return min(map(len, needles))


def _needles(run: str, folded: str | None) -> list[bytes]:
    """Bytes of which one is in every JSON text of `run`, in lower case where case does not count.

    `folded`: the letters that then are the same as some beyond ASCII; None where it counts.
    """
    plain = max(_AS_THEY_ARE.findall(run), key=len, default="")
    strange = max(re.findall(r"[^\x00-\x7f]+", run), key=len, default="")
    if len(plain) >= len(strange.encode()) or not strange:
        return _plain(plain, folded or "") if plain else []
    if folded is None or strange.lower() == strange.upper():
        return _written(strange)
    return [needle for char in _alike(strange[0]) for needle in _written(char)]


def _plain(run: str, folded: str) -> list[bytes]:
    """The same for a run of ASCII."""
    partners = "".join(_PARTNERS[char] for char in folded if char in run)
    if not partners:
        return [run.encode()]
    # To look for one thing is several times as fast as for thirteen.
    alone = max(re.split(f"[{folded}]", run), key=len)
    if len(alone) >= _TELLING:
        return [alone.encode()]
    return [run.encode(), *(needle for char in partners for needle in _written(char))]


def _written(text: str) -> list[bytes]:
    """A text as it may stand in JSON: as it is, or by its characters' numbers."""
    units = text.encode("utf-16-be", "surrogatepass")
    numbers = [units[at : at + 2].hex() for at in range(0, len(units), 2)]
    escaped = (
        "".join(f"\\u{number}" for number in numbers),
        "".join(f"\\u{number.upper()}" for number in numbers),
    )
    return [text.encode("utf-8", "surrogatepass"), *(one.encode() for one in escaped)]


def _alike(char: str) -> set[str]:
    """The characters that are the same where case does not count."""
    upper, lower = char.upper(), char.lower()
    same = {one for one in map(chr, range(_LAST_CASED)) if one.upper() == upper or one.lower() == lower}
    return {one.lower() if one.isascii() else one for one in same}


def _needed(regex: str) -> list[str]:
    """Texts that a match must hold, as far as is plain to see."""
    if "|" in regex or "(?" in regex:
        return []
    runs, run, depth, at = [], "", 0, 0
    while at < len(regex):
        sign = regex[at]
        no_text = _NO_TEXT.match(regex, at)
        if no_text is not None:
            runs.append(run)
            run, at = "", no_text.end()
            continue
        if sign == "\\":
            return []  # a character by its number or name, or what was found before
        follows = regex[at + 1 : at + 2]
        depth += _GROUPS.get(sign, 0)
        plain = depth == 0 and (sign.isalnum() or sign in " _-:;,=<>@%&!~'#")
        if plain and not (follows and follows in _OPTIONAL):
            run += sign
        else:
            runs.append(run)
            run = ""
        at += 1
    return [text for text in (*runs, run) if text]
