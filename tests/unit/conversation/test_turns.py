"""Turns beside one another and in trouble: nothing is taken in twice, nothing stays behind."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pivi.conversation import Conversation
from pivi.pi.launch import Resume
from pivi.transcript.blocks import Damage
from tests.support.stores import lines, message
from tests.support.told import Told, options, resumed, stored


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return stored(tmp_path)


async def test_what_is_asked_for_twice_is_taken_in_once(file: Path) -> None:
    told = Told()
    one = await resumed(told, file, "slow-entries")
    with file.open("ab") as more:
        more.write(lines([message("e1", "00000004", "user", "once")]))
    await asyncio.gather(one._turns.catch_up(), one._turns.catch_up())
    assert one.screen.transcript.count == 5
    assert not any(isinstance(block, Damage) for block in one.screen.blocks())
    await told.close()


async def test_a_turn_whose_end_can_not_be_read_ends_and_the_next_one_is_sound(file: Path) -> None:
    told = Told()
    one = await resumed(told, file, "unsettled")
    for number in (1, 2, 3):
        await one.send(f"prompt {number}", number, options(file))
        await told.until_event("PiviSettled", number)
        await told.until("settling")
        assert told.status["phase"] == "idle"
        assert ("words_stored", 1, [number]) in told.messages
        sentence = "The end of the turn could not be read: Unknown command"
        assert told.status.get("error") == (None if number == 2 else sentence)
    await told.close()


async def test_a_prompt_that_pi_takes_and_does_not_store_comes_back(file: Path) -> None:
    told = Told()
    one = await resumed(told, file, "drops")
    await one.send("precious", 1, options(file))
    await told.until_event("PiviSettled", 1)
    await told.until("settling")
    assert ("words_back", 1, "precious", [1], "Pi ended the turn without them.") in told.messages
    assert not any(args[0] == "words_stored" for args in told.messages)
    await told.close()


async def test_a_turn_whose_end_pi_does_not_live_to_see_is_told_as_pis_end(file: Path) -> None:
    told = Told()
    one = await resumed(told, file, "dies-settling")
    await one.send("hello", 1, options(file))
    await told.wait(lambda: "PiviExited" in told.events)
    await told.until("settling", "ending")
    assert told.status["phase"] == "failed"
    assert "PiviSettled" not in told.events
    assert [args for args in told.messages if args[0] == "words_stored"] == []
    await told.close()


async def test_what_is_said_while_pi_takes_what_waited_comes_behind_it(file: Path) -> None:
    told = Told()
    one = told.one = Conversation(1, told, options(file, "slow-prompts"), str(file.parent))
    one.resume(str(file), Resume(str(file)), 0, 50)
    await told.wait(lambda: one.phase == "starting")
    await one.send("one", 1, options(file))
    await one.send("two", 2, options(file))
    await told.wait(lambda: one.phase == "idle")
    await one.send("three", 3, options(file))
    await told.until("attaching")
    await one.send("four", 4, options(file))
    said = "".join(args[3] for args in told.messages if args[:3] == ("log", 1, "stderr"))
    assert said.split() == ["prompt:", "one", "prompt:", "two", "prompt:", "three", "prompt:", "four"]
    await told.close()
