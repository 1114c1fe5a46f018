"""Large sessions for measuring: the shape of real ones, the same bytes for the same seed."""

from __future__ import annotations

import json
import random
import uuid
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

_TEXT = "the of session buffer parse entry index render window cursor stream diff patch error value line text"
_WORDS = _TEXT.split()
_USAGE = {
    "input": 2000,
    "output": 200,
    "cacheRead": 100,
    "cacheWrite": 0,
    "totalTokens": 2300,
    "cost": {"input": 0.002, "output": 0.004, "cacheRead": 0, "cacheWrite": 0, "total": 0.006},
}


def words(rng: random.Random, count: int) -> str:
    """So many words on one line."""
    return " ".join(rng.choice(_WORDS) for _ in range(count))


class Writer:
    """Writes one session of about `size` bytes: turns of prompt, thinking, tools with results, answer."""

    def __init__(self, path: Path, size: int, cwd: Path, seed: int = 7) -> None:
        self.entries = 0
        self._random = random.Random(seed)
        self._time = datetime(2026, 11, 1, 12, tzinfo=timezone.utc)
        self._parent: str | None = None
        self._calls = 0
        self._written = 0
        with path.open("w", encoding="utf-8") as self._file:
            identity = str(uuid.UUID(int=self._random.getrandbits(128)))
            self._put(
                {"type": "session", "version": 3, "id": identity, "timestamp": self._iso(), "cwd": str(cwd)}
            )
            self._entry("model_change", provider="fake", modelId="fake-1")
            self._entry("thinking_level_change", thinkingLevel="medium")
            while self._written < size:
                self._turn()

    def _turn(self) -> None:
        self._message(role="user", content=[{"type": "text", "text": self._words(30)}])
        for _ in range(self._random.randint(1, 5)):
            self._step()
        code = "\n".join("    " * self._random.randint(0, 3) + self._words(5) for _ in range(12))
        answer = self._paragraphs(self._random.randint(1, 6))
        self._assistant([{"type": "text", "text": f"{answer}\n\n```python\n{code}\n```\n"}], "stop")

    def _step(self) -> None:
        self._calls += 1
        call, path = f"call_{self._calls}", f"src/m{self._calls % 97}.py"
        tool = self._random.choice(["read", "bash", "edit", "bash", "read"])
        arguments: dict[str, dict[str, Any]] = {
            "read": {"path": path},
            "bash": {"command": "rg " + self._words(3)},
            "edit": {"path": path, "edits": [{"oldText": self._words(10), "newText": self._words(12)}]},
        }
        parts: list[dict[str, Any]] = [
            {"type": "thinking", "thinking": self._paragraphs(2)},
            {"type": "text", "text": self._words(20)},
            {"type": "toolCall", "id": call, "name": tool, "arguments": arguments[tool]},
        ]
        self._assistant(parts, "toolUse")
        output = "\n".join(
            f"{line:5d} " + self._words(self._random.randint(3, 14))
            for line in range(self._random.randint(5, 160))
        )
        details: dict[str, Any] = {}
        if tool == "edit":
            output = "Successfully replaced 1 block(s)."
            diff = "\n".join(
                self._random.choice(" -+") + f"{line:4d} " + self._words(8)
                for line in range(self._random.randint(6, 40))
            )
            details = {"details": {"diff": diff, "patch": "--- a\n+++ b\n" + diff, "firstChangedLine": 3}}
        self._message(
            role="toolResult",
            toolCallId=call,
            toolName=tool,
            content=[{"type": "text", "text": output}],
            isError=self._random.random() < 0.05,
            **details,
        )

    def _assistant(self, parts: list[dict[str, Any]], stop: str) -> None:
        self._message(
            role="assistant",
            content=parts,
            api="openai-completions",
            provider="fake",
            model="fake-1",
            usage=_USAGE,
            stopReason=stop,
        )

    def _message(self, **message: Any) -> None:
        stamp = int(self._time.timestamp() * 1000)
        self._entry("message", message={**message, "timestamp": stamp})

    def _entry(self, kind: str, **fields: Any) -> None:
        self._time += timedelta(seconds=2)
        # Unlike numbers drawn at random these never meet, and Pi goes round in circles where two do.
        identity = f"{self.entries * 2654435761 % (1 << 32):08x}"
        self._put(
            {"type": kind, "id": identity, "parentId": self._parent, "timestamp": self._iso(), **fields}
        )
        self._parent = identity
        self.entries += 1

    def _put(self, record: dict[str, Any]) -> None:
        line = json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"
        self._file.write(line)
        self._written += len(line)

    def _iso(self) -> str:
        return self._time.strftime("%Y-%m-%dT%H:%M:%S.000Z")

    def _words(self, count: int) -> str:
        return words(self._random, count)

    def _paragraphs(self, count: int) -> str:
        return "\n\n".join(self._words(self._random.randint(20, 60)) for _ in range(count))
