"""Signs: the few characters that are not words. Meaning is never carried by colour alone."""

from __future__ import annotations

from typing import Final

import msgspec


class Icons(msgspec.Struct, frozen=True):
    """A table of signs. `key` is the key, as the reader knows it, that opens a cut block whole."""

    ok: str
    failed: str
    no_result: str
    sent: str
    received: str
    label: str
    dot: str
    minus: str
    times: str
    ellipsis: str
    key: str = "<CR>"


UNICODE: Final = Icons(
    ok="✓",
    failed="✗",
    no_result="…",
    sent="↑",
    received="↓",
    label="⚑",
    dot=" · ",
    minus="−",
    times="×",
    ellipsis="…",
)

ASCII: Final = Icons(
    ok="ok",
    failed="failed",
    no_result="?",
    sent="in ",
    received="out ",
    label="label:",
    dot=", ",
    minus="-",
    times="x",
    ellipsis="...",
)

TABLES: Final[dict[str, Icons]] = {"unicode": UNICODE, "ascii": ASCII}
"""By the names that the option `icons` takes."""
