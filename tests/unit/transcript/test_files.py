"""Files that were read and changed, from a session's blocks."""

from __future__ import annotations

from pivi.transcript.blocks import Answer, Nested, Outcome, ToolCall
from pivi.transcript.files import Touched, touched


def call(name: str, subject: str, outcome: Outcome | None = None) -> ToolCall:
    return ToolCall(key="k", name=name, tool_id="1", subject=subject, outcome=outcome)


DONE = Outcome("done")


def test_changed_files_come_first_each_with_all_that_was_done() -> None:
    found = touched(
        [
            call("read", "a.py:10-20", DONE),
            Answer(key="a", text="read b.py"),
            call("read", "b.py", DONE),
            call("read", "b.py:7", DONE),
            call("edit", "b.py", Outcome("done", diff="    ...\n 11 x\n-12 old\n+12 new")),
            call("bash", "rm a.py", DONE),
            call("write", "new: file.txt", DONE),
        ]
    )
    assert found == [
        Touched("b.py", 12, "read 2 times, edited", True),
        Touched("new: file.txt", 1, "written", True),
        Touched("a.py", 10, "read", False),
    ]


def test_what_failed_or_has_no_result_is_no_change() -> None:
    found = touched([call("edit", "a", Outcome("no", error=True)), call("write", "b"), call("read", "")])
    assert found == [
        Touched("a", 1, "edit failed", False),
        Touched("b", 1, "write without a result", False),
    ]


def test_calls_of_a_tool_count() -> None:
    nested = (
        Nested("read", "a:3-4", "ok"),
        Nested("edit", "a", "ok"),
        Nested("write", "b", "error", error="denied"),
        Nested("bash", "ls", "ok"),
    )
    assert touched([call("codemode", "", Outcome("", nested=nested))]) == [
        Touched("a", 3, "read, edited", True),
        Touched("b", 1, "write failed", False),
    ]
