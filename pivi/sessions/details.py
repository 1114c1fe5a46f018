"""What the list shows of a session's inside: its name, first prompt and number of messages."""

from __future__ import annotations

import os
from collections.abc import Iterator

from . import jsontext
from .files import open_regular
from .wording import tidy

_CHUNK = 1 << 20
# A record longer than this is counted, but no longer looked into for a prompt or a name.
_LONGEST_KEPT = 1 << 24

# Pi writes a record's type first. Other writers' lines take the slower way.
_RECORD = b'{"type":"'
_MESSAGE = b'{"type":"message"'
_INFO = b'{"type":"session_info"'


class Details:
    """Gathers the details of one session from pieces of its file, given in order.

    `name` is the latest one set, None where there is none or it was cleared; `prompt` the first prompt a
    human wrote, in one tidy line; `messages` counts message records of all branches, as Pi does.
    """

    def __init__(self) -> None:
        self.name: str | None = None
        self.prompt: str | None = None
        self.messages = 0
        self._pieces: list[bytes] = []
        self._kept = 0

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the file."""
        start = 0
        if self._pieces:
            end = data.find(b"\n")
            if end < 0:
                self._keep(data)
                return
            self._keep(data[:end])
            self.finish()
            start = end + 1
        find, startswith = data.find, data.startswith
        while (end := find(b"\n", start)) >= 0:
            if startswith(_MESSAGE, start):
                self.messages += 1
                if self.prompt is None and find(b'"user"', start, end) >= 0:
                    self._look(data[start:end])
            elif startswith(_INFO, start) or (end - start > 1 and not startswith(_RECORD, start)):
                self._line(data[start:end])
            start = end + 1
        if start < len(data):
            self._keep(data[start:])

    def finish(self) -> None:
        """Take what was fed last as a whole line; at the end of the file it has no line feed."""
        line, too_long = b"".join(self._pieces), self._kept > _LONGEST_KEPT
        self._pieces, self._kept = [], 0
        if too_long:
            self.messages += line.startswith(_MESSAGE)
        elif line:
            self._line(line)

    def _keep(self, piece: bytes) -> None:
        self._kept += len(piece)
        if self._kept <= _LONGEST_KEPT or not self._pieces:
            self._pieces.append(piece)
        else:
            del self._pieces[1:]

    def _line(self, line: bytes) -> None:
        if line.startswith(_MESSAGE):
            self.messages += 1
            if self.prompt is None and b'"user"' in line:
                self._look(line)
        elif line.startswith(_INFO) or not line.startswith(_RECORD):
            self._look(line, count=True)

    def _look(self, line: bytes, count: bool = False) -> None:
        try:
            record = jsontext.parse(line)
        except ValueError:
            return
        if not isinstance(record, dict):
            return
        kind = record.get("type")
        if kind == "session_info":
            name = record.get("name")
            self.name = (tidy(name) or None) if isinstance(name, str) else None
        elif kind == "message":
            self.messages += count
            message = record.get("message")
            if self.prompt is None and isinstance(message, dict) and message.get("role") == "user":
                self.prompt = tidy(_text(message.get("content"))) or None


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = (part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text")
    return " ".join(text for text in texts if isinstance(text, str))


def read_details(path: str, details: Details) -> Iterator[None]:
    """Feed `details` from the file at `path`, yielding after each piece so that a caller can pause or stop.

    Raises OSError where the file can't be read.
    """
    descriptor, _ = open_regular(path)
    try:
        offset = 0
        while data := os.pread(descriptor, _CHUNK, offset):
            offset += len(data)
            details.feed(data)
            yield
        details.finish()
    finally:
        os.close(descriptor)
