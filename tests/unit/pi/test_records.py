"""Lines of session files, good and bad: each becomes an entry, none raises."""

from __future__ import annotations

import base64
import json
import struct
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pivi.pi import messages as m
from pivi.pi import records as r
from pivi.pi.images import pixels
from tests.support.entries import answer, call, entry, message, raw, result, user

SESSIONS = sorted((Path(__file__).parents[2] / "data" / "sessions").glob("*/*.jsonl"))


def one(line: Any) -> r.Entry:
    return r.decode_entry(*raw(line))


def decoded(line: Any) -> Any:
    found = one(line)
    assert isinstance(found, r.MessageEntry)
    return found.message


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: f"{path.parts[-2]}-{path.stem[:3]}")
def test_real_files_decode_on_the_fast_path(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pivi.pi.salvage.entry", lambda line: pytest.fail(f"not typed: {line[:200]!r}"))
    lines = path.read_bytes().split(b"\n")[:-1]
    assert isinstance(r.decode_entry(lines[0]), r.Header)
    assert [found.id for found in r.decode_lines(lines)] == [json.loads(line)["id"] for line in lines]


@pytest.mark.parametrize("size", [70_000, 1_000_000, 50_000_000])
def test_one_record_of_70_kb_1_mb_50_mb(size: int) -> None:
    begin = time.thread_time()
    assert len(decoded(user("a", None, "x" * size)).content[0].text) == size
    assert time.thread_time() - begin < 5


def test_line_separators_inside_strings_cut_nothing() -> None:
    text = "".join(map(chr, [0x2028, 0x2029, 0x85, 0x0B, 0x0C, 0x1C, 0x1D, 0x1E, 0x1F]))
    assert decoded(user("a", None, text)).content[0].text == text
    plain = json.dumps(user("a", None, text), ensure_ascii=False).encode()
    assert decoded(plain).content[0].text == text


@pytest.mark.parametrize("content", [None, "", [], "plain", "absent"])
@pytest.mark.parametrize("role", ["user", "assistant", "toolResult", "system", "custom"])
def test_content_null_absent_empty_or_a_string(role: str, content: Any) -> None:
    line = message("a", None, role, content)
    if content == "absent":
        del line["message"]["content"]
        content = None
    found = one(line)
    assert isinstance(found, r.MessageEntry) and found.odd == ""
    assert found.message.content == content  # type: ignore[union-attr]


def test_a_text_part_without_text_leaves_the_others() -> None:
    found = one(message("a", None, "user", [{"type": "text"}, {"type": "text", "text": "b"}]))
    assert isinstance(found, r.MessageEntry) and found.odd == "text"
    assert found.message.content == [m.TextPart(""), m.TextPart("b")]  # type: ignore[union-attr]


def test_unknown_part_role_and_entry_type_are_kept() -> None:
    part = decoded(message("a", None, "user", [{"type": "hologram", "x": 1}, "loose"])).content
    assert [type(one) for one in part] == [m.UnknownPart, m.UnknownPart]
    assert part[0].what == "hologram" and '"x": 1' in part[0].json and part[1].json == '"loose"'
    role = decoded(message("a", None, "oracle", "words"))
    assert isinstance(role, m.UnknownMessage) and role.what == "oracle" and "words" in role.json
    kind = one(entry("vision", "a", "z", deep={"x": "y" * 9000}))
    assert isinstance(kind, r.UnknownEntry) and (kind.id, kind.parent_id, kind.what) == ("a", "z", "vision")
    assert "more characters" in kind.json and len(kind.json) < 4000


@pytest.mark.parametrize("value", [None, "many", [], {}, 7, True, 1.5, -1])
@pytest.mark.parametrize(
    "name", ["usage", "timestamp", "isError", "model", "stopReason", "details", "durationMs"]
)
def test_a_field_of_another_type_costs_nothing_else(name: str, value: Any) -> None:
    said = decoded(answer("a", None, "words", **{name: value}))
    assert said.content == [m.TextPart("words")]
    ended = decoded(result("b", "a", "c", "out", **{name: value}))
    assert ended.content == [m.TextPart("out")] and ended.tool_call_id == "c"


def test_the_entry_says_which_fields_are_odd() -> None:
    assert one(answer("a", None, "w", usage="many", timestamp="now")).odd == "timestamp, usage"
    assert one(result("b", "a", "c", isError="no")).odd == "isError"
    assert one(result("b", "a", "c", details={"diff": 4})).odd == ""


def test_arguments_as_a_string() -> None:
    (part,) = decoded(answer("a", None, {**call("c"), "arguments": "{broken"})).content
    assert part.arguments == "{broken"


@pytest.mark.parametrize("line", [b"[1,2]", b"null", b"7", b'"text"', b"true"])
def test_valid_json_that_is_no_object(line: bytes) -> None:
    found = r.decode_entry(line)
    assert isinstance(found, r.Damaged) and found.raw == line.decode()


def test_a_message_entry_without_a_message() -> None:
    assert isinstance(decoded(entry("message", "a", None, message=None)), m.UnknownMessage)
    assert isinstance(one(entry("message", "a", None)), r.UnknownEntry)


@pytest.mark.parametrize("depth", [300, 3_000, 100_000])
def test_arguments_nested_thousands_deep(depth: int) -> None:
    line = json.dumps(answer("a", None, call("c", x="DEEP"), "after")).encode()
    found = r.decode_entry(line.replace(b'"DEEP"', b'{"k":[' * depth + b"]}" * depth))
    assert isinstance(found, r.MessageEntry) and found.id == "a"
    assert isinstance(found.message, m.AssistantMessage) and isinstance(found.message.content, list)
    assert found.message.content[1] == m.TextPart("after")


def test_nesting_that_never_ends() -> None:
    assert isinstance(r.decode_entry(b"[" * 200_000), r.Damaged)
    assert isinstance(r.decode_entry(b'{"a":' * 200_000), r.Damaged)


def test_a_torn_last_line() -> None:
    line = raw(user("a", None, "x" * 500))[0]
    (found,) = r.decode_lines([line[:300]])
    assert isinstance(found, r.Damaged) and found.raw == line[:200].decode()


def test_two_records_glued_on_one_line() -> None:
    first, second = raw(user("a", None), user("b", "a"))
    assert [found.id for found in r.decode_lines([first + second])] == ["a", "b"]
    assert [found.id for found in r.decode_lines([first + b"  \r" + second])] == ["a", "b"]


def test_a_whole_record_glued_to_a_torn_one() -> None:
    first, second = raw(answer("a", None, "one", "two"), user("b", "a"))
    found = r.decode_lines([first[: len(first) * 2 // 3] + second])
    assert [type(one) for one in found] == [r.Damaged, r.MessageEntry] and found[1].id == "b"


def test_crlf_bom_blank_lines_and_nul() -> None:
    (line,) = raw(user("a", None))
    odd = [b"\xef\xbb\xbf" + line, line + b"\r", b"", b"  ", b"\r", b"\0\0" + line, line + b"\0" * 900]
    assert [found.id for found in r.decode_lines(odd)] == ["a"] * 4
    (found,) = r.decode_lines([b"\0" * 4096])
    assert isinstance(found, r.Damaged) and "4096 bytes of NUL" in found.reason


def test_control_characters_and_invalid_utf8_inside_strings() -> None:
    (line,) = raw(user("a", None, "TEXT"))
    assert decoded(line.replace(b"TEXT", b"a\0b\tc")).content[0].text == "a\0b\tc"
    assert decoded(line.replace(b"TEXT", b"a\xffb\xc3")).content[0].text == "a�b�"


def test_half_a_surrogate_pair() -> None:
    (line,) = raw(user("a", None, "TEXT"))
    assert decoded(line.replace(b"TEXT", rb"a\ud83d b \ude00")).content[0].text == "a� b �"
    assert decoded(line.replace(b"TEXT", rb"\ud83d\ude00 \\ud83d")).content[0].text == "😀 \\ud83d"


def test_an_id_that_is_no_string() -> None:
    found = one(user(5, 4))
    assert (found.id, found.parent_id, found.odd) == ("5", "4", "id, parentId")


def test_version_1_has_no_ids_and_hook_messages() -> None:
    header = r.decode_entry(b'{"type":"session","id":"s","timestamp":"t","cwd":"/p","provider":"x"}')
    assert isinstance(header, r.Header) and header.version == 1
    hooked = decoded(
        {"type": "message", "message": {"role": "hookMessage", "customType": "h", "content": "w"}}
    )
    assert isinstance(hooked, m.HookMessage) and hooked.custom_type == "h"


def test_an_11_mb_custom_entry_is_not_decoded() -> None:
    found = one(entry("custom", "a", None, customType="big", data={"x": ["y" * 1000] * 11_000}))
    assert isinstance(found, r.Custom) and len(bytes(found.data)) > 11_000_000


def test_base64_is_gone_when_its_size_is_known() -> None:
    png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 640, 480) + b"x" * 1_000_001
    part = {"type": "image", "mimeType": "image/png", "data": base64.b64encode(png).decode()}
    begin = time.thread_time()
    for _ in range(20):
        (image,) = decoded(message("a", None, "user", [part])).content
    assert time.thread_time() - begin < 2
    assert (image.data.size, image.data.width, image.data.height) == (len(png), 640, 480)
    (odd,) = decoded(
        message("a", None, "user", [{"type": "image", "mimeType": "x", "data": "no base64!"}])
    ).content
    assert odd.data.width is None


@pytest.mark.parametrize(
    "head",
    [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 640, 480),
        b"GIF89a" + struct.pack("<HH", 640, 480),
        b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 640, 480),
        b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0/" + struct.pack("<I", 639 | 479 << 14) + b"\0" * 9,
        b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0" + b"\x7f\x02\x00\xdf\x01\x00",
        b"\xff\xd8\xff\xe0\0\x04ab\xff\xc2\0\x11\x08" + struct.pack(">HH", 480, 640),
    ],
)
def test_pixels_of_pictures(head: bytes) -> None:
    assert pixels(head) == (640, 480)
    for length in range(len(head)):
        assert pixels(head[:length]) in (None, (640, 480))


def test_a_raw_value_of_get_entries_decodes_like_a_line() -> None:
    import msgspec

    (line,) = raw(user("a", None, "hi"))
    (value,) = msgspec.json.decode(b"[" + line + b"]", type=list[msgspec.Raw])
    assert r.decode_entry(value) == r.decode_entry(line)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
        ["type", "id", "role", "content", "message", "text", "usage", "arguments", "timestamp", "details"]
    ), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
TYPES = st.sampled_from(["message", "compaction", "label", "custom", "custom_message", "context_edit", "x"])
ROLES = st.sampled_from(["user", "assistant", "toolResult", "bashExecution", "system", "custom", "x"])


@settings(max_examples=150, deadline=None)
@given(TYPES, ROLES, JSON, JSON, JSON)
def test_no_value_raises(kind: str, role: str, content: Any, other: Any, third: Any) -> None:
    told = {"role": role, "content": content, "usage": other, "toolCallId": third, "sections": other}
    line = entry(kind, "a", None, message=told, details=other, summary=third, data=content, targetId=other)
    for found in r.decode_lines(raw(line)):
        assert found.id == "a"
    m.decode_message(told)


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=80))
def test_no_bytes_raise(line: bytes) -> None:
    assert isinstance(r.decode_entry(line), r.Entry)
