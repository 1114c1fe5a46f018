"""What the first bytes of a picture tell: its size in pixels, without decoding it."""

from __future__ import annotations

import binascii

HEAD = 64 * 1024
"""How many characters of base64 are looked at: a JPEG keeps its size behind its metadata."""


class Picture:
    """A picture without its bytes. `size` is in bytes, `width` and `height` in pixels, `None` if not told.

    A plain class, since msgspec hands only those that it does not know to a hook.
    """

    __slots__ = ("height", "size", "width")

    def __init__(self, size: int, width: int | None = None, height: int | None = None) -> None:
        self.size = size
        self.width = width
        self.height = height


def picture(data: str) -> Picture:
    """What is known of base64 `data`."""
    width, height = pixels(_head(data)) or (None, None)
    return Picture(len(data) * 3 // 4 - data[-2:].count("="), width, height)


def pixels(head: bytes) -> tuple[int, int] | None:
    """Width and height from the first bytes of a PNG, GIF, WebP or JPEG file."""
    if head[:8] == b"\x89PNG\r\n\x1a\n" and len(head) >= 24:
        return _big(head, 16, 4), _big(head, 20, 4)
    if head[:6] in (b"GIF87a", b"GIF89a") and len(head) >= 10:
        return _little(head, 6, 2), _little(head, 8, 2)
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP" and len(head) >= 30:
        return _webp(head)
    if head[:2] == b"\xff\xd8":
        return _jpeg(head)
    return None


def _head(data: str) -> bytes:
    text = data[:HEAD]
    try:
        return binascii.a2b_base64(text[: len(text) // 4 * 4])
    except ValueError:  # not base64: then nothing is known of it
        return b""


def _webp(head: bytes) -> tuple[int, int] | None:
    kind = head[12:16]
    if kind == b"VP8 ":
        return _little(head, 26, 2) & 0x3FFF, _little(head, 28, 2) & 0x3FFF
    if kind == b"VP8L":
        bits = _little(head, 21, 4)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8X":
        return _little(head, 24, 3) + 1, _little(head, 27, 3) + 1
    return None


def _jpeg(head: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 <= len(head) and head[at] == 0xFF:
        marker = head[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return _big(head, at + 7, 2), _big(head, at + 5, 2)
        at += 2 if 0xD0 <= marker <= 0xD9 or marker == 0xFF else 2 + _big(head, at + 2, 2)
    return None


def _big(data: bytes, at: int, width: int) -> int:
    return int.from_bytes(data[at : at + width], "big")


def _little(data: bytes, at: int, width: int) -> int:
    return int.from_bytes(data[at : at + width], "little")
