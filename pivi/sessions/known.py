"""What was read of a session file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from .facts import Facts
from .headers import Header

if TYPE_CHECKING:  # a reading process needs no more than this
    from .listing import File


class Known(msgspec.Struct, array_like=True, gc=False):
    """What was read of one file when it had this size and these times; `header` None: it is no session.

    `facts` None: only its head was read. `torn`: its last line had no line feed and counts in the facts.
    """

    size: int
    mtime_ns: int
    inode: int
    header: Header | None
    facts: Facts | None = None
    torn: bool = False

    def is_of(self, file: File) -> bool:
        """Is the file still as it was?"""
        return self.mtime_ns == file.mtime_ns and self.size == file.size and self.inode == file.inode
