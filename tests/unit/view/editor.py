"""A buffer as a list of lines, to apply patches to; and ways to make blocks."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import strategies as st

from pivi.transcript import blocks as b
from pivi.view.folds import group_fold
from pivi.view.groups import KIND_OF
from pivi.view.layout import layout
from pivi.view.patch import AT_END, AT_RIGHT, MARK, Laid, Patch

NOON = 1793534400000
"""1 November 2026, 12:00 UTC, in milliseconds."""

Mark = tuple[int, int, int, int, str]
Triple = tuple[int, int, int]


class Editor:
    """What Lua does with patches, as simply as can be: marks and folds live with their block."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.order: list[int] = []
        self.placed: dict[int, tuple[int, int, int]] = {}
        self.marks: dict[int, list[Mark]] = {}
        self.groups: dict[int, tuple[int, int]] = {}

    def top(self, number: int) -> int:
        at = self.order.index(number)
        return sum(self.placed[one][0] for one in self.order[:at])

    def apply(self, patch: Patch) -> None:
        assert len(patch.lines) == patch.new
        assert not any("\n" in line for line in patch.lines)
        assert not any("\n" in string for string in patch.strings)
        tops = {number: self.top(number) for number in self.order}
        inside = [n for n in self.order if patch.row <= tops[n] < patch.row + patch.old]
        assert sum(self.placed[n][0] for n in inside) == patch.old, "whole blocks are replaced"
        at = sum(1 for n in self.order if tops[n] < patch.row)
        assert sum(self.placed[n][0] for n in self.order[:at]) == patch.row, "between two blocks"
        self.lines[patch.row : patch.row + patch.old] = patch.lines
        assert len(self.lines) == patch.total
        blocks = [tuple(patch.blocks[i : i + 5]) for i in range(0, len(patch.blocks), 5)]
        numbers = [number for _, number, _, _, _ in blocks]
        assert set(inside) == (set(inside) & set(numbers)) | set(patch.gone), "what goes is said"
        for number in inside:
            del self.placed[number], self.marks[number]
        for number in patch.gone:
            self.groups.pop(number, None)
        self.order[at : at + len(inside)] = numbers
        marks = marks_of(patch.marks, patch.strings)
        for rows, number, kind, fold, count in blocks:
            assert number not in self.placed
            self.placed[number] = (rows, kind, fold)
            self.marks[number] = marks[:count]
            del marks[:count]
            assert all(0 <= mark[0] < rows for mark in self.marks[number])
        assert not marks and sum(block[0] for block in blocks) == patch.new
        for i in range(0, len(patch.groups), 3):
            first, last, state = patch.groups[i : i + 3]
            assert self.order.index(first) <= self.order.index(last)
            self.groups[first] = (last, state)

    def shown(self) -> tuple[list[str], list[list[Mark]], list[Triple], list[Triple]]:
        """Lines, marks and places by block, group folds by index of block."""
        where = {number: i for i, number in enumerate(self.order)}
        groups = [(where[first], where[last], state) for first, (last, state) in self.groups.items()]
        return (
            self.lines,
            [self.marks[n] for n in self.order],
            [self.placed[n] for n in self.order],
            sorted(group for group in groups if group[0] != group[1]),
        )


def marks_of(flat: list[int], strings: list[str]) -> list[Mark]:
    found = []
    left = iter(strings)
    for i in range(0, len(flat), MARK):
        row, column, end, group = flat[i : i + MARK]
        found.append((row, column, end, group, next(left) if end in (AT_END, AT_RIGHT) else ""))
    assert next(left, None) is None
    return found


def at_once(blocks: list[b.Block], settled: bool = True) -> Editor:
    """All blocks laid out one below the other, without a page."""
    editor = Editor()
    for number, block in enumerate(blocks):
        laid = layout(block)
        editor.lines += laid.lines
        editor.order.append(number)
        editor.placed[number] = (laid.rows, KIND_OF[type(block)], laid.fold)
        editor.marks[number] = marks_of(laid.marks, laid.strings)
        fold = group_fold(blocks, number, settled)
        if fold:
            editor.groups[number] = fold
    return editor


def is_control(char: str) -> bool:
    """Does it end a line, control a terminal or the direction of writing, or fail to be UTF-8?"""
    code = ord(char)
    if code in (0x61C, 0x200E, 0x200F) or 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069:
        return True
    return code < 0x20 or 0x7F <= code < 0xA0 or code in (0x2028, 0x2029) or 0xD800 <= code < 0xE000


