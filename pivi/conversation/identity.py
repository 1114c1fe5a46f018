"""Which session a conversation shows, and whether it is the one that Pi has."""

from __future__ import annotations

import os

from pivi.conversation.editor import TroubleError
from pivi.conversation.front import Front
from pivi.conversation.screen import Screen, stored_header
from pivi.conversation.turns import Turns
from pivi.pi.answers import State
from pivi.pi.errors import PiError
from pivi.pi.records import Header
from pivi.sessions.paths import real
from pivi.sessions.wording import shown


class Identity:
    """Keeps the session's id and file in the status of `front`, and `screen` in keeping with them."""

    def __init__(self, front: Front, screen: Screen, turns: Turns) -> None:
        self._front = front
        self._screen = screen
        self._turns = turns

    @property
    def _path(self) -> str:
        return self._front.status.session_file

    def take(self, session_id: str, path: str) -> None:
        """This session is shown."""
        self._front.status.session_id, self._front.status.session_file = session_id, path

    def file(self, state: State) -> str:
        """The file of Pi's session, "" where it has none."""
        return os.path.join(self._front.status.cwd, state.session_file) if state.session_file else ""

    def verify(self, state: State) -> None:
        """Before anything is sent: is it the session that was painted? Raises `PiError`."""
        file = self.file(state)
        if state.session_id == self._front.status.session_id and file and real(file) == real(self._path):
            return
        raise PiError(
            "Nothing was sent, Pi has another session; resume it by its path: "
            f"{shown(file) if file else 'it is in memory'} ({state.session_id})."
        )

    async def follow(self, state: State) -> None:
        """Take the session that Pi has for the one to be shown. Raises `PiError`."""
        self.take(state.session_id, self.file(state))
        # Pi writes the file of a new session only when something is said in it, and it may run elsewhere.
        stored = self._front.is_stored
        known = Header(id=state.session_id, version=3, cwd=self._front.status.cwd)
        self._screen.start(self._path, stored_header(self._path) if stored else known)
        await self._turns.catch_up(paint=False)
        if self._path and not stored and not self._screen.is_empty:
            self._front.say(
                "info", f"All that is shown comes from Pi; not readable here: {shown(self._path)}."
            )

    def is_elsewhere(self, state: State) -> bool:
        """Does Pi keep its sessions in another directory than the one that we looked into?"""
        file = self.file(state)
        return bool(file) and real(os.path.dirname(file)) != real(os.path.dirname(self._path))

    async def move(self, state: State) -> None:
        """Take Pi's last session in the place of the one that was found here; it is to be painted anew.

        Raises `PiError` where there is none.
        """
        status = self._front.status
        painted = status.session_id, status.session_file
        await self.follow(state)
        directory = os.path.dirname(self._path)
        if self._screen.is_empty:
            self.take(*painted)
            try:
                await self._screen.read_again(self._path)
            except OSError as error:
                raise TroubleError(
                    f"The session can't be read, {error.strerror or error}: {shown(self._path)}."
                ) from error
            raise PiError(
                "Pi has no session of this directory: begin one with :Pi new, or resume by its path what is "
                f"shown, {shown(self._path)}. Pi looked in {shown(directory)} for {shown(status.cwd)}."
            )
        self._front.rename(self._screen.transcript.name)
        self._front.say("info", f"Pi's last session is shown; it keeps them in {shown(directory)}.")
