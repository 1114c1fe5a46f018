"""An answer that streams through the real Pi into the buffer: is that linear, how often is it painted."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median

from tests.bench.report import row
from tests.bench.sessions import Writer, words
from tests.support.editor import Editor, options
from tests.support.home import PiHome
from tests.support.model import Model, Reply
from tests.support.pi import Pi
from tests.support.stored import bucket

FEW, MANY = 1000, 5000
PIECE = 5
SLOW = 0.001
"""Seconds between two deltas of a slow model."""
PAUSE = 30
"""Milliseconds: more than one update of the buffer in that time is one too many."""
MEASURE = """
local m = { start = vim.uv.hrtime(), at = {}, longest = 0, writes = {} }
_G.measured = m
local function now()
  return (vim.uv.hrtime() - m.start) / 1e6
end
for _, name in ipairs({ 'PiviTurnStarted', 'PiviSettled' }) do
  vim.api.nvim_create_autocmd('User', {
    pattern = name,
    once = true,
    callback = function()
      m.at[name] = now()
    end,
  })
end
local writing = false
vim.api.nvim_buf_attach(0, false, {
  on_lines = function()
    -- An update takes several steps, one right after the other.
    if not writing and m.at.PiviTurnStarted and not m.at.PiviSettled then
      table.insert(m.writes, now())
      writing = true
      vim.schedule(function()
        writing = false
      end)
    end
  end,
})
local last = now()
local timer = vim.uv.new_timer()
timer:start(1, 1, function()
  if m.at.PiviTurnStarted and not m.at.PiviSettled then
    m.longest = math.max(m.longest, now() - last - 1)
  end
  last = now()
end)
vim.cmd('Pi send go')
"""


@dataclass(frozen=True)
class Streamed:
    """Milliseconds from the turn's beginning to its end, of the longest hold, from update to update."""

    took: float
    hold: float
    between: list[float]


def long_reply(deltas: int, delay: float) -> Reply:
    rng = random.Random(7)
    text = ""
    while len(text) < deltas * PIECE:
        text += words(rng, 40) + "\n\n"
    return Reply(text=text[: deltas * PIECE].rstrip() + ".", piece=PIECE, delay=delay)


def _alone(pi: Pi, model: Model, path: Path, project: Path, reply: Reply) -> float:
    """Milliseconds of the same turn in a Pi to which nobody listens but a reader of lines."""
    model.script(reply)
    with pi.start("--session", str(path), cwd=project) as run:
        run.request("get_state", 60)
        start = time.perf_counter()
        run.prompt("go", 120)
        return (time.perf_counter() - start) * 1000


def _stream(version: str, pi: Pi, model: Model, project: Path, reply: Reply) -> Streamed:
    """The last session of `project` is resumed and goes on."""
    editor = Editor(version, pi.home, options(pi), cwd=project, size=(120, 40))
    try:
        editor.command("Pi resume")
        editor.wait_event("PiviBackfilled", 60)
        model.script(reply)
        editor.lua(MEASURE)
        editor.wait_event("PiviSettled", 120)
        measured = editor.lua("return measured")
        took = measured["at"]["PiviSettled"] - measured["at"]["PiviTurnStarted"]
        # The first update brings the prompt, the last the end of the turn.
        between = [after - before for before, after in pairwise(measured["writes"][1:-1])]
        return Streamed(took, measured["longest"], between)
    finally:
        editor.close()


def streaming(version: str, pi: Pi, home: PiHome, model: Model, runs: int) -> None:
    """5,000 deltas beside 1,000, as fast as they come and slowly, in a small session and in one of 50 MB."""
    for mb in (0.05, 50):
        project = home.root / f"streaming-{mb:g}"
        project.mkdir()
        path = bucket(home.sessions_dir, project) / "2026-11-01T12-00-00-000Z_bench.jsonl"
        Writer(path, int(mb * (1 << 20)), project)
        print(f"\nan answer in deltas of {PIECE} bytes, in a session of {mb:g} MiB")
        took: dict[tuple[int, float], float] = {}
        for deltas, delay in ((FEW, 0.0), (MANY, 0.0), (MANY, SLOW)):
            reply = long_reply(deltas, delay)
            alone = median(_alone(pi, model, path, project, reply) for _ in range(runs))
            streamed = [_stream(version, pi, model, project, reply) for _ in range(runs)]
            between = [pause for one in streamed for pause in one.between]
            took[deltas, delay] = median(one.took for one in streamed)
            pace = f", one in {delay * 1000:.0f} ms" if delay else ", at once"
            row(f"{deltas} deltas{pace}", f"{took[deltas, delay]:.0f}", took[deltas, delay] / alone, None)
            if deltas == FEW:
                continue
            row("  between two updates", f"{median(between):.1f}", None, None, f"reach: {PAUSE} ms")
            row("  the closest two", f"{min(between):.1f}", None, None)
            row("  longest hold", f"{max(one.hold for one in streamed):.1f}", None, None, "reach: 16 ms")
        more = took[MANY, 0.0] / took[FEW, 0.0]
        row("five times as many deltas", f"{more:.2f}", None, None, "times as long")
