"""What happens in a running session, as blocks, until its stored entries take their place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import Any

import msgspec

from pivi.pi import messages as m
from pivi.pi import records as r
from pivi.pi import tolerant

from . import parts
from .blocks import Block, Shell, ToolCall
from .calls import Calls
from .draft import Draft
from .entries import item_of
from .items import Item
from .sections import Stretch, assemble
from .stored import FAILED

Event = dict[str, Any]
Mark = tuple[Hashable, ...]

ALONE = ("custom", "context_edit", "label", "usage", "branch_summary")
"""Entry types that `entry_appended` alone tells of; others come with events of their own."""


class Live:
    """Feed it Pi's events in their order; another session needs another one. Keys begin with `live/`."""

    def __init__(self) -> None:
        self._items: list[Item] = []
        self._marks: dict[str, Mark] = {}
        self._calls = Calls()
        self._draft: Draft | None = None
        self._shells: dict[str, tuple[Item, list[str]]] = {}
        self._number = 0
        self._pending: dict[str, tuple[Block, ToolCall]] = {}
        self.running: dict[str, str] = {}

    def blocks(self, *, settled: bool = True) -> list[Block]:
        """All blocks that no stored entry has taken the place of. Unchanged ones are the same objects.

        Unless the turn has `settled`, calls without a result are pending.
        """
        for item, pieces in self._shells.values():
            _show_output(item, pieces)
        items = self._items
        if self._draft is not None:
            self._draft.item.blocks = self._draft.blocks()
            items = [*items, self._draft.item]
        blocks = assemble([Stretch(items)])
        return blocks if settled else self._with_pending(blocks, items)

    def _with_pending(self, blocks: list[Block], items: list[Item]) -> list[Block]:
        # Pi runs no calls of an answer that failed.
        failed = {block.key for item in items if item.stop in FAILED for block in item.blocks}
        known, self._pending = self._pending, {}
        for at, block in enumerate(blocks):
            if type(block) is ToolCall and block.outcome is None and block.key not in failed:
                was = known.get(block.key)
                if was is None or was[0] is not block:
                    was = block, msgspec.structs.replace(block, pending=True)
                self._pending[block.key] = was
                blocks[at] = was[1]
        return blocks

    def feed(self, event: Event) -> bool:
        """Take an event; whether the blocks, or what runs, changed."""
        take = _TAKE.get(str(event.get("type")))
        return take is not None and take(self, event)

    def shell(self, request_id: str, command: str, excluded: bool = False) -> None:
        """A `bash` command was sent to Pi, whose events do not tell which."""
        item = self._item()
        block = Shell(key=f"{item.key}/0", command=command, output="", excluded=excluded)
        item.place = "heads"
        item.blocks.append(block)
        self._items.append(item)
        self._shells[request_id] = item, []

    def settle(self, entries: Iterable[r.Entry]) -> None:
        """Let go of what these stored entries hold."""
        stored = Counter(map(_stored_mark, entries))
        kept = []
        for item in self._items:
            mark = self._marks.get(item.key)
            if mark is not None and stored[mark] > 0:
                stored[mark] -= 1
                del self._marks[item.key]
            else:
                kept.append(item)
        self._items = kept

    def _item(self, time: int | None = None) -> Item:
        self._number += 1
        return Item(f"live/{self._number}", time=time)

    def _add(self, item: Item, mark: Mark) -> bool:
        self._items.append(item)
        self._marks[item.key] = mark
        for one in self._items:
            one.reply_count = 0  # an answer that was a draft has its usage now
        return True

    def _message_start(self, event: Event) -> bool:
        message = event.get("message")
        if not isinstance(message, dict) or message.get("role") != "assistant":
            return False
        self._draft = Draft(self._item().key, message)
        return True

    def _message_update(self, event: Event) -> bool:
        piece = event.get("assistantMessageEvent")
        return self._draft is not None and isinstance(piece, dict) and self._draft.feed(piece)

    def _message_end(self, event: Event) -> bool:
        message, odd = m.decode_message(event.get("message"))
        item = self._item(message.timestamp)
        if isinstance(message, m.ToolResult):
            self._calls.ended(item, message)
            self.running.pop(message.tool_call_id, None)
        else:
            if isinstance(message, m.AssistantMessage) and self._draft is not None:
                item.key = self._draft.item.key
                self._draft = None
            parts.fill(item, message)
            self._calls.opened(item)
        if odd:
            parts.odd(item, odd)
        return self._add(item, _message_mark(message))

    def _tool_start(self, event: Event) -> bool:
        if "parentToolCallId" in event:
            return False
        self.running[str(event.get("toolCallId"))] = ""
        return True

    def _tool_update(self, event: Event) -> bool:
        tool_id = str(event.get("toolCallId"))
        if tool_id not in self.running:
            return False
        self.running[tool_id] = parts.split(_result(event, event.get("partialResult")).content)[0]
        return True

    def _tool_end(self, event: Event) -> bool:
        tool_id = str(event.get("toolCallId"))
        if self.running.pop(tool_id, None) is None:
            return False
        self._calls.previewed(tool_id, parts.outcome(_result(event, event.get("result"))))
        return True

    def _shell_update(self, event: Event) -> bool:
        found = self._shells.get(str(event.get("id")))
        delta = event.get("delta")
        if found is None or not isinstance(delta, str):
            return False
        found[1].append(delta)
        return True

    def _response(self, event: Event) -> bool:
        command, data = event.get("command"), event.get("data")
        if command == "bash":
            return self._shell_end(event)
        if command not in ("set_model", "cycle_model") or not isinstance(data, dict):
            return False
        model = data if command == "set_model" else data.get("model")
        if not isinstance(model, dict):
            return False
        provider, name = str(model.get("provider", "")), str(model.get("id", ""))
        return self._entry(r.ModelChange(provider=provider, model_id=name))

    def _shell_end(self, event: Event) -> bool:
        found = self._shells.pop(str(event.get("id")), None)
        if found is None:
            return False
        item, pieces = found
        _show_output(item, pieces)
        if event.get("success") is not True or not isinstance(event.get("data"), dict):
            self._items.remove(item)
            return True
        shown = item.blocks[0]
        assert isinstance(shown, Shell)
        message, _ = m.decode_message({**event["data"], "role": "bashExecution", "command": shown.command})
        assert isinstance(message, m.BashExecution)
        message.exclude_from_context = shown.excluded
        item.blocks = []
        parts.fill(item, message)
        item.move(item.section or "", item.run)
        self._marks[item.key] = _message_mark(message)
        return True

    def _compaction_end(self, event: Event) -> bool:
        result = event.get("result")
        if not isinstance(result, dict):
            return False
        return self._appended({"type": "compaction", **result})

    def _entry_appended(self, event: Event) -> bool:
        entry = event.get("entry")
        return isinstance(entry, dict) and entry.get("type") in ALONE and self._appended(entry)

    def _thinking(self, event: Event) -> bool:
        return self._entry(r.ThinkingLevelChange(thinking_level=str(event.get("level", ""))))

    def _name(self, event: Event) -> bool:
        return self._entry(r.SessionInfo(name=str(event.get("name") or "")))

    def _appended(self, entry: Event) -> bool:
        return self._entry(r.decode_entry(tolerant.dumps(entry)))

    def _entry(self, entry: r.Entry) -> bool:
        item = item_of(entry, self._item().key)
        if isinstance(entry, r.ContextEdit):
            self._edit(entry, item)
        return self._add(item, _stored_mark(entry))

    def _edit(self, entry: r.ContextEdit, edit: Item) -> None:
        """An edit of the entry before it concerns the last message; others can not be found without ids."""
        last = self._items[-1] if self._items else None
        if last is None or entry.target_id != entry.parent_id:
            return
        last.mark(last.label, "hidden" if entry.replacement is None else "replaced")
        if entry.replacement is None and last.stop in FAILED:
            edit.blocks = []


