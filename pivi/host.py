"""Neovim's side of the sessions: requests in, messages out. The only module that knows pynvim."""

from __future__ import annotations

import asyncio
import atexit
import functools
import os
import sys
import traceback
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any

import msgspec
import pynvim

from pivi.conversation import Conversation, Options, TroubleError, Viewing
from pivi.conversation.front import ROWS
from pivi.conversation.options import location_of, options_of
from pivi.conversation.targets import found_by, is_stored, path_anywhere, path_of
from pivi.pi import probe
from pivi.pi.errors import PiError
from pivi.pi.launch import Continue, Fork, New, Resume, build
from pivi.sessions.paths import real
from pivi.sessions.targets import DirectoryGoneError, NothingToResumeError, TargetError, check_directory
from pivi.view.patch import Patch

if TYPE_CHECKING:
    from pivi.conversation.browsing import Browsing

_INBOX = "require('pivi.inbox')(...)"
_ATOMIC = "nvim_call_atomic"

_SOON = 0.02
"""Seconds until what is not painted yet is looked for again."""

Params = dict[str, Any]


class _Unwalked(list[Any]):
    """A list that pynvim takes as it is: of a plain one it walks through every item."""


class Host:
    """Takes the editor's requests to conversations, and gives each conversation its number.

    Every request is handled in a task of its own, and one whose number is not 0 is answered exactly
    once: with a value, or with a sentence that says what is wrong. What nobody expected goes with its
    traceback to stderr, which the editor logs, and the user is told.
    """

    def __init__(self, nvim: pynvim.Nvim) -> None:
        self._nvim = nvim
        self._tasks: set[asyncio.Task[None]] = set()
        self._conversations: dict[int, Conversation | Viewing] = {}
        self._buffers: dict[int, int] = {}
        self._numbers = 0
        self._methods: dict[str, Callable[[int, Params], Awaitable[object]]] = {
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
            "health": self._health,
            "leaving": self._leaving,
        }
        atexit.register(self._kill)

    @functools.cached_property
    def _browsing(self) -> Browsing:
        # Imported when it is asked for: the first `:Pi` waits for all that the host imports at its start.
        from pivi.conversation.browsing import Browsing

        return Browsing(self, self._conversations.values)

    @functools.cached_property
    def _atomic(self) -> bool:
        # It is deprecated, and nobody would be told that it is gone: what is sent is not answered.
        return any(function["name"] == _ATOMIC for function in self._nvim.metadata["functions"])

    # The two directions

    def request(self, number: int, method: str, params: Params) -> None:
        """Start what the editor asks for; `number` 0 wants no answer."""
        self.run(method, self._handle(number, method, params))

    def send(self, method: str, *args: object) -> None:
        """Tell the editor, in order and without waiting."""
        self._nvim.exec_lua(_INBOX, method, *args, async_=True)

    def patch(self, conversation: int, sequence: int, patch: Patch) -> None:
        """Have a patch applied, in order with what is sent.

        Rows that come in between others go straight into the buffer: as strings of Lua they would take twice
        the time. It is known once the editor has acknowledged a patch.
        """
        buffer = self._buffers.get(conversation)
        if buffer is None or not patch.inserts or not self._atomic:
            self.send("patch", conversation, sequence, _packed(patch))
            return
        bare = _packed(msgspec.structs.replace(patch, lines=[]))
        calls = _Unwalked()
        calls.append(("nvim_exec_lua", (_INBOX, ("insert", conversation, sequence, buffer, bare))))
        calls.append(("nvim_buf_set_lines", (buffer, patch.row, patch.row, False, patch.lines)))
        calls.append(("nvim_exec_lua", (_INBOX, ("inserted", conversation, sequence))))
        self._nvim.request(_ATOMIC, calls, async_=True)

    def run(self, name: str, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a task whose failure is never lost."""
        task: asyncio.Task[None] = self._nvim.loop.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._ran)
        return task

    def failed(self, error: BaseException) -> None:
        """An exception that nobody expected: whole to stderr, hence to the log, and in a line to the user."""
        _trace(error)
        self.send("failed", "".join(traceback.format_exception_only(type(error), error)).strip())

    async def _handle(self, number: int, method: str, params: Params) -> None:
        try:
            handler = self._methods.get(method) or self._browsing.methods[method]
            value = await handler(number, params)
        except DirectoryGoneError as error:
            told = {"path": error.path, "directory": error.directory, "sentence": str(error)}
            self._answer(number, {"gone": told}, None)
        except (PiError, TargetError) as error:
            self._answer(number, None, str(error))
        except BaseException as error:
            self._answer(number, None, f"pivi failed ({method}): an error of its own, whole in :Pi log.")
            if not isinstance(error, Exception):
                raise
            # The answer has told the user.
            _trace(error)
        else:
            self._answer(number, value, None)

    def _answer(self, number: int, value: object, error: str | None) -> None:
        if number:
            self.send("answer", number, value, error)
        elif error:
            self.send("say", "error", error)

    def _ran(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self.failed(error)

    # Requests

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
            taken = Conversation(already.number, self, options, found.cwd, already)
            self._conversations[taken.number] = taken
            taken.take_up(already, Resume(found.path), number)
            return {"conv": taken.number}
        if already is not None:
            self.send("focus", number, already.number)
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
            self.send("focus", number, already.number)
            return {"conv": already.number}
        self._numbers += 1
        viewing = self._conversations[self._numbers] = Viewing(self._numbers, self, options, cwd, leaf)
        try:
            await viewing.open(path, number, params.get("rows") or ROWS)
        except BaseException:
            self._conversations.pop(viewing.number, None)
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
        conversation = self._conversations.get(params.get("conv") or 0)
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
            self._conversations.pop(conversation.number, None)
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
        conversation = self._conversations.pop(params["conv"], None)
        self._buffers.pop(params["conv"], None)
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
        # As for `_browsing`.
        from pivi.conversation.exporting import export

        force, bare = params["force"], params["bare"]
        await export(self._one(params), params["path"], options_of(params), force=force, bare=bare)

    async def _ack(self, number: int, params: Params) -> None:
        # The buffer may have been closed meanwhile.
        conversation = self._conversations.get(params["conv"])
        if conversation is not None:
            self._buffers[params["conv"]] = params["buf"]
            conversation.screen.acknowledge(params["seq"])

    async def _health(self, number: int, params: Params) -> dict[str, Any]:
        cwd, options = params["cwd"], options_of(params)
        location = await asyncio.to_thread(location_of, cwd, options)
        report: dict[str, Any] = {
            "python": sys.version.split()[0],
            "executable": sys.executable,
            "dir": location.dir,
            "found_by": location.found_by,
            **_access(location.dir),
        }
        try:
            launch = build(options.pi.command, options.pi.args, dict(options.pi.env), New(), cwd)
        except PiError as error:
            return {**report, "problem": str(error)}
        versions = await probe.versions(launch)
        report["command"] = launch.command
        for name, version in (("pi", versions.pi), ("node", versions.node)):
            if version is not None:
                report[name] = probe.text(version)
        return report

    async def _leaving(self, number: int, params: Params) -> None:
        """Neovim ends: running turns are aborted first, since an old Pi stores nothing of one cut off."""
        closing = [conversation.close() for conversation in self._conversations.values()]
        self._conversations.clear()
        if "_browsing" in vars(self):
            closing.append(self._browsing.close())
        # All at once: Neovim does not wait for long, and one that fails must not cost the others.
        for ended in await asyncio.gather(*closing, return_exceptions=True):
            if isinstance(ended, BaseException):
                self.failed(ended)

    def _one(self, params: Params) -> Conversation | Viewing:
        conversation = self._conversations.get(params["conv"])
        if conversation is None:
            raise TroubleError("This conversation is not open any more; open it with :Pi resume.")
        return conversation

    def _add(self, options: Options, cwd: str) -> Conversation:
        self._numbers += 1
        conversation = Conversation(self._numbers, self, options, cwd)
        self._conversations[self._numbers] = conversation
        return conversation

    def _open_on(self, path: str, leaf: str = "") -> Conversation | Viewing | None:
        file = real(path)
        same = (c for c in self._conversations.values() if c.leaf == leaf and c.path and real(c.path) == file)
        return next(same, None)

    def _kill(self) -> None:
        for conversation in self._conversations.values():
            conversation.kill_now()


def _packed(patch: Patch) -> bytes:
    """As one string its integers cross unwalked."""
    return msgspec.msgpack.encode(patch)


def _trace(error: BaseException) -> None:
    traceback.print_exception(type(error), error, error.__traceback__, file=sys.stderr)
    sys.stderr.flush()


def _access(path: str) -> dict[str, bool]:
    """Is it there, and could a session be stored in it? A missing directory is made in its nearest parent."""
    exists = os.path.isdir(path)
    while not os.path.exists(path) and path != os.path.dirname(path):
        path = os.path.dirname(path)
    return {"exists": exists, "writable": os.access(path, os.W_OK | os.X_OK)}
