"""`make demo` without a terminal: the whole way once, and nothing stays."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.support.story import QUESTION, REPLIES, REQUEST
from tests.support.tools import PYTHON, ROOT


def test_prints_the_transcript_and_leaves_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        [str(PYTHON), "-m", "tests.demo"],
        cwd=ROOT,
        env={"HOME": str(tmp_path), "TMPDIR": str(tmp_path), "PATH": os.environ["PATH"]},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    said = [QUESTION, REQUEST, *(reply.text.rstrip() for reply in REPLIES), "+ 3 import math"]
    places = [done.stdout.index(text) for text in said if text]
    assert places[:2] == sorted(places[:2])
    assert not list(tmp_path.iterdir())
