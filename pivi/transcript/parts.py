"""Messages to blocks, the same for those that are stored and those that come live."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from pivi.pi import messages as m

from . import tools
from .blocks import (
    Answer,
    Block,
    Custom,
    Damage,
    Image,
    Notice,
    Outcome,
    Prompt,
    Shell,
    Stop,
    Summary,
    System,
    Thinking,
    ToolCall,
    Unknown,
    Usage,
)
from .items import Item

ORDINARY = ("", "stop", "toolUse", "pending")
"""Stop reasons that need no word."""


def fill(item: Item, message: m.AnyMessage) -> None:
    """Put the blocks of any message but a tool's result into `item`."""
    if type(message) is m.AssistantMessage:
        _assistant(item, message)
    else:
        _FILL[type(message)](item, message)


def outcome(message: m.ToolResult) -> Outcome:
    """What a tool's result says; images keep their sizes only."""
    text, images, _ = split(message.content)
    details = message.details
    return Outcome(
        text=text,
        error=message.is_error,
        diff=details.diff if details else "",
        exit_status=tools.exit_status(message.tool_name, text, True) if message.is_error else None,
        limits=tools.limits(message.tool_name, details) if details else (),
        full_output=details.full_output_path if details else "",
        duration=None if message.duration_ms is None else round(message.duration_ms),
        images=images,
        nested=tools.nested(message.nested_calls) if message.nested_calls else (),
        usage=usage(message.usage),
    )


def usage(stored: m.Usage | None) -> Usage | None:
    if stored is None:
        return None
    cost = stored.cost.total if stored.cost else 0.0
    return Usage(stored.input, stored.output, stored.cache_read, stored.cache_write, stored.reasoning, cost)


def split(content: m.Content) -> tuple[str, tuple[Image, ...], list[m.Part]]:
    """Text, images and whatever else there is in a message's content."""
    if content is None:
        return "", (), []
    if isinstance(content, str):
        return content, (), []
    if len(content) == 1 and type(content[0]) is m.TextPart:
        return content[0].text, (), []
    texts = [part.text for part in content if type(part) is m.TextPart]
    images = tuple(
        Image(part.mime_type, part.data.size, part.data.width, part.data.height)
        for part in content
        if type(part) is m.ImagePart
    )
    rest = cast("list[m.Part]", [part for part in content if type(part) not in (m.TextPart, m.ImagePart)])
    return "\n".join(texts), images, rest


def call(item: Item, number: int | str, part: m.CallPart) -> ToolCall:
    subject, body, language = tools.told(part.name, part.arguments)
    return ToolCall(
        key=f"{item.key}/{number}",
        time=item.time,
        name=part.name,
        tool_id=part.id,
        subject=subject,
        body=body,
        language=language,
        script=tools.TABLE.get(part.name, tools.UNKNOWN).script,
        error=part.arguments_error,
    )


def odd(item: Item, names: str) -> None:
    """Note that fields of an entry could not be read."""
    item.damage += 1
    text = f"This could not be read here: {names}."
    item.blocks.append(Damage(key=f"{item.key}/odd", time=item.time, text=text))


def no_content(item: Item, of: str) -> None:
    """Note that a message is there, but not what it says."""
    item.damage += 1
    item.blocks.append(Damage(key=f"{item.key}/content", time=item.time, text=f"This {of} has no content."))


def part_block(item: Item, number: int, part: m.Part) -> Block | None:
    """The block of one part; none for a text or a thought without words."""
    key = f"{item.key}/{number}"
    if type(part) is m.TextPart:
        return Answer(key=key, time=item.time, text=part.text) if part.text else None
    if type(part) is m.ThinkingPart:
        if not part.thinking and not part.redacted:
            return None
        return Thinking(key=key, time=item.time, text=part.thinking, redacted=part.redacted)
    if type(part) is m.CallPart:
        return call(item, number, part)
    if type(part) is m.ImagePart:
        image = part.data
        pixels = f", {image.width} x {image.height} pixels" if image.width is not None else ""
        text = f"picture: {part.mime_type}, {tools.size_text(image.size)}{pixels}"
        return Notice(key=key, time=item.time, of="image", text=text)
    unknown = cast(m.UnknownPart, part)
    return Unknown(key=key, time=item.time, what=unknown.what, json=unknown.json)


