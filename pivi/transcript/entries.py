"""Stored entries to items: the table of entry types."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any

import msgspec

from pivi.pi import messages as m
from pivi.pi import records as r

from . import parts
from .blocks import Damage, Notice, Unknown
from .items import Item
from .tools import size_text

SHOWN = 200
"""How much of an extension's state is told, in bytes."""


def milliseconds(timestamp: str) -> int | None:
    """An entry's ISO 8601 time in milliseconds since the epoch, `None` if it is none."""
    try:
        time = msgspec.convert(timestamp, datetime)
    except msgspec.ValidationError:
        return None
    if time.tzinfo is None:
        time = time.replace(tzinfo=timezone.utc)
    return round(time.timestamp() * 1000)


def item_of(entry: r.Entry, key: str) -> Item:
    """The item of any entry but a tool result's, whose blocks depend on its call."""
    if type(entry) is r.MessageEntry:
        message = entry.message
        time = message.timestamp
        item = Item(key, entry.parent_id, milliseconds(entry.timestamp) if time is None else time)
        if type(message) is not m.ToolResult:
            parts.fill(item, message)
    else:
        item = Item(key, entry.parent_id, milliseconds(entry.timestamp))
        _TABLE[type(entry)](item, entry)
    if entry.odd:
        parts.odd(item, entry.odd)
    return item


def _notice(item: Item, of: str, text: str, detail: str = "") -> None:
    item.sort = of
    item.blocks.append(Notice(key=f"{item.key}/0", time=item.time, of=of, text=text, detail=detail))


def _model(item: Item, entry: r.ModelChange) -> None:
    item.place = "quiet"
    item.provider, item.model = entry.provider, entry.model_id
    _notice(item, "model_change", f"{entry.provider}/{entry.model_id}")


def _thinking(item: Item, entry: r.ThinkingLevelChange) -> None:
    item.place = "quiet"
    item.thinking = entry.thinking_level
    _notice(item, "thinking_level_change", entry.thinking_level)


def _usage(item: Item, entry: r.UsageEntry) -> None:
    item.place = "quiet"
    words = [f"{entry.kind}: {entry.provider}/{entry.model}"]
    used = parts.usage(entry.usage)
    if used is not None:
        numbers = (
            ("input", used.input),
            ("output", used.output),
            ("cache read", used.cache_read),
            ("cache write", used.cache_write),
        )
        words += [f"{name} {number}" for name, number in numbers if number]
        words += [f"${used.cost:.4f}"] if used.cost else []
    _notice(item, "usage", ", ".join(words))


def _compaction(item: Item, entry: r.Compaction) -> None:
    item.kept = entry.first_kept_entry_id
    parts.summary(item, "compaction", entry.summary, entry.tokens_before, entry.usage, entry.details)


def _branch(item: Item, entry: r.BranchSummary) -> None:
    parts.summary(item, "branch", entry.summary, None, entry.usage, entry.details)


def _edit(item: Item, entry: r.ContextEdit) -> None:
    if entry.replacement is None:
        _notice(item, "context_edit", "left out of the model's context")
    else:
        text, images, _ = parts.split(entry.replacement.content)
        said = "replaced in the model's context"
        said += f" ({len(images)} pictures)" if images else ""
        _notice(item, "context_edit", said, text)


def _custom(item: Item, entry: r.Custom) -> None:
    data = bytes(entry.data)
    state = data.decode("utf-8", "replace") if len(data) <= SHOWN else f"{size_text(len(data))} of state"
    _notice(item, "custom", f"{entry.custom_type}: {state}" if data else entry.custom_type)


def _custom_message(item: Item, entry: r.CustomMessageEntry) -> None:
    parts.custom(item, entry.custom_type, entry.content, entry.display)


def _label(item: Item, entry: r.Label) -> None:
    _notice(item, "label", entry.label or "(cleared)")


def _info(item: Item, entry: r.SessionInfo) -> None:
    name = (entry.name or "").strip()
    _notice(item, "session_info", f'Session named "{name}"' if name else "Session has no name any more")


def _header(item: Item, entry: r.Header) -> None:
    text = f"A second session header is here, of the session {entry.id}."
    item.loose = True
    item.damage += 1
    item.blocks.append(Damage(key=f"{item.key}/0", time=item.time, text=text))


def _unknown(item: Item, entry: r.UnknownEntry) -> None:
    item.blocks.append(Unknown(key=f"{item.key}/0", time=item.time, what=entry.what, json=entry.json))


def _damaged(item: Item, entry: r.Damaged) -> None:
    item.loose = True
    item.damage += 1
    text = f"{entry.reason[:1].upper()}{entry.reason[1:]}."
    item.blocks.append(Damage(key=f"{item.key}/0", time=item.time, text=text, raw=entry.raw))


_TABLE: dict[type, Callable[[Item, Any], None]] = {
    r.ModelChange: _model,
    r.ThinkingLevelChange: _thinking,
    r.UsageEntry: _usage,
    r.Compaction: _compaction,
    r.BranchSummary: _branch,
    r.ContextEdit: _edit,
    r.Custom: _custom,
    r.CustomMessageEntry: _custom_message,
    r.Label: _label,
    r.SessionInfo: _info,
    r.Header: _header,
    r.UnknownEntry: _unknown,
    r.Damaged: _damaged,
}
