"""A conversation with one running Pi: requests and their answers, events, dialogs, its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import count
from typing import Any, NamedTuple

import msgspec

from . import wire
from .answers import Queue
from .commands import LIMITS, QUICK, Commands
from .errors import Exit, PiError, PiGoneError, PiRefusedError, PiTimeoutError
from .process import Launch, Process

DIALOGS = ("select", "confirm", "input", "editor")
"""Methods of extensions that wait for an answer; all others only tell."""

_TURNS = ("prompt", "steer", "follow_up", "bash", "compact")
_EXCERPT = 500


def _take_no_dialog(_request: dict[str, Any]) -> bool:
    return False


def _trace_nothing(_direction: str, _line: bytes) -> None:
    return None


class Hooks(msgspec.Struct):
    """Whom a client tells. All are called in the event loop; what they raise goes to `failure`.

    event       every session event of Pi, in order
    exit        Pi's end, once, after all events
    log         (source, text): source is "stderr", "stdout" (what was no record) or "pivi"
    failure     an exception that would have been lost
    ui_request  every request of an extension. Returning True for one of `DIALOGS` promises an
                `answer_ui`; otherwise it is cancelled at once, so that the extension goes on.
    trace       ("<" from Pi, ">" to Pi; the line), for the log of the protocol
    """

    event: Callable[[dict[str, Any]], None]
    exit: Callable[[Exit], object]
    log: Callable[[str, str], None]
    failure: Callable[[BaseException], None]
    ui_request: Callable[[dict[str, Any]], bool] = _take_no_dialog
    trace: Callable[[str, bytes], None] = _trace_nothing


class End(NamedTuple):
    """How Pi ended, and the words that were still waiting in its queue."""

    exit: Exit
    queue: Queue


class _Waiting(NamedTuple):
    command: str
    answer: asyncio.Future[msgspec.Raw]


class Client(Commands):
    """One running Pi. Make it with `await Client.start(launch, hooks)`."""

    def __init__(self, hooks: Hooks) -> None:
        self._hooks = hooks
        self._numbers = count(1)
        self._waiting: dict[str, _Waiting] = {}
        self._process = Process(self._lines, self._stderr, self._exited, hooks.failure)
        self.running = False
        """Whether a turn runs, as far as events tell."""
        self.answered = False
        """Whether Pi has answered anything yet."""
        self.asked_early: list[str] = []
        """Titles of the dialogs that extensions opened before Pi's first answer: those block its start."""

    @classmethod
    async def start(cls, launch: Launch, hooks: Hooks) -> Client:
        """Run Pi and return at once; requests may be made before it is up. Raises `StartFailedError`."""
        client = cls(hooks)
        await client._process.start(launch)
        return client

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def exit(self) -> Exit | None:
        """How Pi ended; `None` while it runs."""
        return self._process.exit

    def new_id(self) -> str:
        """An id for a request, unique in this client; needed only to know it before the answer."""
        return f"pivi-{next(self._numbers)}"

    async def request(
        self, command: str, /, limit: float | None = None, request_id: str | None = None, **params: Any
    ) -> msgspec.Raw:
        """Send one command and return its `data` undecoded. `limit` in seconds overrides `LIMITS`.

        Raises `PiRefusedError`, `PiTimeoutError`, `PiGoneError`. Answers may come in another order than
        requests.
        """
        if self.exit is not None:
            raise PiGoneError(self.exit)
        identity = request_id or self.new_id()
        line = wire.request(identity, command, params)
        waiting = _Waiting(command, asyncio.get_running_loop().create_future())
        self._waiting[identity] = waiting
        try:
            self._send(line)
            seconds = LIMITS.get(command, QUICK) if limit is None else limit
            return await asyncio.wait_for(waiting.answer, seconds)
        except asyncio.TimeoutError:
            raise PiTimeoutError(command, seconds or 0.0) from None
        finally:
            del self._waiting[identity]

    def answer_ui(self, identity: str, *, value: str | None = None, confirmed: bool | None = None) -> None:
        """Answer an extension's dialog: a value, yes or no, or, with neither, its dismissal."""
        if value is not None:
            answer: dict[str, Any] = {"value": value}
        elif confirmed is not None:
            answer = {"confirmed": confirmed}
        else:
            answer = {"cancelled": True}
        self._send(wire.ui_response(identity, answer))

    async def stop_turn(self, limit: float = 2.0) -> Queue:
        """Abort what runs, and return the words that were queued. Each step has `limit` seconds.

        Returns when Pi is idle and has stored the turn: an old Pi stores nothing of a turn that its
        end cuts off.
        """
        queue = Queue()
        try:
            # What stays queued would run as soon as the turn is aborted.
            queue = await self.clear_queue(limit=limit)
            if any(waiting.command == "bash" for waiting in self._waiting.values()):
                await self.abort_bash(limit=limit)
            await self.abort(limit=limit)
        except PiError as error:
            self._log("pivi", f"the running turn could not be aborted: {error}")
        return queue

    async def end(self, limit: float = 2.0) -> End:
        """Abort a running turn, then end Pi in order. Nothing of it is left afterwards."""
        queue = Queue()
        if self.exit is None and self._busy():
            queue = await self.stop_turn(limit)
        return End(await self._process.end(), queue)

    def _busy(self) -> bool:
        # A Pi that has never answered would not answer this either.
        asked = any(waiting.command in _TURNS for waiting in self._waiting.values())
        return self.answered and (self.running or asked)

    async def wait(self) -> Exit:
        """Wait for Pi's end."""
        return await self._process.wait()

    def kill_now(self) -> None:
        """End Pi without the event loop, for `atexit`. Blocks 1.5 s at most."""
        self._process.kill_now()

    def _send(self, line: bytes) -> None:
        self._hooks.trace(">", line)
        self._process.write(line)

    def _lines(self, lines: list[bytes]) -> None:
        for line in lines:
            try:
                self._line(line)
            except Exception as error:  # noqa: BLE001 - one bad record must not cost the next
                self._hooks.failure(error)

    def _line(self, line: bytes) -> None:
        if not line.strip():
            return
        self._hooks.trace("<", line)
        found = wire.read(line)
        if found is None:
            self._log("stdout", _excerpt(line))
            return
        record, text, before = found
        if before:
            self._log("stdout", _excerpt(before))
        if record.type == "response":
            self._response(record)
        elif record.type == "extension_ui_request":
            self._ui_request(wire.event(text))
        else:
            self._event(record.type, text)

    def _response(self, record: wire.Record) -> None:
        self.answered = True
        waiting = self._waiting.get(record.id) if isinstance(record.id, str) else None
        if waiting is None or waiting.answer.done():
            detail = "" if record.success else f": {record.error}"
            self._log("pivi", f"an answer to {record.command or '?'} that nobody waits for{detail}")
        elif record.success:
            waiting.answer.set_result(record.data)
        else:
            waiting.answer.set_exception(
                PiRefusedError(waiting.command, record.error or "Pi gave no reason.")
            )

    def _event(self, kind: str, text: bytes) -> None:
        if kind == "agent_start":
            self.running = True
        elif kind == "agent_settled":
            self.running = False
        if kind == "tool_execution_start":
            self._process.noted.watch()
        elif kind in ("turn_end", "agent_settled"):
            self._process.noted.unwatch()
        self._hooks.event(wire.event(text))

    def _ui_request(self, request: dict[str, Any]) -> None:
        dialog = request.get("method") in DIALOGS
        if dialog and not self.answered:
            self.asked_early.append(str(request.get("title", "")))
        taken = False
        try:
            taken = self._hooks.ui_request(request)
        finally:
            if dialog and not taken:
                self._log("pivi", f"an extension's question was dismissed: {request.get('title', '')}")
                self.answer_ui(str(request.get("id", "")))

    def _stderr(self, text: str) -> None:
        if text:
            self._log("stderr", text)

    def _log(self, source: str, text: str) -> None:
        self._hooks.log(source, text)

    def _exited(self, ended: Exit) -> None:
        self.running = False
        for waiting in list(self._waiting.values()):
            if not waiting.answer.done():
                waiting.answer.set_exception(PiGoneError(ended))
        self._hooks.exit(ended)


def _excerpt(line: bytes) -> str:
    text = line[:_EXCERPT].decode("utf-8", "replace")
    return text if len(line) <= _EXCERPT else f"{text}… ({len(line)} bytes)"
