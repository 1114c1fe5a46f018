"""The header of a session file: its first record, and whether Pi would accept the file by it."""

from __future__ import annotations

import errno
import os
from datetime import datetime
from typing import Literal

import msgspec

from pivi.pi.tolerant import whole

from . import jsontext
from .files import open_regular

Reason = Literal["missing", "directory", "special", "unreadable", "empty", "no session"]

# Pi looks for a header in the first MiB when it searches a directory; a file named by path it reads whole.
DISCOVERY_BYTES = 1 << 20

_REASONS: dict[int, Reason] = {
    errno.ENOENT: "missing",
    errno.ENOTDIR: "missing",
    errno.ELOOP: "missing",
    errno.ENAMETOOLONG: "missing",
    errno.EISDIR: "directory",
    errno.EINVAL: "special",
    errno.ENXIO: "special",
}

_FIRST_READ = 4096
_LATER_READ = 1 << 18
_LAST_VERSION = 1 << 31
# A line that can only be a header is read on up to here; no real one comes near.
_LONGEST_LINE = 1 << 26


class Header(msgspec.Struct, frozen=True, gc=False):
    """What a session says of itself.

    `cwd` is None where the header has none (Pi then runs in its own directory). `version` is 1 where it is
    absent and 0 where it is no count. `created` is in seconds since 1970, None where it is unreadable.
    `end` is the offset in bytes behind the header's line.
    """

    id: str
    cwd: str | None
    version: int
    created: float | None
    parent: str | None
    end: int


class NoSessionError(Exception):
    """A file that Pi would not open as a session; `reason` says why."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason: Reason = reason


def read_header(path: str, skip: int = DISCOVERY_BYTES) -> Header | None:
    """The header of the session at `path`, or None where Pi would not take the file for a session.

    Like Pi, blank and unparsable lines before the header are passed over, up to `skip` bytes of them; the
    header's own line may be of any length. Never waits on a pipe, never writes.
    """
    try:
        return require_header(path, skip)
    except NoSessionError:
        return None


def require_header(path: str, skip: int = _LONGEST_LINE) -> Header:
    """Like `read_header`, but raises NoSessionError with the reason."""
    try:
        descriptor, state = open_regular(path)
    except OSError as error:
        raise NoSessionError(_REASONS.get(error.errno or 0, "unreadable")) from None
    except ValueError:  # a NUL in the path
        raise NoSessionError("missing") from None
    try:
        if state.st_size == 0:
            raise NoSessionError("empty")
        header = scan_header(descriptor, skip)
    except OSError:
        raise NoSessionError("unreadable") from None
    finally:
        os.close(descriptor)
    if header is None:
        raise NoSessionError("no session")
    return header


def scan_header(descriptor: int, skip: int = DISCOVERY_BYTES) -> Header | None:
    """The header read from an open file, from its beginning; the descriptor's position is not used."""
    pieces: list[bytes] = []
    start = offset = 0
    want = _FIRST_READ
    while True:
        data = os.pread(descriptor, want, offset)
        begin = 0
        while (end := data.find(b"\n", begin)) >= 0:
            pieces.append(data[begin:end])
            begin = end + 1
            header = _candidate(b"".join(pieces), offset + begin)
            if header is not _PASS_OVER:
                return header
            pieces.clear()
            start = offset + begin
        offset += len(data)
        if not data:
            last = _candidate(b"".join(pieces), offset)
            return None if last is _PASS_OVER else last
        if begin < len(data):
            pieces.append(data[begin:])
        if not _worth_reading_on(pieces[0] if pieces else b"", start, offset, skip):
            return None
        want = min(max(want * 2, _FIRST_READ), _LATER_READ)


def _worth_reading_on(line_head: bytes, start: int, offset: int, skip: int) -> bool:
    if line_head.lstrip(b" \t\r")[:1] in (b"{", b""):
        return start <= skip and offset - start <= _LONGEST_LINE
    return offset <= skip


_PASS_OVER = Header("", None, 0, None, None, 0)


def _candidate(line: bytes, end: int) -> Header | None:
    """`_PASS_OVER` for a line that Pi ignores, None for a record that is no header."""
    if not line or line.isspace():
        return _PASS_OVER
    try:
        value = jsontext.parse(line)
    except ValueError:
        return _PASS_OVER
    if value in (None, False, 0, ""):
        return _PASS_OVER
    if not isinstance(value, dict) or value.get("type") != "session":
        return None
    return _header(value, end)


def _header(value: dict[str, object], end: int) -> Header | None:
    ident, cwd = value.get("id"), value.get("cwd")
    # Early versions had another name for it, which Pi passes over.
    parent = value.get("parentSession") or value.get("branchedFrom")
    version = value.get("version", 1)
    if not isinstance(ident, str):
        return None
    return Header(
        id=whole(ident),
        cwd=whole(cwd) if isinstance(cwd, str) else None,
        version=1 if version is None else _whole_number(version),
        created=seconds(value.get("timestamp")),
        parent=whole(parent) if isinstance(parent, str) else None,
        end=end,
    )


def _whole_number(value: object) -> int:
    return min(value, _LAST_VERSION) if type(value) is int and value >= 0 else 0


def seconds(timestamp: object) -> float | None:
    """Seconds since 1970 of a stored ISO time; None for anything else."""
    if not isinstance(timestamp, str):
        return None
    try:
        # Python 3.10 does not know the Z.
        return datetime.fromisoformat(timestamp.replace("Z", "+00:00")).timestamp()
    except (ValueError, OverflowError, OSError):
        return None
