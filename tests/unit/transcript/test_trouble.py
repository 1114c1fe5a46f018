"""Hard inputs that people met, one test for each kind of trouble."""

from __future__ import annotations

import time
from typing import Any

import pytest

from pivi.pi.records import decode_lines
from pivi.transcript import blocks as b
from tests.support.entries import HEADER, answer, blocks, call, entry, message, raw, result, transcript, user


def kinds(found: list[b.Block]) -> list[str]:
    return [type(block).__name__ for block in found]


def texts(found: list[b.Block]) -> list[str]:
    return [block.text for block in found if isinstance(block, (b.Prompt, b.Answer))]


def title(made: Any) -> b.Title:
    first = made.blocks()[0]
    assert isinstance(first, b.Title)
    return first


@pytest.mark.parametrize("role", ["user", "assistant", "toolResult"])
def test_a_message_without_content_is_noted_in_its_place(role: str) -> None:
    found = blocks(user("a", None, "one"), message("b", "a", role, None), user("c", "b", "two"))
    assert texts([block for block in found if getattr(block, "text", "")])[:1] == ["one"]
    assert any(isinstance(block, b.Damage) for block in found)
    assert texts(found)[-1] == "two"


@pytest.mark.parametrize("content", ["", []])
def test_empty_content_is_no_damage(content: Any) -> None:
    found = blocks(message("a", None, "user", content), message("b", "a", "assistant", content))
    assert kinds(found) == ["Prompt", "Reply"]


def test_content_as_a_plain_string() -> None:
    found = blocks(message("a", None, "user", "ask"), message("b", "a", "assistant", "say"))
    assert texts(found) == ["ask", "say"]


def test_odd_and_unknown_pieces_are_notes_in_their_place() -> None:
    parts = [
        {"type": "text", "text": "x"},
        {"type": "hologram"},
        {"type": "text"},
        {"type": "text", "text": "y"},
    ]
    made = transcript(
        message("a", None, "assistant", parts),
        message("b", "a", "oracle"),
        entry("vision", "c", "b"),
        b"[1,2]",
        user("d", "c", "end", usage=3),
        answer("e", "d", "done", usage="many"),
    )
    found = made.blocks()[1:]
    assert kinds(found) == [
        "Reply", "Answer", "Unknown", "Answer", "Damage", "Unknown", "Unknown", "Damage",
        "Prompt", "Reply", "Answer", "Damage",
    ]  # fmt: skip
    assert title(made).damage == 3
    assert isinstance(found[-1], b.Damage) and "usage" in found[-1].text


def test_a_damaged_line_is_noted_and_what_hangs_on_it_stays_reachable() -> None:
    made = transcript(user("a", None, "old"), b'{"type":"message","id":"b","pare', answer("c", "b", "new"))
    found = made.blocks()[1:]
    assert kinds(found) == ["Branch", "Prompt", "Damage", "Damage", "Reply", "Answer"]
    missing = found[3]
    assert isinstance(missing, b.Damage) and "1 entry is not part of the conversation" in missing.text
    assert title(made).damage == 2


def test_a_missing_parent_that_comes_later_is_no_damage() -> None:
    assert title(transcript(answer("c", "b", "new"))).damage == 1
    found = transcript(answer("c", "b", "new"), user("b", None, "old"), user("d", "c", "end"))
    assert title(found).damage == 0
    assert sorted(texts(found.blocks())) == ["end", "new", "old"]


@pytest.mark.parametrize(
    "lines",
    [
        [user("a", "a", "x")],
        [user("a", "b", "x"), user("b", "a", "x")],
        [user("a", "c", "x"), user("b", "a", "x"), user("c", "b", "x"), user("d", "c", "x")],
    ],
)
def test_a_circle_of_parents_ends_and_is_noted(lines: list[Any]) -> None:
    made = transcript(user("old", None, "x"), *lines)
    assert len(texts(made.blocks())) == len(lines) + 1
    assert title(made).damage == 1
    (note,) = [block for block in made.blocks() if isinstance(block, b.Damage)]
    assert "circle" in note.text and note.run == ""


