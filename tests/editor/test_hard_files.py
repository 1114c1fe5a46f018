"""Records and session files that people met, read in Neovim: whole, in order, what is odd told in place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import StartEditor
from tests.support.entries import HEADER, STAMP, Line, answer, call, entry, message, result, user
from tests.support.hard import Hard, json_line

pytestmark = pytest.mark.matrix

ONE, LAST = user("a", None, "the first prompt"), "the last prompt"


@pytest.fixture
def hard(tmp_path: Path, start_nvim: StartEditor) -> Hard:
    return Hard(tmp_path, start_nvim(size=(80, 24)))


def test_separators_within_strings_cut_no_line(hard: Hard) -> None:
    odd = "a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg\x1dh\x1ei\x1fj"
    text = hard.shown(user("a", None, odd), user("b", "a", LAST))
    (line,) = (line for line in text.split("\n") if line.startswith("a"))
    assert [char for char in line if char.isalpha() and char.isascii()] == list("abcdefghij")
    assert "Damage" not in text
    assert LAST in text


@pytest.mark.parametrize(
    "content", [None, "", [], "a plain string", [{"type": "text"}], 7, {"type": "text", "text": "x"}]
)
@pytest.mark.parametrize("role", ["user", "assistant", "toolResult"])
def test_odd_content(role: str, content: object, hard: Hard) -> None:
    text = hard.shown(ONE, message("b", "a", role, content), user("c", "b", LAST))
    assert "the first prompt" in text
    assert LAST in text
    assert content != "a plain string" or "a plain string" in text
    assert hard.status("entries") == 3


def test_a_record_without_content_at_all(hard: Hard) -> None:
    bare = entry("message", "b", "a", message={"role": "user"})
    none = entry("message", "c", "b")
    text = hard.shown(ONE, bare, none, user("d", "c", LAST))
    assert text.index("the first prompt") < text.index("**Damage:**", 100) < text.index(LAST)


def test_unknown_parts_roles_and_entries_are_shown_folded_as_they_are(hard: Hard) -> None:
    part = {"type": "hologram", "shape": "cube"}
    text = hard.shown(
        ONE,
        answer("b", "a", "known", part),
        message("c", "b", "wizard", "abracadabra"),
        entry("horoscope", "d", "c", sign="lion"),
        user("e", "d", LAST),
    )
    for word in (
        "known",
        "### Unknown: hologram",
        '"cube"',
        "### Unknown: wizard",
        "abracadabra",
        '"lion"',
        LAST,
    ):
        assert word in text
    assert not any("cube" in line or "lion" in line for line in hard.seen())
    assert "Damage" not in text


def test_fields_that_are_absent_or_of_another_type(hard: Hard) -> None:
    odd = answer("b", "a", "the answer", usage="much", timestamp="yesterday", model=7)
    held = message("c", "b", "toolResult", [{"type": "text", "text": "orphan"}], isError="no", toolName=None)
    shell = answer("d", "c", {**call("x"), "arguments": "ls -la"})
    undated = {key: value for key, value in user("e", "d", LAST).items() if key != "timestamp"}
    text = hard.shown(ONE, odd, held, shell, undated)
    for word in ("the answer", "orphan", "### bash ls -la", LAST):
        assert word in text
    assert "**Damage:** This could not be read here" in text


def test_valid_json_that_is_no_record(hard: Hard) -> None:
    text = hard.shown(ONE, b"[1, 2]", b"12", b'"words"', b"null", b"true", user("b", "a", LAST))
    assert text.count("**Damage:** This line is JSON but no record.") == 5
    assert "in 5 places; each is marked" in text.split("\n")[2]
    assert LAST in text
    assert hard.status("entries") == 2


def test_a_torn_last_line(hard: Hard) -> None:
    hard.path.write_bytes(
        b"".join(json_line(line) + b"\n" for line in (HEADER, ONE, user("b", "a", LAST))) + b'{"ty'
    )
    text = hard.view()
    assert LAST in text
    assert '**Damage:** This line is not valid JSON.\n\n```\n{"ty\n```' in text


def test_no_final_newline(hard: Hard) -> None:
    hard.path.write_bytes(b"\n".join(map(json_line, (HEADER, ONE, user("b", "a", LAST)))))
    text = hard.view()
    assert LAST in text
    assert "Damage" not in text


def test_two_records_glued_on_one_line(hard: Hard) -> None:
    glued = json_line(answer("b", "a", "glued")) + json_line(user("c", "b", LAST))
    text = hard.shown(ONE, glued)
    assert "glued" in text
    assert LAST in text
    assert hard.status("entries") == 3


@pytest.mark.parametrize("end", [b"\r\n", b"\n\n", b"\n\x00\n", b" \n"])
def test_line_ends_blank_lines_and_nul_bytes(end: bytes, hard: Hard) -> None:
    text = hard.shown(ONE, answer("b", "a", "fine"), user("c", "b", LAST), end=end)
    assert [word for word in ("the first prompt", "fine", LAST) if word not in text] == []
    assert hard.status("entries") == 3


def test_a_byte_order_mark_before_the_header_makes_it_text_as_pi_takes_no_such_file(hard: Hard) -> None:
    hard.write(ONE, header=b"\xef\xbb\xbf" + json_line(HEADER))
    hard.nvim.command(f"edit {hard.path}")
    assert hard.nvim.lines() == [json.dumps(HEADER), json.dumps(ONE)]
    assert hard.nvim.lua("return vim.bo.bomb")


def test_invalid_utf8_and_half_surrogates(hard: Hard) -> None:
    broken = json_line(user("b", "a", "caf@")).replace(b"@", b"\xe9\xff")
    half = json_line(user("c", "b", "half @ of it")).replace(b"@", b"\\ud83d")
    text = hard.shown(ONE, broken, half, user("d", "c", LAST))
    assert "caf" in text
    assert "half \ufffd of it" in text
    assert LAST in text


def test_a_missing_parent_leaves_what_came_before_reachable(hard: Hard) -> None:
    text = hard.shown(ONE, answer("b", "a", "older"), user("d", "c", LAST))
    assert text.split("\n")[2].startswith(
        "**Damage:** this session's file could not be read as it should be in one"
    )
    assert "The entry before this one is missing. 2 entries are not part of the conversation." in text
    assert '*Another branch: 2 entries, "the first prompt"*' in hard.seen()
    assert "older" in text
    assert "older" not in hard.seen()


@pytest.mark.parametrize(
    "lines",
    [
        [user("a", "c", "the first prompt"), answer("b", "a", "older"), user("c", "b", LAST)],
        [ONE, answer("b", "b", "older"), user("c", "b", LAST)],
        [ONE, answer("a", "a", "older"), user("c", "a", LAST)],
        [ONE, answer("b", "a", "older"), user("b", "a", LAST)],
    ],
    ids=["circle", "self-parent", "id twice", "last id twice"],
)
def test_parents_that_go_round_and_ids_that_come_twice(lines: list[Line], hard: Hard) -> None:
    text = hard.shown(*lines)
    for word in ("the first prompt", "older", LAST):
        assert word in text
    assert text.split("\n")[2].startswith("**Damage:**")
    assert LAST in hard.seen()


@pytest.mark.parametrize("own", [7, 1.5, None, ["a"], {"a": 1}, True])
def test_ids_that_are_no_strings(own: object, hard: Hard) -> None:
    text = hard.shown(ONE, answer(own, "a", "in between"), user("c", own, LAST))
    for word in ("the first prompt", "in between", LAST):
        assert word in text
    assert LAST in hard.seen()


def test_version_1_before_pi_has_touched_it(hard: Hard) -> None:
    header = {"type": "session", "id": "one", "timestamp": STAMP, "cwd": "/p"}
    bare = [
        {key: line[key] for key in ("type", "timestamp", "message")}
        for line in (ONE, answer("", "", "older"))
    ]
    summed = {
        "type": "compaction",
        "timestamp": STAMP,
        "summary": "in short",
        "firstKeptEntryIndex": 3,
        "tokensBefore": 9,
    }
    kept = {"type": "message", "timestamp": STAMP, "message": user("", "", "kept")["message"]}
    hook = message("", "", "hookMessage", "from a hook", customType="linter", display=True)
    told = {"type": "message", "timestamp": STAMP, "message": hook["message"]}
    text = hard.shown(*bare, kept, summed, told, kept, header=header)
    for word in (
        "the first prompt",
        "older",
        "kept",
        "## Compaction",
        "in short",
        "## linter",
        "from a hook",
    ):
        assert word in text
    assert "*What was compacted: 2 entries*" in hard.seen()
    assert "Damage" not in text
    assert hard.status("entries") == 6


def test_version_2_before_pi_has_touched_it(hard: Hard) -> None:
    header = {**HEADER, "version": 2}
    hook = message("b", "a", "hookMessage", "from a hook", customType="linter", display=True)
    text = hard.shown(ONE, hook, user("c", "b", LAST), header=header)
    for word in ("the first prompt", "## linter", "from a hook", LAST):
        assert word in text
    assert "Damage" not in text


def test_an_empty_session_and_one_without_words(hard: Hard) -> None:
    assert hard.shown() == "# Session s"
    hard.nvim.command("bwipe")
    assert "*Model: p/m*" in hard.shown(entry("model_change", "a", None, provider="p", modelId="m"))


def test_arguments_nested_thousands_deep(hard: Hard) -> None:
    deep = b'{"x":' * 5000 + b"1" + b"}" * 5000
    line = json_line(answer("b", "a", call("c", x="@"))).replace(b'{"x": "@"}', deep)
    text = hard.shown(ONE, line, result("r", "b", "c"), user("c", "r", LAST))
    assert "the first prompt" in text
    assert LAST in text


def test_the_damage_line_goes_when_the_file_is_mended(hard: Hard) -> None:
    assert hard.shown(ONE, b"{broken", user("b", "a", LAST)).split("\n")[2].startswith("**Damage:**")
    hard.path.write_text("".join(json.dumps(line) + "\n" for line in (HEADER, ONE, user("b", "a", LAST))))
    hard.nvim.wait_for("return vim.fn.search('Damage', 'nw') == 0")
    assert LAST in hard.nvim.text()
