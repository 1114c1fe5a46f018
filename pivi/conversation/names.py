"""What the editor has to know to read a patch and the headings in it."""

from __future__ import annotations

from typing import Any

from pivi.transcript import tools
from pivi.view import groups


def names() -> dict[str, Any]:
    """Highlight groups with their links, kinds of blocks, and the tools whose calls name a path."""
    return {"groups": list(groups.LINKS.items()), "kinds": groups.KINDS, "tools": tools.paths()}
