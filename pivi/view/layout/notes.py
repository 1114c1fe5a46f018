"""How the rest looks: the title, ends, notices, the heads of folded runs, what is unknown or damaged."""

from __future__ import annotations

from typing import Final

from pivi.transcript.blocks import Before, Branch, Damage, Notice, Stop, Title, Unknown
from pivi.view import groups
from pivi.view.cells import shortened
from pivi.view.layout.sheet import Sheet
from pivi.view.patch import CLOSED
from pivi.view.safe import line_text
from pivi.view.words import date_text

_STOPS: Final = {
    "aborted": "Aborted.",
    "length": "Cut off: the answer reached its greatest length.",
}
_LEADS: Final = {
    "model_change": "Model: ",
    "thinking_level_change": "Thinking level: ",
    "session_info": "",
    "label": "Label: ",
    "usage": "Usage: ",
    "custom": "Extension state: ",
    "context_edit": "",
    "changes": "",
    "image": "",
}
"""What a notice begins with, by Pi's entry type, where its text does not say so itself."""

_PROMPT_COLUMNS: Final = 60


def title(block: Title, sheet: Sheet) -> None:
    """The only block without an empty first row: it is the page's first."""
    sheet.lines, sheet.size, sheet.first = [], 0, 0
    name = line_text(block.name).strip() or f"Session {line_text(block.session_id)}".rstrip()
    sheet.line(f"# {name}", groups.TITLE)
    sheet.at_right(0, date_text(block.time), line_text(block.cwd))
    if block.parent:
        sheet.blank()
        sheet.note(f"Forked from {block.parent}")
    if block.damage:
        sheet.blank()
        places = "one place" if block.damage == 1 else f"{block.damage:,} places"
        sheet.line(
            f"**Damage:** this session's file could not be read as it should be in {places}; each is marked.",
            groups.DAMAGE,
        )


def stop(block: Stop, sheet: Sheet) -> None:
    message = block.message.strip()
    if block.context == "hidden":
        sheet.begin_left_out("A failed attempt, left out of the model's context")
    if block.reason == "error":
        first, _, rest = message.partition("\n")
        sheet.line(f"**Error:** {line_text(first) or 'none was told.'}", groups.ERROR)
        if rest:
            sheet.blank()
            sheet.fence(rest)
    else:
        what = _STOPS.get(block.reason) or f"Stopped: {block.reason}."
        if block.reason == "aborted" and "aborted" in message.lower() and "\n" not in message:
            # Pi's own words say it already.
            what = ""
        sheet.note(what if "\n" in message else f"{what} {message}".strip())
        if "\n" in message:
            sheet.blank()
            sheet.text(message)


def notice(block: Notice, sheet: Sheet) -> None:
    first, _, rest = block.text.strip().partition("\n")
    lead = _LEADS.get(block.of, "")
    words = first if first.lower().startswith(lead.lower()) else lead + first
    sheet.note(words[:1].upper() + words[1:] if block.of in _LEADS else words)
    for more in (rest, block.detail):
        if more:
            sheet.blank()
            sheet.fence(more)
    if sheet.rows > 2:
        sheet.fold = CLOSED


def unknown(block: Unknown, sheet: Sheet) -> None:
    sheet.line(f"### Unknown: {line_text(block.what)}".rstrip(), groups.NOTE)
    if block.json:
        sheet.blank()
        sheet.fence(block.json, "json")
        sheet.fold = CLOSED


def damage(block: Damage, sheet: Sheet) -> None:
    sheet.line(f"**Damage:** {line_text(block.text)}", groups.DAMAGE)
    if block.raw:
        sheet.blank()
        sheet.fence(block.raw)


def branch(block: Branch, sheet: Sheet) -> None:
    prompt = shortened(line_text(block.first_prompt.strip()), _PROMPT_COLUMNS, sheet.icons.ellipsis)
    entries = "1 entry" if block.entries == 1 else f"{block.entries:,} entries"
    sheet.note(f"Another branch: {entries}" + (f', "{prompt}"' if prompt else ""), groups.BRANCH)
    since, until = date_text(block.time), date_text(block.until)
    age = since if until in ("", since) else f"{since} to {until}"
    # What `:Pi view --leaf` takes.
    sheet.at_right(1, age, f"leaf {line_text(block.leaf)}" if block.leaf else "")


def before(block: Before, sheet: Sheet) -> None:
    entries = "1 entry" if block.entries == 1 else f"{block.entries:,} entries"
    sheet.note(f"What was compacted: {entries}", groups.BRANCH)
