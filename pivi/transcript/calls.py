"""Calls: which stored result belongs to which tool call."""

from __future__ import annotations

from copy import copy

from pivi.pi.messages import ToolResult

from .blocks import Outcome, Result, ToolCall
from .items import Item
from .parts import no_content, outcome, part_block, split, usage


class Calls:
    """The tool calls without a result and the results without a call.

    A result belongs to the latest call of its id that came before it and has none; some providers use
    their ids again. Only where there is no such call does it belong to one that comes after it.
    """

    def __init__(self) -> None:
        self._open: dict[str, tuple[Item, int]] = {}
        self._results: dict[str, Item] = {}
        self._lent: dict[str, Item] = {}

    def opened(self, item: Item) -> None:
        """The calls in a new item wait for their results."""
        for at, block in enumerate(item.blocks):
            if type(block) is ToolCall:
                self._open[block.tool_id] = item, at

    def ended(self, item: Item, message: ToolResult) -> None:
        """Put a result into its call, or into `item` as long as its call is not known."""
        item.place = "joins"
        item.usage = usage(message.usage)
        result = outcome(message)
        found = self._open.pop(message.tool_call_id, None)
        lent = self._lent.pop(message.tool_call_id, None)
        if lent is not None and found is not None:
            _give_back(lent, found)
        if found is None:
            key = f"{item.key}/0"
            name, tool_id = message.tool_name, message.tool_call_id
            shown = Result(key=key, time=item.time, name=name, tool_id=tool_id, outcome=result)
            item.blocks.insert(0, shown)
            item.unsure = True
            self._results[tool_id] = item
        else:
            _fill(found, result)
            item.home, item.home_at = found
        if message.content is None:
            no_content(item, "result")
        for number, part in enumerate(split(message.content)[2], 1):
            block = part_block(item, number, part)
            if block is not None:
                item.blocks.append(block)

    def previewed(self, tool_id: str, result: Outcome) -> None:
        """A call has ended; its result is still to come as a message."""
        if tool_id in self._open:
            _fill(self._open[tool_id], result)

    def settle(self) -> None:
        """Lend results that came before their calls to these."""
        for tool_id in self._results.keys() & self._open.keys():
            item = self._results.pop(tool_id)
            found = self._open[tool_id]
            result = item.blocks[0]
            assert isinstance(result, Result)
            _fill(found, result.outcome)
            item.home, item.home_at = found
            item.blocks = item.blocks[1:]
            item.unsure = False
            self._lent[tool_id] = item


def _fill(found: tuple[Item, int], result: Outcome | None) -> None:
    item, at = found
    call = item.blocks[at]
    assert isinstance(call, ToolCall)
    if item.section is not None:
        call = copy(call)
        item.put(at, call)
    call.outcome = result
    if result is not None and result.diff and call.name == "edit":
        call.body = ""


def _give_back(item: Item, found: tuple[Item, int]) -> None:
    call = found[0].blocks[found[1]]
    assert isinstance(call, ToolCall) and call.outcome is not None
    key, name = f"{item.key}/0", call.name
    block = Result(key=key, time=item.time, name=name, tool_id=call.tool_id, outcome=call.outcome)
    block.section, block.run = item.section or "", item.run
    item.blocks = [block, *item.blocks]
    item.home = None
