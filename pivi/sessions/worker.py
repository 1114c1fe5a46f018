"""A process that reads session files for another: work comes on stdin, what it found goes to stdout.

Both are MessagePack behind its length in four bytes. It ends with its parent.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Generator
from typing import Any, BinaryIO, Final, TypeVar

import msgspec

from .examining import examine
from .known import Known
from .scan import Hit, scan
from .sought import Matcher, Sought

LENGTH = 4
ORDER: Final = "big"

T = TypeVar("T")
Files = list[tuple[str, Known | None]]
"""Paths, and what is known of each file."""


class Examine(msgspec.Struct, tag=True):
    """Read these files. The answer: a Known or None for each."""

    files: Files


class Scan(msgspec.Struct, tag=True):
    """Search these files. The answer: a Found or None for each.

    The process ends by SIGVTALRM where a piece of a file takes more than `patience`, in seconds of computing.
    """

    files: Files
    sought: Sought
    patience: float = 20.0


class Found(msgspec.Struct, array_like=True):
    """Hits in a file; where there are any, what is known of it, read anew if it was not."""

    hits: list[Hit]
    known: Known | None


Order = Examine | Scan


def work(order: Order) -> list[Any]:
    """Do it here. A file that can't be read gives None."""
    if isinstance(order, Examine):
        return [_tried(examine(path, known)) for path, known in order.files]
    matcher = Matcher(order.sought)
    return [_searched(path, known, matcher, order.patience) for path, known in order.files]


def _searched(path: str, known: Known | None, matcher: Matcher, patience: float) -> Found | None:
    hits = _tried(scan(path, matcher), patience)
    if hits and (known is None or known.facts is None):
        known = _tried(examine(path, known))
    return None if hits is None else Found(hits, known if hits else None)


def _tried(steps: Generator[None, None, T], patience: float = 0.0) -> T | None:
    try:
        while True:
            # A pattern that tries for ever lets no code of ours run, not even when the parent is gone.
            signal.setitimer(signal.ITIMER_VIRTUAL, patience)
            next(steps)
            _live_with_parent()
    except StopIteration as end:
        result: T = end.value
        return result
    except OSError:
        return None
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


_parent = os.getppid()


def _live_with_parent() -> None:
    if os.getppid() != _parent:
        os._exit(1)


def main() -> None:
    """Work until stdin ends."""
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    decode = msgspec.msgpack.Decoder(Order).decode
    while head := source.read(LENGTH):
        order = decode(source.read(int.from_bytes(head, ORDER)))
        _answer(sink, msgspec.msgpack.encode(work(order)))


def _answer(sink: BinaryIO, text: bytes) -> None:
    sink.write(len(text).to_bytes(LENGTH, ORDER) + text)
    sink.flush()


if __name__ == "__main__":
    main()
