"""The words in a stored record: what was said and done, without what only JSON and Pi need."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

Words = Iterator[tuple[str, str]]
"""Pairs of who or what said it, for people, and the text."""


def words(record: dict[str, Any]) -> Words:
    """What was said and done in a record. A system prompt was said by nobody."""
    found = _ENTRIES.get(str(record.get("type")))
    if found is not None:
        for role, text in found(record):
            if isinstance(text, str) and text:
                yield role, text


def _message(record: dict[str, Any]) -> Words:
    message = record.get("message")
    if not isinstance(message, dict):
        return
    role = str(message.get("role"))
    if role == "bashExecution":
        yield "shell", message.get("command", "")
        yield "shell", message.get("output", "")
    elif role in _ROLES:
        yield from _content(message.get("content"), _ROLES[role])


_ROLES = {
    "user": "user",
    "assistant": "assistant",
    "toolResult": "tool",
    "custom": "custom",
    "hookMessage": "custom",
}


def _content(content: object, role: str) -> Words:
    if isinstance(content, str):
        yield role, content
    for part in content if isinstance(content, list) else ():
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == "text":
            yield role, part.get("text", "")
        elif kind == "thinking":
            yield "thinking", part.get("thinking", "")
        elif kind == "toolCall":
            yield "tool", part.get("name", "")
            yield from (("tool", text) for text in _strings(part.get("arguments")))


def _strings(value: object) -> Iterator[str]:
    """All texts in a value, however deep, in order."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, (dict, list)):
            waiting += reversed(list(one.values()) if isinstance(one, dict) else one)


def _custom_message(record: dict[str, Any]) -> Words:
    if record.get("display") is not False:
        yield from _content(record.get("content"), "custom")


def _field(key: str, role: str) -> Callable[[dict[str, Any]], Words]:
    def field(record: dict[str, Any]) -> Words:
        yield role, record.get(key, "")

    return field


_ENTRIES: dict[str, Callable[[dict[str, Any]], Words]] = {
    "message": _message,
    "custom_message": _custom_message,
    "compaction": _field("summary", "summary"),
    "branch_summary": _field("summary", "summary"),
    "session_info": _field("name", "name"),
    "label": _field("label", "label"),
}
