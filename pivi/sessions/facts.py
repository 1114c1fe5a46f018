"""What is known of a session from its records: names, counts, use, times, branches."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import msgspec

from pivi.pi.tolerant import whole

from . import jsontext
from .headers import seconds
from .wording import tidy

_MOST_ENDS = 500
"""Ends of branches that are remembered; a file with more is damaged or not Pi's."""

_LARGEST = 1e18
"""No number that is stored for us is beyond this: JSON may have any, which no decoder then takes."""
_MOST_TOKENS = 10**12
"""Tokens of one answer that could have been used."""


class Facts(msgspec.Struct, array_like=True, gc=False):
    """The details of one session, over all its branches, as Pi's own list and statistics count them.

    `name` is the latest one set, None where there is none or it was cleared; `prompt` the first prompt a
    human wrote, in one tidy line. `messages` counts message records of every role, `prompts` those of the
    user. `active` is the time of the last message of the user or an assistant, in seconds since 1970.
    `model` is the one that answered last, else the one chosen last, as `provider/id`. `cost` is in dollars.
    `ends` are the ids of entries that nothing follows. `read` is the offset behind the last line that was
    taken in, in bytes, and `seal` tells the bytes before it.
    """

    name: str | None = None
    prompt: str | None = None
    messages: int = 0
    prompts: int = 0
    active: float | None = None
    model: str | None = None
    answered: bool = False
    cost: float = 0.0
    tokens: int = 0
    ends: list[str] = []
    read: int = 0
    seal: int = 0

    @property
    def branches(self) -> int:
        return max(1, len(self.ends))


class _Cost(msgspec.Struct, gc=False):
    total: float = 0.0


class _Usage(msgspec.Struct, rename="camel", gc=False):
    input: float = 0
    output: float = 0
    cache_read: float = 0
    cache_write: float = 0
    cost: _Cost | None = None


_ABSENT = msgspec.Raw()


class _Message(msgspec.Struct, gc=False):
    role: str = ""
    content: msgspec.Raw = _ABSENT
    timestamp: float | None = None
    provider: str = ""
    model: str = ""
    usage: _Usage | None = None


class _Entry(msgspec.Struct, rename="camel", gc=False):
    type: str = ""
    id: str = ""
    parent_id: str | None = None
    timestamp: str = ""
    message: _Message | None = None
    name: str | None = None
    provider: str = ""
    model_id: str = ""
    usage: _Usage | None = None


_decoder = msgspec.json.Decoder(_Entry)
_decode = _decoder.decode
# Far quicker than one by one.
_decode_lines = _decoder.decode_lines
_DAMAGE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_WITH_USAGE = frozenset(("usage", "compaction", "branch_summary"))


def take(facts: Facts, lines: bytes) -> None:
    """Take in whole lines of a session file. What is no record, or odd in one, is passed over."""
    for entry in _entries(lines):
        if entry.type == "message":
            _follow(facts.ends, entry.id, entry.parent_id)
            facts.messages += 1
            if entry.message is not None:
                _message(facts, entry.message, entry.timestamp)
        elif entry.type != "session":
            _follow(facts.ends, entry.id, entry.parent_id)
            _other(facts, entry)


def _entries(lines: bytes) -> Iterable[_Entry]:
    """The records in these lines. Like the transcript, unlike Pi, it takes both of two on one line."""
    try:
        return _decode_lines(lines)
    except _DAMAGE:
        pass
    found: list[_Entry] = []
    for line in lines.split(b"\n"):
        try:
            found += _decode_lines(line)
        except _DAMAGE:
            entry = _tolerant(line)
            if entry is not None:
                found.append(entry)
    return found


def _other(facts: Facts, entry: _Entry) -> None:
    kind = entry.type
    if kind == "session_info":
        facts.name = (tidy(entry.name) or None) if entry.name else None
    elif kind == "model_change" and not facts.answered:
        facts.model = _model(entry.provider, entry.model_id)
    elif entry.usage is not None and kind in _WITH_USAGE:
        _use(facts, entry.usage)


def _message(facts: Facts, message: _Message, timestamp: str) -> None:
    if message.usage is not None and message.role in ("assistant", "toolResult"):
        _use(facts, message.usage)
    if message.role == "user":
        facts.prompts += 1
        if facts.prompt is None:
            facts.prompt = tidy(_text(message.content)) or None
    elif message.role != "assistant":
        return
    elif message.model:
        facts.model, facts.answered = _model(message.provider, message.model), True
    if message.content:
        time = seconds(timestamp) if message.timestamp is None else message.timestamp / 1000
        if time is not None:
            facts.active = max(facts.active or 0.0, time)


def _use(facts: Facts, usage: _Usage) -> None:
    tokens = usage.input + usage.output + usage.cache_read + usage.cache_write
    # What can be no count is none.
    if 0 <= tokens <= _MOST_TOKENS:
        facts.tokens += int(tokens)
    facts.cost += usage.cost.total if usage.cost else 0.0


def _model(provider: str, ident: str) -> str | None:
    return f"{provider}/{ident}" if provider and ident else ident or None


def _follow(ends: list[str], ident: str, parent: str | None) -> None:
    if not ident:
        return
    if ends and ends[-1] == parent:
        ends[-1] = ident
        return
    if parent in ends:
        ends.remove(parent)
    elif len(ends) >= _MOST_ENDS:
        return
    ends.append(ident)


def _text(content: msgspec.Raw) -> str:
    try:
        value = jsontext.parse(bytes(content))
    except ValueError:
        return ""
    if isinstance(value, str):
        return value
    parts = value if isinstance(value, list) else []
    texts = (part.get("text") for part in parts if isinstance(part, dict) and part.get("type") == "text")
    return " ".join(text for text in texts if isinstance(text, str))


_NAMES = ("type", "id", "parentId", "timestamp", "name", "provider", "modelId")
_TEXT: dict[str, type] = dict.fromkeys(_NAMES, str)
_SPENT: dict[str, type] = dict.fromkeys(("input", "output", "cacheRead", "cacheWrite"), float)
_SAID: dict[str, type] = dict.fromkeys(("role", "provider", "model"), str)


def _tolerant(line: bytes) -> _Entry | None:
    """The record without what does not fit its type; None where it is none."""
    try:
        value = jsontext.parse(line)
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    record = _fitting(value, _TEXT) | _usage(value)
    message = value.get("message")
    if isinstance(message, dict):
        record["message"] = _fitting(message, _SAID | {"timestamp": float}) | _usage(message)
        if "content" in message:
            record["message"]["content"] = message["content"]
    text = json.dumps(record, ensure_ascii=False)
    return _decode(whole(text).encode())


def _usage(value: dict[str, Any]) -> dict[str, Any]:
    usage = value.get("usage")
    if not isinstance(usage, dict):
        return {}
    cost = usage.get("cost")
    total = {"cost": _fitting(cost, {"total": float})} if isinstance(cost, dict) else {}
    return {"usage": _fitting(usage, _SPENT) | total}


def _fitting(value: dict[str, Any], types: dict[str, type]) -> dict[str, Any]:
    found = ((key, value.get(key), kind) for key, kind in types.items())
    return {key: one for key, one, kind in found if _fits(one, kind)}


def _fits(value: Any, kind: type) -> bool:
    if kind is float:
        return type(value) in (int, float) and -_LARGEST <= value <= _LARGEST
    return type(value) is kind
