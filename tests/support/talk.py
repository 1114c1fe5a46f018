"""A client of ours: how it is started on the real Pi, and everything that it tells, written down."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pivi.pi.client import Hooks
from pivi.pi.errors import Exit
from pivi.pi.launch import Session, build
from pivi.pi.process import Launch
from tests.support.pi import Pi

FAKE_PI = str(Path(__file__).with_name("fake_pi.py"))


@dataclass
class Heard:
    """What a client told, in order. A test's end is no place for failures: look at them."""

    events: list[dict[str, Any]] = field(default_factory=list)
    exits: list[Exit] = field(default_factory=list)
    log: list[tuple[str, str]] = field(default_factory=list)
    failures: list[BaseException] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    take_dialogs: bool = False

    def hooks(self) -> Hooks:
        """For `Client.start`."""
        return Hooks(
            event=self.events.append,
            exit=self.exits.append,
            log=lambda source, text: self.log.append((source, text)),
            failure=self.failures.append,
            ui_request=self._ask,
        )

    def said(self, source: str) -> str:
        """All that came from a source of the log."""
        return "".join(text for name, text in self.log if name == source)

    @property
    def kinds(self) -> list[str]:
        """The types of the events."""
        return [event["type"] for event in self.events]

    async def until(self, condition: Callable[[], bool], seconds: float = 20) -> None:
        """Wait for what the events will bring. Raises TimeoutError."""
        end = asyncio.get_running_loop().time() + seconds
        while not condition():
            if asyncio.get_running_loop().time() > end:
                raise TimeoutError(f"not in {seconds} s; events: {self.kinds}; log: {self.log}")
            await asyncio.sleep(0.01)

    async def settled(self, count: int = 1) -> None:
        """Wait until so many runs have settled."""
        await self.until(lambda: self.kinds.count("agent_settled") >= count)

    def _ask(self, request: dict[str, Any]) -> bool:
        self.asked.append(request)
        return self.take_dialogs


def launch(pi: Pi, session: Session, *args: str, command: list[str] | None = None) -> Launch:
    """A plan to start this Pi in its home's project."""
    return build(command or str(pi.path), args, {}, session, str(pi.home.project), pi.home.env)


def stored(pi: Pi, *prompts: str) -> Path:
    """A session that Pi wrote; its file."""
    with pi.start() as run:
        for prompt in prompts or ("first",):
            run.prompt(prompt)
        return Path(run.request("get_state")["data"]["sessionFile"])
