"""Neovim's side of the sessions: requests in, messages out. The only module that knows pynvim."""

from __future__ import annotations

import asyncio
import atexit
import functools
import sys
import traceback
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

import msgspec
import pynvim

from pivi.conversation.editor import Method, Params
from pivi.conversation.health import health
from pivi.conversation.requests import Requests
from pivi.pi.errors import PiError
from pivi.sessions.targets import DirectoryGoneError, TargetError
from pivi.view.patch import Patch

if TYPE_CHECKING:
    from pivi.conversation.browsing import Browsing

_INBOX = "require('pivi.inbox')(...)"
_ATOMIC = "nvim_call_atomic"


class _Unwalked(list[Any]):
    """A list that pynvim takes as it is: of a plain one it walks through every item."""


class Host:
    """Takes the editor's requests to those who serve them, and what they tell to the editor.

    Every request is handled in a task of its own, and one whose number is not 0 is answered exactly
    once: with a value, or with a sentence that says what is wrong. What nobody expected goes with its
    traceback to stderr, which the editor logs, and the user is told.
    """

    def __init__(self, nvim: pynvim.Nvim) -> None:
        self._nvim = nvim
        self._tasks: set[asyncio.Task[None]] = set()
        self._buffers: dict[int, int] = {}
        self._requests = Requests(self)
        self._methods: dict[str, Method] = {
            **self._requests.methods,
            "health": health,
            "leaving": self._leaving,
        }
        atexit.register(self._kill)

    @functools.cached_property
    def _browsing(self) -> Browsing:
        # Imported when it is asked for: the first `:Pi` waits for all that the host imports at its start.
        from pivi.conversation.browsing import Browsing

        return Browsing(self, self._requests.open.values)

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

    def shown_in(self, conversation: int, buffer: int | None) -> None:
        """The buffer that takes the conversation's patches."""
        if buffer is None:
            self._buffers.pop(conversation, None)
        else:
            self._buffers[conversation] = buffer

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

    async def _leaving(self, number: int, params: Params) -> None:
        """Neovim ends: running turns are aborted first, since an old Pi stores nothing of one cut off."""
        closing = [conversation.close() for conversation in self._requests.open.values()]
        self._requests.open.clear()
        if "_browsing" in vars(self):
            closing.append(self._browsing.close())
        # All at once: Neovim does not wait for long, and one that fails must not cost the others.
        for ended in await asyncio.gather(*closing, return_exceptions=True):
            if isinstance(ended, BaseException):
                self.failed(ended)

    def _kill(self) -> None:
        for conversation in self._requests.open.values():
            conversation.kill_now()


def _packed(patch: Patch) -> bytes:
    """As one string its integers cross unwalked."""
    return msgspec.msgpack.encode(patch)


def _trace(error: BaseException) -> None:
    traceback.print_exception(type(error), error, error.__traceback__, file=sys.stderr)
    sys.stderr.flush()
