"""How the tools that run are getting on: a passing decoration, told at most once a second."""

from __future__ import annotations

import asyncio
from typing import Final

from pivi.conversation.front import Front
from pivi.conversation.screen import Screen
from pivi.view.words import progress_text

_PAUSE: Final = 1.0
"""Seconds from one telling to the next."""
_FIRST: Final = 0.1
"""Seconds until the first one: by then the call is painted."""


class Running:
    """Tells the editor, while a tool runs, for how long it has and what it printed last."""

    def __init__(self, front: Front, screen: Screen) -> None:
        self._front = front
        self._screen = screen
        self._task: asyncio.Task[None] | None = None

    def look(self) -> None:
        """Something has happened: maybe a tool runs now."""
        if self._screen.live.running and (self._task is None or self._task.done()):
            self._task = self._front.spawn("timing tools", self._tell())

    async def _tell(self) -> None:
        loop = asyncio.get_running_loop()
        started: dict[str, float] = {}
        await asyncio.sleep(_FIRST)
        while self._screen.live.running and not self._screen.settled:
            now = loop.time()
            tools = [
                (number, progress_text(now - started.setdefault(tool_id, now), output, self._screen.icons))
                for number, tool_id, output in self._screen.running()
            ]
            self._front.running(tools)
            await asyncio.sleep(_PAUSE)
        self._front.running([])
