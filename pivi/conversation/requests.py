"""What the editor asks of conversations, and the conversations that are open."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec

from pivi.conversation.conversation import Conversation
from pivi.conversation.editor import Editor, Method, Params, TroubleError
from pivi.conversation.front import ROWS
from pivi.conversation.options import Options, location_of, options_of
from pivi.conversation.targets import found_by, is_stored, path_anywhere, path_of
from pivi.conversation.viewing import Viewing
from pivi.pi.launch import Continue, Fork, New, Resume
from pivi.sessions.paths import real
from pivi.sessions.targets import NothingToResumeError, check_directory

_SOON = 0.02
"""Seconds until what is not painted yet is looked for again."""


class Requests:
    """Gives each conversation its number; `open` are those that the editor has a buffer of."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        self._numbers = 0
        self.open: dict[int, Conversation | Viewing] = {}
        self.methods: dict[str, Method] = {
            "resume": self._resume,
            "view": self._view,
            "new": self._new,
            "fork": self._fork,
            "send": self._send,
            "unsaid": self._unsaid,
            "abort": self._abort,
            "stop": self._stop,
            "restart": self._restart,
            "close": self._close,
            "repaint": self._repaint,
            "whole": self._whole,
            "export": self._export,
            "locate": self._locate,
            "files": self._files,
            "ack": self._ack,
        }

    async def _resume(self, number: int, params: Params) -> dict[str, int]:
        cwd, options = params["cwd"], options_of(params)
        try:
            found, last = await asyncio.to_thread(found_by, params.get("target") or None, cwd, options)
        except NothingToResumeError as error:
            wanted = bool(params.get("or_new"))
            # Pi may run elsewhere, on sessions of its own. Where none lies here, it can't take a wrong one.
            if isinstance(options.pi.command, list) and error.alone:
                return await self._begin(number, params, Continue(), empty=None if wanted else error)
            if not wanted:
                raise
            return await self._begin(number, params, New())
        already = self._open_on(found.path)
        if isinstance(already, Viewing):
            taken = Conversation(already.number, self._editor, options, found.cwd, already)
            self.open[taken.number] = taken
            taken.take_up(already, Resume(found.path), number)
            return {"conv": taken.number}
        if already is not None:
            self._editor.send("focus", number, already.number)
            if already.phase in ("stopped", "failed"):
                already.restart(options)
            return {"conv": already.number}
        conversation = self._add(options, found.cwd)
        session = Continue() if last else Resume(found.path)
        conversation.resume(found.path, session, number, params.get("rows") or ROWS)
        return {"conv": conversation.number}

    async def _view(self, number: int, params: Params) -> dict[str, int]:
        cwd, options, leaf = params["cwd"], options_of(params), params.get("leaf") or ""
        look = path_anywhere if params.get("anywhere") else path_of
        path = await asyncio.to_thread(look, params.get("target"), cwd, options)
        already = self._open_on(path, leaf)
        if already is not None:
            self._editor.send("focus", number, already.number)
            return {"conv": already.number}
        self._numbers += 1
        viewing = self.open[self._numbers] = Viewing(self._numbers, self._editor, options, cwd, leaf)
        try:
            await viewing.open(path, number, params.get("rows") or ROWS)
        except BaseException:
            self.open.pop(viewing.number, None)
            raise
        return {"conv": viewing.number}

    async def _new(self, number: int, params: Params) -> dict[str, int]:
        ident = params.get("id")
        if ident and await asyncio.to_thread(is_stored, ident, params["cwd"], options_of(params)):
            raise TroubleError(f"There is such a session already; :Pi resume {ident} takes it up.")
        session = New(ident, params.get("name"), bool(params.get("ephemeral")))
        return await self._begin(number, params, session)

    async def _fork(self, number: int, params: Params) -> dict[str, int]:
        cwd = params["cwd"]
        conversation = self.open.get(params.get("conv") or 0)
        if params.get("target"):
            path = await asyncio.to_thread(path_of, params["target"], cwd, options_of(params))
        elif conversation is not None and conversation.path:
            path = conversation.path
        else:
            raise TroubleError("No stored session here to fork; name one: :Pi fork {target}.")
        return await self._begin(number, params, Fork(path))

    async def _begin(
        self, number: int, params: Params, session: New | Fork | Continue, empty: Exception | None = None
    ) -> dict[str, int]:
        conversation = self._add(options_of(params), params["cwd"])
        try:
            await conversation.begin(session, number, params.get("rows") or ROWS, empty)
        except BaseException:
            self.open.pop(conversation.number, None)
            await conversation.close()
            raise
        return {"conv": conversation.number}

    async def _send(self, number: int, params: Params) -> None:
        one, options = self._one(params), options_of(params)
        if isinstance(one, Viewing):
            # What is only read could be resumed, but not where its directory is gone.
            cwd = params["cwd"]
            await asyncio.to_thread(check_directory, one.path, cwd, location_of(cwd, options))
        await one.send(params["text"], params.get("words") or 0, options)

    async def _unsaid(self, number: int, params: Params) -> list[bool]:
        said = self._one(params).screen.said_since
        # A draft was never sent.
        return [one["after"] is None or one["text"] not in said(one["after"]) for one in params["words"]]

    async def _abort(self, number: int, params: Params) -> None:
        await self._one(params).abort()

    async def _stop(self, number: int, params: Params) -> None:
        await self._one(params).stop()

    async def _restart(self, number: int, params: Params) -> None:
        self._one(params).restart(options_of(params))

    async def _close(self, number: int, params: Params) -> None:
        conversation = self.open.pop(params["conv"], None)
        self._editor.shown_in(params["conv"], None)
        if conversation is not None:
            await conversation.close()

    async def _repaint(self, number: int, params: Params) -> None:
        self._one(params).repaint(params.get("rows") or ROWS)

    async def _whole(self, number: int, params: Params) -> dict[str, str]:
        return self._one(params).screen.whole(params["number"])._asdict()

    async def _locate(self, number: int, params: Params) -> dict[str, list[int]]:
        # No event could tell of a buffer that is closed meanwhile.
        while not (numbers := self._one(params).screen.locate(params["entry"])):  # noqa: ASYNC110
            await asyncio.sleep(_SOON)
        return {"numbers": numbers}

    async def _files(self, number: int, params: Params) -> list[dict[str, Any]]:
        return [msgspec.structs.asdict(file) for file in await self._one(params).screen.files()]

    async def _export(self, number: int, params: Params) -> None:
        # Imported when it is asked for: the first `:Pi` waits for all that the host imports at its start.
        from pivi.conversation.exporting import export

        force, bare = params["force"], params["bare"]
        await export(self._one(params), params["path"], options_of(params), force=force, bare=bare)

    async def _ack(self, number: int, params: Params) -> None:
        # The buffer may have been closed meanwhile.
        conversation = self.open.get(params["conv"])
        if conversation is not None:
            self._editor.shown_in(params["conv"], params["buf"])
            conversation.screen.acknowledge(params["seq"])

    def _one(self, params: Params) -> Conversation | Viewing:
        conversation = self.open.get(params["conv"])
        if conversation is None:
            raise TroubleError("This conversation is not open any more; open it with :Pi resume.")
        return conversation

    def _add(self, options: Options, cwd: str) -> Conversation:
        self._numbers += 1
        conversation = Conversation(self._numbers, self._editor, options, cwd)
        self.open[self._numbers] = conversation
        return conversation

    def _open_on(self, path: str, leaf: str = "") -> Conversation | Viewing | None:
        file = real(path)
        same = (c for c in self.open.values() if c.leaf == leaf and c.path and real(c.path) == file)
        return next(same, None)
