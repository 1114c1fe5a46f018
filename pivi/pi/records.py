"""Pi's session entries, one a line of a session file, and how lines become entries.

An entry that does not fit its type goes to `salvage`, which keeps whatever can be kept of it. Entries
are made to be translated and dropped: nothing here is kept for its own sake.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from .messages import DAMAGE, AnyMessage, Content, Count, Details, Record, Usage, hook


class Entry(Record, tag_field="type", tag="entry"):
    """Base of all entries. `timestamp` is ISO 8601; `odd` names the fields that could not be read."""

    id: str = ""
    parent_id: str | None = None
    timestamp: str = ""
    odd: str = msgspec.field(default="", name="pivi:odd")


class MessageEntry(Entry, tag="message", kw_only=True):
    message: AnyMessage


class ModelChange(Entry, tag="model_change"):
    provider: str = ""
    model_id: str = ""


class ThinkingLevelChange(Entry, tag="thinking_level_change"):
    thinking_level: str = ""


class UsageEntry(Entry, tag="usage"):
    kind: str = ""
    provider: str = ""
    model: str = ""
    usage: Usage | None = None


class Compaction(Entry, tag="compaction"):
    """`first_kept_entry_index` is version 1's: the number of a record in the file, 0 for the header."""

    summary: str = ""
    first_kept_entry_id: str = ""
    first_kept_entry_index: int | None = None
    tokens_before: Count | None = None
    usage: Usage | None = None
    details: Details | None = None


class BranchSummary(Entry, tag="branch_summary"):
    summary: str = ""
    from_id: str | None = None
    usage: Usage | None = None
    details: Details | None = None


class Replacement(Record):
    content: Content = None


class ContextEdit(Entry, tag="context_edit"):
    """`replacement` is `None` where the target is left out of the model's context."""

    target_id: str = ""
    replacement: Replacement | None = None


class Custom(Entry, tag="custom"):
    """State of an extension; `data` stays JSON text."""

    custom_type: str = ""
    data: msgspec.Raw = msgspec.Raw()


class CustomMessageEntry(Entry, tag="custom_message"):
    custom_type: str = ""
    content: Content = None
    display: bool = True


class Label(Entry, tag="label"):
    target_id: str = ""
    label: str | None = None


class SessionInfo(Entry, tag="session_info"):
    name: str | None = None


class Header(Entry, tag="session"):
    version: int = 1
    cwd: str = ""
    parent_session: str | None = None
    branched_from: str | None = None
    """What early versions wrote for `parent_session`."""


class UnknownEntry(Entry, tag="pivi:unknown", kw_only=True):
    """An entry of a type that is not known; `json` is indented, long strings cut."""

    what: str
    json: str


class Damaged(Entry, tag="pivi:damaged", kw_only=True):
    """A line that is no record. `raw` is how it begins, `reason` a sentence without its full stop."""

    raw: str
    reason: str


class Several(Entry, tag="pivi:several", kw_only=True):
    """A line that holds more than one record, or none."""

    entries: list[Entry]


AnyEntry = (
    MessageEntry
    | ModelChange
    | ThinkingLevelChange
    | UsageEntry
    | Compaction
    | BranchSummary
    | ContextEdit
    | Custom
    | CustomMessageEntry
    | Label
    | SessionInfo
    | Header
)


_decode = msgspec.json.Decoder(AnyEntry, dec_hook=hook).decode


def decode_entry(line: bytes | msgspec.Raw) -> Entry:
    """The record in `line`. Never raises: see `UnknownEntry`, `Damaged`, `Several` and `Entry.odd`."""
    try:
        return _decode(line)
    except DAMAGE:
        from . import salvage  # only here: it builds on this module

        return salvage.entry(bytes(line))


def decode_lines(lines: Iterable[bytes | msgspec.Raw]) -> list[Entry]:
    """The records in `lines`; none for a blank line, several where lines ran together."""
    entries: list[Entry] = []
    for line in lines:
        entry = decode_entry(line)
        if type(entry) is Several:
            entries += entry.entries
        else:
            entries.append(entry)
    return entries
