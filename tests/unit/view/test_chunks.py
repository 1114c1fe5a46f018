"""How much one patch brings."""

from __future__ import annotations

from pivi.transcript import blocks as b
from pivi.view.page import CHUNK_BLOCKS, Page


def test_many_tiny_blocks_are_several_patches() -> None:
    title = b.Title(key="t", section="t", name="talk", session_id="s", cwd="/")
    answers = [b.Answer(key=f"{n}/a", text="so") for n in range(3 * CHUNK_BLOCKS)]
    patches = list(Page(chunk_rows=10**6, chunk_bytes=10**8).fill([title, *answers]))
    assert sum(patch.new for patch in patches) == 1 + 2 * len(answers)
    assert max(patch.new for patch in patches) == 2 * CHUNK_BLOCKS