def _assistant(item: Item, message: m.AssistantMessage) -> None:
    item.place = "answers"
    item.model, item.provider, item.thinking = message.model, message.provider, message.thinking_level
    item.usage = usage(message.usage)
    item.stop = message.stop_reason
    content, blocks = message.content, item.blocks
    if content is None:
        no_content(item, "answer")
    elif isinstance(content, str):
        if content:
            blocks.append(Answer(key=f"{item.key}/0", time=item.time, text=content))
    else:
        for number, part in enumerate(content):
            block = part_block(item, number, part)
            if block is not None:
                blocks.append(block)
    if message.error_message or message.stop_reason not in ORDINARY:
        key, reason = f"{item.key}/stop", message.stop_reason
        blocks.append(Stop(key=key, time=item.time, reason=reason, message=message.error_message))


def _rest(item: Item, parts: list[m.Part], first: int) -> None:
    """Parts that a message of its role should not have."""
    for number, part in enumerate(parts, first):
        block = part_block(item, number, part)
        if block is not None:
            item.blocks.append(block)


def _user(item: Item, message: m.UserMessage) -> None:
    text, images, rest = split(message.content)
    item.place = "heads"
    item.prompt = text
    item.blocks.append(Prompt(key=f"{item.key}/0", time=item.time, text=text, images=images))
    if message.content is None:
        no_content(item, "prompt")
    _rest(item, rest, 1)


def _system(item: Item, message: m.SystemMessage) -> None:
    text, _, rest = split(message.content)
    parts = [("content", text)] if text else []
    for name, value in message.sections.items():
        parts.append((f"-{name}", "") if value is None else (name, value))
    names = [tool.name for tool in message.tools_added] + [f"-{tool.name}" for tool in message.tools_removed]
    item.place = "heads"
    item.blocks.append(System(key=f"{item.key}/0", time=item.time, parts=tuple(parts), tools=tuple(names)))
    _rest(item, rest, 1)


def _shell(item: Item, message: m.BashExecution) -> None:
    item.place = "heads"
    item.blocks.append(
        Shell(
            key=f"{item.key}/0",
            time=item.time,
            command=message.command,
            output=message.output,
            exit_status=message.exit_code,
            cancelled=message.cancelled,
            truncated=message.truncated,
            full_output=message.full_output_path or "",
            excluded=message.exclude_from_context,
        )
    )


def custom(item: Item, custom_type: str, content: m.Content, display: bool) -> None:
    """A message of an extension, shown as Pi shows it or mentioned where Pi hides it."""
    text, images, rest = split(content)
    key = f"{item.key}/0"
    if display:
        item.place = "heads"
        item.blocks.append(Custom(key=key, time=item.time, custom_type=custom_type, text=text, images=images))
    else:
        said = f"{custom_type}: a message for the model only, {len(text)} characters"
        said += f" and {len(images)} pictures" if images else ""
        item.blocks.append(Notice(key=key, time=item.time, of="custom_message", text=said))
    if content is None:
        no_content(item, "message")
    _rest(item, rest, 1)


def _custom(item: Item, message: m.CustomMessage) -> None:
    custom(item, message.custom_type, message.content, message.display)


def summary(
    item: Item, of: str, text: str, before: int | None, used: m.Usage | None, details: m.Details | None
) -> None:
    """The summary of what a compaction left behind, or of a branch that was left."""
    item.place = "heads"
    block = Summary(
        key=f"{item.key}/0",
        time=item.time,
        of="compaction" if of == "compaction" else "branch",
        text=text,
        tokens_before=before,
        usage=usage(used),
        read=tuple(details.read_files) if details else (),
        modified=tuple(details.modified_files) if details else (),
    )
    item.blocks.append(block)


def _branch(item: Item, message: m.BranchSummaryMessage) -> None:
    summary(item, "branch", message.summary, None, None, None)


def _compaction(item: Item, message: m.CompactionSummaryMessage) -> None:
    summary(item, "compaction", message.summary, message.tokens_before, None, None)


def _unknown(item: Item, message: m.UnknownMessage) -> None:
    item.blocks.append(Unknown(key=f"{item.key}/0", time=item.time, what=message.what, json=message.json))


_FILL: dict[type, Callable[[Item, Any], None]] = {
    m.UserMessage: _user,
    m.SystemMessage: _system,
    m.BashExecution: _shell,
    m.CustomMessage: _custom,
    m.HookMessage: _custom,
    m.BranchSummaryMessage: _branch,
    m.CompactionSummaryMessage: _compaction,
    m.UnknownMessage: _unknown,
}
