"""A session's life: painted, attached to Pi, reconciled, prompted, ended.

What is shown is the stored transcript with the live blocks of the running turn behind it; when a turn has
settled, its stored entries take their place.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine, Iterable
from typing import Any, Literal

import msgspec

from pivi.conversation.editor import Editor, TroubleError
from pivi.conversation.screen import Screen, read_header
from pivi.pi import diagnose
from pivi.pi.answers import State
from pivi.pi.client import Client, Hooks
from pivi.pi.errors import Exit, PiError, PiRefused
from pivi.pi.launch import Continue, Fork, New, Resume, Session, build
from pivi.pi.records import Header
from pivi.pi.start import ready
from pivi.sessions.paths import real
from pivi.transcript.blocks import Prompt
from pivi.view import groups
from pivi.view.icons import TABLES
from pivi.view.patch import Patch
from pivi.view.whole import Whole

Phase = Literal["reading", "starting", "idle", "running", "compacting", "retrying", "stopped", "failed"]

_FLUSH = 0.033
"""Seconds between two updates of a streaming answer."""
_SILENCE = 15.0
"""Seconds without an event after which a running turn is asked for."""


_ROWS = 100
"""Rows that are painted first where no window's height is known."""
_LEVELS: dict[str, Literal["info", "warn", "error"]] = {"warning": "warn", "error": "error"}


class PiOptions(msgspec.Struct):
    """How Pi is started; see `pivi.pi.launch.build`. `start_timeout`: seconds until it must have answered."""

    command: str | list[str] = "pi"
    args: list[str] = []
    env: dict[str, str] = {}
    start_timeout: float = 15.0


class Options(msgspec.Struct):
    """The user's options, as far as a session depends on them."""

    pi: PiOptions = msgspec.field(default_factory=PiOptions)
    icons: Literal["unicode", "ascii"] = "unicode"


