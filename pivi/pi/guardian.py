"""The end of a process group, in order: wait, SIGTERM, SIGKILL.

Used from inside the host, and run as a script of its own beside each Pi: there it waits until the
pipe on its stdin closes, which happens however the host dies, and then ends Pi's group. It imports
nothing but the standard library, since it runs with `-I -S` to be up in a few milliseconds.

There is no parent-death signal. It would go to Pi alone, and a Pi that is killed leaves the
commands of its tools running: each of them has a process group of its own, and only Pi's orderly end
finds them all. So Pi is given time to end, and its descendants are noted before it goes. Of a Pi that
somebody else kills they are init's children at once, and nothing tells whose they were: the host notes
them while a tool runs (`descendants`).
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

Kin = dict[int, str]
"""Processes: id to start time."""


def finish(group: int, grace: float = GRACE, noted: Kin | None = None) -> None:
    """End the process group, all descendants of its members and those noted; return when they are gone.

    Blocks for three times `grace` seconds at most. The caller has closed their stdin.
    """
    noted = noted or {}
    kin = _all_kin(group, noted, processes())
    for number in (signal.SIGTERM, signal.SIGKILL):
        if _gone(group, kin, grace):
            return
        now = processes()
        kin.update(_all_kin(group, noted, now))
        _send_group(group, number)
        for pid, start in kin.items():
            # The id may belong to another process by now.
            if pid in now and now[pid][2] == start:
                _send(pid, number)
    _gone(group, kin, grace)


def descendants(pid: int) -> Kin:
    """The living descendants of a process, itself not among them; none where it has ended."""
    if not os.access(f"/proc/self/task/{os.getpid()}/children", os.R_OK):
        table = processes()
        return _below([pid], table) if pid in table else {}
    found: Kin = {}
    waiting = _children(pid)
    while waiting:
        child = waiting.pop()
        try:
            start = _row(_read(f"/proc/{child}/stat"))
        except OSError:
            continue
        if start is not None and child not in found:
            found[child] = start[2]
            waiting += _children(child)
    return found


def alive(noted: Kin) -> bool:
    """Whether any of these is still there."""
    if not any(_send(pid, 0) for pid in noted):
        return False
    table = processes()
    return any(pid in table and table[pid][2] == start for pid, start in noted.items())


def _children(pid: int) -> list[int]:
    found: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            found += map(int, _read(f"/proc/{pid}/task/{thread}/children").split())
    except OSError:
        # It has ended meanwhile, or one of its threads has; the others' children are looked at again soon.
        return found
    return found


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
        row = _row(stat)
        if row is not None:
            table[int(name)] = row
    return table


def _row(stat: bytes) -> tuple[int, int, str] | None:
    # The name of the program is in parentheses and may hold anything.
    fields = stat[stat.rfind(b")") + 2 :].split()
    if not fields or fields[0] in (b"Z", b"X"):
        return None
    return int(fields[1]), int(fields[2]), fields[19].decode()


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


def _all_kin(group: int, noted: Kin, table: Table) -> Kin:
    """The group's members, those noted, and all their descendants, in whatever group those are."""
    roots = [pid for pid, row in table.items() if row[1] == group or noted.get(pid) == row[2]]
    return {pid: table[pid][2] for pid in roots} | _below(roots, table)


def _below(roots: list[int], table: Table) -> Kin:
    children: dict[int, list[int]] = {}
    for pid, row in table.items():
        children.setdefault(row[0], []).append(pid)
    found: Kin = {}
    waiting = [child for root in roots for child in children.get(root, ())]
    while waiting:
        pid = waiting.pop()
        if pid not in found:
            found[pid] = table[pid][2]
            waiting.extend(children.get(pid, ()))
    return found


def _gone(group: int, kin: Kin, limit: float) -> bool:
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
