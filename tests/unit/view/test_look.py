"""How each kind of block looks: `look.txt` shows them all, for people to read.

Decorations stand behind `<<`, `+` and `-` mark folds that are closed and open at first.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings

from pivi.transcript import blocks as b
from pivi.transcript.tools import TABLE, UNKNOWN
from pivi.view import groups
from pivi.view.icons import ASCII, TABLES, Icons
from pivi.view.layout import layout
from pivi.view.patch import AT_END, AT_RIGHT, CLOSED, NO_FOLD, OPEN, WHOLE_LINE
from tests.unit.view.editor import ANY_BLOCK, NOON, TITLES, is_control, marks_of, picture

LOOK = Path(__file__).with_name("look.txt")
DIFF = "  1 def area(a, b):\n- 2     return a + b\n+ 2     return a * b\n  3 "
USED = b.Usage(input=2300, output=200, cache_read=12_345, cost=0.006)


def call(name: str, subject: str = "", **parts: object) -> b.ToolCall:
    script = TABLE.get(name, UNKNOWN).script
    return b.ToolCall(key="c", name=name, tool_id="call_1", subject=subject, script=script, **parts)  # type: ignore[arg-type]


EVERY_BLOCK: tuple[b.Block, ...] = (
    b.Title(key="t", name="Fix the area", session_id="0195", cwd="/home/dev/shapes", time=NOON),
    b.Title(key="t", name="", session_id="0195", cwd="/x", parent="/old/session.jsonl", damage=2),
    b.Notice(key="n", of="model_change", text="fake/fake-2"),
    b.Notice(key="n", of="thinking_level_change", text="high"),
    b.Notice(key="n", of="model_change", text="model: 12 entries, the last: fake/fake-2"),
    b.Notice(key="n", of="custom", text="plan: {}"),
    b.Notice(key="n", of="label", text="start here"),
    b.Notice(key="n", of="context_edit", text="replaced in the model's context", detail="instead\nof it"),
    b.Prompt(key="p", text="Why is the area wrong?\n\n# Look at it", time=NOON, label="start here"),
    b.Prompt(key="p", text="", time=NOON, images=(b.Image("image/png", 24_100, 640, 480),)),
    b.Reply(key="r", time=NOON, model="fake-1", thinking="medium", usage=USED),
    b.Reply(key="r"),
    b.Thinking(key="th", text="The sum\n\nis no product."),
    b.Thinking(key="th", text="", redacted=True),
    b.Answer(key="a", text="## The cause\n\nIt adds:\n\n```python\na + b\n```\n"),
    b.Answer(key="a", text="A first try", context="hidden"),
    call("read", "src/area.py:10", outcome=b.Outcome("a\n```\nb\n", duration=200)),
    call("bash", "rg area", outcome=b.Outcome("", exit_status=None)),
    call(
        "bash",
        "cd shapes &&\n  make test",
        outcome=b.Outcome(
            "1 failed\n\nCommand exited with code 2",
            error=True,
            exit_status=2,
            limits=("the last 2000 of 9000 lines",),
            full_output="/tmp/pi-bash-1.log",
            duration=61_000,
        ),
    ),
    call(
        "edit",
        "src/area.py",
        body="<<<<<<<",
        outcome=b.Outcome("Replaced 1 block in src/area.py.", diff=DIFF),
    ),
    call(
        "edit",
        "src/area.py",
        body="<<<<<<<\nold\n=======\nnew\n>>>>>>>",
        outcome=b.Outcome("No match", error=True),
    ),
    call("write", "src/new.py", body="x = 1\n", language="src/new.py"),
    call(
        "codemode",
        body="await pi.read('a')",
        language="javascript",
        outcome=b.Outcome(
            "done",
            nested=(b.Nested("read", "a.py", "ok", 12), b.Nested("bash", "make", "error", None, "no rule")),
            usage=b.Usage(output=20),
        ),
    ),
    call("shoot", "", outcome=b.Outcome("", images=(b.Image("image/jpeg", 812),))),
    b.Result(key="r", name="read", tool_id="call_9", outcome=b.Outcome("text of it")),
    b.Stop(key="s", reason="error", message="529 overloaded\n{}"),
    b.Stop(key="s", reason="error", message="500", context="hidden"),
    b.Stop(key="s", reason="aborted"),
    b.Stop(key="s", reason="aborted", message="Request was aborted."),
    b.Stop(key="s", reason="aborted", message="The user went away"),
    b.Stop(key="s", reason="length"),
    b.Stop(key="s", reason="refusal", message="I can't."),
    b.Shell(key="sh", command="git status", output="clean\n", exit_status=0, time=NOON, excluded=True),
    b.Shell(
        key="sh", command="sleep 9", output="", cancelled=True, truncated=True, full_output="/full/output"
    ),
    b.Summary(
        key="su", of="compaction", text="We fixed it.", tokens_before=98_000, modified=("src/area.py",)
    ),
    b.Summary(key="su", of="branch", text="It went nowhere.", time=NOON),
    b.Branch(
        key="b", entries=12, first_prompt="Try it with floats\nplease", time=NOON, until=NOON + 7_200_000
    ),
    b.Before(key="be", entries=1200),
    b.Custom(key="cu", custom_type="todo", text="- measure", time=NOON),
    b.System(key="sy", parts=(("preamble", "You are Pi."),), tools=("read", "bash", "-write")),
    b.Unknown(key="u", what="entry type plan", json='{\n  "a": 1\n}'),
    b.Damage(key="d", text="This line is no JSON.", raw='{"type": "mess'),
)


@pytest.fixture(autouse=True)
def _utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_each_block_looks_as_in_the_picture() -> None:
    shown = "\n".join(picture(layout(block)) for block in EVERY_BLOCK) + "\n"
    assert shown == LOOK.read_text("utf-8"), "where the new look is meant, write it to look.txt"


def test_every_kind_is_in_the_picture() -> None:
    assert {type(block) for block in EVERY_BLOCK} == set(groups.CLASSES)


@pytest.mark.parametrize("icons", TABLES.values(), ids=TABLES)
@given(block=ANY_BLOCK | TITLES)
@settings(deadline=None)
def test_rows_marks_and_strings_are_sound(icons: Icons, block: b.Block) -> None:
    laid = layout(block, icons)
    lines = laid.lines
    assert laid.size == len(laid.text) + 1
    assert laid.fold in (NO_FOLD, OPEN, CLOSED)
    if not isinstance(block, b.Title):
        assert lines[0] == "" and laid.rows >= 2
    assert laid.fold == NO_FOLD or laid.rows > 2
    assert all(laid.strings) and not any(is_control(char) for string in laid.strings for char in string)
    assert not any(is_control(char) for line in lines for char in line if char != "\t")
    for row, column, end, group, string in marks_of(laid.marks, laid.strings):
        assert 0 <= row < laid.rows and 0 <= group < len(groups.NAMES)
        if end in (AT_END, AT_RIGHT):
            assert string and column == 0
        elif end == WHOLE_LINE:
            assert column == 0 and not string
        else:
            assert 0 <= column < end <= len(lines[row].encode("utf-8"))


def test_signs_of_ascii_are_ascii() -> None:
    for block in EVERY_BLOCK:
        laid = layout(block, ASCII)
        assert all(string.isascii() for string in laid.strings), laid.strings
        assert laid.text.isascii()


def test_a_call_without_result_claims_none() -> None:
    laid = layout(call("bash", "make"))
    assert "No result is stored" in laid.text
    assert laid.strings == ["… no result"]


def test_fences_are_longer_than_what_is_in_them() -> None:
    rows = layout(call("bash", "x", outcome=b.Outcome("``````\n``"))).text.split("\n")
    assert rows[3] == "`" * 7 == rows[-1]


def test_what_is_cut_is_marked_and_says_how_to_see_it() -> None:
    laid = layout(b.Answer(key="a", text="line\n" * 5000), Icons(**{**_signs(), "key": "gO"}))
    row = laid.marks[0]
    assert "3,000 lines" in laid.lines[row] and "gO opens it whole" in laid.lines[row]


def _signs() -> dict[str, str]:
    return {field: getattr(ASCII, field) for field in ASCII.__struct_fields__}
