from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pivi.pi import tolerant

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=30,
)


@settings(deadline=None)
@given(st.dictionaries(st.text(), JSON), st.sampled_from([None, 1]))
def test_members_are_those_of_the_object(value: dict[str, object], indent: int | None) -> None:
    text = json.dumps(value, indent=indent).encode()
    assert {name: json.loads(part) for name, part in tolerant.members(text).items()} == value


@settings(deadline=None)
@given(st.lists(JSON), st.sampled_from([None, 1]), st.booleans())
def test_elements_are_those_of_the_array(value: list[object], indent: int | None, escaped: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=escaped).encode("utf-8", "surrogatepass")
    assert [json.loads(part) for part in tolerant.elements(text)] == value


@settings(deadline=None)
@given(JSON, st.integers(1, 4))
def test_pruned_text_nests_no_deeper(value: object, depth: int) -> None:
    def deep(inner: object) -> int:
        if isinstance(inner, dict):
            return 1 + max(map(deep, inner.values()), default=0)
        if isinstance(inner, list):
            return 1 + max(map(deep, inner), default=0)
        return 0

    pruned = json.loads(tolerant.prune(json.dumps(value).encode(), depth))
    assert deep(pruned) <= depth
    if deep(value) <= depth:
        assert pruned == value


def test_what_a_strict_decoder_refuses() -> None:
    assert tolerant.loads(b'"\\ud83d a\tb \xff"') == "\ud83d a\tb \ufffd"
    deep = tolerant.loads(b'{"a":1,"b":' + b"[" * 50_000 + b"]" * 50_000 + b"}")
    assert deep["a"] == 1
    assert tolerant.DEEP in str(deep["b"])


@pytest.mark.parametrize("text", [b"", b"x", b"[", b'{"a"', b'{"a', b'{"a":1', b"[1]", b"{1:2}", b'{"a" 1}'])
def test_no_object(text: bytes) -> None:
    with pytest.raises(ValueError):
        tolerant.members(text)


@settings(deadline=None)
@given(st.binary())
def test_never_anything_but_value_error(text: bytes) -> None:
    for read in (tolerant.loads, tolerant.members, tolerant.elements):
        try:
            read(text)
        except ValueError:
            continue
