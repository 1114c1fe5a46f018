"""The transcript knows neither the screen nor a process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_it_imports_neither_pynvim_nor_asyncio() -> None:
    code = "import sys, pivi.transcript.stored, pivi.transcript.live; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not {"pynvim", "asyncio", "pivi.view", "pivi.host"} & set(run.stdout.split())
