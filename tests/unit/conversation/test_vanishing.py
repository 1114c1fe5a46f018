"""A session file that can't be read any more while it is being read: its end stays, and nobody waits on."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from pivi.conversation import Conversation, Options, TroubleError, Viewing
from pivi.conversation.options import PiOptions
from pivi.pi.launch import Resume
from pivi.view.patch import Patch
from tests.support.stores import Store, header, lines, message

SENTENCE = "Only its end is shown, the rest can't be read, No such file or directory: {}."


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

    async def until_event(self, name: str) -> None:
        """Until a User event is told. Raises TimeoutError after 20 s."""
        for _ in range(400):
            if name in self.events:
                return
            await asyncio.sleep(0.05)
        raise TimeoutError(name)

    async def close(self) -> None:
        assert self.one is not None
        await self.one.close()
        assert self.failures == []


@pytest.fixture
def file(tmp_path: Path) -> Path:
    store = Store(tmp_path.resolve())
    file = store.root / "long.jsonl"
    parents = [None, *map(str, range(6000))]
    records = [message(str(n), parents[n], "user", f"prompt {n} " + "words " * 100) for n in range(6000)]
    file.write_bytes(lines([header("long", str(tmp_path)), *records]))
    return file


async def test_a_view_says_so_and_is_filled_when_the_file_is_back(file: Path) -> None:
    told = Told()
    view = told.one = Viewing(1, told, Options(), str(file.parent))
    await view.open(str(file), 0, 50)
    os.rename(file, f"{file}.away")
    await told.until("reading")
    sentence = SENTENCE.format(file)
    assert told.said() == [sentence]
    assert (told.status["error"], told.status["phase"]) == (sentence, "view")
    assert "reading" not in told.status
    assert told.events == ["PiviPainted"]
    assert "prompt 5999" in str(view.screen.blocks()[-1])
    with pytest.raises(TroubleError, match="can't be read"):
        await asyncio.wait_for(view.screen.files(), 5)
    os.rename(f"{file}.away", file)
    await told.until_event("PiviBackfilled")
    assert told.status["entries"] == 6000
    assert "error" not in told.status
    await told.close()


async def test_a_resume_whose_pi_can_not_tell_it_either_says_both(file: Path) -> None:
    told = Told()
    options = Options(pi=PiOptions(command=[str(file.parent / "no-such-pi")]))
    one = told.one = Conversation(1, told, options, str(file.parent))
    one.resume(str(file), Resume(str(file)), 0, 50)
    os.unlink(file)
    await told.until("reading", "attaching")
    said = " ".join(told.said())
    assert said.startswith("Pi was not found")
    assert said.endswith(SENTENCE.format(file))
    assert said.count(SENTENCE.format(file)) == 1
    assert (told.status["error"], told.status["phase"]) == (said, "failed")
    assert "reading" not in told.status
    assert told.events == ["PiviPainted"]
    await told.close()


async def test_what_was_read_and_is_taken_up_tells_what_is_missing(file: Path) -> None:
    told = Told()
    view = told.one = Viewing(1, told, Options(), str(file.parent))
    await view.open(str(file), 0, 50)
    os.unlink(file)
    options = Options(pi=PiOptions(command=[str(file.parent / "no-such-pi")]))
    taken = told.one = Conversation(1, told, options, str(file.parent), view)
    taken.take_up(view, Resume(str(file)), 0)
    await told.until("reading", "attaching")
    assert told.status["phase"] == "failed"
    assert told.status["error"].endswith(SENTENCE.format(file))
    await told.close()
