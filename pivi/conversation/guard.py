"""Whether a session is this conversation's alone, looked at before anything is said in it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import Literal

import msgspec

from pivi.conversation.screen import Screen
from pivi.sessions.last import last_id
from pivi.sessions.locks import Holder, Locks

_Stamp = tuple[int, int, int]


class Doubt(msgspec.Struct, frozen=True):
    """Why nothing should be said in a session now: it is open in another Neovim, somebody else has written to
    its file, or that is gone. `sentence` tells it."""

    kind: Literal["elsewhere", "written", "gone"]
    sentence: str


class Guard:
    """Holds the lock of the session that Pi has open, and knows its file as Pi wrote it.

    What is wrong is said once; whoever sends again has read it. Files are looked at in threads: the state
    directory or the session may lie on a slow file system.
    """

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._locks = Locks()
        self._one_by_one = asyncio.Lock()
        self._path = ""
        self._agreed: _Stamp | None = None
        self._said: tuple[Doubt, _Stamp | None] | None = None

    async def hold(self, path: str) -> None:
        """Pi has this session open, or is about to open it; "" for one that has no file."""
        if path == self._path:
            return
        await self.release()
        self._path = path
        if path:
            await self._lock(path)

    async def release(self) -> None:
        """Pi does not run any more."""
        path, self._path, self._agreed, self._said = self._path, "", None, None
        if path:
            async with self._one_by_one:
                await asyncio.to_thread(self._locks.release, path)

    async def _lock(self, path: str) -> Holder | None:
        async with self._one_by_one:
            # It may have been let go meanwhile.
            return await asyncio.to_thread(self._locks.acquire, path) if path == self._path else None

    async def doubt(self, catch_up: Callable[[], Awaitable[None]]) -> Doubt | None:
        """Why nothing should be said now, if there is a reason; `catch_up` takes in what Pi knows.

        Costs one look at the file's state while nobody else writes to it. Raises what `catch_up` raises.
        """
        path = self._path
        if not path:
            return None
        stamp = await asyncio.to_thread(_stamp, path)
        doubt = await self._open_elsewhere(path) or await self._written_elsewhere(stamp, catch_up)
        if doubt is None or self._said == (doubt, stamp):
            return None
        self._said = doubt, stamp
        return doubt

    async def _open_elsewhere(self, path: str) -> Doubt | None:
        # It may have been closed there meanwhile: then it is ours.
        other = await self._lock(path)
        if other is None:
            return None
        return Doubt("elsewhere", f"This session is open in another Neovim (process {other.editor}).")

    async def _written_elsewhere(
        self, stamp: _Stamp | None, catch_up: Callable[[], Awaitable[None]]
    ) -> Doubt | None:
        if stamp is None:
            # Pi makes the file of a new session when something is said in it.
            gone = Doubt("gone", "This session's file is gone: what is said now is lost with Pi's end.")
            return gone if self._agreed else None
        if stamp == self._agreed:
            return None
        if not await self._is_known():
            await catch_up()
        if await self._is_known():
            self._agreed = stamp
            return None
        return Doubt("written", "Somebody else has written to this session's file.")

    async def _is_known(self) -> bool:
        last = await asyncio.to_thread(last_id, self._path)
        return last is None or last == self._screen.transcript.last_id


def _stamp(path: str) -> _Stamp | None:
    try:
        state = os.stat(path)
    except OSError:
        return None
    return state.st_size, state.st_mtime_ns, state.st_ino
