"""Turns: prompts out, events in, and what was live exchanged for what is stored when a turn has settled."""

from __future__ import annotations

import asyncio
from typing import Any

from pivi.conversation.front import Front, Level, Phase
from pivi.conversation.guard import Guard
from pivi.conversation.link import Link
from pivi.conversation.running import Running
from pivi.conversation.screen import Screen
from pivi.conversation.words import Word, Words
from pivi.pi import diagnose
from pivi.pi.answers import State
from pivi.pi.errors import PiError, PiRefusedError
from pivi.pi.messages import UserMessage, decode_message
from pivi.transcript.parts import split

_FLUSH = 0.033
"""Seconds between two updates of a streaming answer."""
_SILENCE = 15.0
"""Seconds without an event after which a running turn is asked for."""
_START = 5.0
"""Seconds that a turn may take to begin once Pi has taken its prompt; an extension's command begins none."""
_LEVELS: dict[str, Level] = {"warning": "warn", "error": "error"}


class Turns:
    """The turns of one conversation. It keeps the status of `front` current from Pi's answers and events.

    `beginning`: what waited for Pi is being sent, and what is said meanwhile waits behind it.
    """

    def __init__(self, front: Front, link: Link, screen: Screen, words: Words, guard: Guard) -> None:
        self._front = front
        self._link = link
        self._screen = screen
        self._words = words
        self._guard = guard
        self._catching_up = asyncio.Lock()
        self._prompting = asyncio.Lock()
        self._began = asyncio.Event()
        self.beginning = False
        self._unread = ""
        self._running = Running(front, screen)
        self._flushing = False
        self._heard = 0.0
        self._watcher: asyncio.Task[None] | None = None

    def phase(self, phase: Phase, *events: str) -> None:
        """Go to a phase and tell so."""
        self._front.status.phase = phase
        self._screen.settled = phase not in ("running", "compacting", "retrying")
        self.publish(*events)

    def publish(self, *events: str) -> None:
        """Tell the status with what the screen knows of it."""
        self._front.publish(self._screen, *events)

    def learn(self, state: State) -> None:
        """Take over what Pi says of itself."""
        status = self._front.status
        status.session_name = state.session_name
        status.model = state.model.ref if state.model else None
        status.thinking = state.thinking_level

    # Prompts

    async def begin(self) -> None:
        """Pi is ready: send what waited for it."""
        self.phase("idle")
        self._front.spawn("measuring", self._measure())
        self.beginning = True
        try:
            while (word := self._words.next_held()) is not None:
                if not await self.prompt(word):
                    # Said before the user could read why.
                    self._words.return_held("Pi did not take what was said before it.")
        finally:
            self.beginning = False

    async def prompt(self, word: Word) -> bool:
        """Prompt, or steer the running turn; tells whether Pi took it, and gives it back where not."""
        # Of two prompts that come before the first one's turn has begun Pi drops one.
        async with self._prompting:
            return await self._prompt(word)

    async def _prompt(self, word: Word) -> bool:
        self._words.sent(word, self._screen.transcript.leaf_id)
        try:
            if not self._link.in_turn and (doubt := await self._guard.doubt(self.catch_up)):
                self._words.forget(word)
                self._front.doubt(word.text, doubt.kind, doubt.sentence, word.key)
                return False
            self._began.clear()
            answer = await self._link.client.prompt(word.text, streaming_behavior="steer")
            if answer == "handled":
                self._words.done(word)
            elif answer == "queued" or self._link.in_turn or await self._begins():
                word.taken = True
            elif word.text.startswith("/"):
                # Before 0.99 Pi does not tell that an extension has dealt with it.
                self._words.done(word)
            else:
                word.taken = True
        except PiError as error:
            refused = isinstance(error, PiRefusedError)
            self._words.give_back(word, diagnose.refused_prompt(str(error)) if refused else str(error))
            return False
        return True

    async def _begins(self) -> bool:
        """Does the turn begin that Pi has been prompted for?"""
        while True:
            try:
                await asyncio.wait_for(self._began.wait(), _START)
            except asyncio.TimeoutError:
                # Where the context is full, that is made smaller before.
                if self._front.status.phase != "compacting":
                    return False
            else:
                return True

    async def abort(self) -> None:
        """Stop the running turn; words that waited for it come back. Raises `PiError`."""
        queue = await self._link.client.stop_turn()
        self._words.give_back_queued(
            [*queue.steering, *queue.follow_up], "the turn ended before they were sent."
        )

    # Events

    def event(self, event: dict[str, Any]) -> None:
        """Take in an event of Pi."""
        kind, status = event.get("type"), self._front.status
        self._heard = asyncio.get_running_loop().time()
        if kind == "agent_start":
            self._began.set()
            self.phase("running", "PiviTurnStarted")
            if self._watcher is None or self._watcher.done():
                self._watcher = self._front.spawn("watch", self._watch())
        elif kind == "agent_settled":
            self._front.spawn("settling", self._settle())
        elif kind == "compaction_start":
            self.phase("compacting")
        elif kind == "auto_retry_start":
            self.phase("retrying")
        elif kind in ("compaction_end", "auto_retry_end"):
            self._front.spawn("going on", self._go_on())
        elif kind == "message_end":
            self._stored(event.get("message"))
        elif kind == "session_info_changed":
            status.session_name = event.get("name") or None
            self.publish()
        elif kind == "thinking_level_changed":
            status.thinking = str(event.get("level", ""))
            self.publish()
        if self._screen.live.feed(event):
            self._flush_soon()
            self._running.look()

    def _stored(self, message: object) -> None:
        # An old Pi makes the file of a new session only when there is an answer.
        if isinstance(message, dict) and message.get("role") == "user" and self._front.is_stored:
            said = decode_message(message)[0]
            if isinstance(said, UserMessage):
                self._words.stored(split(said.content)[0])

    def asked(self, request: dict[str, Any]) -> bool:
        """An extension tells something; its questions are answered by nobody yet."""
        if request.get("method") == "notify":
            level = _LEVELS.get(str(request.get("notifyType")), "info")
            self._front.say(level, str(request.get("message", "")))
        return False

    async def catch_up(self, *, paint: bool = True) -> None:
        """Bring in what Pi has stored beyond what is known: the end of reconciling, and of every turn."""
        # Two that ask for the same entries would both take them in.
        async with self._catching_up:
            client = self._link.client
            since = self._screen.last_id
            try:
                answer = await client.get_entries(since)
            except PiRefusedError:
                if since is None:
                    raise
                since = None
                answer = await client.get_entries()
            if answer.entries or since is None:
                await self._screen.take(answer.entries, all_of_them=since is None)
                if paint:
                    self._screen.update()

    async def _go_on(self) -> None:
        """After a pause within a turn, or a compaction outside of one."""
        if self._link.in_turn:
            self.phase("running")
        elif self._front.status.phase in ("compacting", "retrying"):
            await self._settle()

    async def _settle(self) -> None:
        state = None
        try:
            state = await self._link.client.get_state()
            await self.catch_up()
        except PiError as error:
            sentence = f"The end of the turn could not be read: {error}"
            self._front.log("pivi", sentence)
            if not self._link.runs:
                return  # whoever ended Pi tells so
            self._unread = self._front.status.error = sentence
        else:
            if self._front.status.error == self._unread:
                self._front.status.error = ""
        if self._link.in_turn:
            return  # another turn has begun meanwhile and will settle
        if state is not None:
            self.learn(state)
        self._words.settled(self._screen.said_since, "Pi ended the turn without them.")
        self.phase("idle")
        self._screen.update()
        await self._screen.updated()
        self.publish("PiviSettled")
        self._front.spawn("measuring", self._measure())

    async def _measure(self) -> None:
        """How full the context is; nobody waits for it."""
        try:
            usage = (await self._link.client.get_session_stats()).context_usage
        except PiError as error:
            self._front.log("pivi", str(error))
            return
        self._front.status.context = usage.percent if usage else None
        self.publish()

    async def _watch(self) -> None:
        """An end of turn that never came is found out by asking."""
        loop = asyncio.get_running_loop()
        while self._link.in_turn:
            await asyncio.sleep(_SILENCE)
            if self._link.in_turn and loop.time() - self._heard >= _SILENCE:
                client = self._link.client
                try:
                    state = await client.get_state()
                except PiError as error:
                    self._front.log("pivi", str(error))
                    return
                if not state.is_streaming and not state.is_compacting:
                    client.running = False
                    await self._settle()

    def _flush_soon(self) -> None:
        if not self._flushing and self._screen.all_read.is_set():
            self._flushing = True
            asyncio.get_running_loop().call_later(_FLUSH, self._flush)

    def _flush(self) -> None:
        self._flushing = False
        if self._front.status.phase not in ("stopped", "failed"):
            self._screen.update()
