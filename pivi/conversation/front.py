"""What a conversation tells the editor."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine
from typing import Any, Final, Literal

import msgspec

from pivi.conversation.editor import Editor
from pivi.conversation.names import names
from pivi.conversation.screen import Screen
from pivi.view.patch import Patch

Phase = Literal[
    "reading", "starting", "idle", "running", "compacting", "retrying", "stopped", "failed", "view"
]
Level = Literal["info", "warn", "error"]

ROWS: Final = 100
"""Rows that are painted first where no window's height is known."""


class Status(msgspec.Struct, kw_only=True):
    """`b:pivi`: what is None or "" is absent there. `entries` are the stored ones, `context` is in percent.

    `reading`: how much is painted, in percent, None once all is.
    """

    phase: Phase = "reading"
    session_id: str = ""
    session_file: str = ""
    session_name: str | None = None
    cwd: str = ""
    leaf_id: str | None = None
    entries: int = 0
    model: str | None = None
    thinking: str | None = None
    context: float | None = None
    error: str = ""
    reading: int | None = None


class Front:
    """One conversation's messages, under its number, and the tasks that it has running.

    `view`: it is only read, up to the entry of that id; "" for all of it, None for a real conversation.
    """

    def __init__(self, number: int, editor: Editor) -> None:
        self.status = Status()
        self.view: str | None = None
        self._number = number
        self._editor = editor
        self._tasks: list[asyncio.Task[None]] = []

    def open(self, request: int, title: str) -> None:
        """Have the session shown in the window that the request came from."""
        self._editor.send("open", request, self._number, self._info(title))

    def rename(self, title: str) -> None:
        """The buffer belongs to another session now."""
        self._editor.send("rename", self._number, self._info(title))

    def patch(self, sequence: int, patch: Patch) -> None:
        """Have a patch applied."""
        self._editor.patch(self._number, sequence, patch)

    def publish(self, screen: Screen, *events: str) -> None:
        """Tell the status, whole, and then the User events. What Pi has not told is as the screen has it."""
        status, transcript = self.status, screen.transcript
        status.leaf_id, status.entries = transcript.leaf_id, transcript.count
        status.session_name = status.session_name or transcript.name
        status.model = status.model or transcript.model
        status.thinking = status.thinking or transcript.thinking
        status.reading = screen.reading
        known = {
            key: value for key, value in msgspec.structs.asdict(status).items() if value not in (None, "")
        }
        self._editor.send("status", self._number, known, [[name, {}] for name in events])

    @property
    def is_stored(self) -> bool:
        """Is there a file of the session?"""
        return bool(self.status.session_file) and os.path.exists(self.status.session_file)

    def words_back(self, text: str, keys: list[int], why: str) -> None:
        """These words, which the editor knows by `keys`, went nowhere: they are the user's again."""
        self._editor.send("words_back", self._number, text, keys, why)

    def words_stored(self, keys: list[int]) -> None:
        """The editor need not keep these words any longer."""
        self._editor.send("words_stored", self._number, keys)

    def doubt(self, text: str, kind: str, sentence: str, key: int) -> None:
        """These words were not sent, for the reason that the sentence tells; what is to be done is asked."""
        self._editor.send("doubt", self._number, text, kind, sentence, key)

    def running(self, tools: list[tuple[int, str]]) -> None:
        """What is said beside the headings of all tools that run: numbers of blocks, and words."""
        self._editor.send("running", self._number, tools)

    def say(self, level: Level, text: str) -> None:
        """Notify the user."""
        self._editor.send("say", level, text)

    def log(self, source: str, text: str) -> None:
        """A line for `:Pi log`; source is "stderr", "stdout" or "pivi"."""
        self._editor.send("log", self._number, source, text)

    def failed(self, error: BaseException) -> None:
        """Report a failure that nobody expected."""
        self._editor.failed(error)

    def spawn(self, name: str, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a task of this conversation."""
        task = self._editor.run(f"{name} of conversation {self._number}", work)
        self._tasks = [other for other in self._tasks if not other.done()]
        self._tasks.append(task)
        return task

    def cancel(self) -> None:
        """End all tasks but the one that calls."""
        for task in self._tasks:
            if task is not asyncio.current_task():
                task.cancel()

    def _info(self, title: str) -> dict[str, Any]:
        view = {} if self.view is None else {"view": self.view}
        return {
            **view,
            "file": self.status.session_file,
            "session_id": self.status.session_id,
            "title": title,
            "cwd": self.status.cwd,
            **names(),
        }
