"""Small stored sessions, written as Pi writes them, for tests that need several."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


def bucket(sessions: Path, cwd: Path) -> Path:
    """Pi's folder for sessions of `cwd`, made if it is not there."""
    name = str(cwd).lstrip("/")
    for separator in "/\\:":
        name = name.replace(separator, "-")
    folder = sessions / f"--{name}--"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def store(folder: Path, cwd: Path, session_id: str, said: str, *, name: str = "", at: int = 0) -> Path:
    """A session of `cwd` in which `said` was said and answered; its time of change is `at` seconds (1970)."""
    stamp = {"timestamp": "2026-11-01T12:00:00.000Z"}
    usage = {"input": 1, "output": 1, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 2}
    answer = {
        "role": "assistant",
        "content": [{"type": "text", "text": f"You said: {said}"}],
        "api": "openai-completions",
        "provider": "fake",
        "model": "fake-1",
        "usage": {**usage, "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0}},
        "stopReason": "stop",
        "timestamp": 1793534400000,
    }
    prompt = {"role": "user", "content": [{"type": "text", "text": said}], "timestamp": 1793534400000}
    entries: list[dict[str, Any]] = [
        {"type": "model_change", "provider": "fake", "modelId": "fake-1"},
        {"type": "thinking_level_change", "thinkingLevel": "off"},
        {"type": "message", "message": prompt},
        {"type": "message", "message": answer},
        *([{"type": "session_info", "name": name}] if name else []),
    ]
    lines: list[dict[str, Any]] = [
        {"type": "session", "version": 3, "id": session_id, **stamp, "cwd": str(cwd)}
    ]
    for number, entry in enumerate(entries, 1):
        parent = f"{number - 1:08x}" if number > 1 else None
        lines.append({**entry, "id": f"{number:08x}", "parentId": parent, **stamp})
    path = folder / f"2026-11-01T12-00-00-000Z_{session_id}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    if at:
        os.utime(path, (at, at))
    return path