def picture(laid: Laid) -> str:
    """One block as text for people: decorations behind `<<`, closed and open folds as `+` and `-`."""
    lines = laid.lines
    sides: dict[int, list[str]] = {}
    for row, _, end, _, string in marks_of(laid.marks, laid.strings):
        if string:
            sides.setdefault(row, []).append(("right: " if end == AT_RIGHT else "") + string)
    sign = ("  ", "- ", "+ ")[laid.fold]
    shown = []
    for row, line in enumerate(lines):
        left = sign if row == 1 else "| " if row > 1 and laid.fold else "  "
        right = "  << " + " << ".join(sides[row]) if row in sides else ""
        shown.append(f"{left}{line}{right}".rstrip())
    return "\n".join(shown)


# Blocks of any sort for property tests.

TEXTS = st.one_of(
    st.sampled_from(["", "one line", "two\nlines", "```\ncode\n```", "\n\n", "a\r\nb"]),
    st.sampled_from(["é" * 3000, "x" * 5000]),
    st.text(max_size=60),
)
WORDS = st.text(max_size=12)
OUTCOMES = st.builds(
    b.Outcome,
    text=TEXTS,
    error=st.booleans(),
    diff=st.sampled_from(["", "-1 a\n+1 b\n 2 c"]) | TEXTS,
    exit_status=st.sampled_from([None, 0, 3]),
    limits=st.lists(WORDS, max_size=2).map(tuple),
    full_output=WORDS,
    duration=st.sampled_from([None, 1, 200, 90_000]),
    images=st.lists(st.builds(b.Image, mime=WORDS, size=st.integers(0, 10**7)), max_size=1).map(tuple),
    nested=st.lists(st.builds(b.Nested, name=WORDS, subject=WORDS, status=WORDS), max_size=2).map(tuple),
)


def _of(block: type[b.Block], **parts: st.SearchStrategy[object]) -> st.SearchStrategy[b.Block]:
    return st.builds(
        block,
        key=st.just("?"),
        time=st.sampled_from([None, NOON, -(10**20)]),
        label=st.sampled_from(["", "here\n"]),
        context=st.sampled_from(["", "", "hidden", "replaced"]),
        **parts,
    )


ANY_BLOCK: st.SearchStrategy[b.Block] = st.one_of(
    _of(b.Prompt, text=TEXTS),
    _of(b.Reply, model=WORDS, usage=st.sampled_from([None, b.Usage(2300, 200, 12_000, 0, 0, 0.006)])),
    _of(b.Answer, text=TEXTS),
    _of(b.Thinking, text=TEXTS, redacted=st.booleans()),
    _of(
        b.ToolCall,
        name=WORDS,
        tool_id=st.just("id"),
        subject=TEXTS,
        body=TEXTS,
        language=WORDS,
        error=WORDS,
        outcome=st.none() | OUTCOMES,
    ),
    _of(b.Result, name=WORDS, tool_id=st.just("id"), outcome=OUTCOMES),
    _of(b.Shell, command=TEXTS, output=TEXTS, exit_status=st.sampled_from([None, 0, 1])),
    _of(b.Stop, reason=st.sampled_from(["error", "aborted", "length"]) | WORDS, message=TEXTS),
    _of(b.Summary, of=st.sampled_from(["compaction", "branch"]), text=TEXTS),
    _of(b.Notice, of=st.sampled_from(["model_change", "x"]), text=TEXTS, detail=TEXTS),
    _of(b.Custom, custom_type=WORDS, text=TEXTS),
    _of(b.System, parts=st.lists(st.tuples(WORDS, TEXTS), max_size=2).map(tuple)),
    _of(b.Unknown, what=WORDS, json=TEXTS),
    _of(b.Damage, text=TEXTS, raw=TEXTS),
    _of(b.Branch, entries=st.integers(0, 2000), first_prompt=TEXTS, until=st.just(NOON)),
    _of(b.Before, entries=st.integers(0, 2000)),
)
TITLES = _of(b.Title, name=WORDS, session_id=WORDS, cwd=WORDS, parent=WORDS, damage=st.integers(0, 3))

HEADS = (b.Prompt, b.Reply, b.Shell, b.Summary, b.Custom, b.System)


def arranged(title: b.Block, blocks: Iterable[b.Block]) -> list[b.Block]:
    """A conversation: each block with a key of its own, in a section and perhaps a run."""
    found = [title, *blocks]
    for at, block in enumerate(found):
        block.key = f"{at}/{type(block).__name__}"
    arrange(found)
    return found


def arrange(blocks: list[b.Block]) -> None:
    """Headings head sections, and runs last up to three blocks; a section may hold a run, or end in one."""
    section = run = ""
    left = 0
    for at, block in enumerate(blocks):
        if run and not left:
            run = ""
            section = section if at % 2 else ""
        left -= 1
        if isinstance(block, (b.Branch, b.Before)):
            block.section, block.run = section, ""
            run, left = block.key, at % 4
        else:
            section = block.key if isinstance(block, HEADS) else section
            block.section, block.run = section, run
