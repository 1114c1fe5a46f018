"""Writing a session elsewhere: as Markdown by us, as HTML by Pi."""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Protocol

from pivi.conversation.editor import TroubleError
from pivi.conversation.options import Options
from pivi.conversation.screen import Screen
from pivi.pi import probe
from pivi.pi.launch import New, build
from pivi.sessions.headers import read_header
from pivi.sessions.wording import shown as shown_path
from pivi.view.icons import TABLES
from pivi.view.markdown import document, plain

_SLICE = 1 << 20
"""Characters that are written before others get their turn."""
_LIMIT = 120.0
"""Seconds that Pi has to write HTML."""


class Shown(Protocol):
    """A session that has been read, or is being read."""

    @property
    def screen(self) -> Screen:
        """What is known of it."""

    @property
    def path(self) -> str:
        """Its file, "" where it has none."""

    async def export_html(self, path: str) -> bool:
        """Have its Pi write it; False where none runs."""


class Closed:
    """A session that nobody shows, as its file has it."""

    def __init__(self, path: str, options: Options) -> None:
        self.path = path
        self.screen = Screen(TABLES[options.icons], lambda number, patch: None, lambda: None)

    async def read(self) -> None:
        """Raises `TroubleError`, OSError."""
        await self.screen.read_again(self.path)
        self.screen.all_read.set()

    async def export_html(self, path: str) -> bool:
        """No Pi runs here that could write it."""
        return False


async def export_closed(session: str, path: str, options: Options, *, force: bool) -> None:
    """As `export`, of the session in the file `session`. Raises `PiError`."""
    closed = Closed(session, options)
    try:
        await closed.read()
    except OSError as error:
        raise TroubleError(
            f"The session can't be read, {error.strerror or error}: {shown_path(session)}."
        ) from error
    await export(closed, path, options, force=force, bare=False)


async def export(shown: Shown, path: str, options: Options, *, force: bool, bare: bool) -> None:
    """Write the session to the file at `path` (absolute): HTML where it ends so, else Markdown.

    `bare`: the buffer's text and nothing else, whatever the file's name. `force`: over a file that is there,
    but never over a session. Raises `PiError`.
    """
    _refuse(path, force)
    await shown.screen.all_read.wait()
    try:
        icons, blocks = TABLES[options.icons], shown.screen.blocks()
        if bare:
            await _write(path, plain(blocks, icons))
        elif path.endswith((".html", ".htm")):
            await _html(shown, path, options)
        else:
            await _write(path, document(blocks, icons, shown.screen.transcript.model))
    except OSError as error:
        raise TroubleError(f"It can't be written, {error.strerror or error}: {shown_path(path)}.") from error


def _refuse(path: str, force: bool) -> None:
    if read_header(path) is not None or path.endswith(".jsonl"):
        raise TroubleError(f"A session's file is not written over; give another name: {shown_path(path)}.")
    if os.path.lexists(path) and not force:
        raise TroubleError(f"The file exists; add ! to write over it: {shown_path(path)}.")


async def _write(path: str, pieces: Iterable[str]) -> None:
    with _replacing(path) as file:
        size = 0
        for piece in pieces:
            file.write(piece)
            size += len(piece)
            if size > _SLICE:
                size = 0
                await asyncio.sleep(0)


@contextmanager
def _replacing(path: str) -> Iterator[IO[str]]:
    """A file that takes the place of the one at `path` when all is written, and is gone where that fails."""
    path = os.path.realpath(path)
    there = os.path.exists(path)
    new = os.path.join(os.path.dirname(path), f".pivi-{secrets.token_hex(8)}")
    # Nobody may read what comes in the place of a file that they may not read.
    descriptor = os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600 if there else 0o666)
    try:
        with open(descriptor, "w", encoding="utf-8", errors="replace", newline="\n") as file:
            yield file
        if there:
            shutil.copymode(path, new)
        os.replace(new, path)
    except BaseException:
        os.unlink(new)
        raise


async def _html(shown: Shown, path: str, options: Options) -> None:
    if await shown.export_html(path):
        return
    if not shown.path:
        raise TroubleError("Not stored, so only a running Pi exports it: :Pi restart.")
    pi = options.pi
    with tempfile.TemporaryDirectory() as folder:
        # Pi migrates an old file that it opens: ours stays as it is.
        copy = await asyncio.to_thread(shutil.copy, shown.path, folder)
        launch = build(pi.command, pi.args, dict(pi.env), New(), folder)
        new = os.path.join(folder, "session.html")
        argv = [*launch.command, "--export", copy, new]
        said = await probe.output(argv, launch.env, folder, _LIMIT, errors=True)
        if not await asyncio.to_thread(_taken, new, path):
            raise TroubleError(f"Pi did not export the session: {(said or '').strip() or 'it said nothing'}")


def _taken(new: str, path: str) -> bool:
    """Copy `new` to `path` where it is there."""
    if not os.path.exists(new):
        return False
    shutil.copyfile(new, path)
    return True
