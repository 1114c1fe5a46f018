"""The commands of Pi's RPC mode that pivi has a use for, one method each.

Names are Pi's own. What a command answers is documented in Pi's `docs/rpc-commands.md`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Literal, TypeVar

import msgspec

from . import answers, tolerant
from .answers import (
    Compaction,
    Entries,
    Image,
    Model,
    Queue,
    Shell,
    SlashCommand,
    State,
    Stats,
)
from .errors import PiError

Level = Literal["off", "minimal", "low", "medium", "high", "xhigh", "max"]
Behavior = Literal["steer", "followUp"]

QUICK = 15.0
SLOW = 60.0
LIMITS: dict[str, float | None] = {
    # An extension may take its time with each of these, or they run for as long as the work takes.
    "prompt": None,
    "steer": None,
    "follow_up": None,
    "abort": None,
    "compact": None,
    "bash": None,
    "new_session": SLOW,
    "switch_session": SLOW,
    "fork": SLOW,
    "clone": SLOW,
    "export_html": SLOW,
    "set_model": SLOW,
    "get_available_models": SLOW,
    "get_entries": SLOW,
}
"""Seconds until a command that is not answered raises `PiTimeoutError`; `None` for no limit, else `QUICK`."""


T = TypeVar("T")


class Commands(ABC):
    """The typed commands. All raise `PiRefusedError`, `PiTimeoutError`, `PiGoneError`, each a `PiError`."""

    @abstractmethod
    async def request(
        self, command: str, /, limit: float | None = None, request_id: str | None = None, **params: Any
    ) -> msgspec.Raw:
        """Send one command and return its `data` undecoded. `limit` in seconds overrides `LIMITS`."""

    async def _ask(self, kind: type[T], command: str, /, **params: Any) -> T:
        data = await self.request(command, **params)
        return _decode(kind, command, data)

    async def prompt(
        self, message: str, images: Sequence[Image] = (), streaming_behavior: Behavior | None = None
    ) -> str | None:
        """Returns the disposition: `started`, `queued` or `handled`; `None` from Pi before 0.99."""
        return await self._say("prompt", message, images, streamingBehavior=streaming_behavior)

    async def steer(self, message: str, images: Sequence[Image] = ()) -> str | None:
        """Returns the disposition, `queued` or `handled`; `None` from Pi before 0.99."""
        return await self._say("steer", message, images)

    async def follow_up(self, message: str, images: Sequence[Image] = ()) -> str | None:
        """Returns the disposition, `queued` or `handled`; `None` from Pi before 0.99."""
        return await self._say("follow_up", message, images)

    async def _say(self, command: str, message: str, images: Sequence[Image], **more: Any) -> str | None:
        data = await self.request(command, message=message, images=list(images) or None, **more)
        if bytes(data) in (b"", b"null"):
            return None
        return _decode(answers.Accepted, command, data).disposition

    async def abort(self, limit: float | None = None) -> None:
        """Returns when the session is idle. Queued words run on: `clear_queue` first."""
        await self.request("abort", limit=limit)

    async def clear_queue(self, limit: float | None = None) -> Queue:
        return await self._ask(Queue, "clear_queue", limit=limit)

    async def new_session(self, parent_session: str | None = None) -> bool:
        """Returns whether it was done; an extension may cancel it."""
        return not (await self._ask(answers.Switched, "new_session", parentSession=parent_session)).cancelled

    async def get_state(self, limit: float | None = None) -> State:
        return await self._ask(State, "get_state", limit=limit)

    async def set_model(self, provider: str, model_id: str) -> Model:
        return await self._ask(Model, "set_model", provider=provider, modelId=model_id)

    async def get_available_models(self) -> list[Model]:
        return (await self._ask(answers.Models, "get_available_models")).models

    async def set_thinking_level(self, level: Level) -> None:
        await self.request("set_thinking_level", level=level)

    async def get_available_thinking_levels(self) -> list[str]:
        return (await self._ask(answers.Levels, "get_available_thinking_levels")).levels

    async def compact(self, instructions: str | None = None) -> Compaction:
        return await self._ask(Compaction, "compact", customInstructions=instructions)

    async def abort_retry(self) -> None:
        await self.request("abort_retry")

    async def bash(
        self, command: str, exclude_from_context: bool | None = None, request_id: str | None = None
    ) -> Shell:
        """Run a shell command in the session. `bash_execution_update` events carry `request_id`."""
        return await self._ask(
            Shell,
            "bash",
            request_id=request_id,
            command=command,
            excludeFromContext=exclude_from_context,
        )

    async def abort_bash(self, limit: float | None = None) -> None:
        await self.request("abort_bash", limit=limit)

    async def get_session_stats(self) -> Stats:
        return await self._ask(Stats, "get_session_stats")

    async def export_html(self, output_path: str | None = None) -> str:
        """Returns the path of the file that Pi wrote."""
        return (await self._ask(answers.Exported, "export_html", outputPath=output_path)).path

    async def switch_session(self, session_path: str) -> bool:
        """Returns whether it was done. A path to no file makes Pi start an empty session: look first."""
        return not (await self._ask(answers.Switched, "switch_session", sessionPath=session_path)).cancelled

    async def fork(self, entry_id: str) -> str | None:
        """Returns the text of the prompt that was forked from; `None` where an extension cancelled."""
        answer = await self._ask(answers.Switched, "fork", entryId=entry_id)
        return None if answer.cancelled else answer.text

    async def clone(self) -> bool:
        """Returns whether it was done; an extension may cancel it."""
        return not (await self._ask(answers.Switched, "clone")).cancelled

    async def get_entries(self, since: str | None = None) -> Entries:
        """All stored entries, or those after the entry `since`. Raises `PiRefusedError` for an unknown id."""
        return _entries(await self.request("get_entries", since=since))

    async def set_session_name(self, name: str) -> None:
        await self.request("set_session_name", name=name)

    async def get_commands(self) -> list[SlashCommand]:
        return (await self._ask(answers.SlashCommands, "get_commands")).commands


def _decode(kind: type[T], command: str, data: msgspec.Raw) -> T:
    # An answer without data is what some commands of older versions give.
    text = bytes(data) or b"null"
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.DecodeError, RecursionError):
        pass
    try:
        return msgspec.convert(tolerant.loads(text), type=kind)
    except ValueError as error:
        raise PiError(f"Pi's answer to {command} can't be read: {error}.") from error


def _entries(data: msgspec.Raw) -> Entries:
    try:
        return msgspec.json.decode(data, type=Entries)
    except (msgspec.DecodeError, RecursionError):
        pass
    # One entry that a strict decoder refuses must not cost the others.
    try:
        fields = tolerant.members(bytes(data))
        entries = [msgspec.Raw(text) for text in tolerant.elements(fields["entries"])]
        leaf = tolerant.loads(fields.get("leafId", b"null"))
    except (ValueError, KeyError) as error:
        raise PiError(f"Pi's answer to get_entries can't be read: {error}.") from error
    return Entries(entries, leaf if isinstance(leaf, str) else None)
