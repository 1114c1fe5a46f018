"""Pi's messages and their parts, as they are stored in a session file and sent in events.

The types hold what is shown and nothing else. Big things that never are (signatures, the copy of the
output in `details.truncation`, tool declarations) are skipped while decoding, pictures are reduced to
their size.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec

from .images import Picture, picture

_MOST: Final = 1 << 53
Count = Annotated[int, msgspec.Meta(ge=-_MOST, le=_MOST)]
Amount = Annotated[float, msgspec.Meta(ge=-_MOST, le=_MOST)]
"""JSON has any number; JavaScript counts no further, and what is shown is calculated with."""


class Record(msgspec.Struct, gc=False, rename="camel"):
    """Base of all records."""


class Part(Record, tag_field="type", tag="part"):
    """A piece of a message's content."""


class TextPart(Part, tag="text"):
    text: str


class ThinkingPart(Part, tag="thinking"):
    thinking: str
    redacted: bool = False


class ImagePart(Part, tag="image"):
    data: Picture
    mime_type: str = ""


class CallPart(Part, tag="toolCall"):
    """A tool call. `arguments_error`: why the model's arguments could not be read (Pi 1.x)."""

    name: str
    id: str = ""
    arguments: Any = None
    arguments_error: str = ""


class UnknownPart(Part, tag="pivi:unknown"):
    """A part of a type that is not known, or no object at all; `json` is indented, long strings cut."""

    what: str
    json: str


Parts = list[TextPart | ThinkingPart | ImagePart | CallPart | UnknownPart]
Content = str | Parts | None
"""`None`: there is none, though there should be."""


class Cost(Record):
    total: Amount = 0.0


class Usage(Record):
    input: Count = 0
    output: Count = 0
    cache_read: Count = 0
    cache_write: Count = 0
    reasoning: Count = 0
    cost: Cost | None = None


class Truncation(Record):
    truncated: bool = False
    truncated_by: str | None = None
    total_lines: Count = 0
    total_bytes: Count = 0
    output_lines: Count = 0
    output_bytes: Count = 0
    last_line_partial: bool = False
    first_line_exceeds_limit: bool = False


class Details(Record):
    """What is shown of a tool result's or a summary's `details`; other tools may store other things."""

    diff: str = ""
    full_output_path: str = ""
    match_limit_reached: Count = 0
    result_limit_reached: Count = 0
    entry_limit_reached: Count = 0
    lines_truncated: bool = False
    truncation: Truncation | None = None
    read_files: list[str] = []
    modified_files: list[str] = []


class NestedCall(Record):
    name: str = ""
    arguments: Any = None
    arguments_bytes: Count | None = None
    status: str = ""
    duration_ms: Amount | None = None
    error: str = ""


class NestedCalls(Record):
    calls: list[NestedCall] = []
    complete: bool = True


class ToolName(Record):
    name: str


class Message(Record, tag_field="role", tag="message"):
    """Base of all messages. `timestamp` is milliseconds since the epoch, `None` where it is not told."""

    timestamp: int | None = None


class SystemMessage(Message, tag="system"):
    content: Content = None
    sections: dict[str, str | None] = {}
    tools_added: list[ToolName] = []
    tools_removed: list[ToolName] = []


class UserMessage(Message, tag="user"):
    content: Content = None


class AssistantMessage(Message, tag="assistant"):
    content: Content = None
    provider: str = ""
    model: str = ""
    thinking_level: str = ""
    usage: Usage | None = None
    stop_reason: str = ""
    error_message: str = ""


class ToolResult(Message, tag="toolResult"):
    tool_call_id: str = ""
    tool_name: str = ""
    content: Content = None
    is_error: bool = False
    details: Details | None = None
    nested_calls: NestedCalls | None = None
    usage: Usage | None = None
    duration_ms: Amount | None = None


class BashExecution(Message, tag="bashExecution"):
    command: str = ""
    output: str = ""
    exit_code: int | None = None
    cancelled: bool = False
    truncated: bool = False
    full_output_path: str | None = None
    exclude_from_context: bool = False


class CustomMessage(Message, tag="custom"):
    custom_type: str = ""
    content: Content = None
    display: bool = True


class HookMessage(CustomMessage, tag="hookMessage"):
    """What `CustomMessage` was called before version 3."""


class BranchSummaryMessage(Message, tag="branchSummary"):
    summary: str = ""


class CompactionSummaryMessage(Message, tag="compactionSummary"):
    summary: str = ""
    tokens_before: Count | None = None


class UnknownMessage(Message, tag="pivi:unknown"):
    what: str = ""
    json: str = ""


AnyMessage = (
    SystemMessage
    | UserMessage
    | AssistantMessage
    | ToolResult
    | BashExecution
    | CustomMessage
    | HookMessage
    | BranchSummaryMessage
    | CompactionSummaryMessage
    | UnknownMessage
)


def hook(kind: type, value: Any) -> Any:
    """Makes a `Picture` of base64 text while it is decoded, so that the text can go at once."""
    if kind is Picture and isinstance(value, str):
        return picture(value)
    raise TypeError(f"Expected `{kind.__name__}`")


DAMAGE = (msgspec.MsgspecError, ValueError, TypeError, RecursionError)
"""What decoding raises for a record that is not as it should be."""


def decode_message(value: Any) -> tuple[AnyMessage, str]:
    """A message as an event carries it, and the names of what could not be read of it."""
    from . import salvage  # only here: it builds on this module

    try:
        return msgspec.convert(value, AnyMessage, dec_hook=hook), ""
    except DAMAGE:
        odd: list[str] = []
        return salvage.message(value, odd), ", ".join(odd)
