"""What a conversation shows: the stored transcript, the live blocks behind it, how far both are painted."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence

import msgspec

from pivi.conversation.editor import TroubleError
from pivi.conversation.output import Opened, opened
from pivi.pi.records import Header, decode_entry, decode_lines
from pivi.sessions.headers import NoSessionError
from pivi.sessions.reading import (
    Fingerprint,
    Tail,
    ends_a_line,
    fingerprint,
    header_line,
    read_lines,
    read_tail,
)
from pivi.sessions.wording import shown
from pivi.transcript.blocks import Block, Notice, Outcome, Prompt, Title, ToolCall
from pivi.transcript.files import Touched, touched
from pivi.transcript.live import Live
from pivi.transcript.stored import Transcript
from pivi.view.icons import Icons
from pivi.view.painter import Painter
from pivi.view.patch import Patch

_TAIL = 1 << 18
"""Bytes of the file's end that are read for the first screen."""
_SLICE = 500
"""Entries that are taken in before others get their turn."""
_STEP = 10
"""Percent between two reports of how far the reading is."""


class Screen:
    """Reads and paints one session.

    `send` takes numbered patches, `progressed` is called as `reading` changes. `settled` tells whether the
    last section grows no more; its owner keeps it. `reading` is how much of the session is painted, in
    percent, `None` once all is. `all_read` is set when the reading has ended; `trouble` says in a sentence
    why it ended too early, "" where all is read.
    """

    def __init__(
        self, icons: Icons, send: Callable[[int, Patch], None], progressed: Callable[[], None]
    ) -> None:
        self.settled = True
        self.reading: int | None = None
        self.transcript = Transcript(None)
        self.live = Live()
        self.all_read = asyncio.Event()
        self.trouble = ""
        self._path = ""
        self._header: Header | None = None
        self._tail: Tail | None = None
        self._mark: Fingerprint | None = None
        self._torn = False
        self.icons = icons
        self._painter = Painter(icons, send)
        self.progressed = progressed
        self._room = asyncio.Event()

    # From the file

    def read_tail(self, path: str, rows: int) -> Header:
        """Read as much of the file's end as fills a window of `rows`. Raises `TroubleError`."""
        self._path = path
        self._header = stored_header(path)
        want = _TAIL
        while True:
            tail = read_tail(path, want)
            transcript = Transcript(self._header, partial=not tail.whole)
            transcript.extend(decode_lines(tail.lines))
            # Every block takes two rows at least, also where its fold is closed.
            if tail.whole or 2 * len(transcript.blocks()) >= rows:
                break
            want *= 8
        self.transcript, self._tail, self._mark, self.reading = transcript, tail, tail.mark, 0
        self._torn = tail.torn
        return self._header

    async def read_rest(self) -> None:
        """Read and paint what lies above the tail, and wait until the editor has been sent all of it.

        Raises `TroubleError` where the file can't be read any more, and keeps what it has of it.
        """
        tail = self._tail
        failure: Exception | None = None
        try:
            if tail is not None and not tail.whole:
                transcript = Transcript(self._header)
                await _extend(transcript, self._path, 0, tail.size)
                self.transcript = transcript
                self._painter.rest(self.blocks(), settled=self.settled)
        except OSError as error:
            self.trouble = (
                f"Only its end is shown, the rest can't be read, {error.strerror}: {shown(self._path)}."
            )
        except Exception as error:  # noqa: BLE001 - raised once what there is has been painted
            self.trouble = "Not read to its beginning: an error of pivi's, see :Pi log."
            failure = error
        finally:
            self._tail = None
            self.all_read.set()
        try:
            await self.fill()
        finally:
            self.reading = None
        if failure is not None:
            raise failure
        if self.trouble:
            raise TroubleError(self.trouble)

    async def read_again(self, path: str) -> Header:
        """The file alone is right now: what was live and is not stored is gone.

        Raises `TroubleError`, OSError.
        """
        header, mark = stored_header(path), fingerprint(path)
        transcript = Transcript(header)
        await _extend(transcript, path, 0, mark.size)
        self._path, self._header, self.transcript, self.live = path, header, transcript, Live()
        self._mark, self._torn = mark, not ends_a_line(path, mark.size)
        self.trouble = ""
        return header

    async def follow(self) -> None:
        """Take in what became of the file since: what was appended, or all of it where it was rewritten.

        Raises `TroubleError`, OSError.
        """
        change = self.mark.compare(self._path)
        if change == "gone":
            raise FileNotFoundError(self._path)
        if self.trouble:
            await self.read_again(self._path)
        elif change == "grown" and not self._torn:
            mark = fingerprint(self._path)
            await _extend(self.transcript, self._path, self.mark.size, mark.size)
            self._mark, self._torn = mark, not ends_a_line(self._path, mark.size)
        elif change != "same":
            await self.read_again(self._path)

    @property
    def mark(self) -> Fingerprint:
        """The file's state when it was read; there is none where all was told by Pi."""
        assert self._mark is not None
        return self._mark

    def go_to(self, entry_id: str) -> str:
        """Let an entry (its id, or a unique start of it) be the conversation's end; its whole id.

        Raises `TroubleError`.
        """
        found = self.transcript.ids(entry_id)
        if len(found) != 1:
            what = "more than one entry begins with" if found else "no entry has the id"
            raise TroubleError(f"In this session {what} {entry_id}.")
        self.transcript.move_leaf(found[0])
        return found[0]

    # From Pi

    def start(self, path: str, header: Header) -> None:
        """Show a session of which nothing is known but its header; `path` is "" where it has no file."""
        self._path, self._header, self.transcript = path, header, Transcript(header)
        self.all_read.set()

    @property
    def is_empty(self) -> bool:
        """Has nothing been said? A new session has its title and what Pi notes of its state."""
        return all(isinstance(block, (Title, Notice)) for block in self.transcript.blocks())

    @property
    def last_id(self) -> str | None:
        """The entry after which Pi is to be asked for more, `None` for all.

        Once Pi has told us of its entries, ours are Pi's; before that, only if the file is as it was read and
        Pi does not give its entries new ids, as it does in versions before 3.
        """
        if self.trouble:
            return None
        if self._mark is not None:
            known = self._header is not None and self._header.version >= 3
            if not known or self._mark.compare(self._path) not in ("same", "grown"):
                return None
        return self.transcript.last_id or None

    async def take(self, entries: Sequence[msgspec.Raw], *, all_of_them: bool) -> None:
        """Take in stored entries: those that follow, or all. Live blocks that they hold go."""
        if all_of_them and self._header is not None:
            # Whatever the file was, Pi's entries are of its own version.
            self._header = msgspec.structs.replace(self._header, version=3)
        transcript = Transcript(self._header) if all_of_them else self.transcript
        for start in range(0, len(entries), _SLICE):
            decoded = decode_lines(entries[start : start + _SLICE])
            transcript.extend(decoded)
            self.live.settle(decoded)
            if len(entries) > _SLICE:
                await asyncio.sleep(0)
        self.transcript, self._mark = transcript, None
        if all_of_them:
            self.trouble = ""
        self._complete_header()

    def _complete_header(self) -> None:
        """Pi tells of a new session by its id alone, and writes its file when something is said in it."""
        if self._header is not None and not self._header.timestamp and os.path.exists(self._path):
            self._header = self.transcript.header = stored_header(self._path)

    # Painting

    def paint(self, rows: int) -> None:
        """Paint into an emptied buffer what a window of `rows` shows first; `fill` goes on."""
        self._painter.first(self.blocks(), settled=self.settled, window_rows=rows)

    def update(self) -> None:
        """Paint what has changed."""
        self._painter.update(self.blocks(), settled=self.settled)

    async def fill(self) -> None:
        """Paint what is not painted yet, as fast as the editor takes it."""
        while True:
            while self._painter.behind:
                self._room.clear()
                await self._room.wait()
            if not self._painter.more():
                return
            percent = self._painter.page.percent
            if self.reading is not None and percent >= self.reading + _STEP:
                self.reading = percent
                self.progressed()
            await asyncio.sleep(0)

    async def updated(self) -> None:
        """Wait until all that has changed is sent: a large change waits for the editor."""
        while self._painter.updating:
            self._room.clear()
            await self._room.wait()

    def acknowledge(self, sequence: int) -> None:
        """The editor has applied patches up to this one."""
        self._painter.acknowledge(sequence)
        if not self._painter.behind or not self._painter.updating:
            self._room.set()

    def whole(self, number: int) -> Opened:
        """A block without any cut, or all of a tool's output where Pi's file of it is still there.

        Raises `TroubleError` for the number of no block.
        """
        try:
            block = self._painter.page.block(number)
        except KeyError:
            raise TroubleError("There is no such block any more.") from None
        if isinstance(block, ToolCall) and block.pending and (text := self.live.running.get(block.tool_id)):
            block = msgspec.structs.replace(block, outcome=Outcome(text))
        return opened(block)

    def running(self) -> list[tuple[int, str, str]]:
        """The tools that run: the number of their block, Pi's id of the call, their output so far."""
        running = {} if self.settled else self.live.running
        calls = self._painter.page.pending() if running else []
        return [(n, call.tool_id, running[call.tool_id]) for n, call in calls if call.tool_id in running]

    async def files(self) -> list[Touched]:
        """What was done to files, in the whole session: what is not read yet is waited for.

        Raises `TroubleError` where it can't be read.
        """
        await self.all_read.wait()
        if self.trouble:
            raise TroubleError(self.trouble)
        return touched(self.blocks())

    def locate(self, entry_id: str) -> list[int]:
        """The numbers of an entry's blocks; a result is in the block of its call. Where it has none, those of
        the nearest entry above it. Empty while it may still be painted.

        Raises `TroubleError`.
        """
        page = self._painter.page
        call = self.transcript.call_of(entry_id)
        number = page.number_of(call) if call else None
        own = ([] if number is None else [number]) + page.numbers_of(entry_id)
        if own or self.reading is not None:
            return own
        for key in self.transcript.above(entry_id):
            if numbers := page.numbers_of(key):
                return numbers
        raise TroubleError("That message is not in this transcript.")

    def said_since(self, entry_id: str) -> list[str]:
        """The prompts of the conversation behind an entry, "" for all; none for one that is not in it."""
        behind: set[str] = set()
        for key in self.transcript.above(self.transcript.leaf_id):
            if key == entry_id:
                break
            behind.add(key)
        else:
            if entry_id:
                return []
        prompts = (block for block in self.transcript.blocks() if isinstance(block, Prompt))
        return [block.text for block in prompts if block.key.rpartition("/")[0] in behind]

    def blocks(self) -> list[Block]:
        """All that is shown once it is painted."""
        return [*self.transcript.blocks(), *self.live.blocks(settled=self.settled)]


def stored_header(path: str) -> Header:
    """The header of the session in the file. Raises `TroubleError`."""
    try:
        entry = decode_entry(header_line(path))
    except (OSError, NoSessionError) as error:
        raise TroubleError(
            f"The session can't be read, {getattr(error, 'strerror', None) or error}: {shown(path)}."
        ) from error
    if not isinstance(entry, Header):
        raise TroubleError(f"This does not begin with a Pi session header: {shown(path)}.")
    return entry


async def _extend(transcript: Transcript, path: str, start: int, end: int) -> None:
    """Add what the file's lines from `start` to `end` (bytes) hold, in slices. Raises OSError."""
    for lines in read_lines(path, start=start, end=end):
        transcript.extend(decode_lines(lines))
        await asyncio.sleep(0)
