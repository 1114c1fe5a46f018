"""Code within quotes and lists, and tables of any width, in a real Neovim without a host."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import StartEditor
from tests.editor.test_render import TABLE, answer, settle, spans, start
from tests.support.editor import Editor

pytestmark = pytest.mark.matrix

QUOTED = "> See:\n>\n> ```lua\n> return nil\n>   -- more\n> ```\n>\n> - item\n\nDone."
_BACKGROUND = """
local rows = {}
local ns = vim.api.nvim_get_namespaces()['pivi.paint']
for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, {details = true})) do
  if mark[4].hl_group == 'PiviCodeBlock' then
    for row = mark[2], mark[4].end_row - 1 do rows[#rows + 1] = vim.fn.getline(row + 1) end
  end
end
return rows
"""
_FENCES = "return require('pivi.fences').find(vim.split(..., '\\n'))"


def fences(editor: Editor, text: str) -> list[tuple[int, int, bool]]:
    return [(fence["first"], fence["last"], fence["closed"]) for fence in editor.lua(_FENCES, text)]


def screen(editor: Editor, first: int, last: int) -> list[str]:
    """Rows of the screen."""
    lines = """
      local first, last = ...
      return vim.tbl_map(function(row)
        local text = ''
        for col = 1, vim.o.columns do text = text .. vim.fn.screenstring(row, col) end
        return (text:gsub(' +$', ''))
      end, vim.fn.range(first, last))
    """
    return list(editor.lua(lines, first, last))


def test_code_in_a_quote_is_code(start_nvim: StartEditor) -> None:
    editor, _ = start(start_nvim, answer(QUOTED))
    assert ["@keyword.return.lua", "return"] in spans(editor, "> return")
    assert ["PiviMarker", "> "] in spans(editor, "> return")
    assert ["@comment.lua", "-- more"] in spans(editor, ">   --")
    assert editor.lua(_BACKGROUND) == ["> ```lua", "> return nil", ">   -- more", "> ```"]
    assert ["PiviList", "- "] in spans(editor, "> - item")


def test_code_in_a_quote_is_found_and_yanked_as_code(start_nvim: StartEditor) -> None:
    editor, _ = start(start_nvim, answer(QUOTED))
    editor.command("normal gg]c")
    assert editor.lua("return vim.fn.getline('.')") == "> ```lua"
    editor.command("normal yc")
    assert editor.lua("return vim.fn.getreg('\"', 1, true)") == ["return nil", "  -- more"]


def test_code_on_the_line_of_a_list_item_is_code(start_nvim: StartEditor) -> None:
    editor, _ = start(
        start_nvim, answer("- ```lua\n  return nil\n  ```\n- next\n\n1. > ~~~lua\n   > return 1\n")
    )
    assert ["PiviList", "- "] in spans(editor, "- ```lua")
    assert ["@keyword.return.lua", "return"] in spans(editor, "  return")
    assert ["@keyword.return.lua", "return"] in spans(editor, "   > return")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("> ```\n> a\n\nnot code", [(1, 2, False)]),
        ("> ```\n> a\n```\nb\n```", [(1, 2, False), (3, 5, True)]),
        ("- ```\n  a\n\n  b\nnot code", [(1, 4, False)]),
        ("- so\n\n  ```\na\n  ```", [(3, 5, True)]),
        ("```\n> ```\n```", [(1, 3, True)]),
        ("> > ```\n> > a\n> b", [(1, 2, False)]),
        ("> a `code` span", []),
        ("- ```a``` b", []),
        ("1) ~~~\n   ~~~~", [(1, 2, True)]),
    ],
)
def test_a_fence_ends_with_what_it_lies_in(
    start_nvim: StartEditor, text: str, found: list[tuple[int, int, bool]]
) -> None:
    assert fences(start_nvim(), text) == found


def test_the_head_of_a_table_stands_out_and_its_lines_step_back(start_nvim: StartEditor) -> None:
    editor, _ = start(start_nvim, answer(TABLE))
    found = spans(editor, "| a ")
    assert [span[1].strip() for span in found if span[0] == "PiviStrong"] == ["a", "long name"]
    assert found.count(["PiviMarker", "|"]) == 3
    assert spans(editor, "| 100").count(["PiviMarker", "|"]) == 3


WIDE = """| a | long name | c |
|---|---|--:|
| 1 | two | 3 |
| 10 | a cell that is much too long for its column in a window of forty | 30 |
| 100 | x | 300 |"""


def test_the_columns_of_a_table_that_is_too_wide_share_the_room(start_nvim: StartEditor) -> None:
    editor, _ = start(start_nvim, answer(WIDE), columns=40)
    assert screen(editor, 4, 10) == [
        "| a   | long name                |   c |",
        "|-----|--------------------------|----:|",
        "| 1   | two                      |   3 |",
        "| 10  | a cell that is much too long",
        "for its column in a window of forty |",
        "30 |",
        "| 100 | x                        | 300 |",
    ]


def test_a_table_is_aligned_anew_when_its_room_changes(start_nvim: StartEditor) -> None:
    editor, _ = start(start_nvim, answer(WIDE), columns=120)
    pads = "return vim.iter(...):map(function(s) return s[1] == 'inline' and #s[2] or nil end):totable()"

    def widest() -> Any:
        return max(editor.lua(pads, spans(editor, "| 100")))

    assert widest() == 63
    editor.command("vertical 40split")
    settle(editor)
    assert widest() == 23
    editor.command("windo set nowrap")
    settle(editor)
    assert widest() == 63
