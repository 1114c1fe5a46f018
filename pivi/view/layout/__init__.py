"""From one block to its rows, marks and fold. Pure: the same block and signs give the same rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pivi.transcript import blocks
from pivi.view.icons import UNICODE, Icons
from pivi.view.layout import notes, said, tools
from pivi.view.layout.sheet import Sheet
from pivi.view.patch import Laid

_LAYOUTS: Final[dict[type[blocks.Block], Callable[[Any, Sheet], None]]] = {
    blocks.Title: notes.title,
    blocks.Prompt: said.prompt,
    blocks.Reply: said.reply,
    blocks.Answer: said.answer,
    blocks.Thinking: said.thinking,
    blocks.ToolCall: tools.tool_call,
    blocks.Result: tools.result,
    blocks.Shell: tools.shell,
    blocks.Stop: notes.stop,
    blocks.Summary: said.summary,
    blocks.Notice: notes.notice,
    blocks.Custom: said.custom,
    blocks.System: said.system,
    blocks.Unknown: notes.unknown,
    blocks.Damage: notes.damage,
    blocks.Branch: notes.branch,
    blocks.Before: notes.before,
}


def layout(block: blocks.Block, icons: Icons = UNICODE, *, whole: bool = False) -> Laid:
    """`block` as it stands in the buffer. The cost is that of what is shown, however large the block.

    `whole`: nothing is cut, to be read in a buffer of its own.
    """
    sheet = Sheet(icons, whole)
    _LAYOUTS[type(block)](block, sheet)
    if block.label or block.context:
        sheet.standing(block)
    return sheet.laid()
