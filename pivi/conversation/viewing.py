"""A session that is read without Pi: painted from its file, and kept as the file is."""

from __future__ import annotations

import asyncio

from pivi.conversation.editor import Editor, TroubleError
from pivi.conversation.front import Front, Phase
from pivi.conversation.options import Options
from pivi.conversation.screen import Screen
from pivi.sessions.watch import Watch
from pivi.view.icons import TABLES

_LOOK = 0.5
"""Seconds between two looks at the file."""
_READ_ONLY = "This is only read; :Pi resume takes it up."


class Viewing:
    """A session in a buffer, as `Conversation` is one, but nothing can be said in it.

    `leaf` is the id of the entry that is shown as the end of the conversation, "" for the one with which the
    file ends. `front`, `screen` and `read` are what a conversation takes over that goes on from here.
    """

    def __init__(self, number: int, editor: Editor, options: Options, cwd: str, leaf: str = "") -> None:
        self.number = number
        self.leaf = leaf
        self.front = Front(number, editor)
        self.front.status.cwd = cwd
        self.front.status.phase = "view"
        self.screen = Screen(TABLES[options.icons], self.front.patch, self._publish)
        self.read: asyncio.Task[None] | None = None
        self._following: asyncio.Task[None] | None = None

    @property
    def path(self) -> str:
        """The session's file."""
        return self.front.status.session_file

    @property
    def phase(self) -> Phase:
        return self.front.status.phase

    async def open(self, path: str, request: int, rows: int) -> None:
        """Paint the stored session. Raises `TroubleError`, OSError: the file or the leaf can't be had."""
        if self.leaf:
            # Where another branch leaves the file's own is known only from all of it.
            header = await self.screen.read_again(path)
            self.leaf = self.screen.go_to(self.leaf)
        else:
            header = self.screen.read_tail(path, rows)
        watch = Watch(path, self.screen.mark)
        self.front.status.session_id, self.front.status.session_file = header.id, path
        self.front.view = self.leaf
        self.front.open(request, self.screen.transcript.name)
        self.screen.paint(rows)
        self._publish("PiviPainted")
        self.read = self.front.spawn("reading", self._read_rest())
        self._following = self.front.spawn("following", self._follow(self.read, watch))

    async def _read_rest(self) -> None:
        try:
            await self.screen.read_rest()
        except TroubleError as error:
            self.front.status.error = str(error)
            self.front.say("error", str(error))
            self._publish()
        except Exception:
            self.front.status.error = self.screen.trouble
            self._publish()
            raise

    def hand_over(self) -> None:
        """A conversation goes on with `front` and `screen`; what is still to be read is read for it."""
        self.front.view = None
        if self._following is not None:
            self._following.cancel()

    def _publish(self, *events: str) -> None:
        # Nobody but the file tells, which may change.
        self.front.status.session_name = self.front.status.model = self.front.status.thinking = None
        self.front.publish(self.screen, *events)

    # The file, as it changes

    async def _follow(self, read: asyncio.Task[None], watch: Watch) -> None:
        await asyncio.wait({read})
        if read.cancelled():
            return
        if not self.screen.trouble:
            self._publish("PiviBackfilled")
        while True:
            await asyncio.sleep(_LOOK)
            # What could not be read may be readable again without a change that could be seen.
            if watch.changed() or self.screen.trouble:
                await self._catch_up()

    async def _catch_up(self) -> None:
        status, before = self.front.status, self.screen.trouble
        try:
            await self.screen.follow()
        except TroubleError as error:
            status.error = before or str(error)
        except OSError:
            status.error = before or "The session's file is gone; what was read of it is shown."
        else:
            status.error = ""
            if self.leaf:
                self.screen.go_to(self.leaf)
            self.screen.update()
            if before:
                self._publish("PiviBackfilled")
                return
        if not before:
            self._publish()

    # What the editor asks for

    def repaint(self, rows: int) -> None:
        """The buffer lost its text: paint it anew."""
        self.screen.paint(rows)
        self.front.spawn("filling", self.screen.fill())

    async def send(self, text: str, key: int, options: Options) -> None:
        """Raises `TroubleError`."""
        raise TroubleError(_READ_ONLY)

    async def abort(self) -> None:
        """Raises `TroubleError`."""
        raise TroubleError(_READ_ONLY)

    async def stop(self) -> None:
        """Raises `TroubleError`."""
        raise TroubleError(_READ_ONLY)

    def restart(self, options: Options) -> None:
        """Raises `TroubleError`."""
        raise TroubleError(_READ_ONLY)

    async def export_html(self, path: str) -> bool:
        """No Pi runs here that could write it."""
        return False

    async def rename(self, name: str) -> bool:
        """No Pi runs here that could name it."""
        return False

    # The end

    async def close(self) -> None:
        """The buffer is gone."""
        self.front.cancel()

    def kill_now(self) -> None:
        """For the host's own end: nothing runs here."""
