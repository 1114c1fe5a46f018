"""A conversation without an editor: everything that it tells, written down."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

from pivi.conversation import Conversation, Options, Viewing
from pivi.conversation.options import PiOptions
from pivi.pi.launch import Resume
from pivi.view.patch import Patch
from tests.support.stores import Store, header, lines, talk
from tests.support.talk import FAKE_PI
from tests.support.tools import PYTHON


class Told:
    """An editor that takes every patch, and writes down all else."""

    def __init__(self) -> None:
        self.one: Conversation | Viewing | None = None
        self.tasks: list[asyncio.Task[None]] = []
        self.messages: list[tuple[Any, ...]] = []
        self.failures: list[BaseException] = []

    def send(self, method: str, *args: Any) -> None:
        self.messages.append((method, *args))

    def patch(self, conversation: int, sequence: int, patch: Patch) -> None:
        if self.one is not None:
            asyncio.get_running_loop().call_soon(self.one.screen.acknowledge, sequence)

    def shown_in(self, conversation: int, buffer: int | None) -> None:
        self.messages.append(("shown_in", conversation, buffer))

    def run(self, name: str, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        self.tasks.append(asyncio.get_running_loop().create_task(work, name=name))
        return self.tasks[-1]

    def failed(self, error: BaseException) -> None:
        self.failures.append(error)

    @property
    def status(self) -> dict[str, Any]:
        found: dict[str, Any] = [args[2] for args in self.messages if args[0] == "status"][-1]
        return found

    @property
    def events(self) -> list[str]:
        return [name for args in self.messages if args[0] == "status" for name, _ in args[3]]

    def said(self) -> list[str]:
        return [args[2] for args in self.messages if args[0] == "say"]

    async def until(self, *names: str) -> None:
        """Until the tasks whose names begin so have ended, none of them with an exception."""
        for task in self.tasks:
            if task.get_name().startswith(names):
                await asyncio.wait_for(task, 20)

    async def until_event(self, name: str, times: int = 1) -> None:
        """Until a User event is told so often. Raises TimeoutError after 20 s."""
        for _ in range(400):
            if self.events.count(name) >= times:
                return
            await asyncio.sleep(0.05)
        raise TimeoutError(name)

    async def close(self) -> None:
        assert self.one is not None
        await self.one.close()
        assert self.failures == []

    async def wait(self, condition: Callable[[], bool]) -> None:
        """Until it holds. Raises TimeoutError after 20 s."""
        for _ in range(2000):
            if condition():
                return
            await asyncio.sleep(0.01)
        raise TimeoutError(str(self.messages[-5:]))


def options(file: Path, *faults: str) -> Options:
    """Those of a fake Pi with these faults, which runs the session in the file."""
    command = [str(PYTHON), "-S", FAKE_PI, *faults]
    return Options(pi=PiOptions(command=command, env={"FAKE_FILE": str(file)}))


def stored(folder: Path) -> Path:
    """A session that the fake Pi takes for its own."""
    file = Store(folder.resolve()).root / "a.jsonl"
    file.write_bytes(lines([header("fake", str(folder)), *talk()]))
    return file


async def resumed(told: Told, file: Path, *faults: str) -> Conversation:
    """A conversation that is ready."""
    one = Conversation(1, told, options(file, *faults), str(file.parent))
    told.one = one
    one.resume(str(file), Resume(str(file)), 0, 50)
    await told.until_event("PiviBackfilled")
    await told.wait(lambda: one.phase == "idle")
    return one


async def longest_hold(work: Awaitable[object]) -> float:
    """Seconds for which the loop did nothing else while it waited for this."""
    longest = 0.0
    task = asyncio.ensure_future(work)
    last = time.monotonic()
    while not task.done():
        await asyncio.sleep(0.005)
        longest, last = max(longest, time.monotonic() - last), time.monotonic()
    await task
    return longest
