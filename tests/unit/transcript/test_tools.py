"""How each tool's call and result are told, by the sessions of the real Pi and by odd arguments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pivi.pi.records import decode_lines
from pivi.transcript import blocks as b
from pivi.transcript import tools
from pivi.transcript.files import touched
from pivi.transcript.stored import Transcript
from tests.support.entries import answer, blocks, call, result

SESSIONS = Path(__file__).parents[2] / "data" / "sessions"
BOTH = pytest.mark.parametrize("version", ["0.87.1", "1.6.0"])


def calls(version: str, name: str) -> list[b.ToolCall]:
    (path,) = (SESSIONS / version).glob(f"{name}-*.jsonl")
    transcript = Transcript(None)
    transcript.extend(decode_lines(path.read_bytes().split(b"\n")[1:]))
    return [block for block in transcript.blocks() if isinstance(block, b.ToolCall)]


@BOTH
def test_subjects_of_the_built_in_tools(version: str) -> None:
    found = calls(version, "03")
    assert [(one.name, one.subject) for one in found] == [
        ("read", "a.py"),
        ("bash", "echo out; echo err >&2; ls"),
        ("edit", "a.py"),
        ("write", "new/b.txt"),
        ("grep", "return in ."),
        ("find", "*.py"),
        ("ls", "."),
    ]
    edit, write = found[2], found[3]
    assert edit.outcome and "+2     return 10" in edit.outcome.diff and edit.body == ""
    assert (write.body, write.language) == ("one\ntwo\n", "new/b.txt")


@BOTH
def test_limits_and_full_output(version: str) -> None:
    found = calls(version, "04")
    ended = [(one.name, one.outcome) for one in found if one.outcome]
    assert [(name, outcome.limits) for name, outcome in ended if outcome.limits] == LIMITS
    full = [outcome.full_output for _, outcome in ended if outcome.full_output]
    assert len(full) == 2 and all(path.startswith("/tmp/pi-bash-") for path in full)
    (picture,) = [outcome.images for _, outcome in ended if outcome.images]
    assert picture == (b.Image("image/png", 75, 8, 8),)


LIMITS = [
    ("read", ("the first 2000 of 5000 lines",)),
    ("bash", ("the last 2000 of 30000 lines",)),
    ("bash", ("the last 50.0 KB of 195.3 KB",)),
    ("grep", ("the first 100 matches",)),
    ("find", ("the first 2 results",)),
    ("ls", ("the first 1 entry",)),
    ("grep", ("long lines cut",)),
    ("grep", ("the first 3000 matches", "the first 1335 of 3000 lines (50.0 KB of 115.0 KB)")),
]


@BOTH
def test_errors_tell_what_pi_tells(version: str) -> None:
    found = calls(version, "05")
    assert all(one.outcome and one.outcome.error for one in found)
    assert [one.outcome.exit_status for one in found if one.outcome] == [3, *[None] * (len(found) - 1)]
    failed = next(one for one in found if one.name == "edit")
    assert "not there" in failed.body and failed.outcome and failed.outcome.diff == ""
    unknown = next(one for one in found if one.name == "nosuchtool")
    assert unknown.subject == '{"a": 1}'
    if version == "1.6.0":
        assert any("Unexpected end of JSON input" in one.error for one in found)


def test_nested_calls_of_codemode() -> None:
    (codemode,) = [one for one in calls("1.6.0", "24") if one.name == "codemode"]
    assert codemode.language == "javascript" and codemode.body.startswith("const r = await")
    assert codemode.outcome is not None
    assert codemode.outcome.nested == (
        b.Nested("read", "a.py", "ok", 18),
        b.Nested("bash", "echo nested", "ok", 17),
    )


def test_a_killed_call_has_no_outcome() -> None:
    assert [one.outcome for one in calls("1.6.0", "23")] == [None]


@pytest.mark.parametrize(
    ("text", "error", "status"),
    [
        ("x\n\n\nCommand exited with code 3", True, 3),
        ("Command exited with code -1", True, -1),
        ("Command exited with code 3", False, None),
        ("Command exited with code 3\nmore", True, None),
        ("x\n\n\nCommand aborted", True, None),
        ("Command timed out after 1 seconds", True, None),
        ("", True, None),
    ],
)
def test_an_exit_status_is_told_only_by_pi(text: str, error: bool, status: int | None) -> None:
    assert tools.exit_status("bash", text, error) == status
    assert tools.exit_status("read", text, error) is None


ODD: list[Any] = [
    None,
    {},
    [],
    "words",
    5,
    {"path": None},
    {"command": {"a": 1}},
    {"pattern": 3, "path": [1]},
    {"edits": "no"},
    {"path": "p", "offset": "x", "limit": None},
    {"path": "p", "edits": [1, {"oldText": 3}]},
    {"code": 4},
]


@pytest.mark.parametrize("name", [*tools.TABLE, "anything"])
@pytest.mark.parametrize("arguments", ODD)
def test_no_arguments_are_too_odd(name: str, arguments: Any) -> None:
    assert all(isinstance(piece, str) for piece in tools.told(name, arguments))
    (_, shown) = blocks(answer("a", None, {**call("c", name), "arguments": arguments}))
    assert isinstance(shown, b.ToolCall)


@pytest.mark.parametrize(
    ("arguments", "subject"),
    [
        ({"path": "a", "offset": 10}, "a:10"),
        ({"path": "a", "offset": 10, "limit": 50}, "a:10-59"),
        ({"path": "a", "limit": 50}, "a:1-50"),
        ({"path": "a"}, "a"),
    ],
)
def test_lines_that_were_read(arguments: Any, subject: str) -> None:
    assert tools.told("read", arguments)[0] == subject


def test_options_of_a_search() -> None:
    arguments = {"pattern": "x", "path": "src", "glob": "*.py", "ignoreCase": True, "context": 2}
    assert tools.told("grep", arguments)[0] == "x in src (*.py, ignore case, context 2)"


def test_long_arguments_of_an_unknown_tool_are_its_body() -> None:
    subject, body, language = tools.told("mcp__x", {"a": "y" * 200, "b": 2})
    assert subject == "" and '"b": 2' in body and language == "json"


def test_texts_of_a_result_are_all_kept() -> None:
    line = result("r", "a", "c")
    line["message"]["content"] = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]
    (_, shown) = blocks(answer("a", None, call("c")), line)
    assert isinstance(shown, b.ToolCall) and shown.outcome and shown.outcome.text == "one\ntwo"


@pytest.mark.parametrize("name", [*tools.TABLE, "mcp__x"])
def test_one_row_says_all_of_a_tool(name: str) -> None:
    row = tools.TABLE.get(name, tools.UNKNOWN)
    (shown,) = (
        block
        for block in blocks(answer("a", None, call("1", name, path="p", command="c", pattern="x", code="y")))
        if isinstance(block, b.ToolCall)
    )
    assert shown.script == row.script
    assert (tools.paths().get(name, {}).get("path", "")) == row.path
    assert tools.place(name, "p:3") == (("p", 3) if row.part else ("p:3", 0) if row.did else ("", 0))
    done = touched([shown])
    assert [file.path for file in done] == (["p"] if row.did else [])
    assert not any(file.changed for file in done), "it has no result"
