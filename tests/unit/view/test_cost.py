"""Laying out a block takes the time of its text."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from pivi.transcript import blocks as b
from pivi.view.layout import layout
from pivi.view.sgr import coloured

FEW, MANY = 200, 1600
"""Lines, fewer than a block is cut at."""


def lines(count: int, line: str) -> str:
    return "\n".join(f"{line} {number}" for number in range(count))


def outcome(text: str, diff: str = "") -> b.ToolCall:
    return b.ToolCall(key="c", name="bash", tool_id="1", subject="x", outcome=b.Outcome(text, diff=diff))


MADE: dict[str, Callable[[int], b.Block]] = {
    "answer": lambda n: b.Answer(key="a", text=lines(n, "- **some** words and `code`")),
    "prompt": lambda n: b.Prompt(key="p", text=lines(n, "日本語 words")),
    "thinking": lambda n: b.Thinking(key="t", text=lines(n, "words")),
    "output": lambda n: outcome(lines(n, "src/a.py:1: words")),
    "colours": lambda n: outcome(lines(n, "\x1b[31mred\x1b[0m and \x1b[1mbold\x1b[0m")),
    "progress": lambda n: outcome(lines(n, "1%\r50%\r\x1b[K100%\b\b\b")),
    "fences": lambda n: outcome(lines(n, "```")),
    "diff": lambda n: outcome("Done.", lines(n, "+1 words")),
    "written": lambda n: b.ToolCall(
        key="w", name="write", tool_id="1", subject="a.py", body=lines(n, "x = 1"), language="a.py"
    ),
    "shell": lambda n: b.Shell(key="s", command="ls", output=lines(n, "words")),
    "summary": lambda n: b.Summary(key="m", text=lines(n, "words"), of="compaction"),
    "damage": lambda n: b.Damage(key="d", text="Torn.", raw=lines(n, '{"a": 1')),
}


def best(work: Callable[[], object]) -> float:
    taken = []
    for _ in range(7):
        start = time.thread_time()
        work()
        taken.append(time.thread_time() - start)
    return min(taken)


@pytest.mark.parametrize("kind", MADE)
def test_a_block_costs_what_it_is_long(kind: str) -> None:
    few, many = MADE[kind](FEW), MADE[kind](MANY)
    assert best(lambda: layout(many)) < 2.5 * (MANY / FEW) * best(lambda: layout(few)) + 0.001


def test_colours_cost_what_the_text_is_long() -> None:
    few, many = (lines(count, "\x1b[1;31mred\x1b[0m\x1b[4mline") for count in (FEW, MANY))
    assert best(lambda: coloured(many)) < 2.5 * (MANY / FEW) * best(lambda: coloured(few)) + 0.001
