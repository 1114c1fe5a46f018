"""The whole output of a command, which Pi keeps in a file of its own where it is too long for the session."""

from __future__ import annotations

import os

from pivi.sessions.files import open_regular, read_exactly
from pivi.transcript.blocks import Block, Result, Shell, ToolCall
from pivi.view.safe import block_text
from pivi.view.whole import Whole, whole

_MOST = 64 << 20
"""Bytes of a file that are shown; Pi itself keeps such files in a temporary directory, of any size."""


def full_output(block: Block) -> Whole | None:
    """All that the block's command printed, or None where Pi kept no file, or it is not there any more."""
    path = _path(block)
    if not path:
        return None
    try:
        descriptor, state = open_regular(path)
    except (OSError, ValueError):
        return None
    try:
        data = read_exactly(descriptor, min(state.st_size, _MOST), 0)
    finally:
        os.close(descriptor)
    text = block_text(data.decode("utf-8", "replace")).rstrip("\n")
    if state.st_size > _MOST:
        text += f"\n\n… {state.st_size - _MOST} bytes more in {path}"
    return Whole(text, "", whole(block).name)


def _path(block: Block) -> str:
    if isinstance(block, Shell):
        return block.full_output
    if isinstance(block, (ToolCall, Result)) and block.outcome is not None:
        return block.outcome.full_output
    return ""
