"""A transcript as a Markdown document of its own, to be read elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape
from typing import Final

from pivi.transcript.blocks import Before, Block, Branch, Thinking, Title
from pivi.view.icons import Icons
from pivi.view.layout import layout
from pivi.view.patch import AT_END, AT_RIGHT, CLOSED, MARK, Laid
from pivi.view.safe import line_text
from pivi.view.words import count_text, date_text

_FEW: Final = 12
"""What is folded in the buffer stays open here up to so many lines."""
_FENCE: Final = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$", re.MULTILINE)


def document(blocks: Iterable[Block], icons: Icons, model: str = "") -> Iterator[str]:
    """The document piece by piece, a block at a time: nothing is cut, nothing is left out.

    What is closed in the buffer is a `<details>` element, also each other branch as a whole. Times, models,
    usage and outcomes, decorations there, are text here.
    """
    run = ""
    for block in blocks:
        if run and block.run != run:
            yield "</details>\n\n"
            run = ""
        if isinstance(block, Title):
            yield _head(block, model)
        elif isinstance(block, (Branch, Before)):
            run = block.run
            yield _run(block, icons)
        else:
            yield _block(block, icons)
    if run:
        yield "</details>\n"


def plain(blocks: Iterable[Block], icons: Icons) -> Iterator[str]:
    """The text as it stands in the buffer, without decorations, a block at a time; nothing is cut."""
    for block in blocks:
        yield closed(layout(block, icons, whole=True).text) + "\n"


def _head(block: Title, model: str) -> str:
    name = line_text(block.name).strip() or f"Session {line_text(block.session_id)}".rstrip()
    facts = (
        ("Session", block.session_id),
        ("Directory", block.cwd),
        ("Date", date_text(block.time)),
        ("Model", model),
        ("Forked from", block.parent),
    )
    told = [f"- {what}: {line_text(fact)}" for what, fact in facts if fact]
    if block.damage:
        places = count_text(block.damage, "place")
        told += ["", f"**Damage:** the session's file could not be read as it should be in {places}."]
    return "\n".join([f"# {name}", "", *told, "", ""])


def _run(block: Branch | Before, icons: Icons) -> str:
    laid = layout(block, icons)
    words = [laid.text.strip("\n *"), *laid.strings]
    return f"<details>\n<summary>{escape(icons.dot.join(words))}</summary>\n\n"


def _block(block: Block, icons: Icons) -> str:
    laid = layout(block, icons, whole=True)
    text = closed(laid.text[1:]).rstrip("\n")
    heading, _, rest = text.partition("\n")
    said = icons.dot.join(_behind(laid, 1))
    folded = laid.fold == CLOSED and (rest.count("\n") > _FEW or isinstance(block, Thinking))
    if not said and not folded:
        return f"{text}\n\n"
    if heading.startswith("### ") and said:
        heading = f"{heading} ({said})"
    elif said:
        heading = f"{heading}\n\n*{said}*"
    rest = rest.strip("\n")
    if folded:
        lines = count_text(rest.count("\n") + 1, "line")
        rest = f"<details>\n<summary>{lines}</summary>\n\n{rest}\n\n</details>"
    return f"{heading}\n\n{rest}\n\n" if rest else f"{heading}\n\n"


def _behind(laid: Laid, row: int) -> Iterator[str]:
    """The strings behind the text of a row."""
    strings = iter(laid.strings)
    for at in range(0, len(laid.marks), MARK):
        string = next(strings) if laid.marks[at + 2] in (AT_END, AT_RIGHT) else ""
        if string and laid.marks[at] == row:
            yield string


def closed(text: str) -> str:
    """`text` with the fence closed that it leaves open: nothing after it is to be read as code."""
    if "```" not in text and "~~~" not in text:
        return text
    fence = ""
    for mark, info in _FENCE.findall(text):
        if not fence:
            fence = mark if mark[0] == "~" or "`" not in info else ""
        elif mark.startswith(fence) and not info.strip():
            fence = ""
    return f"{text}\n{fence}" if fence else text
