"""Pi, as one conversation has it: started, asked, ended."""

from __future__ import annotations

import asyncio

import msgspec

from pivi.conversation.editor import TroubleError
from pivi.conversation.options import PiOptions
from pivi.pi.answers import State
from pivi.pi.client import Client, Hooks
from pivi.pi.errors import Exit
from pivi.pi.launch import Session, build
from pivi.pi.start import ready


class Link:
    """At most one running Pi. `hooks.exit` is called only for an end that nobody here asked for.

    `options` are those of the next start.
    """

    def __init__(self, options: PiOptions, hooks: Hooks) -> None:
        self.options = options
        self._hooks = hooks
        self._client: Client | None = None
        self._leaving: Client | None = None
        self._current = object()
        self._changing = asyncio.Lock()

    @property
    def client(self) -> Client:
        """The running Pi. Raises `TroubleError` where there is none."""
        if self._client is None:
            raise TroubleError("Pi does not run here; start it with :Pi restart.")
        return self._client

    @property
    def runs(self) -> bool:
        """Is there a Pi that can be asked?"""
        return self._client is not None and self._client.exit is None

    @property
    def in_turn(self) -> bool:
        """Does a turn run, as far as events tell?"""
        return self._client is not None and self._client.running

    async def start(self, session: Session, cwd: str) -> State:
        """Start Pi in `cwd` and wait for its first answer; one that is being ended is waited for before.

        Raises `StartFailedError`.
        """
        pi = self.options
        launch = build(pi.command, pi.args, dict(pi.env), session, cwd)
        # An end that comes meanwhile waits until there is something to end.
        async with self._changing:
            current = self._current = object()
            hooks = msgspec.structs.replace(self._hooks, exit=lambda ended: self._exited(current, ended))
            client = self._client = await Client.start(launch, hooks)
        return await ready(client, launch, pi.start_timeout)

    async def end(self) -> list[str]:
        """End Pi, a running turn first; returns the words that waited for that turn.

        Where this is cancelled, the next call goes on with it.
        """
        async with self._changing:
            if self._client is not None:
                self._leaving, self._client = self._client, None
            client = self._leaving
            if client is None or client.exit is not None:
                self._leaving = None
                return []
            queue = (await client.end()).queue
            self._leaving = None
        return [*queue.steering, *queue.follow_up]

    def kill_now(self) -> None:
        """For the host's own end: blocks for a moment."""
        for client in (self._client, self._leaving):
            if client is not None:
                client.kill_now()

    def _exited(self, whose: object, ended: Exit) -> None:
        # Another may run by now.
        if whose is not self._current:
            return
        client, self._client = self._client, None
        # A start that failed says so itself.
        if client is not None and client.answered and not ended.asked:
            self._hooks.exit(ended)
