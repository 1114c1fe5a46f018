"""What Pi's commands answer, as far as pivi reads it."""

from __future__ import annotations

from typing import Any

import msgspec


class Answer(msgspec.Struct, rename="camel"):
    """Fields that Pi left out have their defaults; those that we do not know are passed over."""


class Model(Answer):
    """A configured model; costs are US dollars per million tokens."""

    id: str = ""
    name: str = ""
    provider: str = ""
    api: str = ""
    reasoning: bool = False
    input: list[str] = []
    context_window: int | float | None = None
    max_tokens: int | float | None = None
    cost: dict[str, Any] = {}

    @property
    def ref(self) -> str:
        """`provider/id`, as users name it."""
        return f"{self.provider}/{self.id}"


class State(Answer):
    """`session_file` is `None` for a session in memory, and relative where Pi's session directory is."""

    session_id: str
    session_file: str | None = None
    session_name: str | None = None
    model: Model | None = None
    thinking_level: str = ""
    is_streaming: bool = False
    is_compacting: bool = False
    message_count: int = 0
    pending_message_count: int = 0


class Entries(Answer):
    """Stored entries in file order, each as its JSON text; `leaf_id` is `None` where Pi knows none."""

    entries: list[msgspec.Raw] = []
    leaf_id: str | None = None


class Tokens(Answer):
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    total: int = 0


class ContextUsage(Answer):
    """`tokens` and `percent` are `None` after a compaction until the model has answered again."""

    tokens: int | float | None = None
    context_window: int | float | None = None
    percent: float | None = None


class Stats(Answer):
    """Counts over all branches; `cost` in US dollars."""

    session_id: str = ""
    session_file: str | None = None
    user_messages: int = 0
    assistant_messages: int = 0
    tool_calls: int = 0
    tool_results: int = 0
    total_messages: int = 0
    tokens: Tokens = msgspec.field(default_factory=Tokens)
    cost: float = 0.0
    context_usage: ContextUsage | None = None


class Queue(Answer):
    """Words that were waiting for the running turn."""

    steering: list[str] = []
    follow_up: list[str] = []


class Shell(Answer):
    """A finished shell command; `exit_code` is `None` where it was cancelled."""

    output: str = ""
    exit_code: int | None = None
    cancelled: bool = False
    truncated: bool = False
    full_output_path: str | None = None


class Compaction(Answer):
    summary: str = ""
    first_kept_entry_id: str = ""
    tokens_before: int = 0
    estimated_tokens_after: int | None = None


class SlashCommand(Answer):
    """A command, template or skill that a prompt starting with `/name` runs."""

    name: str
    description: str = ""
    source: str = ""
    source_info: dict[str, Any] = {}


class Image(msgspec.Struct, rename="camel", tag="image"):
    """A picture to send, base64 in `data`."""

    data: str
    mime_type: str


class Accepted(Answer):
    disposition: str | None = None


class Switched(Answer):
    cancelled: bool = False
    text: str = ""


class Models(Answer):
    models: list[Model] = []


class Levels(Answer):
    levels: list[str] = []


class Exported(Answer):
    path: str = ""


class SlashCommands(Answer):
    commands: list[SlashCommand] = []
