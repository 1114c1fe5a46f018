"""A session file that can't be read any more while it is being read: its end stays, and nobody waits on."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from pivi.conversation import Conversation, Options, TroubleError, Viewing
from pivi.conversation.options import PiOptions
from pivi.pi.launch import Resume
from tests.support.stores import Store, header, lines, message
from tests.support.told import Told

SENTENCE = "Only its end is shown, the rest can't be read, No such file or directory: {}."


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
