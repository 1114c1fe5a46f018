"""How what was done looks: calls of tools with their outcomes, and commands that the user ran."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from pivi.transcript.blocks import Nested, Outcome, Result, Shell, ToolCall
from pivi.view import groups
from pivi.view.cells import shortened
from pivi.view.layout.sheet import Sheet
from pivi.view.patch import CLOSED, OPEN
from pivi.view.safe import block_text, line_text
from pivi.view.words import count_text, date_text, duration_text, usage_text

_HEADING_COLUMNS: Final = 120
"""A longer subject is cut on the heading and shown in full below it."""
_OPEN_ROWS: Final = 40
"""A direct shell run of more rows is closed at first."""


def tool_call(block: ToolCall, sheet: Sheet) -> None:
    name = line_text(block.name).strip() or "tool"
    subject = block.subject.strip("\n")
    first, whole = _first_line(subject, sheet.icons.ellipsis)
    sheet.marks += (1, 0, 4 + len(name.encode("utf-8")), groups.TOOL)
    sheet.line(f"### {name} {first}".rstrip())
    if not whole:
        sheet.blank()
        sheet.fence(subject, block.script)
    outcome = block.outcome
    # The edits that were wanted have no language; the diff of what was done tells them better.
    if block.body and (block.language or not (outcome and outcome.diff)):
        sheet.blank()
        sheet.fence(block.body, _fence_language(block.language))
    if block.error:
        sheet.blank()
        sheet.line(f"**Error:** {line_text(block.error)}", groups.ERROR)
    if block.pending:
        sheet.at_end(1, groups.NOTE, sheet.icons.ellipsis)
        if sheet.whole:
            sheet.notes(["This call has no result yet."])
    elif outcome is None:
        sheet.notes(["No result is stored for this call."])
        sheet.at_end(1, groups.NO_RESULT, f"{sheet.icons.no_result} no result")
    else:
        _outcome(outcome, sheet)
    if sheet.rows > 2:
        sheet.fold = OPEN if outcome and outcome.diff and not block.context else CLOSED


def result(block: Result, sheet: Sheet) -> None:
    name = line_text(block.name).strip() or "tool"
    sheet.marks += (1, 0, 4 + len(name.encode("utf-8")), groups.TOOL)
    sheet.line(f"### {name}")
    sheet.notes(["A result whose call is not in this session."])
    _outcome(block.outcome, sheet)
    sheet.fold = CLOSED


def shell(block: Shell, sheet: Sheet) -> None:
    command = block.command.strip("\n")
    first, whole = _first_line(command, sheet.icons.ellipsis)
    sheet.line(f"## Shell {first}".rstrip(), groups.SECTION)
    icons = sheet.icons
    if block.cancelled:
        sheet.at_end(1, groups.FAILED, f"{icons.failed} cancelled")
    elif block.exit_status is not None:
        group, sign = (groups.FAILED, icons.failed) if block.exit_status else (groups.OK, icons.ok)
        sheet.at_end(1, group, f"{sign} exit {block.exit_status}")
    sheet.at_right(1, date_text(block.time))
    if not whole:
        sheet.blank()
        sheet.fence(command, "sh")
    if block.output:
        sheet.blank()
        sheet.output(block.output)
    sheet.notes(_shell_notes(block))
    if sheet.rows > 2:
        sheet.fold = OPEN if sheet.rows <= _OPEN_ROWS and not block.context else CLOSED


def _shell_notes(block: Shell) -> Iterator[str]:
    if block.cancelled:
        yield "Cancelled."
    if block.truncated:
        yield "Pi kept only a part of the output."
    if block.full_output:
        yield f"Full output: {block.full_output}"
    if block.excluded:
        yield "Not told to the model."


def _first_line(subject: str, ellipsis: str) -> tuple[str, bool]:
    """What of the subject goes on the heading, and whether that is all of it."""
    if len(subject) <= _HEADING_COLUMNS and "\n" not in subject:
        return line_text(subject), True
    first = line_text(subject[: subject.find("\n")] if "\n" in subject else subject)
    first = shortened(first, _HEADING_COLUMNS, "")
    return f"{first} {ellipsis}", False


def _fence_language(language: str) -> str:
    """A fence language as it is; of a file's path its suffix."""
    is_path = "." in language or "/" in language
    return PurePosixPath(language).suffix[1:] if is_path else language


def _outcome(outcome: Outcome, sheet: Sheet) -> None:
    for nested in outcome.nested:
        _nested(nested, sheet, first=nested is outcome.nested[0])
    if outcome.diff:
        sheet.blank()
        sheet.fence(outcome.diff, "diff")
    text = outcome.text.rstrip("\n")
    lines = 0
    if text:
        sheet.blank()
        if outcome.diff and _is_plain_sentence(text):
            sheet.line(text)
        else:
            lines = sheet.output(text)
    if outcome.images:
        sheet.blank()
        sheet.images(outcome.images)
    if outcome.limits:
        sheet.notes([f"Shown: {'; '.join(outcome.limits)}"])
    if outcome.full_output:
        sheet.notes([f"Full output: {outcome.full_output}"])
    _ending(outcome, lines, sheet)


def _is_plain_sentence(text: str) -> bool:
    """Can it stand without a fence and be read as what it is?"""
    return len(text) <= 500 and text.isprintable() and text[0].isalpha() and "`" not in text


def _nested(nested: Nested, sheet: Sheet, *, first: bool) -> None:
    if first:
        sheet.blank()
    words = line_text(f"{nested.name} {nested.subject}".rstrip())
    if nested.duration is not None:
        sheet.at_end(sheet.rows, groups.META, duration_text(nested.duration))
    sheet.line(f"- {words}" + (f" ({line_text(nested.status)})" if nested.status else ""))
    if nested.error:
        sheet.line(f"  **Error:** {line_text(nested.error)}", groups.ERROR)


def _ending(outcome: Outcome, lines: int, sheet: Sheet) -> None:
    """`✓ 37 lines · 0.2 s`, `✗ exit 3`: how the call ended, by what Pi stored of it."""
    icons = sheet.icons
    words: list[str] = []
    if outcome.exit_status is not None and (outcome.exit_status or outcome.error):
        words.append(f"exit {outcome.exit_status}")
    elif outcome.error and icons.failed != "failed":
        words.append("failed")
    if outcome.diff:
        words.append(_changes(outcome.diff, icons.minus))
    elif lines:
        words.append(count_text(lines, "line"))
    elif not outcome.error and not outcome.images and not outcome.nested:
        words.append("no output")
    if outcome.duration is not None:
        words.append(duration_text(outcome.duration))
    if outcome.usage is not None:
        words.append(usage_text(outcome.usage, icons))
    failed = outcome.error or bool(outcome.exit_status)
    group, sign = (groups.FAILED, icons.failed) if failed else (groups.OK, icons.ok)
    sheet.at_end(1, group, f"{sign} {icons.dot.join(word for word in words if word)}".rstrip())


def _changes(diff: str, minus: str) -> str:
    """`+3 −1`: lines added and taken away."""
    lines = block_text("\n" + diff)
    return f"+{lines.count(chr(10) + '+')} {minus}{lines.count(chr(10) + '-')}"
