"""A block opened whole, in a buffer of its own."""

from __future__ import annotations

from typing import NamedTuple

from pivi.transcript.blocks import Block, Damage, Result, Shell, ToolCall, Unknown
from pivi.view.layout import layout
from pivi.view.safe import block_text


class Whole(NamedTuple):
    """Safe `text`, its lines parted by LF. `filetype` is Neovim's, `""` where the text does not tell it."""

    text: str
    filetype: str


def whole(block: Block) -> Whole:
    """All of `block`: the bare output where it has nothing else, else its Markdown without any cut."""
    bare = _bare(block)
    if bare is not None:
        text, filetype = bare
        return Whole(block_text(text).rstrip("\n"), filetype)
    return Whole(layout(block, whole=True).text.lstrip("\n"), "markdown")


def _bare(block: Block) -> tuple[str, str] | None:
    if isinstance(block, Shell):
        return block.output, ""
    if isinstance(block, Unknown):
        return block.json, "json"
    if isinstance(block, Damage):
        return (block.raw, "") if block.raw else None
    if isinstance(block, (ToolCall, Result)):
        outcome = block.outcome
        body = block.body if isinstance(block, ToolCall) else ""
        if outcome and outcome.text and not (body or outcome.diff or outcome.nested or outcome.images):
            return outcome.text, ""
    return None
