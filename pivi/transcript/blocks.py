"""Blocks: what was said and done in a session, free of Pi's storage and of the screen.

The stored adapter (`stored`) and the live adapter (`live`) both produce these; `view.layout` turns
each into lines. A block holds what Pi stored and nothing that it did not: an outcome that is not
known is `None`, never a guess.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Context = Literal["", "hidden", "replaced"]
"""What a context edit did to the entry: nothing, left out of the model's context, replaced in it."""


class Image(msgspec.Struct, frozen=True, gc=False):
    """A picture whose bytes stay in the session file.

    `size` is in bytes (decoded), `width` and `height` in pixels, `None` where the data does not tell.
    """

    mime: str
    size: int
    width: int | None = None
    height: int | None = None


class Usage(msgspec.Struct, frozen=True, gc=False):
    """Tokens and cost (US dollars) that Pi stored; `reasoning` is part of `output`."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    reasoning: int = 0
    cost: float = 0.0


class Block(msgspec.Struct, kw_only=True, gc=False):
    """One thing that was said or done.

    `key` names it within the session: `<entry id>/<part>`; a live block that is not yet bound to a
    stored entry has a key that starts with `live/`. `time` is milliseconds since the epoch.
    `section` is the key of the block that heads the section which this one belongs to (a heading has
    its own key there), `run` the key of the `Branch` or `Before` block that folds it away, `""` for
    none. Neither is part of what a block shows.
    """

    key: str
    time: int | None = None
    section: str = ""
    run: str = ""
    label: str = ""
    context: Context = ""


class Title(Block, kw_only=True):
    """The first block: the session itself. `damage` counts what could not be read."""

    name: str
    session_id: str
    cwd: str
    parent: str = ""
    damage: int = 0


class Prompt(Block, kw_only=True):
    """What the user said; heads a section of its own."""

    text: str
    images: tuple[Image, ...] = ()


class Reply(Block, kw_only=True):
    """Heads the section that answers a prompt: everything up to the next section."""

    model: str = ""
    thinking: str = ""
    usage: Usage | None = None


class Answer(Block, kw_only=True):
    text: str


class Thinking(Block, kw_only=True):
    """`redacted`: the provider keeps the text to itself; there may be none."""

    text: str
    redacted: bool = False


class Nested(msgspec.Struct, frozen=True, gc=False):
    """A call that a tool made itself (Pi 1.x). `duration` is in milliseconds."""

    name: str
    subject: str
    status: str
    duration: int | None = None
    error: str = ""


class Outcome(msgspec.Struct, frozen=True, gc=False):
    """What Pi stored of a tool call's end.

    `exit_status` comes from the text of a shell's output, the only place where Pi keeps it.
    `limits` are sentences such as "the first 100 matches"; `full_output` is the path of a file that
    holds all of the output, on the machine where Pi ran. `duration` is in milliseconds.
    """

    text: str
    error: bool = False
    diff: str = ""
    exit_status: int | None = None
    limits: tuple[str, ...] = ()
    full_output: str = ""
    duration: int | None = None
    images: tuple[Image, ...] = ()
    nested: tuple[Nested, ...] = ()
    usage: Usage | None = None


class ToolCall(Block, kw_only=True):
    """A call of a tool. `subject` is what it works on (path, command, pattern …), maybe several lines.

    `body` is what the call itself carries to be shown (the content that `write` writes, the code of
    codemode), `language` its Markdown fence language or file name, `script` that of the subject where it is
    code. `outcome` is `None` where no result is
    stored; `pending`: its turn still runs, and may bring one (live alone). `tool_id` is Pi's id of the call.
    """

    name: str
    tool_id: str
    subject: str = ""
    body: str = ""
    language: str = ""
    script: str = ""
    error: str = ""
    outcome: Outcome | None = None
    pending: bool = False


class Result(Block, kw_only=True):
    """A stored result whose call is not in the session."""

    name: str
    tool_id: str
    outcome: Outcome


class Shell(Block, kw_only=True):
    """A command that the user ran directly; a section of its own. `excluded`: not told to the model."""

    command: str
    output: str
    exit_status: int | None = None
    cancelled: bool = False
    truncated: bool = False
    full_output: str = ""
    excluded: bool = False


class Stop(Block, kw_only=True):
    """An answer's end that was not an ordinary one: `error`, `aborted`, `length`, or another word of Pi's."""

    reason: str
    message: str = ""


class Summary(Block, kw_only=True):
    """A compaction's or a left branch's summary; a section of its own.

    `tokens_before` is the size of the context that it stands for.
    """

    of: Literal["compaction", "branch"]
    text: str
    tokens_before: int | None = None
    usage: Usage | None = None
    read: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()


class Notice(Block, kw_only=True):
    """A change of the session's state, in one line: model, thinking level, name, label, usage, edit …

    `of` is Pi's entry type. `text` may be longer than a line where an edit stored a replacement.
    """

    of: str
    text: str
    detail: str = ""


class Custom(Block, kw_only=True):
    """A message of an extension that Pi displays; a section of its own."""

    custom_type: str
    text: str
    images: tuple[Image, ...] = ()


class System(Block, kw_only=True):
    """A system message by its parts (name, text). `tools`: what it adds or, with a leading `-`, removes.

    A part with a leading `-` is one that the message removes.
    """

    parts: tuple[tuple[str, str], ...] = ()
    tools: tuple[str, ...] = ()


class Unknown(Block, kw_only=True):
    """Something that Pi stored and this program does not know. `json` is indented, with long strings cut."""

    what: str
    json: str


class Damage(Block, kw_only=True):
    """A place where the file could not be read as it should be. `text` says what, in one sentence."""

    text: str
    raw: str = ""


class Branch(Block, kw_only=True):
    """Heads a run of entries that are on another branch: `entries` of them, from `time` to `until` (ms).

    `leaf` is the id of the last one.
    """

    entries: int
    first_prompt: str
    until: int | None = None
    leaf: str = ""


class Before(Block, kw_only=True):
    """Heads what a compaction left behind: `entries` of them."""

    entries: int
