"""The end of a process group, in order: wait, SIGTERM, SIGKILL.

Used from inside the host, and run as a script of its own beside each Pi: there it waits until the
pipe on its stdin closes, which happens however the host dies, and then ends Pi's group. It imports
nothing but the standard library, since it runs with `-I -S` to be up in a few milliseconds.

There is no parent-death signal. It would go to Pi alone, and a Pi that is killed leaves the
commands of its tools running: each of them has a process group of its own, and only Pi's orderly end
finds them all. So Pi is given time to end, and its descendants are noted before it goes.
"""

from __future__ import annotations

import os
import signal
import sys
import time

GRACE = 0.5
"""Seconds that each step is given."""

_POLL = 0.01

Table = dict[int, tuple[int, int, str]]
"""Living processes by id: parent id, group id, start time. Zombies are not in it."""


def finish(group: int, grace: float = GRACE) -> None:
    """End the process group and all descendants of its members; return when they are gone.

    Blocks for three times `grace` seconds at most. The caller has closed their stdin.
    """
    kin = _kin(group, processes())
    for number in (signal.SIGTERM, signal.SIGKILL):
        if _gone(group, kin, grace):
            return
        now = processes()
        kin.update(_kin(group, now))
        _send_group(group, number)
        for pid, start in kin.items():
            # The id may belong to another process by now.
            if pid in now and now[pid][2] == start:
                _send(pid, number)
    _gone(group, kin, grace)


def living(group: int) -> bool:
    """Whether the process group has a member that is no zombie."""
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return any(row[1] == group for row in processes().values())


def processes() -> Table:
    """The table of processes, from /proc where there is one, else from ps."""
    return _from_proc() if os.access("/proc/self/stat", os.R_OK) else _from_ps()


def _from_proc() -> Table:
    table: Table = {}
    for name in [entry.name for entry in os.scandir("/proc") if entry.name.isdigit()]:
        try:
            stat = _read(f"/proc/{name}/stat")
        except OSError:
            # It has ended meanwhile.
            continue
        # The name of the program is in parentheses and may hold anything.
        fields = stat[stat.rfind(b")") + 2 :].split()
        if fields and fields[0] not in (b"Z", b"X"):
            table[int(name)] = (int(fields[1]), int(fields[2]), fields[19].decode())
    return table


def _read(path: str) -> bytes:
    file = os.open(path, os.O_RDONLY)
    try:
        return os.read(file, 4096)
    finally:
        os.close(file)


def _from_ps() -> Table:
    # Only systems without /proc pay for this import.
    import subprocess

    run = subprocess.run(
        ["ps", "-A", "-o", "pid=,ppid=,pgid=,stat=,lstart="], capture_output=True, text=True, check=False
    )
    table: Table = {}
    for line in run.stdout.splitlines():
        pid, parent, group, state, start = line.split(None, 4)
        if not state.startswith("Z"):
            table[int(pid)] = (int(parent), int(group), start)
    return table


def _kin(group: int, table: Table) -> dict[int, str]:
    """The group's members and all their descendants, in whatever group those are: id to start time."""
    children: dict[int, list[int]] = {}
    for pid, row in table.items():
        children.setdefault(row[0], []).append(pid)
    found: dict[int, str] = {}
    waiting = [pid for pid, row in table.items() if row[1] == group]
    while waiting:
        pid = waiting.pop()
        if pid not in found:
            found[pid] = table[pid][2]
            waiting.extend(children.get(pid, ()))
    return found


def _gone(group: int, kin: dict[int, str], limit: float) -> bool:
    """Whether the group and its kin are gone within `limit` seconds."""
    until = time.monotonic() + limit
    while _send_group(group, 0) or any(_send(pid, 0) for pid in kin):
        # What answers to signal 0 may be a zombie whose parent has not looked after it.
        table = processes()
        if not any(row[1] == group or kin.get(pid) == row[2] for pid, row in table.items()):
            break
        if time.monotonic() >= until:
            return False
        time.sleep(_POLL)
    return True


def _send_group(group: int, number: int) -> bool:
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _send(pid: int, number: int) -> bool:
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _watch(group: int) -> None:
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    while os.read(0, 64):
        pass
    finish(group)


if __name__ == "__main__":
    _watch(int(sys.argv[1]))
