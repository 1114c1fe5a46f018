"""The slow way to read a record: whatever can be kept of a line or a value that is not as it should be."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, get_args

import msgspec

from . import messages as m
from . import records as r
from . import tolerant
from .images import Picture

EXCERPT = 200
"""How much of an unreadable line is kept, in characters."""

DEEP = 200
"""How deep values may be nested; what lies deeper is kept as text."""

LONG = 2000
"""Strings of an unknown record that are longer are cut, in characters."""

_RECORD = re.compile(
    r'\{\s*"type"\s*:\s*"(?:'
    + "|".join(str(kind.__struct_config__.tag) for kind in get_args(r.AnyEntry))
    + r')"\s*,'
)
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)
_SPACE = " \t\r\n\0\ufeff"
_ATTEMPTS = 50
_JSON = json.JSONDecoder(strict=False, parse_constant=lambda _: None, **tolerant.NUMBERS)


def entry(line: bytes) -> r.Entry:
    """The record, or the records, in a line that did not decode."""
    text = line.decode("utf-8", "replace").strip(_SPACE)
    entries = list(_entries(text))
    if len(entries) == 1:
        return entries[0]
    if not entries and b"\0" in line:
        return r.Damaged(raw="", reason=f"{len(line)} bytes of NUL instead of a record")
    return r.Several(entries=entries)


def _entries(text: str) -> Iterator[r.Entry]:
    at = 0
    while at < len(text):
        value, end = _value(text, at)
        if end is None:
            end = _next_record(text, at + 1)
            yield r.Damaged(raw=text[at : min(end, at + EXCERPT)], reason="this line is not valid JSON")
        elif isinstance(value, dict):
            yield _entry(value)
        else:
            yield r.Damaged(raw=text[at : min(end, at + EXCERPT)], reason="this line is JSON but no record")
        at = end
        while at < len(text) and text[at] in _SPACE:
            at += 1


def _value(text: str, at: int) -> tuple[Any, int | None]:
    """The value at `at` and where it ends; no end where there is none."""
    try:
        try:
            value, end = _JSON.raw_decode(text, at)
            return _whole(value) if "\\u" in text else value, end
        except RecursionError:
            flat, end = _shallow(text, at)
            return _whole(_JSON.raw_decode(flat)[0]), end
    except ValueError:
        return None, None


def _next_record(text: str, at: int) -> int:
    """Where a readable record begins after `at`, else the end of the text."""
    for attempt, match in enumerate(_RECORD.finditer(text, at)):
        if attempt == _ATTEMPTS:
            break
        value, end = _value(text, match.start())
        if end is not None and ("id" in value or "timestamp" in value):
            return match.start()
    return len(text)


def _whole(value: Any) -> Any:
    """`value` with its half surrogates replaced, since they fit no UTF-8."""
    text = json.dumps(value, ensure_ascii=False)
    readable = tolerant.whole(text)
    return value if readable is text else _JSON.decode(readable)


def _shallow(text: str, at: int) -> tuple[str, int]:
    """The value at `at` with what is nested too deep made a string, and where the value ends."""
    pieces: list[str] = []
    depth, done, cut = 0, at, at
    for token in _TOKEN.finditer(text, at):
        mark = token[0]
        if mark in "[{":
            depth += 1
            if depth == DEEP:
                pieces.append(text[done : token.start()])
                cut = token.start()
        elif mark in "]}":
            depth -= 1
            if depth == DEEP - 1:
                done = token.end()
                pieces.append(json.dumps(text[cut : min(done, cut + EXCERPT)] + " …"))
            if depth == 0:
                pieces.append(text[done : token.end()])
                return "".join(pieces), token.end()
    raise ValueError("the value does not end")


def _entry(value: dict[str, Any]) -> r.Entry:
    try:
        found: r.Entry = msgspec.convert(value, r.AnyEntry, dec_hook=m.hook)
        return found
    except m.DAMAGE:  # then field by field
        pass
    kind = _KINDS.get(_name(value, "type"))
    odd: list[str] = []
    if kind is None or (kind is r.MessageEntry and "message" not in value):
        base = _fields(r.Entry, value, odd)
        return r.UnknownEntry(what=_name(value, "type"), json=pretty(value), **base)
    fields = _fields(kind, value, odd)
    kept: r.Entry = kind(**{**fields, "odd": ", ".join(odd)})
    return kept


def message(value: Any, odd: list[str]) -> m.AnyMessage:
    """A message of any shape; the names of the fields that could not be kept are added to `odd`."""
    kind = _ROLES.get(_name(value, "role"))
    if kind is None:
        return m.UnknownMessage(what=_name(value, "role"), json=pretty(value))
    found: m.AnyMessage = kind(**_fields(kind, value, odd))
    return found


def _content(value: Any, odd: list[str]) -> m.Content:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list):
        return [_part(part, odd) for part in value]
    return [m.UnknownPart(what="content", json=pretty(value))]


def _part(value: Any, odd: list[str]) -> Any:
    kind = _PARTS.get(_name(value, "type"))
    if kind is None:
        return m.UnknownPart(what=_name(value, "type"), json=pretty(value))
    return kind(**_fields(kind, value, odd))


def _fields(kind: Any, value: dict[str, Any], odd: list[str]) -> dict[str, Any]:
    """The fields of `kind` that `value` has, each by itself."""
    found: dict[str, Any] = {}
    for field in msgspec.structs.fields(kind):
        name = field.encode_name
        if name not in value:
            if field.required:
                odd.append(name)
                found[field.name] = _EMPTY.get(field.name, "")
            continue
        nested = _NESTED.get(field.name)
        if nested is not None:
            found[field.name] = nested(value[name], odd)
            continue
        try:
            found[field.name] = msgspec.convert(value[name], field.type, dec_hook=m.hook)
        except m.DAMAGE:
            rescued = _rescue(kind, field, value[name], odd)
            if rescued is not None:
                found[field.name] = rescued
            elif field.required:
                found[field.name] = _EMPTY.get(field.name, "")
    return found


def _rescue(kind: Any, at: Any, value: Any, odd: list[str]) -> Any:
    """What can be made of an odd value; `odd` gets its name unless nothing is lost by it."""
    field = at.name
    if field in _ASIDE:
        return None if not isinstance(value, dict) else _ASIDE[field](**_fields(_ASIDE[field], value, []))
    if field == "data" and kind is r.Custom:
        return msgspec.Raw(json.dumps(value, ensure_ascii=False).encode())
    if value is None and field != "is_error":
        return None
    if field == "usage" and isinstance(value, dict):
        return m.Usage(**_fields(m.Usage, value, odd))
    odd.append(at.encode_name)
    if isinstance(value, (int, float)) and field in ("id", "parent_id", "tool_call_id"):
        return str(value)
    if isinstance(value, float) and field == "timestamp" and abs(value) < 1e18:
        return int(value)
    return None


def pretty(value: Any) -> str:
    """`value` as indented JSON with its long strings cut."""
    try:
        return json.dumps(_cut(value), ensure_ascii=False, indent=2)
    except RecursionError:
        return "(nested too deeply)"


def _cut(value: Any) -> Any:
    if isinstance(value, str) and len(value) > LONG:
        return f"{value[:LONG]} … ({len(value) - LONG} more characters)"
    if isinstance(value, dict):
        return {key: _cut(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_cut(item) for item in value]
    return value


def _name(value: Any, key: str) -> str:
    name = value.get(key) if isinstance(value, dict) else value
    return name if isinstance(name, str) else json.dumps(name, ensure_ascii=False)[:EXCERPT]


def _tagged(union: Any) -> dict[str, Any]:
    return {str(kind.__struct_config__.tag): kind for kind in get_args(union)}


_KINDS = _tagged(r.AnyEntry)
_ROLES = _tagged(m.AnyMessage)
_PARTS = _tagged(get_args(m.Parts)[0])
_NESTED = {"message": message, "content": _content}
# Of what stands beside an output nothing is missed that is not understood.
_ASIDE: dict[str, Any] = {"details": m.Details, "truncation": m.Truncation}
_EMPTY = {"data": Picture(0)}
