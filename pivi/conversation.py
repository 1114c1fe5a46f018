"""One Pi session in one buffer: read, attach, reconcile, prompt, end.

It knows nothing of Neovim: it speaks to an `Editor`. What it shows is the stored transcript with the
live blocks of the running turn behind it; when a turn has settled, its stored entries take their place.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine, Iterable, Iterator
from typing import Any, Literal, Protocol

import msgspec

from pivi.pi import diagnose
from pivi.pi.client import Client, Hooks
from pivi.pi.answers import Entries, State
from pivi.pi.errors import Exit, PiError, PiRefused
from pivi.pi.launch import Fork, New, Resume, Session, build
from pivi.pi.records import Header, decode_entry, decode_lines
from pivi.pi.start import ready
from pivi.sessions.headers import NoSessionError
from pivi.sessions.paths import real
from pivi.sessions.reading import Fingerprint, Tail, header_line, next_line, read_lines, read_tail
from pivi.transcript.blocks import Block, Prompt
from pivi.transcript.live import Live
from pivi.transcript.stored import Transcript
from pivi.view import groups
from pivi.view.whole import Whole, whole
from pivi.view.icons import ASCII, UNICODE
from pivi.view.painter import Painter
from pivi.view.patch import Patch

Phase = Literal["reading", "starting", "idle", "running", "compacting", "retrying", "stopped", "failed"]

_TAIL = 1 << 18
"""Bytes of the file's end that are read for the first screen."""
_LONG_TAIL = 1 << 23
"""Bytes of a large file's end that are painted while the rest is still read."""
_FLUSH = 0.033
"""Seconds between two updates of a streaming answer."""
_SLICE = 500
"""Entries that are taken in before others get their turn."""
_SILENCE = 15.0
"""Seconds without an event after which a running turn is asked for."""


