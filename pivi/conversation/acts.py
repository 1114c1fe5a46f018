"""What is done to a session from outside: named, moved to the trash, brought back."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterable
from typing import Any, Protocol

import msgspec

from pivi.conversation.editor import TroubleError
from pivi.conversation.front import Phase
from pivi.sessions.locks import Holder, Locks
from pivi.sessions.paths import real
from pivi.sessions.rename import rename
from pivi.sessions.seen import RefusedError, Seen
from pivi.sessions.trash import Trashed, restore, trash
from pivi.sessions.wording import shown

Params = dict[str, Any]

_AT_REST = ("stopped", "failed", "view")
"""Phases in which no Pi runs or starts."""


class Open(Protocol):
    """A session that is open here."""

    @property
    def path(self) -> str:
        """Its file."""

    @property
    def phase(self) -> Phase:
        """What its Pi does."""

    async def rename(self, name: str) -> bool:
        """Have its Pi name it; False where none runs."""


class Acts:
    """Each acts on the file that the editor names, as it was seen, or says in a sentence why not."""

    def __init__(self, opened: Callable[[], Iterable[Open]]) -> None:
        self._opened = opened
        self._locks = Locks()
        self._tokens = itertools.count(1)
        self._trashed: dict[str, list[Trashed]] = {}

    async def rename(self, number: int, params: Params) -> None:
        """Raises `TroubleError`, `PiError`."""
        path, name = params["path"], params["name"]
        for one in self._open_on(path):
            if await one.rename(name):
                return
            if one.phase == "starting":
                raise TroubleError("Pi is just starting on it; name it when that is done.")
        # Held while it is written to: no other Neovim starts Pi on it meanwhile.
        self._check_free(await asyncio.to_thread(self._locks.acquire, path), path)
        try:
            await asyncio.to_thread(rename, path, name, msgspec.convert(params["seen"], Seen))
        except (RefusedError, OSError) as error:
            raise TroubleError(str(error)) from error
        finally:
            # Where it has been resumed here meanwhile, the lock is that conversation's.
            if all(one.phase in _AT_REST for one in self._open_on(path)):
                await asyncio.to_thread(self._locks.release, path)

    async def trash(self, number: int, params: Params) -> Params:
        """Files that may be moved are, whatever becomes of the others."""
        moved: list[Trashed] = []
        refused: list[str] = []
        for path, seen in zip(params["paths"], params["seen"], strict=True):
            try:
                self._check_closed(path)
                self._check_free(await asyncio.to_thread(self._locks.acquire, path), path)
                try:
                    self._check_closed(path)
                    moved.append(await asyncio.to_thread(trash, path, msgspec.convert(seen, Seen)))
                finally:
                    # Where it has been opened here meanwhile, the lock is that conversation's.
                    if not any(self._open_on(path)):
                        await asyncio.to_thread(self._locks.release, path)
            except (RefusedError, TroubleError, OSError) as error:
                refused.append(str(error))
        answer: Params = {"moved": [one.path for one in moved], "refused": refused}
        if any(one.now for one in moved):
            token = answer["token"] = str(next(self._tokens))
            self._trashed[token] = moved
        return answer

    async def untrash(self, number: int, params: Params) -> Params:
        """Bring back what was moved under a token, which stays good for what can't be.

        Raises `TroubleError` where there is such, and for a token under which nothing is left.
        """
        token = params["token"]
        left = self._trashed.pop(token, [])
        if not left:
            raise TroubleError("What was moved to the trash is back already.")
        restored: list[str] = []
        troubles: list[str] = []
        try:
            for one in list(left):
                try:
                    await asyncio.to_thread(restore, one)
                    restored.append(one.path)
                    left.remove(one)
                except (RefusedError, OSError) as error:
                    troubles.append(str(error))
        finally:
            if left:
                self._trashed[token] = left
        if troubles:
            raise TroubleError(" ".join(troubles))
        return {"restored": restored}

    def _open_on(self, path: str) -> Iterable[Open]:
        file = real(path)
        return (one for one in self._opened() if one.path and real(one.path) == file)

    def _check_closed(self, path: str) -> None:
        if any(self._open_on(path)):
            raise RefusedError(f"Close it first, it is open here: {shown(path)}.")

    def _check_free(self, other: Holder | None, path: str) -> None:
        if other is not None:
            raise TroubleError(
                f"It is open in another Neovim ({other.editor}), close it there: {shown(path)}."
            )
