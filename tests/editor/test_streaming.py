"""An answer that streams in thousands of pieces: all of it is seen, and the buffer is written seldom."""

from __future__ import annotations

import pytest

from tests.bench.streaming import MEASURE, PAUSE, long_reply
from tests.conftest import StartEditor
from tests.support.model import Model
from tests.support.pi import Pi
from tests.support.stored import bucket, store

pytestmark = pytest.mark.matrix


def test_5000_deltas_are_painted_at_most_once_in_30_ms(pi: Pi, model: Model, start_nvim: StartEditor) -> None:
    project = pi.home.project
    store(bucket(pi.home.sessions_dir, project), project, "aaaa-1111", "first")
    nvim = start_nvim(size=(80, 24))
    nvim.command("Pi resume")
    nvim.wait_event("PiviBackfilled")
    nvim.wait_for("return vim.b.pivi.phase == 'idle'")
    reply = long_reply(5000, 0.0002)
    model.script(reply)
    nvim.lua(MEASURE)
    nvim.wait_event("PiviSettled", 60)
    measured = nvim.lua("return measured")
    took = measured["at"]["PiviSettled"] - measured["at"]["PiviTurnStarted"]
    # The prompt and the end of the turn are painted without a wait.
    assert 5 < len(measured["writes"]) <= took / PAUSE + 3
    assert reply.text in nvim.text()
