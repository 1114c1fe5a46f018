"""Turns beside one another and in trouble: nothing is taken in twice, nothing stays behind."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pivi.transcript.blocks import Damage
from tests.support.stores import lines, message
from tests.support.told import Told, resumed, stored


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
