"""Every sample session of the real Pi, resumed by the real Pi in the real Neovim: all of it is there."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.conftest import StartEditor
from tests.support.contents import active, entries, texts
from tests.support.editor import Editor
from tests.support.model import Model
from tests.support.pi import Pi
from tests.support.tools import ROOT

pytestmark = pytest.mark.matrix

SAMPLES = ROOT / "tests" / "data" / "sessions"
CUT = 2000
"""Rows from which on a block is cut in the buffer."""


def place(sample: Path, pi: Pi) -> Path:
    """A copy in the store of the home's project."""
    bucket = pi.home.sessions_dir / f"--{str(pi.home.project).lstrip('/').replace('/', '-')}--"
    bucket.mkdir(parents=True, exist_ok=True)
    head, rest = sample.read_text(encoding="utf-8").split("\n", 1)
    header = {**json.loads(head), "cwd": str(pi.home.project)}
    path = bucket / f"2026-01-01T00-00-00-000Z_{sample.stem}.jsonl"
    path.write_text(json.dumps(header) + "\n" + rest, encoding="utf-8")
    return path


def words(text: str) -> list[str]:
    """What is to be found of a text: its words, without what a terminal or a Markdown fence takes away."""
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
    return [word for word in re.split(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+", plain) if word]


def missing(shown: str, wanted: list[str]) -> list[str]:
    """Those texts that are not in `shown` in this order; of a cut one its first lines count."""
    flat = " ".join(words(re.sub(r"[\u2400-\u2426]", " ", shown)))
    at, lost = 0, []
    for text in wanted:
        lines = text.split("\n")
        few = lines[:1000] if len(lines) > CUT - 10 else lines
        for line in few:
            # What a carriage return overwrites is gone, as in a terminal.
            piece = " ".join(words(line.rstrip("\r").rpartition("\r")[2][:1000]))
            found = flat.find(piece, at) if piece else at
            if found < 0:
                lost.append(line[:200])
            else:
                at = found
    return lost


def check(nvim: Editor, pi: Pi, sample: Path) -> None:
    path = place(sample, pi)
    before, stamp = path.read_bytes(), path.stat().st_mtime_ns
    nvim.command(f"Pi resume {path}")
    nvim.wait_event("PiviBackfilled")
    assert nvim.lua("return vim.b.pivi.phase") == "idle", nvim.messages()
    assert missing(nvim.text(), list(texts(active(entries(path))))) == []
    assert nvim.lua("return vim.b.pivi.entries") == len(entries(path))
    nvim.command("Pi stop")
    nvim.wait_event("PiviExited")
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (before, stamp)
    nvim.command("bwipe!")


@pytest.mark.parametrize("part", range(4))
def test_all_that_a_sample_holds_is_in_the_buffer_in_order_and_its_file_untouched(
    part: int, pi: Pi, model: Model, start_nvim: StartEditor
) -> None:
    samples = sorted((SAMPLES / pi.version).glob("*.jsonl"))[part::4]
    assert len(samples) >= 6
    nvim = start_nvim()
    for sample in samples:
        check(nvim, pi, sample)
    assert model.requests == []
