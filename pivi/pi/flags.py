"""Pi's own flags, by whether they take a value."""

from __future__ import annotations

VALUED = frozenset({
    "--provider", "--model", "--api-key", "--system-prompt", "--append-system-prompt", "--session-dir",
    "--models", "--tools", "-t", "--exclude-tools", "-xt", "--thinking", "--extension", "-e", "--skill",
    "--prompt-template", "--theme", "--use-theme", "--tui-mode",
})  # fmt: skip
"""Flags that users may give and that take the next argument as their value."""

VALUED_OF_OURS = frozenset({
    "--mode", "--name", "-n", "--session", "--session-id", "--fork", "--export",
})  # fmt: skip
"""The same of those that pivi gives itself, or never."""

SWITCHES = frozenset({
    "--no-tools", "-nt", "--no-builtin-tools", "-nbt", "--no-extensions", "-ne", "--no-mcp", "--no-skills",
    "-ns", "--no-prompt-templates", "-np", "--no-themes", "--no-context-files", "-nc", "--verbose",
    "--approve", "-a", "--no-approve", "-na", "--offline",
})  # fmt: skip
"""Flags that take no value."""
