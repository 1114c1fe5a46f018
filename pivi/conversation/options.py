"""The user's options, as far as a session depends on them."""

from __future__ import annotations

from typing import Literal

import msgspec


class PiOptions(msgspec.Struct):
    """How Pi is started; see `pivi.pi.launch.build`. `start_timeout`: seconds until it must have answered."""

    command: str | list[str] = "pi"
    args: list[str] = []
    env: dict[str, str] = {}
    start_timeout: float = 15.0


class Options(msgspec.Struct):
    """`vim.g.pivi` without what concerns the editor alone."""

    pi: PiOptions = msgspec.field(default_factory=PiOptions)
    icons: Literal["unicode", "ascii"] = "unicode"
