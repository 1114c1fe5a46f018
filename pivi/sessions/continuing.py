"""Foretelling which session `pi --continue` takes."""

from __future__ import annotations

import os
import stat

from .files import open_regular
from .headers import DISCOVERY_BYTES, Header, read_header
from .location import Location
from .paths import is_utf8, node_text, real, resolve

# Pi compares times as floating point milliseconds; nearer ones may count as equal there.
_CLOSE_NS = 2000


def continue_takes(path: str, cwd: str, location: Location) -> bool:
    """Whether `pi --continue`, started in `cwd` now, would take exactly this file and leave its bytes alone.

    False wherever that is not certain: it is always right to name the file by `--session` then. Pi takes the
    newest readable session; in a bucket it does not look whose it is, and one name that it can't `stat` makes
    it start a new session. Reads only.
    """
    own = real(cwd)
    header = read_header(path)
    if header is None or not _fits(header, own, location) or not _left_alone(path, header):
        return False
    files = _by_time(location.dir)
    if files is None or (not location.flat and _moved_at_start(location.agent_dir)):
        return False
    wanted, ours = real(path), None
    for time, file, is_regular in files:
        if ours is not None and ours - time > _CLOSE_NS:
            break
        if ours is None and real(file) == wanted:
            ours = time
        elif not _passed_over(file, is_regular, own, location):
            return False
    return ours is not None


def _fits(header: Header, own: str, location: Location) -> bool:
    """Pi compares the header's directory by spelling; only a header it finds within its limit counts."""
    if not header.cwd or header.end > DISCOVERY_BYTES:
        return False
    return resolve(header.cwd, own, location.home) == own == node_text(own)


def _left_alone(path: str, header: Header) -> bool:
    """Pi migrates old versions and closes a torn last line when it opens a file."""
    if header.version < 3:
        return False
    try:
        descriptor, state = open_regular(path)
    except (OSError, ValueError):
        return False
    try:
        return os.pread(descriptor, 1, state.st_size - 1) == b"\n"
    except OSError:
        return False
    finally:
        os.close(descriptor)


def _by_time(folder: str) -> list[tuple[int, str, bool]] | None:
    """Time, path and whether it is a regular file, newest first; None where Pi would give up."""
    found: list[tuple[int, str, bool]] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(".jsonl"):
                    if not is_utf8(entry.name):
                        return None
                    state = entry.stat()
                    found.append((state.st_mtime_ns, entry.path, stat.S_ISREG(state.st_mode)))
    except OSError:
        return None
    found.sort(key=lambda item: item[0], reverse=True)
    return found


def _passed_over(file: str, is_regular: bool, own: str, location: Location) -> bool:
    """Whether Pi surely passes over a newer file: a directory, no session, a flat directory's neighbour."""
    if not is_regular:
        return os.path.isdir(file)
    if not os.access(file, os.R_OK):
        return False
    header = read_header(file)
    if header is None or header.end > DISCOVERY_BYTES:
        return True
    if not location.flat or header.cwd is None:
        return location.flat
    return header.cwd == "" or resolve(header.cwd, own, location.home) != own


def _moved_at_start(agent_dir: str) -> bool:
    """Pi moves session files from the agent directory itself into buckets before it looks for one."""
    try:
        with os.scandir(agent_dir) as entries:
            return any(entry.name.endswith(".jsonl") for entry in entries)
    except OSError:
        return False
