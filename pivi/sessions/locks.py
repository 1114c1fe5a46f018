"""Which sessions are open in which Neovim: a small file for each, in the user's state directory."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import platformdirs

from .paths import real

_PATIENCE = 2.0
"""Seconds that another process may take to look at the locks; then nobody is warned."""


class Holder(msgspec.Struct, frozen=True):
    """Who has a session open: the process, when it was started, as the system tells it, and on which host.

    `editor` is the Neovim that the process belongs to: the one that people know.
    """

    path: str
    pid: int
    started: str
    host: str
    editor: int


_DEAD = ("Z", "X")
"""States of a process that has ended: zombie, dead."""

_decode = msgspec.json.Decoder(Holder).decode


class Locks:
    """The locks of this process. They warn, they do not keep anybody out: Pi itself knows none.

    One of a process that has ended is stale and may be taken. Where the state directory can't be written
    every session counts as free: then nobody can be warned. What takes or gives up a lock may have to wait:
    not for the event loop.
    """

    def __init__(self, place: str | None = None) -> None:
        self._place = place or os.path.join(platformdirs.user_state_dir("pivi", appauthor=False), "locks")

    def acquire(self, path: str) -> Holder | None:
        """Lock the session file for this process; else who has it already. It need not exist yet."""
        try:
            with self._alone():
                other = self.holder(path)
                if other is None:
                    own, host = os.getpid(), socket.gethostname()
                    mine = Holder(real(path), own, started(own), host, os.getppid())
                    Path(self._file(path)).write_bytes(msgspec.json.encode(mine))
                return other
        except (OSError, UnicodeEncodeError):
            return None

    def release(self, path: str) -> None:
        """Give up this process's lock, if it has it."""
        with contextlib.suppress(OSError), self._alone():
            found = _read(self._file(path))
            if found is not None and _is_mine(found):
                os.unlink(self._file(path))

    def holder(self, path: str) -> Holder | None:
        """The other process that has the session open."""
        found = _read(self._file(path))
        return found if found is not None and not _is_mine(found) and _lives(found) else None

    def held(self) -> Iterator[Holder]:
        """All sessions that other processes have open."""
        try:
            names = os.listdir(self._place)
        except OSError:
            return
        for name in names:
            found = _read(os.path.join(self._place, name)) if name.endswith(".json") else None
            if found is not None and not _is_mine(found) and _lives(found):
                yield found

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Nobody else looks at locks to change them meanwhile; the system ends it with the process."""
        os.makedirs(self._place, mode=0o700, exist_ok=True)
        with open(os.path.join(self._place, "lock"), "wb") as file:
            until = time.monotonic() + _PATIENCE
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    # Somebody holds it for a millisecond, or has been stopped while it did.
                    if time.monotonic() >= until:
                        raise
                    time.sleep(0.005)
            yield

    def _file(self, path: str) -> str:
        name = hashlib.blake2b(os.fsencode(real(path)), digest_size=16).hexdigest()
        return os.path.join(self._place, f"{name}.json")


def _read(file: str) -> Holder | None:
    try:
        with open(file, "rb") as content:
            return _decode(content.read())
    except (OSError, ValueError):
        return None


def _is_mine(holder: Holder) -> bool:
    return holder.pid == os.getpid() and holder.host == socket.gethostname()


def _lives(holder: Holder) -> bool:
    # Of another host's processes nothing can be known from here.
    return holder.host != socket.gethostname() or started(holder.pid) == holder.started != ""


def started(pid: int) -> str:
    """When the process was started; "" where there is none, or a dead one that nobody has waited for.

    Only to be compared.
    """
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            # The name before it, in parentheses, may hold anything.
            fields = file.read().rpartition(")")[2].split()
            return "" if fields[0] in _DEAD else fields[19]
    except FileNotFoundError:
        if os.path.exists("/proc/self/stat"):
            return ""
    except ProcessLookupError:
        return ""
    told = subprocess.run(
        ["ps", "-o", "stat=", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    state, _, since = told.stdout.strip().partition(" ")
    return "" if state[:1] in _DEAD else since.strip()