def test_the_same_id_twice() -> None:
    made = transcript(
        user("a", None, "one"), answer("b", "a", "two"), answer("b", "a", "three"), user("c", "b", "four")
    )
    found = made.blocks()
    assert sorted(texts(found)) == ["four", "one", "three", "two"]
    assert len({block.key for block in found}) == len(found)
    assert title(made).damage == 1 and "Damage" in kinds(found)


@pytest.mark.parametrize("ids", [(1, 2, 3), (None, None, None), ([], {}, True), ("", "", "")])
def test_ids_that_are_no_strings(ids: tuple[Any, Any, Any]) -> None:
    one, two, three = ids
    found = blocks(user(one, None, "one"), answer(two, one, "two"), user(three, two, "three"))
    assert texts(found) == ["one", "two", "three"]
    assert len({block.key for block in found}) == len(found)


def test_a_chain_of_50_000_entries() -> None:
    parents = [None, *map(str, range(49_999))]
    made = transcript(*(user(str(number), parent, "x") for number, parent in enumerate(parents)))
    begin = time.thread_time()
    assert len(made.blocks()) == 50_001
    assert time.thread_time() - begin < 2


@pytest.mark.parametrize("version", [1, None])
def test_version_1_without_ids_and_compaction_by_index(version: int | None) -> None:
    header = {**HEADER, "version": version}
    if version is None:
        del header["version"]
    lines = [
        {
            "type": "message",
            "timestamp": "2025-01-01T00:00:00.000Z",
            "message": {"role": "user", "content": text},
        }
        for text in ("one", "two", "three")
    ]
    hook = {
        "type": "message",
        "message": {"role": "hookMessage", "customType": "h", "content": "w", "display": True},
    }
    compaction = {"type": "compaction", "summary": "sum", "firstKeptEntryIndex": 2, "tokensBefore": 5}
    made = transcript(*lines, hook, compaction, lines[0], header=header)
    found = made.blocks()[1:]
    assert kinds(found) == ["Before", "Prompt", "Prompt", "Prompt", "Custom", "Summary", "Prompt"]
    assert [block.run != "" for block in found] == [True, True, False, False, False, False, False]
    assert found[1].key == "line:1/0" and made.leaf_id == "line:6" and title(made).damage == 0


def test_111_000_consecutive_thinking_levels_are_told_as_one() -> None:
    parents = ["a", *(f"t{n}" for n in range(110_999))]
    changes = (
        entry("thinking_level_change", f"t{n}", parent, thinkingLevel="low")
        for n, parent in enumerate(parents)
    )
    whole = transcript(user("a", None), *changes)
    begin = time.thread_time()
    found = whole.blocks()[1:]
    assert time.thread_time() - begin < 1
    assert kinds(found) == ["Prompt", "Notice"]
    assert isinstance(found[1], b.Notice) and "111000" in found[1].text and "low" in found[1].text


def test_few_changes_are_told_one_by_one() -> None:
    found = blocks(
        entry("model_change", "a", None, provider="p", modelId="m"),
        entry("thinking_level_change", "b", "a", thinkingLevel="high"),
        entry("usage", "c", "b", kind="cache_warm", usage={"cacheRead": 9}),
    )
    assert kinds(found) == ["Notice"] * 3


def test_an_11_mb_custom_entry_is_one_short_notice() -> None:
    (notice,) = blocks(entry("custom", "a", None, customType="big", data="x" * 11_000_000))
    assert isinstance(notice, b.Notice) and notice.text == "big: 10.5 MB of state"


def test_the_last_line_is_a_label_on_another_branch() -> None:
    made = transcript(
        user("a", None, "root"),
        answer("b", "a", "first"),
        answer("c", "a", "second"),
        entry("label", "l", "b", targetId="b", label="here"),
    )
    found = made.blocks()[1:]
    assert made.leaf_id == "l"
    assert kinds(found) == ["Prompt", "Reply", "Answer", "Branch", "Reply", "Answer", "Notice"]
    assert [block.run != "" for block in found] == [False, False, False, True, True, True, False]
    assert found[2].label == "here"


