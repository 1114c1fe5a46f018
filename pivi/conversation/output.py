"""A block in full, to be read in a buffer of its own: also what Pi keeps in a file since it is too long."""

from __future__ import annotations

import os
from typing import NamedTuple

from pivi.sessions.files import open_regular, read_exactly
from pivi.transcript.blocks import Block, Result, Shell, ToolCall
from pivi.transcript.tools import place
from pivi.view.safe import block_text, line_text
from pivi.view.whole import Whole, whole

_MOST = 64 << 20
"""Bytes of a file that are shown; Pi itself keeps such files in a temporary directory, of any size."""


class Opened(NamedTuple):
    """`text` and `filetype` as in `Whole`.

    `file` is the path of the file whose lines the text is, as the model gave it, `""` where it is none's.
    """

    text: str
    filetype: str
    file: str


def opened(block: Block) -> Opened:
    """All of `block`: what Pi keeps in a file where that is still there, else what is stored."""
    shown = _full_output(block) or whole(block)
    file = ""
    if isinstance(block, ToolCall):
        file, _ = place(block.name, block.subject.strip().partition("\n")[0])
    return Opened(*shown, line_text(file))


def _full_output(block: Block) -> Whole | None:
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
        text += f"\n\n… {state.st_size - _MOST} bytes more in {line_text(path)}"
    return Whole(text, "")


def _path(block: Block) -> str:
    if isinstance(block, Shell):
        return block.full_output
    if isinstance(block, (ToolCall, Result)) and block.outcome is not None:
        return block.outcome.full_output
    return ""
