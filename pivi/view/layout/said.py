"""How what was said looks: prompts, answers, thinking, summaries, messages of extensions and Pi itself."""

from __future__ import annotations

from typing import Final

from pivi.transcript.blocks import Answer, Custom, Prompt, Reply, Summary, System, Thinking
from pivi.view import groups
from pivi.view.layout.sheet import Sheet
from pivi.view.patch import CLOSED, OPEN
from pivi.view.safe import line_text
from pivi.view.words import clock_text, date_text, tokens_text, usage_text

_SUMMARIES: Final = {"compaction": "## Compaction", "branch": "## Summary of another branch"}


def prompt(block: Prompt, sheet: Sheet) -> None:
    sheet.line("## You", groups.PROMPT)
    sheet.at_right(1, date_text(block.time))
    if block.text or not block.images:
        sheet.blank()
        sheet.text(block.text)
    if block.images:
        sheet.blank()
        sheet.images(block.images)


def reply(block: Reply, sheet: Sheet) -> None:
    sheet.line("## Pi", groups.REPLY)
    sheet.at_right(
        1,
        clock_text(block.time),
        line_text(block.model),
        "" if block.thinking in ("", "off") else f"thinking {line_text(block.thinking)}",
        usage_text(block.usage, sheet.icons),
    )


def answer(block: Answer, sheet: Sheet) -> None:
    if block.context == "hidden":
        sheet.begin_left_out("Left out of the model's context")
    sheet.text(block.text)


def thinking(block: Thinking, sheet: Sheet) -> None:
    """The rule at the end tells, in plain text too, where the thinking ends and the answer begins."""
    sheet.line("### Thinking", groups.THINKING)
    if block.redacted:
        sheet.notes(["The provider keeps this thinking to itself."])
    if block.text:
        sheet.blank()
        sheet.text(block.text)
        sheet.blank()
        sheet.line("---")
    if block.text or block.redacted:
        sheet.fold = CLOSED


def summary(block: Summary, sheet: Sheet) -> None:
    sheet.line(_SUMMARIES[block.of], groups.SECTION)
    before = block.tokens_before
    sheet.at_right(
        1,
        date_text(block.time),
        "" if before is None else f"{tokens_text(before)} tokens before",
        usage_text(block.usage, sheet.icons),
    )
    sheet.blank()
    sheet.text(block.text)
    for what, paths in (("Read", block.read), ("Modified", block.modified)):
        if paths:
            sheet.blank()
            sheet.text(f"{what}:\n\n" + "\n".join(f"- {line_text(path)}" for path in paths))
    sheet.fold = OPEN


def custom(block: Custom, sheet: Sheet) -> None:
    sheet.line(f"## {line_text(block.custom_type)}".rstrip(), groups.SECTION)
    sheet.at_right(1, date_text(block.time))
    if block.text or not block.images:
        sheet.blank()
        sheet.text(block.text)
    if block.images:
        sheet.blank()
        sheet.images(block.images)


def system(block: System, sheet: Sheet) -> None:
    sheet.line("## System", groups.SECTION)
    sheet.at_right(1, date_text(block.time))
    for name, text in block.parts:
        if name:
            sheet.blank()
            sheet.line(f"**{line_text(name)}**")
        sheet.blank()
        sheet.text(text)
    for what, tools in (
        ("Tools", [tool for tool in block.tools if not tool.startswith("-")]),
        ("Tools removed", [tool[1:] for tool in block.tools if tool.startswith("-")]),
    ):
        if tools:
            sheet.notes([f"{what}: {', '.join(tools)}"])
    if sheet.rows > 2:
        sheet.fold = CLOSED