class Conversation:
    """A session in a buffer. `number` names it between the editor and us.

    In its methods `request` is the one that the editor opens a buffer for, `rows` the height of its window.
    """

    def __init__(self, number: int, editor: Editor, options: Options, cwd: str) -> None:
        self.number = number
        self.cwd = cwd
        self.path = ""
        self.session_id = ""
        self.phase: Phase = "reading"
        self.screen = Screen(TABLES[options.icons], self._patch, self._publish)
        self._editor = editor
        self._options = options
        self._error = ""
        self._client: Client | None = None
        self._state: State | None = None
        self._context: float | None = None
        self._held: list[str] = []
        self._unstored: list[str] = []
        self._filled = False
        self._reconciled = False
        self._flushing = False
        self._heard = 0.0
        self._tasks: list[asyncio.Task[None]] = []

    # The beginning

    def resume(self, path: str, session: Session, request: int, rows: int) -> None:
        """Paint the stored session and start Pi on it. Raises `TroubleError` where the file can't be read."""
        self.path = path
        self.session_id = self.screen.read_tail(path, rows).id
        self._open(request)
        self.screen.paint(rows)
        self._publish("PiviPainted")
        self._run("attach", self._attach(session))
        self._run("read", self._read())

    async def begin(
        self, session: New | Fork | Continue, request: int, rows: int, empty: Exception | None = None
    ) -> None:
        """Start Pi on a session that it makes or finds itself, then show it.

        Raises `PiError`, and `empty` where that is given and nothing was said in the session.
        """
        state = await self._start(session)
        await self._follow(state)
        if empty is not None and self.screen.is_empty:
            raise empty
        self._open(request)
        self.screen.paint(rows)
        self._reconciled = True
        self._publish("PiviPainted", "PiviAttached")
        await self._ready()
        await self._read()

    async def _follow(self, state: State) -> None:
        """Take the session that Pi has for the one to be shown."""
        self.session_id = state.session_id
        self.path = self._file(state)
        # Pi writes the file of a new session only when something is said in it, and it may run elsewhere.
        header = (
            read_header(self.path)
            if self._is_stored()
            else Header(id=self.session_id, version=3, cwd=self.cwd)
        )
        self.screen.start(self.path, header)
        await self._catch_up(paint=False)
        if self.path and not self.screen.is_empty and not self._is_stored():
            self._say("info", f"{self.path} can't be read from here; all that is shown comes from Pi.")

    async def _read(self) -> None:
        await self.screen.read_rest()
        self._filled = True
        self._say_backfilled()

    async def _attach(self, session: Session) -> None:
        try:
            state = await self._start(session)
            if isinstance(session, Continue) and self._is_elsewhere(state):
                await self.screen.all_read.wait()
                await self._move(state)
            else:
                self._verify(state)
                self._publish("PiviAttached")
                await self.screen.all_read.wait()
                await self._catch_up()
            await self._ready()
        except PiError as error:
            await self._end()
            self._fail(str(error))
        self._reconciled = True
        self._say_backfilled()

    async def _start(self, session: Session) -> State:
        self._error = ""
        self._turn("starting")
        pi = self._options.pi
        launch = build(pi.command, pi.args, dict(pi.env), session, self.cwd)
        hooks = Hooks(
            event=self._event,
            exit=self._exited,
            log=self._log,
            failure=self._editor.failed,
            ui_request=self._asked,
        )
        self._client = await Client.start(launch, hooks)
        self._state = await ready(self._client, launch, pi.start_timeout)
        return self._state

    def _file(self, state: State) -> str:
        return os.path.join(self.cwd, state.session_file) if state.session_file else ""

    def _is_stored(self) -> bool:
        return bool(self.path) and os.path.exists(self.path)

    def _is_elsewhere(self, state: State) -> bool:
        """Does Pi keep its sessions in another directory than the one that we looked into?"""
        file = self._file(state)
        return bool(file) and real(os.path.dirname(file)) != real(os.path.dirname(self.path))

    async def _move(self, state: State) -> None:
        """Show Pi's last session in the place of the one that was found here."""
        expected, session_id = self.path, self.session_id
        await self._follow(state)
        if self.screen.is_empty:
            self.path, self.session_id = expected, session_id
            await self.screen.read_again(expected)
            raise PiError(
                f"Pi keeps its sessions in {os.path.dirname(self._file(state))} and has none of {self.cwd}; "
                f"what is shown is {expected}. Resume that by its path, or begin anew with :Pi new."
            )
        self._editor.send("rename", self.number, self._info())
        self._say("info", f"Pi keeps its sessions in {os.path.dirname(self.path)}: its last one is shown.")
        self._publish("PiviAttached")
        self.repaint(_ROWS)

    def _verify(self, state: State) -> None:
        """Before anything is sent: is it the session that was painted?"""
        file = self._file(state)
        if state.session_id == self.session_id and file and real(file) == real(self.path):
            return
        raise PiError(
            f"Pi opened another session ({state.session_id}, {file or 'in memory'}) than the one shown; "
            "nothing was sent. Resume it by its path."
        )

    async def _catch_up(self, *, paint: bool = True) -> None:
        """Bring in what Pi has stored beyond what is known: the end of reconciling, and of every turn."""
        client = self._need_client()
        since = self.screen.last_id
        try:
            answer = await client.get_entries(since)
        except PiRefused:
            if since is None:
                raise
            since = None
            answer = await client.get_entries()
        if answer.entries or since is None:
            await self.screen.take(answer.entries, all_of_them=since is None)
            if paint:
                self.screen.update()

    async def _ready(self) -> None:
        self._turn("idle")
        self._run("stats", self._measure())
        held, self._held = self._held, []
        for text in held:
            await self._prompt(text)

    async def _measure(self) -> None:
        """How full the context is; nobody waits for it."""
        try:
            stats = await self._need_client().get_session_stats()
        except PiError as error:
            self._log("pivi", str(error))
            return
        self._context = stats.context_usage.percent if stats.context_usage else None
        self._publish()

    def _say_backfilled(self) -> None:
        if self._filled and self._reconciled:
            self._publish("PiviBackfilled")

    # What the editor asks for

    def repaint(self, rows: int) -> None:
        """The buffer lost its text: paint it anew."""
        self.screen.paint(rows)
        self._run("fill", self.screen.fill())

    def whole(self, number: int) -> Whole:
        """A block without any cut. Raises `TroubleError`."""
        return self.screen.whole(number)

    async def send(self, text: str) -> None:
        """Prompt, or steer the running turn. Held until Pi is ready; a Pi that has ended is started again."""
        if self.phase in ("reading", "starting"):
            self._held.append(text)
        elif self.phase in ("stopped", "failed"):
            self._held.append(text)
            self.restart()
        else:
            await self._prompt(text)

    async def abort(self) -> None:
        """Stop the running turn; words that waited for it come back. Raises `PiError`."""
        queue = await self._need_client().stop_turn()
        waiting = [*queue.steering, *queue.follow_up]
        if waiting:
            self._give_back(waiting, "The turn was stopped; what waited for it was not sent.")

    async def _prompt(self, text: str) -> None:
        self._unstored.append(text)
        try:
            await self._need_client().prompt(text, streaming_behavior="steer")
        except PiRefused as error:
            self._give_back([text], diagnose.refused_prompt(str(error)))
        except PiError as error:
            self._give_back([text], str(error))

    def _give_back(self, texts: Iterable[str], why: str) -> None:
        """Words that went nowhere are the user's again."""
        words = [text for text in texts if text]
        self._unstored = [text for text in self._unstored if text not in words]
        if words:
            self._editor.send("words_back", self.number, "\n\n".join(words))
        self._say("error", why)

    # Events of Pi

    def _event(self, event: dict[str, Any]) -> None:
        kind = event.get("type")
        self._heard = asyncio.get_running_loop().time()
        if kind == "agent_start":
            self._turn("running", "PiviTurnStarted")
            self._run("watch", self._watch())
        elif kind == "agent_settled":
            self._run("settle", self._settle())
        elif kind == "compaction_start":
            self._turn("compacting")
        elif kind == "auto_retry_start":
            self._turn("retrying")
        elif kind in ("compaction_end", "auto_retry_end"):
            self._run("resettle", self._after_pause())
        elif kind == "session_info_changed" and self._state:
            self._state.session_name = event.get("name") or None
            self._publish()
        elif kind == "thinking_level_changed" and self._state:
            self._state.thinking_level = str(event.get("level", ""))
            self._publish()
        if self.screen.live.feed(event):
            self._flush_soon()

    def _turn(self, phase: Phase, *events: str) -> None:
        self.phase = phase
        self.screen.settled = phase not in ("running", "compacting", "retrying")
        self._publish(*events)

    async def _after_pause(self) -> None:
        if self._need_client().running:
            self._turn("running")
        elif self.phase in ("compacting", "retrying"):
            await self._settle()

    async def _settle(self) -> None:
        try:
            state = await self._need_client().get_state()
            await self._catch_up()
        except PiError as error:
            self._log("pivi", f"the end of the turn could not be read: {error}")
            return
        if self._need_client().running:
            return  # another turn has begun meanwhile and will settle
        self._state = state
        self._unstored = []
        self._turn("idle")
        self.screen.update()
        self._publish("PiviSettled")
        self._run("stats", self._measure())

    async def _watch(self) -> None:
        """An end of turn that never came is found out by asking."""
        loop = asyncio.get_running_loop()
        while (client := self._client) is not None and client.running:
            await asyncio.sleep(_SILENCE)
            if client.running and loop.time() - self._heard >= _SILENCE:
                try:
                    state = await client.get_state()
                except PiError as error:
                    self._log("pivi", str(error))
                    return
                if not state.is_streaming and not state.is_compacting:
                    client.running = False
                    await self._settle()

    def _flush_soon(self) -> None:
        if not self._flushing and self.screen.all_read.is_set():
            self._flushing = True
            asyncio.get_running_loop().call_later(_FLUSH, self._flush)

    def _flush(self) -> None:
        self._flushing = False
        if self.phase not in ("stopped", "failed"):
            self.screen.update()

    def _asked(self, request: dict[str, Any]) -> bool:
        """An extension tells something; its questions are answered by nobody yet."""
        if request.get("method") == "notify":
            self._say(_LEVELS.get(str(request.get("notifyType")), "info"), str(request.get("message", "")))
        return False

    # The end

    def restart(self) -> None:
        """Start Pi (again) on the session that is shown. Raises `TroubleError` where none is stored."""
        if not self.path:
            raise TroubleError("This session was never stored, so it can't be started again.")
        self._run("restart", self._restart())

    async def _restart(self) -> None:
        await self._end()
        await self._attach(Resume(self.path))

    async def stop(self) -> None:
        """End Pi and keep the transcript."""
        await self._end()
        self._turn("stopped", "PiviExited")

    async def close(self) -> None:
        """The buffer is gone: end everything."""
        for task in self._tasks:
            if task is not asyncio.current_task():
                task.cancel()
        await self._end()

    async def _end(self) -> None:
        client, self._client = self._client, None
        if client is not None and client.exit is None:
            ended = await client.end()
            waiting = [*ended.queue.steering, *ended.queue.follow_up]
            if waiting:
                self._give_back(waiting, "Pi was stopped; what waited for its turn was not sent.")

    def kill_now(self) -> None:
        """For the host's own end: blocks for a moment."""
        if self._client is not None:
            self._client.kill_now()

    def _exited(self, ended: Exit) -> None:
        client, self._client = self._client, None
        if client is None or ended.asked or not client.answered:
            return  # we ended it ourselves, or its start failed and says so
        self._run("exit", self._after_exit(ended))

    async def _after_exit(self, ended: Exit) -> None:
        """Pi ended by itself: show what it stored, give back what it did not."""
        await self.screen.all_read.wait()
        if self._is_stored():
            await self.screen.read_again(self.path)
        blocks = self.screen.transcript.blocks()
        stored = {block.text for block in blocks if isinstance(block, Prompt)}
        lost = [text for text in self._unstored if text not in stored]
        self._fail(ended.sentence)
        self.screen.update()
        if lost:
            self._give_back(lost, "Pi ended before it stored this prompt.")
        self._publish("PiviExited")

    def _fail(self, sentence: str) -> None:
        self._error = sentence
        self._turn("failed")
        held, self._held = self._held, []
        self._give_back(held, sentence)

    # Telling the editor

    def _info(self) -> dict[str, Any]:
        return {
            "file": self.path,
            "session_id": self.session_id,
            "title": self.screen.transcript.name,
            "cwd": self.cwd,
            "groups": list(groups.LINKS.items()),
            "kinds": groups.KINDS,
        }

    def _open(self, request: int) -> None:
        self._editor.send("open", request, self.number, self._info())

    def _say(self, level: Literal["info", "warn", "error"], text: str) -> None:
        self._editor.send("say", level, text)

    def _patch(self, sequence: int, patch: Patch) -> None:
        # Packed here it crosses as one string; pynvim would walk through every integer of it.
        self._editor.send("patch", self.number, sequence, msgspec.msgpack.encode(patch))

    def _publish(self, *events: str) -> None:
        """`b:pivi`, whole, and then the events."""
        state, transcript = self._state, self.screen.transcript
        known = {
            "phase": self.phase,
            "session_id": self.session_id,
            "session_file": self.path or None,
            "session_name": (state.session_name if state else None) or transcript.name or None,
            "cwd": self.cwd,
            "leaf_id": transcript.leaf_id or None,
            "entries": transcript.count,
            "model": state.model.ref if state and state.model else transcript.model or None,
            "thinking": (state.thinking_level if state else "") or transcript.thinking or None,
            "context": self._context,
            "error": self._error or None,
            "reading": self.screen.reading,
        }
        status = {key: value for key, value in known.items() if value is not None}
        self._editor.send("status", self.number, status, [[name, {}] for name in events])

    def _log(self, source: str, text: str) -> None:
        self._editor.send("log", self.number, source, text)

    def _need_client(self) -> Client:
        if self._client is None:
            raise TroubleError("Pi does not run here; start it with :Pi restart.")
        return self._client

    def _run(self, name: str, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = self._editor.run(f"{name} of conversation {self.number}", work)
        self._tasks = [other for other in self._tasks if not other.done()]
        self._tasks.append(task)
        return task
