"""The user's options, as far as a session depends on them."""

from __future__ import annotations

import os
from typing import Any, Literal

import msgspec

from pivi.sessions.location import Location, session_dirs


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


def options_of(params: dict[str, Any]) -> Options:
    """The options that came with a request."""
    return msgspec.convert(params.get("options") or {}, Options)


def location_of(cwd: str, options: Options) -> Location:
    """Where the Pi of these options keeps the sessions of a directory. Reads files: not in the event loop."""
    return session_dirs(cwd, options.pi.args, {**os.environ, **options.pi.env})