class Editor(Protocol):
    """The other side, as far as a conversation needs it."""

    def send(self, method: str, *args: object) -> None:
        """Call the editor's inbox, in order and without waiting."""

    def run(self, name: str, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a task whose failure is reported."""

    def failed(self, error: BaseException) -> None:
        """Report a failure that nobody expected."""


class Trouble(Exception):
    """What the user asked for can't be done; the text is one sentence."""


class PiOptions(msgspec.Struct):
    """How Pi is started; see `pivi.pi.launch.build`."""

    command: str | list[str] = "pi"
    args: list[str] = []
    env: dict[str, str] = {}


class Options(msgspec.Struct):
    """The user's options, as far as a session depends on them."""

    pi: PiOptions = msgspec.field(default_factory=PiOptions)
    icons: Literal["unicode", "ascii"] = "unicode"


class Conversation:
    """A session in a buffer. `number` names it between the editor and us, `request` is the one to answer
    with an open buffer, `rows` the height of the window that shows it."""

    def __init__(self, number: int, editor: Editor, options: Options, cwd: str) -> None:
        self.number = number
        self.cwd = cwd
        self.path = ""
        self.session_id = ""
        self.phase: Phase = "reading"
        self._editor = editor
        self._options = options
        self._error = ""
        self._header: Header | None = None
        self._mark: Fingerprint | None = None
        self._transcript = Transcript(None)
        self._live = Live()
        self._painter = Painter(ASCII if options.icons == "ascii" else UNICODE, self._patch)
        self._room = asyncio.Event()
        self._read = asyncio.Event()
        self._reading: int | None = None
        self._known = 1.0
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

    # Reading and painting

    def resume(self, path: str, session: Session, request: int, rows: int) -> None:
        """Paint the stored session and start Pi on it. Raises `Trouble` where the file can't be read."""
        self.path = path
        self._header = self._read_header()
        self.session_id = self._header.id
        tail, glimpse = self._glimpse(rows)
        self._open(request)
        self._painter.first(glimpse.blocks(), settled=True, window_rows=rows)
        self._mark = tail.mark
        self._reading = 0
        self._transcript = glimpse
        self._publish("PiviPainted")
        self._run("attach", self._attach(session))
        self._run("read", self._read_whole(tail))

    def _glimpse(self, rows: int) -> tuple[Tail, Transcript]:
        """As much of the file's tail as fills a window."""
        want = _TAIL
        while True:
            tail = read_tail(self.path, want)
            glimpse = Transcript(self._header, partial=not tail.whole)
            glimpse.extend(decode_lines(tail.lines))
            # Every block takes two rows at least, also where its fold is closed.
            if tail.whole or 2 * len(glimpse.blocks()) >= rows:
                return tail, glimpse
            want *= 8

    async def _read_whole(self, tail: Tail) -> None:
        """Fill what lies above the glimpse: from a longer tail at first, so that the editor has work meanwhile."""
        if not tail.whole:
            filling: list[asyncio.Task[None]] = []
            for start in ([tail.size - _LONG_TAIL] if tail.size > 2 * _LONG_TAIL else []) + [0]:
                transcript = Transcript(self._header, partial=start > 0)
                for lines in self._lines_from(start, tail.size):
                    transcript.extend(decode_lines(lines))
                    await asyncio.sleep(0)
                self._transcript = transcript
                self._painter.rest(self._blocks(), settled=self._settled)
                self._known = (tail.size - start) / tail.size
                filling.append(self._run("fill", self._fill()))
            self._read.set()
            await asyncio.gather(*filling)
        self._read.set()
        await self._fill()
        self._reading = None
        self._filled = True
        self._say_backfilled()

    def _lines_from(self, start: int, end: int) -> Iterator[list[bytes]]:
        """The file's lines in slices; where `start` (bytes) is within a line, from the next one on."""
        if start > 0:
            # One byte more on the left tells whether a line begins there.
            start = next_line(self.path, start - 1)
        return read_lines(self.path, start=start, end=end)

    async def _fill(self) -> None:
        while True:
            while self._painter.behind:
                self._room.clear()
                await self._room.wait()
            if not self._painter.more():
                return
            percent = int(self._painter.page.percent * self._known)
            if self._reading is not None and percent >= self._reading + 10:
                self._reading = percent
                self._publish()
            await asyncio.sleep(0)

    def _read_header(self) -> Header:
        try:
            entry = decode_entry(header_line(self.path))
        except (OSError, NoSessionError) as error:
            raise Trouble(f"The session file {self.path} can't be read: {error}.") from error
        if not isinstance(entry, Header):
            raise Trouble(f"{self.path} does not begin with a Pi session header.")
        return entry

    def repaint(self) -> None:
        """The buffer lost its text: paint it anew."""
        self._painter.first(self._blocks(), settled=self._settled, window_rows=100)
        self._run("fill", self._fill())

    def acknowledge(self, sequence: int) -> None:
        """The editor has applied patches up to this one."""
        self._painter.acknowledge(sequence)
        if not self._painter.behind:
            self._room.set()

    def whole(self, number: int) -> Whole:
        """A block's whole text, its filetype and a name for it. Raises `Trouble` for a number of no block."""
        try:
            return whole(self._painter.page.block(number))
        except KeyError:
            raise Trouble("There is no such block any more.") from None

    def _blocks(self) -> list[Block]:
        live = self._live.blocks()
        return [*self._transcript.blocks(), *live] if live else self._transcript.blocks()

    @property
    def _settled(self) -> bool:
        return self.phase not in ("running", "compacting", "retrying")

    def _update(self) -> None:
        self._painter.update(self._blocks(), settled=self._settled)

    def _say_backfilled(self) -> None:
        if self._filled and self._reconciled:
            self._publish("PiviBackfilled")

    # Attaching and reconciling

    async def begin(self, session: New | Fork, request: int, rows: int) -> None:
        """Start Pi on a session that it makes itself, then show it. Raises `PiError`."""
        state = await self._start(session)
        self._adopt(state)
        answer = await self._need_client().get_entries()
        await self._take(answer, since=None)
        self._open(request)
        self._painter.first(self._blocks(), settled=True, window_rows=rows)
        self._read.set()
        self._publish("PiviPainted")
        await self._ready()
        await self._fill()
        self._filled = True
        self._say_backfilled()

    async def _attach(self, session: Session) -> None:
        try:
            state = await self._start(session)
            self._verify(state)
            self._publish("PiviAttached")
            await self._read.wait()
            await self._catch_up()
            await self._ready()
        except PiError as error:
            self._fail(str(error))
        self._reconciled = True
        self._say_backfilled()

    async def _start(self, session: Session) -> State:
        self._error = ""
        self.phase = "starting"
        self._publish()
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
        self._state = await ready(self._client, launch)
        return self._state

    def _verify(self, state: State) -> None:
        """Before anything is sent: is it the session that was painted?"""
        file = os.path.join(self.cwd, state.session_file) if state.session_file else ""
        if state.session_id == self.session_id and file and real(file) == real(self.path):
            return
        raise PiError(
            f"Pi opened another session ({state.session_id}, {file or 'in memory'}) than the one shown; "
            "nothing was sent. Resume it by its path."
        )

    def _adopt(self, state: State) -> None:
        """The session is what Pi says it is."""
        self.session_id = state.session_id
        self.path = os.path.join(self.cwd, state.session_file) if state.session_file else ""
        # Pi writes the file of a new session when something is said in it.
        stored = self.path and os.path.exists(self.path)
        self._header = self._read_header() if stored else Header(id=self.session_id, version=3, cwd=self.cwd)
        self._transcript = Transcript(self._header)

    async def _catch_up(self) -> None:
        """Bring in what Pi has stored beyond what is shown: the end of reconciling, and of every turn."""
        client = self._need_client()
        since = (self._transcript.last_id or None) if self._is_as_painted() else None
        try:
            answer = await client.get_entries(since)
        except PiRefused:
            if since is None:
                raise
            since = None
            answer = await client.get_entries()
        await self._take(answer, since)
        self._update()

    def _is_as_painted(self) -> bool:
        """Are the entries that we have still those that Pi has read? Once Pi has told us, they are."""
        if self._mark is None:
            return True
        return bool(
            self._header and self._header.version >= 3 and self._mark.compare(self.path) in ("same", "grown")
        )

    async def _take(self, answer: Entries, since: str | None) -> None:
        transcript = self._transcript if since else Transcript(self._header)
        for start in range(0, len(answer.entries), _SLICE):
            entries = decode_lines(answer.entries[start : start + _SLICE])
            transcript.extend(entries)
            self._live.settle(entries)
            if len(answer.entries) > _SLICE:
                await asyncio.sleep(0)
        self._transcript = transcript
        self._mark = None

    async def _ready(self) -> None:
        self.phase = "idle"
        self._publish()
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

    # Talking

    async def send(self, text: str) -> None:
        """Prompt, or steer the running turn. Held until Pi is ready; a Pi that has ended is started again."""
        if self.phase in ("reading", "starting"):
            self._held.append(text)
        elif self.phase in ("stopped", "failed"):
            self._held.append(text)
            self.restart()
        else:
            await self._prompt(text)

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
        self._editor.send("say", "error", why)

    async def abort(self) -> None:
        """Stop the running turn; words that waited for it come back. Raises `PiError`."""
        queue = await self._need_client().stop_turn()
        waiting = [*queue.steering, *queue.follow_up]
        if waiting:
            self._give_back(waiting, "The turn was stopped; what waited for it was not sent.")

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
        if self._live.feed(event):
            self._flush_soon()

    def _turn(self, phase: Phase, *events: str) -> None:
        self.phase = phase
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
        self.phase = "idle"
        self._update()
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
        if not self._flushing and self._read.is_set():
            self._flushing = True
            asyncio.get_running_loop().call_later(_FLUSH, self._flush)

    def _flush(self) -> None:
        self._flushing = False
        if self.phase not in ("stopped", "failed"):
            self._update()

    def _asked(self, request: dict[str, Any]) -> bool:
        """An extension tells something; its questions are answered by nobody yet."""
        if request.get("method") == "notify":
            level = {"warning": "warn", "error": "error"}.get(str(request.get("notifyType")), "info")
            self._editor.send("say", level, str(request.get("message", "")))
        return False

    # The end

    def restart(self) -> None:
        """Start Pi (again) on the session that is shown. Raises `Trouble` where there is none to be had."""
        if not self.path:
            raise Trouble("This session was never stored, so it can't be started again.")
        self._run("restart", self._restart())

    async def _restart(self) -> None:
        await self._end()
        await self._attach(Resume(self.path))

    async def stop(self) -> None:
        """End Pi and keep the transcript."""
        await self._end()
        self.phase = "stopped"
        self._publish("PiviExited")

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
        await self._read.wait()
        if self.path and os.path.exists(self.path):
            transcript = Transcript(self._header)
            for lines in read_lines(self.path):
                transcript.extend(decode_lines(lines))
                await asyncio.sleep(0)
            self._transcript = transcript
            self._live = Live()
        stored = {block.text for block in self._transcript.blocks() if isinstance(block, Prompt)}
        lost = [text for text in self._unstored if text not in stored]
        self._fail(ended.sentence)
        self._update()
        if lost:
            self._give_back(lost, "Pi ended before it stored this prompt; it is in the unnamed register.")
        self._publish("PiviExited")

    def _fail(self, sentence: str) -> None:
        self.phase, self._error = "failed", sentence
        self._publish()
        held, self._held = self._held, []
        self._give_back(held, sentence)

    # Telling the editor

    def _open(self, request: int) -> None:
        self._editor.send(
            "open",
            request,
            self.number,
            {
                "file": self.path,
                "session_id": self.session_id,
                "title": self._transcript.name or "",
                "cwd": self.cwd,
                "groups": [{"name": name, "link": link} for name, link in groups.LINKS.items()],
                "kinds": groups.KINDS,
            },
        )

    def _patch(self, sequence: int, patch: Patch) -> None:
        # Packed here it crosses as one string; pynvim would walk through every integer of it.
        self._editor.send("patch", self.number, sequence, msgspec.msgpack.encode(patch))

    def _publish(self, *events: str) -> None:
        """`b:pivi`, whole, and then the events."""
        state, transcript = self._state, self._transcript
        known = {
            "phase": self.phase,
            "session_id": self.session_id,
            "session_file": self.path or None,
            "session_name": (state.session_name if state else None) or transcript.name or None,
            "cwd": self.cwd,
            "leaf_id": transcript.leaf_id,
            "entries": transcript.count,
            "model": state.model.ref if state and state.model else transcript.model or None,
            "thinking": (state.thinking_level if state else "") or transcript.thinking or None,
            "context": self._context,
            "error": self._error or None,
            "reading": self._reading,
        }
        status = {key: value for key, value in known.items() if value is not None}
        self._editor.send("status", self.number, status, [[name, {}] for name in events])

    def _log(self, source: str, text: str) -> None:
        self._editor.send("log", self.number, source, text)

    def _need_client(self) -> Client:
        if self._client is None:
            raise Trouble("Pi does not run here; start it with :Pi restart.")
        return self._client

    def _run(self, name: str, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = self._editor.run(f"{name} of conversation {self.number}", work)
        self._tasks = [other for other in self._tasks if not other.done()]
        self._tasks.append(task)
        return task
