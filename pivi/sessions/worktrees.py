"""The directories of one Git repository: its work trees, found by reading Git's own small files."""

from __future__ import annotations

import os
from collections.abc import Iterator

from .files import open_regular, read_exactly
from .paths import bucket_name, node_text, real, resolve

_LONGEST = 1 << 16


class Worktrees:
    """All work trees of the repository that `cwd` is in, to ask which stored `cwd` is in one of them.

    Outside of a repository `cwd` is the only one. Answers are remembered for the life of the object.
    """

    def __init__(self, cwd: str, home: str) -> None:
        self._home = home
        self._base = real(cwd)
        self.roots = sorted({real(root) for root in _roots(self._base)})
        self._buckets = tuple(bucket_name(node_text(root))[:-2] for root in self.roots)
        self._known: dict[str, bool] = {}

    def may_hold(self, bucket: str) -> bool:
        """Could the folder of this name hold sessions of a work tree?"""
        return bucket.startswith(self._buckets)

    def is_same(self, stored: str) -> bool:
        """Whether `stored`, a header's `cwd`, is in one of the work trees by real path."""
        known = self._known.get(stored)
        if known is None:
            known = self._known[stored] = self._is_below(stored)
        return known

    def _is_below(self, stored: str) -> bool:
        if not stored or "\0" in stored:
            return False
        path = real(resolve(stored, self._base, self._home))
        return any(path == root or path.startswith(os.path.join(root, "")) for root in self.roots)


def _roots(cwd: str) -> Iterator[str]:
    root = cwd
    while not os.path.lexists(os.path.join(root, ".git")):
        if root == os.path.dirname(root):
            yield cwd
            return
        root = os.path.dirname(root)
    yield root
    git = os.path.join(root, ".git")
    if os.path.isfile(git):
        # A work tree beside the main one: `.git` names its folder, and that the repository's own.
        git = os.path.join(root, _first_line(git).removeprefix("gitdir:").strip())
        git = os.path.normpath(os.path.join(git, _first_line(os.path.join(git, "commondir")) or "."))
        if os.path.basename(git) == ".git":
            yield os.path.dirname(git)
    others = os.path.join(git, "worktrees")
    for name in os.listdir(others) if os.path.isdir(others) else ():
        if place := _first_line(os.path.join(others, name, "gitdir")):
            yield os.path.dirname(os.path.join(others, name, place))


def _first_line(path: str) -> str:
    """ "" where the file can't be read."""
    try:
        descriptor, state = open_regular(path)
    except (OSError, ValueError):
        return ""
    try:
        text = read_exactly(descriptor, min(state.st_size, _LONGEST), 0)
    except OSError:
        return ""
    finally:
        os.close(descriptor)
    return os.fsdecode(text).partition("\n")[0].strip()
