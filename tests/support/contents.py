"""What a session file holds that a reader must find, taken from its JSON and from nothing of ours."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Entry = dict[str, Any]


def entries(path: Path) -> list[Entry]:
    """The entries of a sound session file, in order."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[1:] if line]


def active(found: list[Entry]) -> list[Entry]:
    """Those from the root to the last one."""
    by_id = {entry["id"]: entry for entry in found}
    branch: list[Entry] = []
    entry: Entry | None = found[-1]
    while entry is not None:
        branch.append(entry)
        entry = by_id.get(entry["parentId"])
    return branch[::-1]


def texts(branch: list[Entry]) -> Iterator[str]:
    """Every text that was said, thought, called, put out or summed up, in the order of the transcript.

    A tool's outcome comes with its call.
    """
    results = {
        entry["message"]["toolCallId"]: entry["message"]
        for entry in branch
        if entry["type"] == "message" and entry["message"]["role"] == "toolResult"
    }
    for entry in branch:
        if entry["type"] == "message":
            yield from _message(entry["message"], results)
        elif entry["type"] in ("compaction", "branch_summary"):
            yield entry["summary"]
        elif entry["type"] == "custom_message" and entry["display"]:
            yield from _parts(entry["content"])


def _message(message: Entry, results: dict[str, Entry]) -> Iterator[str]:
    if message["role"] == "user":
        yield from _parts(message["content"])
    elif message["role"] == "bashExecution":
        yield message["command"]
        yield message["output"]
    elif message["role"] == "assistant":
        for part in message["content"]:
            if part["type"] != "toolCall":
                yield part.get("text", "") + part.get("thinking", "")
                continue
            yield part["name"]
            arguments = part["arguments"]
            for name in ("command", "pattern", "path", "code", "content"):
                if isinstance(arguments.get(name), str):
                    yield arguments[name]
            result = results.get(part["id"])
            if result:
                yield (result.get("details") or {}).get("diff", "")
                yield from _parts(result["content"])
        yield message.get("errorMessage", "")


def _parts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    else:
        yield from (part["text"] for part in content if part["type"] == "text")
