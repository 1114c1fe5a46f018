"""Reading one session file for the list: its header and its facts, from where an earlier reading ended."""

from __future__ import annotations

import os
from collections.abc import Generator

import msgspec

from .details import Details, read, sealed
from .facts import Facts
from .files import open_regular
from .headers import DISCOVERY_BYTES, scan_header
from .known import Known


def examine(path: str, known: Known | None) -> Generator[None, None, Known]:
    """What the file holds now, yielding after each piece so that a caller can pause or stop.

    `known` is from an earlier reading: where its bytes are still there, only what follows is read. Raises
    OSError where the file can't be read.
    """
    descriptor, state = open_regular(path)
    try:
        header, facts = (known.header, known.facts) if known is not None else (None, None)
        before = None
        if header is not None and facts is not None and known is not None:
            before = _before(descriptor, state, known, facts)
        if facts is None or before is None:
            header, facts = scan_header(descriptor, DISCOVERY_BYTES), Facts()
        if header is None:
            return Known(state.st_size, state.st_mtime_ns, state.st_ino, None)
        # The cache's own stay as they are until the reading is done.
        details = Details(msgspec.structs.replace(facts, ends=list(facts.ends)), before or b"")
        yield from read(descriptor, details, state.st_size)
        torn = details.torn
        details.finish()
    finally:
        os.close(descriptor)
    return Known(state.st_size, state.st_mtime_ns, state.st_ino, header, details.facts, torn)


def _before(descriptor: int, state: os.stat_result, known: Known, facts: Facts) -> bytes | None:
    """The end of what was read before; None where the file did not just grow since."""
    same_file = known.inode == state.st_ino and known.size <= state.st_size and not known.torn
    return sealed(descriptor, facts) if same_file else None
