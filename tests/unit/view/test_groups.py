"""The one table of groups and kinds, and what this package may know."""

from __future__ import annotations

import subprocess
import sys

from pivi.transcript import blocks
from pivi.view import groups


def test_names_and_kinds_are_in_step() -> None:
    assert all(name.startswith("Pivi") for name in groups.NAMES)
    assert groups.NAMES[groups.TOOL] == "PiviTool"
    assert groups.KINDS[groups.KIND_OF[blocks.ToolCall]] == "tool_call"
    assert set(groups.CLASSES) == set(blocks.Block.__subclasses__())
    assert len(set(groups.KINDS)) == len(groups.KINDS) == len(groups.CLASSES)


def test_the_view_knows_neither_pynvim_nor_asyncio() -> None:
    code = (
        "import sys, pivi.view.page, pivi.view.whole;"
        "print([name for name in ('pynvim', 'asyncio', 'pivi.pi', 'pivi.sessions') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
