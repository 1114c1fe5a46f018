"""A block opened whole has all of its text, safe, and nothing cut."""

from __future__ import annotations

from pivi.transcript import blocks as b
from pivi.view.whole import whole

LONG = "line\x1b[0m of output\n" * 9000


def test_output_alone_is_bare() -> None:
    call = b.ToolCall(
        key="c",
        name="read",
        tool_id="i",
        subject="src/a.py:10\nx",
        outcome=b.Outcome(LONG, full_output="/full/output"),
    )
    assert whole(call) == (("line of output\n" * 9000).rstrip("\n"), "")
    assert whole(b.Result(key="r", name="ls", tool_id="i", outcome=b.Outcome("a"))) == ("a", "")
    assert whole(b.Shell(key="s", command="make\nall", output="ok\n")) == ("ok", "")


def test_more_than_one_thing_is_markdown() -> None:
    call = b.ToolCall(
        key="c", name="write", tool_id="i", subject="a.py", body=LONG, language="py", outcome=b.Outcome("ok")
    )
    text, filetype = whole(call)
    assert text.startswith("### write a.py\n\n```py\nline of output\n") and text.endswith("```\nok\n```")
    assert text.count("line of output") == 9000
    assert filetype == "markdown"


def test_what_was_said_is_markdown_without_a_cut() -> None:
    assert whole(b.Answer(key="a", text="x" * 9000)) == ("x" * 9000, "markdown")
    assert whole(b.Prompt(key="p", text="hello")).text == "## You\n\nhello"
    assert whole(b.Title(key="t", name="n", session_id="", cwd="")).text == "# n"


def test_what_is_unknown_or_damaged_is_itself() -> None:
    assert whole(b.Unknown(key="u", what="w", json="{}")) == ("{}", "json")
    assert whole(b.Damage(key="d", text="Torn.", raw='{"a')) == ('{"a', "")
    assert whole(b.Damage(key="d", text="Torn.")).text == "**Damage:** Torn."
