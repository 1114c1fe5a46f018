"""Highlight groups and kinds of blocks by number: the one table, sent to Lua when a buffer is opened."""

from __future__ import annotations

import re
from typing import Final

from pivi.transcript import blocks

LINKS: Final[dict[str, str]] = {
    "PiviTitle": "Title",
    "PiviPrompt": "Function",
    "PiviReply": "Title",
    "PiviSection": "Statement",
    "PiviMeta": "Comment",
    "PiviThinking": "Comment",
    "PiviTool": "Identifier",
    "PiviOk": "DiagnosticOk",
    "PiviFailed": "DiagnosticError",
    "PiviNoResult": "DiagnosticWarn",
    "PiviNote": "Comment",
    "PiviImage": "Special",
    "PiviLabel": "Tag",
    "PiviHidden": "DiagnosticWarn",
    "PiviBranch": "PreProc",
    "PiviError": "DiagnosticError",
    "PiviDamage": "DiagnosticWarn",
    "PiviSgrBlack": "Comment",
    "PiviSgrRed": "DiagnosticError",
    "PiviSgrGreen": "DiagnosticOk",
    "PiviSgrYellow": "DiagnosticWarn",
    "PiviSgrBlue": "DiagnosticInfo",
    "PiviSgrMagenta": "Special",
    "PiviSgrCyan": "DiagnosticHint",
    "PiviSgrBold": "@markup.strong",
    "PiviSgrItalic": "@markup.italic",
    "PiviSgrUnderline": "Underlined",
}
"""Each highlight group and the standard group that it links to by default."""

NAMES: Final[tuple[str, ...]] = tuple(LINKS)
"""Highlight groups; a mark holds an index into these."""

TITLE: Final = NAMES.index("PiviTitle")
PROMPT: Final = NAMES.index("PiviPrompt")
REPLY: Final = NAMES.index("PiviReply")
SECTION: Final = NAMES.index("PiviSection")
META: Final = NAMES.index("PiviMeta")
THINKING: Final = NAMES.index("PiviThinking")
TOOL: Final = NAMES.index("PiviTool")
OK: Final = NAMES.index("PiviOk")
FAILED: Final = NAMES.index("PiviFailed")
NO_RESULT: Final = NAMES.index("PiviNoResult")
NOTE: Final = NAMES.index("PiviNote")
IMAGE: Final = NAMES.index("PiviImage")
LABEL: Final = NAMES.index("PiviLabel")
HIDDEN: Final = NAMES.index("PiviHidden")
BRANCH: Final = NAMES.index("PiviBranch")
ERROR: Final = NAMES.index("PiviError")
DAMAGE: Final = NAMES.index("PiviDamage")
SGR_BLACK: Final = NAMES.index("PiviSgrBlack")
SGR_RED: Final = NAMES.index("PiviSgrRed")
SGR_GREEN: Final = NAMES.index("PiviSgrGreen")
SGR_YELLOW: Final = NAMES.index("PiviSgrYellow")
SGR_BLUE: Final = NAMES.index("PiviSgrBlue")
SGR_MAGENTA: Final = NAMES.index("PiviSgrMagenta")
SGR_CYAN: Final = NAMES.index("PiviSgrCyan")
SGR_BOLD: Final = NAMES.index("PiviSgrBold")
SGR_ITALIC: Final = NAMES.index("PiviSgrItalic")
SGR_UNDERLINE: Final = NAMES.index("PiviSgrUnderline")

CLASSES: Final[tuple[type[blocks.Block], ...]] = (
    blocks.Title,
    blocks.Prompt,
    blocks.Reply,
    blocks.Answer,
    blocks.Thinking,
    blocks.ToolCall,
    blocks.Result,
    blocks.Shell,
    blocks.Stop,
    blocks.Summary,
    blocks.Notice,
    blocks.Custom,
    blocks.System,
    blocks.Unknown,
    blocks.Damage,
    blocks.Branch,
    blocks.Before,
)

KINDS: Final[tuple[str, ...]] = tuple(
    re.sub(r"(?<=[a-z])(?=[A-Z])", "_", cls.__name__).lower() for cls in CLASSES
)
"""Kinds of blocks (`tool_call` for `ToolCall`); a patch holds an index into these."""

KIND_OF: Final[dict[type[blocks.Block], int]] = {c: kind for kind, c in enumerate(CLASSES)}
"""A block's class to the index of its kind."""
