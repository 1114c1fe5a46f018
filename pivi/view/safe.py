"""Text made safe for a buffer: no control character and no stray line end ever reaches a line, and no text
is shown in another order than that of its characters.

Text that is clean already, nearly all of it, is found to be so by scans of the whole string and is
returned as it is.
"""

from __future__ import annotations

import re
from typing import Final

_TAB_AND_LF: Final = (0x09, 0x0A)
_PLAIN_ASCII: Final = bytes(c for c in range(0x80) if c in _TAB_AND_LF or 0x20 <= c < 0x7F)
_PLAIN_UTF8: Final = _PLAIN_ASCII + bytes(range(0x80, 0x100))
_C1_UTF8: Final = re.compile(rb"\xc2[\x80-\x9f]")

_SEQUENCE: Final = re.compile(
    # CSI: parameters, intermediates, the final letter, which a torn one lacks
    "(?:\x1b\\[|\x9b)(?P<csi>[0-?]*[ -/]*[@-~]?)"
    # OSC, DCS, SOS, PM, APC: up to their terminator, on one line
    "|(?:\x1b[]PX^_]|[\x90\x98\x9d-\x9f])[^\x00-\x1f\x7f-\x9f]*(?:\x07|\x9c|\x1b\\\\)"
    # two-character sequences, and whatever is left of a torn one
    "|\x1b[ -/]*[0-~]?"
)
_WIDEST_MOVE: Final = 200
"""A cursor move to the right is shown as at most so many spaces."""

_ERASE: Final = "\x1b"
"""Stands for "erase to the end of the line" once every sequence is gone."""

DIRECTIONS: Final = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""What only tells a terminal in which direction the text around it goes."""

_NO_MORE: Final = DIRECTIONS + "\u2028\u2029"

_SHOWN: Final[dict[int, str | None]] = {
    **{ord(c): f"<{ord(c):04x}>" for c in DIRECTIONS},  # as Neovim itself shows them
    **{c: chr(0x2400 + c) for c in range(0x20) if c not in _TAB_AND_LF},
    **dict.fromkeys((0x07, 0x0E, 0x0F)),  # bell and shifts: a terminal shows nothing
    **dict.fromkeys(range(0x80, 0xA0), "\ufffd"),
    **dict.fromkeys(range(0xD800, 0xE000), "\ufffd"),
    **dict.fromkeys((0x85, 0x2028, 0x2029), "\u2424"),
    0x7F: "\u2421",
}


def line_text(text: str) -> str:
    """`text` on one line: line ends and tabs become a space, the rest as in `block_text`."""
    if text.isprintable():
        return text
    shown = block_text(text.replace("\r\n", "\n").replace("\r", "\n"))
    return shown.replace("\n", " ").replace("\t", " ")


def block_text(text: str) -> str:
    """`text` as a terminal would leave it, in lines parted by LF, which with TAB is the only control in it.

    Escape sequences are gone, progress bars collapsed and backspaces applied; other controls and what
    some programs take for a line end are shown as a picture, half surrogates as U+FFFD, and a control of the
    direction of writing by its number.
    """
    return text if _is_clean(text) else _cleaned(text)


def said_text(text: str) -> str:
    """Words without what only a terminal would make of them: where it overwrites, words would be lost.

    A carriage return ends a line here, escape sequences go, and a backspace is shown. Not yet safe for a
    buffer: `block_text` comes after.
    """
    if "\x1b" in text or "\x9b" in text:
        text = _SEQUENCE.sub("", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.replace("\b", "\u2408")


def _is_clean(text: str) -> bool:
    if text.isascii():
        return not text.encode("ascii").translate(None, _PLAIN_ASCII)
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    if data.translate(None, _PLAIN_UTF8) or _C1_UTF8.search(data):
        return False
    # One character after the other is found faster in a string than any of them in its bytes.
    return not any(char in text for char in _NO_MORE)


def _cleaned(text: str) -> str:
    text = _SEQUENCE.sub(_moved, text.replace("\r\n", "\n"))
    if "\r" in text or "\b" in text:
        text = "\n".join(_overwritten(line) for line in text.split("\n"))
    return text.replace(_ERASE, "").translate(_SHOWN)


def _moved(match: re.Match[str]) -> str:
    """What a sequence leaves behind: only moves within the line and erasing count."""
    csi = match["csi"]
    if csi in ("K", "0K"):
        return _ERASE
    if csi == "2K":
        return "\r" + _ERASE
    if csi in ("G", "1G"):
        return "\r"
    if csi and csi[-1] == "C" and csi[:-1].isdecimal():
        return " " * min(int(csi[:-1][:4]), _WIDEST_MOVE)
    return ""


def _overwritten(line: str) -> str:
    """`line` after its carriage returns and backspaces, in time linear in its length."""
    if "\r" not in line and "\b" not in line:
        return line
    shown = ""
    # From the last segment backwards: of an earlier one only what sticks out behind the later ones is left.
    for segment in reversed(line.split("\r")):
        written = _backspaced(segment) if "\b" in segment else segment
        text = written.replace(_ERASE, "")
        if len(text) > len(shown):
            shown += text[len(shown) :]
        if _ERASE in written:
            break
    return shown


def _backspaced(segment: str) -> str:
    cells: list[str] = []
    at = 0
    erased = ""
    for char in segment:
        if char == "\b":
            at = max(0, at - 1)
        elif char == _ERASE:
            del cells[at:]
            erased = _ERASE
        else:
            cells[at : at + 1] = [char]
            at += 1
    return "".join(cells) + erased
