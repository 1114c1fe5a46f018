"""What Pi has started while its tools run: that must not outlive a Pi which somebody kills."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from itertools import chain, repeat

from . import guardian

_LOOKS = (0.01, 0.05, 0.1, 0.2, 0.5)
"""Seconds between looks at what a running tool has started; the last goes on."""


class Noted:
    """Descendants of process `pid`, looked at again and again while it is watched.

    `run` runs a task; `ended` tells whether the process is known to have ended: then its descendants are
    init's, and what was seen last counts.
    """

    def __init__(
        self,
        pid: int,
        run: Callable[[Coroutine[None, None, None]], asyncio.Task[None]],
        ended: Callable[[], bool],
    ) -> None:
        self._pid = pid
        self._run = run
        self._ended = ended
        self._watching: asyncio.Task[None] | None = None
        # Two looks: the second may have been at a process whose death nobody has told yet.
        self._seen: tuple[guardian.Kin, guardian.Kin] = {}, {}

    @property
    def kin(self) -> guardian.Kin:
        """What was seen last."""
        return {**self._seen[0], **self._seen[1]}

    def watch(self) -> None:
        """A tool begins."""
        if self._watching is not None:
            self._watching.cancel()
        self._watching = self._run(self._watch())

    def unwatch(self) -> None:
        """No tool runs any more; what one of them left behind on purpose may stay."""
        if self._watching is not None:
            self._watching.cancel()
            self._watching = None
        self._seen = {}, {}

    async def _watch(self) -> None:
        for delay in chain(_LOOKS, repeat(_LOOKS[-1])):
            await asyncio.sleep(delay)
            found = await asyncio.to_thread(guardian.descendants, self._pid)
            if self._ended():
                return
            self._seen = self._seen[1], found
