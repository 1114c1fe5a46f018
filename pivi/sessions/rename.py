"""Naming a session that no Pi has open: one record is appended to its file, as Pi would."""

from __future__ import annotations

import os
import re
import secrets
from datetime import datetime, timezone

import msgspec

from .files import check_regular, hold
from .finding import entry_at
from .headers import NoSessionError, require_header
from .last import last_record
from .reading import ends_a_line
from .seen import RefusedError, Seen
from .wording import shown

_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY


def rename(path: str, name: str, seen: Seen) -> None:
    """Give the session in the file a name; a blank one takes it away.

    The file is never made, its bytes are left as they are, and so is its time, by which `pi --continue`
    chooses. Raises RefusedError where it is not as it was seen, OSError.
    """
    title = re.sub(r"[\r\n]+", " ", name).strip().encode("utf-8", "replace").decode()
    try:
        version = require_header(path).version
    except NoSessionError:
        raise RefusedError(f"This is no session that could be named: {shown(path)}.") from None
    if version < 2:
        raise RefusedError(f"An old Pi wrote it; resume it once, then name it: {shown(path)}.")
    ident = _new_id(path)
    check_regular(path)
    descriptor = os.open(path, _FLAGS)
    try:
        held = hold(descriptor, path)
        parent = _last_id(path)
        record = {"type": "session_info", "id": ident, "parentId": parent, "timestamp": _now(), "name": title}
        state = os.fstat(descriptor)
        torn = not ends_a_line(path, state.st_size)
        line = b"\n" * torn + msgspec.json.encode(record) + b"\n"
        if not held or not seen.is_still(state):
            raise RefusedError(f"Not named, it has changed meanwhile; try again: {shown(path)}.")
        if os.write(descriptor, line) != len(line):
            raise OSError(f"the name could not be written whole to {shown(path)}")
        os.utime(descriptor, ns=(state.st_atime_ns, state.st_mtime_ns))
    finally:
        os.close(descriptor)


def _last_id(path: str) -> str | None:
    """The id of the last entry, None where there is none. Raises RefusedError, OSError."""
    record = last_record(path)
    if isinstance(record, dict) and record.get("type") == "session":
        return None
    ident = record.get("id") if isinstance(record, dict) else None
    if not isinstance(ident, str):
        raise RefusedError(f"Not named, the last record has no id: {shown(path)}.")
    return ident


def _new_id(path: str) -> str:
    """Eight hexadecimal digits that no entry of the file has."""
    while True:
        ident = secrets.token_hex(4)
        if max(entry_at(path, ident), default=-1) < 0:
            return ident


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
