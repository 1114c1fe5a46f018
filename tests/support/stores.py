"""Stores of small Pi sessions, made for a test."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pivi.sessions.location import Location, session_dirs
from pivi.sessions.paths import bucket_name

Record = dict[str, object]

_STAMP = "2026-01-02T03:04:05.000Z"


def header(ident: str, cwd: str | None, **more: object) -> Record:
    """A session header of version 3; keys of `more` are added or replace."""
    record: Record = {"type": "session", "version": 3, "id": ident, "timestamp": _STAMP}
    return record | ({} if cwd is None else {"cwd": cwd}) | more


def message(ident: str, parent: str | None, role: str, content: object, **more: object) -> Record:
    """A stored message."""
    body: Record = {"role": role, "content": content, "timestamp": 1_767_323_045_000} | more
    return {"type": "message", "id": ident, "parentId": parent, "timestamp": _STAMP, "message": body}


def talk(prompt: str = "hello", answer: str = "hi") -> list[Record]:
    """The entries of one healthy turn: Pi adds nothing to them when it resumes."""
    usage = dict.fromkeys(("input", "output", "cacheRead", "cacheWrite", "totalTokens"), 1)
    cost = dict.fromkeys(("input", "output", "cacheRead", "cacheWrite", "total"), 0)
    return [
        {"type": "model_change", "id": "00000001", "parentId": None, "timestamp": _STAMP,
         "provider": "fake", "modelId": "fake-1"},
        {"type": "thinking_level_change", "id": "00000002", "parentId": "00000001",
         "timestamp": _STAMP, "thinkingLevel": "off"},
        message("00000003", "00000002", "user", [{"type": "text", "text": prompt}]),
        message("00000004", "00000003", "assistant", [{"type": "text", "text": answer}],
                api="openai-completions", provider="fake", model="fake-1", stopReason="stop",
                usage=usage | {"cost": cost}),
    ]  # fmt: skip


def session_info(name: object) -> Record:
    """A change of the session's name; "" clears it."""
    return {
        "type": "session_info", "id": "00000005", "parentId": "00000004", "timestamp": _STAMP, "name": name,
    }  # fmt: skip


def lines(records: Sequence[Record]) -> bytes:
    """The records as Pi writes them."""
    return b"".join(json.dumps(one, separators=(",", ":")).encode() + b"\n" for one in records)


@dataclass
class Store:
    """An agent directory with sessions below `root`, for the default layout or a flat directory."""

    root: Path
    env: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.home = self.root / "home"
        self.agent = self.root / "agent"
        self.home.mkdir(parents=True, exist_ok=True)
        self.agent.mkdir(exist_ok=True)
        self.env = {"HOME": str(self.home), "PI_CODING_AGENT_DIR": str(self.agent)} | self.env

    def project(self, name: str) -> str:
        """A working directory of that name, made where it is not there."""
        folder = self.root / "x" / name
        folder.mkdir(parents=True, exist_ok=True)
        return str(folder)

    def location(self, cwd: str, *args: str) -> Location:
        """Where Pi, started in `cwd` with `args`, looks."""
        return session_dirs(cwd, args, self.env)

    def bucket(self, cwd: str) -> Path:
        """The default directory for `cwd`, made where it is not there."""
        folder = self.agent / "sessions" / bucket_name(cwd)
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def put(
        self,
        ident: str,
        cwd: str,
        *,
        at: float = 1_767_323_045,
        folder: Path | None = None,
        prompt: str = "hello",
        more: Sequence[Record] = (),
    ) -> Path:
        """A session with one turn and `more`, last changed `at` (seconds since 1970)."""
        file = (folder or self.bucket(cwd)) / f"2026-01-02T03-04-05-000Z_{ident}.jsonl"
        file.write_bytes(lines([header(ident, cwd), *talk(prompt), *more]))
        os.utime(file, (at, at))
        return file