def _result(event: Event, result: Any) -> m.ToolResult:
    fields = result if isinstance(result, dict) else {}
    told = {"toolCallId": event.get("toolCallId"), "toolName": event.get("toolName")}
    said = {"isError": event.get("isError", False), "durationMs": event.get("durationMs")}
    message, _ = m.decode_message({**fields, **said, **told, "role": "toolResult"})
    assert isinstance(message, m.ToolResult)
    return message


def _show_output(item: Item, pieces: list[str]) -> None:
    if len(pieces) > 1 or (pieces and not getattr(item.blocks[0], "output", "")):
        text = "".join(pieces)
        pieces[:] = [text]
        item.put(0, msgspec.structs.replace(item.blocks[0], output=text))


def _message_mark(message: m.AnyMessage) -> Mark:
    """What a message is known by, live and stored."""
    if isinstance(message, m.BashExecution):
        return "bashExecution", message.command, message.output
    if isinstance(message, m.CustomMessage):
        return "custom", message.custom_type, parts.split(message.content)[0]
    if isinstance(message, m.ToolResult):
        return "toolResult", message.tool_call_id, message.timestamp
    return type(message).__name__, message.timestamp


def _stored_mark(entry: r.Entry) -> Mark:
    if isinstance(entry, r.MessageEntry):
        return _message_mark(entry.message)
    if isinstance(entry, r.CustomMessageEntry):
        return "custom", entry.custom_type, parts.split(entry.content)[0]
    mark = _MARKS.get(type(entry))
    return (type(entry).__name__, *mark(entry)) if mark else (type(entry).__name__, entry.id)


_MARKS: dict[type, Callable[[Any], Mark]] = {
    r.ModelChange: lambda entry: (entry.provider, entry.model_id),
    r.ThinkingLevelChange: lambda entry: (entry.thinking_level,),
    r.SessionInfo: lambda entry: (entry.name or "",),
    r.Compaction: lambda entry: (entry.summary,),
}

_TAKE: dict[str, Callable[[Live, Event], bool]] = {
    "message_start": Live._message_start,
    "message_update": Live._message_update,
    "message_end": Live._message_end,
    "tool_execution_start": Live._tool_start,
    "tool_execution_update": Live._tool_update,
    "tool_execution_end": Live._tool_end,
    "bash_execution_update": Live._shell_update,
    "response": Live._response,
    "compaction_end": Live._compaction_end,
    "entry_appended": Live._entry_appended,
    "thinking_level_changed": Live._thinking,
    "session_info_changed": Live._name,
}
