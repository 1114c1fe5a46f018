"""Texts are cut by the columns that Neovim gives them, in Lua and on the host, and never in a character."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from pivi.view.cells import shortened
from tests.conftest import StartEditor
from tests.support.editor import Editor

pytestmark = pytest.mark.matrix

PIECES = (
    "a b-",
    "日本",
    "e\u0301",
    "o\u0308\u0323",
    "שלום",
    "مرحبا",
    "👩‍💻",
    "👨‍👩‍👧",
    "👍🏽",
    "❤️",
    "🇩🇪🇫🇷",
    "नमस्ते",
    "각",
    "กำ",
    "\u200d",
    "\ufe0f",
    "\u200b",
    "…",
    "ﷺ",
)
TEXT = st.lists(st.sampled_from(PIECES) | st.text(st.characters(exclude_categories=["Cc", "Cs"]))).map(
    "".join
)
CUTS = st.lists(st.tuples(TEXT, st.integers(1, 40)), min_size=20, max_size=60)
# Each example is many texts, of which the one that fails is told: none is made smaller.
EXAMPLES = settings(max_examples=40, phases=[Phase.explicit, Phase.generate])

_CUT = """
local cells = require('pivi.cells')
return vim.tbl_map(function(asked)
  local text, columns = unpack(asked)
  local cut, told = cells.cut(text, columns, '')
  local rest = text:sub(#cut + 1)
  local function count(part) return vim.fn.strchars(part, true) end
  return {
    begins = vim.startswith(text, cut),
    told = told,
    width = vim.fn.strdisplaywidth(cut),
    parted = count(cut) + count(rest) ~= count(text),
    more = rest == '' and 0 or vim.fn.strdisplaywidth(cut .. vim.fn.strcharpart(rest, 0, 1, true)),
    marked = vim.fn.strdisplaywidth((cells.cut(text, columns, '…'))),
  }
end, ...)
"""
_MEASURE = """
return vim.tbl_map(function(asked)
  local text, cut = unpack(asked)
  local function count(part) return vim.fn.strchars(part, true) end
  return { vim.fn.strdisplaywidth(cut), count(cut) + count(text:sub(#cut + 1)) ~= count(text) }
end, ...)
"""


@pytest.fixture
def editor(start_nvim: StartEditor) -> Editor:
    return start_nvim()


def test_lua_cuts_as_neovim_measures(editor: Editor) -> None:
    @EXAMPLES
    @given(CUTS)
    def check(cuts: list[tuple[str, int]]) -> None:
        for (text, columns), seen in zip(cuts, editor.lua(_CUT, cuts), strict=True):
            asked = (text, columns, seen)
            assert seen["begins"] and not seen["parted"], asked
            assert seen["told"] == seen["width"] <= columns, asked
            assert seen["more"] == 0 or seen["more"] > columns, asked
            assert seen["marked"] <= columns, asked

    check()


def test_the_host_cuts_within_what_neovim_measures(editor: Editor) -> None:
    @EXAMPLES
    @given(CUTS)
    def check(cuts: list[tuple[str, int]]) -> None:
        asked: list[Any] = [(text, shortened(text, columns, "")) for text, columns in cuts]
        for (text, columns), (_, cut), (width, parted) in zip(
            cuts, asked, editor.lua(_MEASURE, asked), strict=True
        ):
            assert width <= columns, (text, columns, cut)
            assert not parted, (text, columns, cut)

    check()
