"""Sessions that are large in one way or another."""

from __future__ import annotations

import base64
import random
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.bench.sessions import Writer, words
from tests.support.entries import HEADER, Line, answer, call, message, raw, result, user

MB = 1 << 20
Write = Callable[[Path, Path], int]
"""Writes a session into a file, for a directory; how many entries it has."""


def one_text(path: Path, cwd: Path) -> int:
    """Small turns, and among them one output of 11 MB in many lines."""
    rng = random.Random(7)
    lines: list[str] = []
    size = 0
    while size < 11 * MB:
        lines.append(words(rng, 12))
        size += len(lines[-1]) + 1
    return _write(path, cwd, _with("\n".join(lines)))


def one_line(path: Path, cwd: Path) -> int:
    """The same, the output a single line."""
    return _write(path, cwd, _with("word " * (11 * MB // 5)))


def tiny(path: Path, cwd: Path) -> int:
    """111,000 messages of a few bytes."""

    def messages() -> Iterator[Line]:
        for n in range(111_000):
            own, parent = _id(n), _id(n - 1) if n else None
            yield _answer(own, parent, f"done {n}") if n % 2 else user(own, parent, f"go on {n}")

    return _write(path, cwd, messages())


def images(path: Path, cwd: Path) -> int:
    """150 prompts with an image each, of 1 MB in base64."""
    data = base64.b64encode(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\2\x80\0\0\1\xe0" + b"\x07" * 750_000).decode()
    image = {"type": "image", "mimeType": "image/png", "data": data}

    def messages() -> Iterator[Line]:
        for n in range(150):
            parts = [{"type": "text", "text": f"look {n}"}, image]
            yield message(_id(2 * n), _id(2 * n - 1) if n else None, "user", parts)
            yield _answer(_id(2 * n + 1), _id(2 * n), f"seen {n}")

    return _write(path, cwd, messages())


def large(path: Path, cwd: Path) -> int:
    """200 MB of turns."""
    return Writer(path, 200 * MB, cwd).entries


HARD: dict[str, Write] = {
    "200 MB": large,
    "one text of 11 MB": one_text,
    "one line of 11 MB": one_line,
    "111,000 tiny entries": tiny,
    "150 images of 1 MB": images,
}


def _with(output: str) -> Iterator[Line]:
    parent = None
    for n in range(0, 800, 4):
        yield user(_id(n), parent, f"prompt {n}")
        yield _answer(_id(n + 1), _id(n), call(f"c{n}"), stop="toolUse")
        yield result(_id(n + 2), _id(n + 1), f"c{n}", output if n == 400 else f"output {n}\n" * 5)
        yield _answer(_id(n + 3), _id(n + 2), f"answer {n}")
        parent = _id(n + 3)


def _answer(own: str, parent: str | None, said: Line | str, stop: str = "stop") -> Line:
    """By the model that Pi has here: of another one it would complain."""
    return answer(own, parent, said, stop=stop, provider="fake", model="fake-1")


def _id(number: int) -> str:
    return f"{number:08x}"


def _write(path: Path, cwd: Path, entries: Iterator[Line]) -> int:
    count = 0
    with path.open("wb") as file:
        file.write(raw({**HEADER, "id": "00000000-0000-7000-8000-000000000000", "cwd": str(cwd)})[0] + b"\n")
        for entry in entries:
            file.write(raw(entry)[0] + b"\n")
            count += 1
    return count
