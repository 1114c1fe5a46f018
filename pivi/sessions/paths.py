"""Paths as Pi sees them: Node's spelling rules, and comparison by real path."""

from __future__ import annotations

import os
import pwd
import re
from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

_BUCKET_SEPARATORS = re.compile(r"[/\\:]")


def home_directory(env: Mapping[str, str]) -> str:
    """The home directory that a Pi started with `env` takes for `~`."""
    return env.get("HOME") or pwd.getpwuid(os.getuid()).pw_dir


def node_text(path: str) -> str:
    """`path` as Node decodes it: bytes that are no UTF-8 are U+FFFD."""
    return os.fsencode(path).decode("utf-8", "replace")


def is_utf8(path: str) -> bool:
    """Whether Node can name this path at all; an argument that is no UTF-8 reaches Pi changed."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def expand(path: str, home: str) -> str:
    """`~`, `~/x` and `file://` as Pi expands them. `~name` stays as it is; relative stays relative."""
    if path == "~":
        return home
    if path.startswith("~/"):
        return os.path.join(home, path[2:])
    if path.startswith("file://"):
        return unquote(urlsplit(path).path)
    return path


def resolve(path: str, base: str, home: str) -> str:
    """An absolute path without `.`, `..`, `//` and trailing slash; links are not followed."""
    whole = os.path.normpath(os.path.join(base, expand(path, home)))
    # POSIX lets normpath keep a leading double slash; Node has one.
    return whole[1:] if whole.startswith("//") else whole


def real(path: str) -> str:
    """The path with all links followed. What does not exist keeps its spelling."""
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return path


def bucket_name(cwd: str) -> str:
    """The folder name that Pi makes of a working directory. `/x/a-b` and `/x/a/b` share one."""
    inner = cwd[1:] if cwd[:1] in ("/", "\\") else cwd
    return f"--{_BUCKET_SEPARATORS.sub('-', inner)}--"


class Directory:
    """One working directory, to ask which stored `cwd` means the same place.

    Answers are remembered for the life of the object, so make a new one for each search.
    """

    def __init__(self, cwd: str, home: str) -> None:
        self.cwd = cwd
        self.real = real(cwd)
        self.node = node_text(self.real)
        self._home = home
        self._known: dict[str, bool] = {}

    def is_same(self, stored: str) -> bool:
        """Whether `stored`, a header's `cwd`, is this directory by real path."""
        known = self._known.get(stored)
        if known is None:
            known = self._known[stored] = self._compare(stored)
        return known

    def _compare(self, stored: str) -> bool:
        if not stored or "\0" in stored:
            return False
        path = resolve(stored, self.real, self._home)
        if path in (self.real, self.node) or real(path) == self.real:
            return True
        try:
            # A file system that ignores case gives one directory several spellings.
            return os.path.samefile(path, self.real)
        except (OSError, ValueError):
            return False
