"""Session lines made by hand, for tests of hard inputs."""

from __future__ import annotations

import json
from typing import Any

from pivi.pi.records import Header, decode_entry, decode_lines
from pivi.transcript.blocks import Block
from pivi.transcript.stored import Transcript

Line = dict[str, Any]

STAMP = "2026-01-01T00:00:00.000Z"
HEADER: Line = {"type": "session", "version": 3, "id": "s", "timestamp": STAMP, "cwd": "/p"}
TIME = 1_767_225_600_000


def entry(kind: str, own: Any, parent: Any, /, **fields: Any) -> Line:
    return {"type": kind, "id": own, "parentId": parent, "timestamp": STAMP, **fields}


def message(own: Any, parent: Any, role: str, content: Any = "", **fields: Any) -> Line:
    told = {"role": role, "content": content, "timestamp": TIME, **fields}
    return entry("message", own, parent, message=told)


def user(own: Any, parent: Any, text: str = "hello", **fields: Any) -> Line:
    return message(own, parent, "user", [{"type": "text", "text": text}], **fields)


def answer(own: Any, parent: Any, *parts: Line | str, stop: str = "stop", **fields: Any) -> Line:
    content = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
    told = {"model": "m", "provider": "p", "stopReason": stop, **fields}
    return message(own, parent, "assistant", content, **told)


def call(own: str, name: str = "bash", **arguments: Any) -> Line:
    return {"type": "toolCall", "id": own, "name": name, "arguments": arguments or {"command": "true"}}


def result(own: Any, parent: Any, call_id: str, text: str = "out", name: str = "bash", **fields: Any) -> Line:
    content = [{"type": "text", "text": text}]
    told = {"toolCallId": call_id, "toolName": name, "isError": False, **fields}
    return message(own, parent, "toolResult", content, **told)


def raw(*lines: Line | bytes) -> list[bytes]:
    return [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]


def header_of(line: bytes) -> Header:
    """The header in a session's first line."""
    found = decode_entry(line)
    assert isinstance(found, Header)
    return found


def transcript(*lines: Line | bytes, header: Line | None = None, partial: bool = False) -> Transcript:
    (head,) = raw(header or HEADER)
    made = Transcript(header_of(head), partial=partial)
    made.extend(decode_lines(raw(*lines)))
    return made


def blocks(*lines: Line | bytes, header: Line | None = None) -> list[Block]:
    """The blocks of a session, without its title."""
    return transcript(*lines, header=header).blocks()[1:]