def test_several_branches_are_headed_by_what_they_were() -> None:
    made = transcript(
        user("a", None, "root"), user("b", "a", "left"), answer("c", "b", "x"), user("d", "a", "right")
    )  # fmt: skip
    (branch,) = [block for block in made.blocks() if isinstance(block, b.Branch)]
    assert (branch.entries, branch.first_prompt) == (2, "left")
    made.move_leaf("c")
    assert [block.first_prompt for block in made.blocks() if isinstance(block, b.Branch)] == ["right"]


def compaction(own: str, parent: str, kept: str) -> Any:
    return entry("compaction", own, parent, summary=f"sum {own}", firstKeptEntryId=kept, tokensBefore=9)


def runs(found: list[b.Block]) -> list[str]:
    return [f"{type(block).__name__}{'*' if block.run else ''}" for block in found]


def test_a_compaction_whose_kept_entry_is_missing() -> None:
    found = blocks(
        user("a", None, "one"), user("b", "a", "two"), compaction("c", "b", "gone"), user("d", "c")
    )
    assert runs(found) == ["Before*", "Prompt*", "Prompt*", "Damage", "Summary", "Prompt"]


def test_two_compactions_the_newest_counts() -> None:
    lines = [
        user("a", None),
        compaction("c", "a", "a"),
        user("d", "c"),
        user("e", "d"),
        compaction("f", "e", "e"),
    ]
    assert runs(blocks(*lines)) == ["Before*", "Prompt*", "Summary*", "Prompt*", "Prompt", "Summary"]


def test_a_compaction_as_the_leaf_that_keeps_nothing() -> None:
    assert runs(blocks(user("a", None), compaction("c", "a", "c"))) == ["Before*", "Prompt*", "Summary"]


def outcomes(found: list[b.Block]) -> list[str | None]:
    return [block.outcome.text if block.outcome else None for block in found if isinstance(block, b.ToolCall)]


def test_a_tool_call_without_a_result() -> None:
    assert outcomes(blocks(answer("a", None, call("x"), stop="toolUse"), user("b", "a"))) == [None]


def test_a_result_before_its_call() -> None:
    found = blocks(result("r", None, "x", "out"), answer("a", "r", call("x")))
    assert kinds(found) == ["Reply", "ToolCall"] and outcomes(found) == ["out"]


def test_a_result_for_an_unknown_call() -> None:
    found = blocks(user("a", None), result("r", "a", "x", "out"))
    assert kinds(found) == ["Prompt", "Reply", "Result"]
    assert isinstance(found[2], b.Result) and found[2].outcome.text == "out" and found[2].name == "bash"


def test_parallel_calls_ending_out_of_order() -> None:
    calls = answer("a", None, call("x"), call("y"), call("z"))
    found = blocks(calls, result("r", "a", "z", "3"), result("s", "r", "x", "1"), result("t", "s", "y", "2"))
    assert outcomes(found) == ["1", "2", "3"]


def test_call_ids_used_again() -> None:
    made = transcript(answer("a", None, call("x")), result("r", "a", "x", "1"), answer("b", "r", call("x")))
    assert outcomes(made.blocks()) == ["1", None]
    again = blocks(result("q", None, "x", "0"), answer("a", "q", call("x")), result("r", "a", "x", "1"))
    assert outcomes(again) == ["1"] and "Result" in kinds(again)


def test_a_second_result_of_a_call_is_shown_too() -> None:
    found = blocks(answer("a", None, call("x")), result("r", "a", "x", "1"), result("s", "a", "x", "2"))
    assert outcomes(found) == ["1"] and "Result" in kinds(found)


@pytest.mark.parametrize("stop", ["error", "aborted", "length", "deferred"])
def test_an_empty_answer_that_stopped_says_why(stop: str) -> None:
    found = blocks(user("a", None), answer("b", "a", stop=stop, errorMessage="500: no"))
    assert kinds(found) == ["Prompt", "Reply", "Stop"]
    assert isinstance(found[2], b.Stop) and (found[2].reason, found[2].message) == (stop, "500: no")


