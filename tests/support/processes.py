"""Which processes of ours are still there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def processes_with(mark: str) -> dict[int, str]:
    """Living processes whose environment holds `mark`: pid and command line. Ours is not among them."""
    found = _by_proc(mark.encode()) if sys.platform == "linux" else _by_ps(mark)
    found.pop(os.getpid(), None)
    return found


def wait_gone(mark: str, seconds: float = 5) -> None:
    """Until no process carries `mark`. Those left then are killed and named by an AssertionError."""
    if left := _left_after(mark, seconds):
        for pid in left:
            _kill(pid)
        _left_after(mark, seconds)
        raise AssertionError(f"still there after {seconds} s: {left}")


def _left_after(mark: str, seconds: float) -> dict[int, str]:
    end = time.monotonic() + seconds
    while (left := processes_with(mark)) and time.monotonic() < end:
        time.sleep(0.01)
    return left


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def _by_proc(mark: bytes) -> dict[int, str]:
    found = {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            if mark in (folder / "environ").read_bytes():
                line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                found[int(folder.name)] = line.strip()
        except (OSError, ValueError):
            # It ended while we looked, or it is another user's.
            continue
    return found


def _by_ps(mark: str) -> dict[int, str]:
    listing = subprocess.run(
        ["ps", "-axEww", "-o", "pid=,command="], capture_output=True, text=True, check=True
    )
    lines = (line.strip().split(None, 1) for line in listing.stdout.splitlines() if mark in line)
    return {int(pid): command for pid, command in lines}
