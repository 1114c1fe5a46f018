"""Ends and starts of Pi that come close together: there is never more than one, and the last word counts."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from pivi.conversation.link import Link
from pivi.pi.launch import New
from tests.support.talk import Heard
from tests.support.told import Told, options, resumed, stored


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return stored(tmp_path)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_a_start_waits_for_the_end_before_it_and_outlives_that(file: Path) -> None:
    heard = Heard()
    link = Link(options(file, "deaf-to-eof").pi, heard.hooks())
    await link.start(New(), "/")
    first = link.client.pid
    end = asyncio.ensure_future(link.end())
    await asyncio.sleep(0.05)
    assert alive(first)
    await link.start(New(), "/")
    assert end.done() and not alive(first)
    # The old one's end has been told by now, whoever it was told to.
    await asyncio.sleep(0.3)
    second = link.client.pid
    assert alive(second) and heard.exits == []
    await link.end()
    assert not alive(second)


async def test_an_end_that_is_cancelled_is_gone_on_with(file: Path) -> None:
    link = Link(options(file, "deaf-to-eof", "deaf-to-term").pi, Heard().hooks())
    await link.start(New(), "/")
    pid = link.client.pid
    end = asyncio.ensure_future(link.end())
    await asyncio.sleep(0.05)
    end.cancel()
    await link.end()
    assert not alive(pid)


async def test_a_restart_during_a_stop_has_the_last_word(file: Path) -> None:
    told = Told()
    one = await resumed(told, file, "deaf-to-eof")
    first = one._link.client.pid
    stop = asyncio.ensure_future(one.stop())
    await asyncio.sleep(0.05)
    one.restart(options(file))
    await stop
    await told.wait(lambda: one.phase == "idle")
    assert "PiviExited" not in told.events
    assert not alive(first) and alive(one._link.client.pid)
    await told.close()


async def test_of_two_restarts_one_starts(file: Path) -> None:
    told = Told()
    one = await resumed(told, file, "deaf-to-eof")
    one.restart(options(file))
    await asyncio.sleep(0.05)
    one.restart(options(file))
    await told.until("restarting")
    assert (one.phase, told.events.count("PiviAttached"), told.said()) == ("idle", 2, [])
    await told.close()


async def test_a_stop_before_pi_is_run_leaves_none(file: Path) -> None:
    told = Told()
    one = await resumed(told, file)
    await one.stop()
    one.restart(options(file))
    await one.stop()
    await told.until("restarting")
    assert one.phase == "stopped"
    assert one._link._client is None
    await told.close()


async def test_a_pi_that_ended_does_not_fail_the_one_that_is_started(file: Path) -> None:
    told = Told()
    one = await resumed(told, file)
    os.kill(one._link.client.pid, signal.SIGKILL)
    while one._link._client is not None:  # noqa: ASYNC110 - the restart is to come right behind the end
        await asyncio.sleep(0)
    one.restart(options(file))
    await told.until("ending", "restarting")
    assert (one.phase, told.said()) == ("idle", [])
    await told.close()


async def test_a_restart_takes_the_options_as_they_are_now(file: Path) -> None:
    told = Told()
    one = await resumed(told, file)
    one.restart(options(file.parent / "another.jsonl"))
    await told.until("restarting")
    assert "Pi has another session" in told.status["error"]
    await one.send("hello", 1, options(file, "slow-prompts"))
    await told.until("restarting")
    await told.wait(lambda: one.phase == "idle")
    assert ("log", 1, "stderr", "prompt: hello\n") in told.messages
    await told.close()