def edit(own: str, parent: str, target: str, replacement: Any = None) -> Any:
    return entry("context_edit", own, parent, targetId=target, replacement=replacement)


def test_a_retried_attempt_is_hidden_without_a_notice() -> None:
    failed = answer("b", "a", stop="error", errorMessage="500")
    found = blocks(user("a", None), failed, edit("e", "b", "b"), answer("c", "e", "done"))
    assert kinds(found) == ["Prompt", "Reply", "Stop", "Answer"]
    assert [block.context for block in found] == ["", "", "hidden", ""]


def test_edits_of_people_are_told_and_the_newest_on_the_branch_holds() -> None:
    base = [user("a", None, "x"), answer("b", "a", "y"), edit("e", "b", "a")]
    assert blocks(*base)[0].context == "hidden"
    assert blocks(*base, edit("f", "e", "a", {"content": "z"}))[0].context == "replaced"
    elsewhere = blocks(*base, user("c", "b", "on"))
    assert elsewhere[0].context == "", "the edit is on a branch that was left"
    notice = blocks(*base, edit("f", "e", "a", {"content": "z"}))[-1]
    assert isinstance(notice, b.Notice) and notice.detail == "z"


def test_an_edited_result_marks_its_call() -> None:
    found = blocks(
        answer("a", None, call("x")), result("r", "a", "x"), edit("e", "r", "r", {"content": "cut"})
    )
    assert found[1].context == "replaced" and outcomes(found) == ["out"]


def test_labels_change_and_clear() -> None:
    made = transcript(user("a", None), entry("label", "l", "a", targetId="a", label="one"))
    assert made.blocks()[1].label == "one"
    made = transcript(
        user("a", None),
        entry("label", "l", "a", targetId="a", label="one"),
        entry("label", "k", "l", targetId="a"),
    )
    assert made.blocks()[1].label == ""


def test_a_hidden_custom_message_is_mentioned() -> None:
    found = blocks(entry("custom_message", "a", None, customType="x", content="secret words", display=False))
    assert kinds(found) == ["Notice"] and "secret" not in str(found[0])


def test_what_happened_to_the_name_is_said_in_words() -> None:
    found = blocks(entry("session_info", "a", None, name=" one "), entry("session_info", "b", "a", name=None))
    assert [block.text for block in found if isinstance(block, b.Notice)] == [
        'Session named "one"',
        "Session has no name any more",
    ]


@pytest.mark.parametrize("field", ["parentSession", "branchedFrom"])
def test_where_a_session_comes_from_is_known_by_its_old_name_too(field: str) -> None:
    made = transcript(user("a", None), header={**HEADER, field: "/sessions/first.jsonl"})
    assert title(made).parent == "/sessions/first.jsonl"


def test_the_name_is_the_latest_and_blank_clears_it() -> None:
    made = transcript(entry("session_info", "a", None, name=" one "))
    assert made.name == "one" and title(made).name == "one"
    assert (
        transcript(entry("session_info", "a", None, name="x"), entry("session_info", "b", "a", name=" ")).name
        == ""
    )


def test_model_and_thinking_are_those_of_the_branch() -> None:
    made = transcript(
        entry("model_change", "a", None, provider="p", modelId="m"),
        entry("thinking_level_change", "b", "a", thinkingLevel="high"),
        entry("thinking_level_change", "c", "b", thinkingLevel="low"),
        user("d", "b"),
    )
    assert (made.model, made.thinking) == ("p/m", "high")
    made.move_leaf("c")
    assert (made.model, made.thinking) == ("p/m", "low")


def test_a_level_that_was_never_told_is_looked_for_once() -> None:
    made = transcript(*(user(f"c{n}", f"c{n - 1}" if n else None) for n in range(50_000)))
    start = time.thread_time()
    assert {(made.model, made.thinking) for _ in range(500)} == {("", "")}
    assert time.thread_time() - start < 1
    made.extend(decode_lines(raw(entry("thinking_level_change", "d", "c49999", thinkingLevel="low"))))
    assert made.thinking == "low"
