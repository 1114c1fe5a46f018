"""Records cut out of a stream of bytes: one JSON text a line, ended by LF and by nothing else."""

from __future__ import annotations


class Framer:
    """Gathers bytes and gives back whole lines, without LF and without a CR before it.

    Only LF ends a line: U+2028, U+2029, U+0085 and their like are plain content of Pi's JSON strings.
    The work is linear in the number of bytes, whatever a line's length and the pieces' size.
    """

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """Take the next bytes; return the lines that they complete, in order."""
        # Only the new bytes are searched: a search from the start of the line is quadratic.
        head, newline, tail = data.partition(b"\n")
        self._rest += head
        if not newline:
            return []
        lines = [bytes(self._rest), *tail.split(b"\n")]
        self._rest = bytearray(lines.pop())
        return [line[:-1] if line.endswith(b"\r") else line for line in lines]

    def rest(self) -> bytes:
        """What came after the last LF; the framer is empty afterwards."""
        rest = bytes(self._rest)
        self._rest = bytearray()
        return rest
