"""Colours of a transcript under the colour schemes that come with Neovim, light and dark."""

from __future__ import annotations

import pytest

from tests.conftest import StartEditor
from tests.editor.test_render import answer, start
from tests.support.editor import Editor

pytestmark = pytest.mark.matrix

LIGHT = ["default", "morning", "shine", "peachpuff", "delek", "zellner", "lunaperche", "retrobox", "quiet"]
DARK = ["default", "habamax", "desert", "slate", "evening"]

_CONTRASTS = """
local function luminance(colour)
  local sum = 0
  for i, weight in ipairs({ 0.2126, 0.7152, 0.0722 }) do
    local part = bit.band(bit.rshift(colour, 24 - 8 * i), 255) / 255
    sum = sum + weight * (part <= 0.03928 and part / 12.92 or ((part + 0.055) / 1.055) ^ 2.4)
  end
  return sum
end
local normal = vim.api.nvim_get_hl(0, { name = 'Normal', link = false })
local dark = vim.o.background == 'dark'
local found = {}
for _, name in ipairs(vim.fn.getcompletion('Pivi', 'highlight')) do
  local group = vim.api.nvim_get_hl(0, { name = name, link = false })
  local ink = luminance(group.fg or normal.fg or (dark and 0xe0e2ea or 0x14161b))
  local paper = luminance(group.bg or normal.bg or (dark and 0x14161b or 0xe0e2ea))
  found[name] = (math.max(ink, paper) + 0.05) / (math.min(ink, paper) + 0.05)
end
return found
"""
HEADINGS = {"PiviPrompt", "PiviReply", "PiviSection"}
SIGNALS = {"PiviOk", "PiviFailed", "PiviNoResult", "PiviHidden", "PiviDamage", "PiviError"}
SGR = {"PiviSgrRed", "PiviSgrGreen", "PiviSgrYellow", "PiviSgrBlue", "PiviSgrCyan"}


def choose(editor: Editor, background: str, scheme: str) -> None:
    editor.command(f"set termguicolors background={background} | colorscheme {scheme}")
    assert editor.lua("return vim.o.background") == background


@pytest.mark.parametrize(("background", "schemes"), [("light", LIGHT), ("dark", DARK)], ids=["light", "dark"])
def test_headings_and_what_tells_how_it_went_can_be_read(
    start_nvim: StartEditor, background: str, schemes: list[str]
) -> None:
    editor, _ = start(start_nvim, answer("*x*"))
    for scheme in schemes:
        choose(editor, background, scheme)
        found = editor.lua(_CONTRASTS)
        assert {name for name in HEADINGS if found[name] < 4.4} == set(), scheme
        assert {name for name in SIGNALS | SGR if found[name] < 2.9} == set(), scheme


def test_what_can_be_read_is_linked_and_what_the_user_sets_stays(start_nvim: StartEditor) -> None:
    editor, _ = start(start_nvim, answer("*x*"))
    group = "return vim.api.nvim_get_hl(0, { name = ... })"
    choose(editor, "light", "shine")
    assert "link" not in editor.lua(group, "PiviOk")
    assert editor.lua(group, "PiviMeta") == {"link": "Comment", "default": True}
    for background in ("dark", "light"):
        choose(editor, background, "default")
        assert editor.lua(group, "PiviOk") == {"link": "DiagnosticOk", "default": True}
    editor.command("highlight PiviOk guifg=#eeeeee")
    editor.command("doautocmd ColorScheme")
    assert editor.lua(group, "PiviOk") == {"fg": 0xEEEEEE}


def test_headings_have_a_background_of_the_colour_scheme(start_nvim: StartEditor) -> None:
    editor, _ = start(start_nvim, answer("*x*"))
    colour = "return vim.api.nvim_get_hl(0, {name = 'PiviPrompt'}).bg"
    dark = editor.lua(colour)
    editor.command("set termguicolors background=light | colorscheme morning")
    light = editor.lua(colour)
    assert dark != light
    editor.command("highlight PiviPrompt guibg=#123456")
    editor.command("doautocmd ColorScheme")
    assert editor.lua(colour) == 0x123456


def test_groups_are_worked_out_when_their_table_changes_and_not_for_each_buffer(
    start_nvim: StartEditor,
) -> None:
    editor, _ = start(start_nvim, answer("*x*"))
    spent = """
      local calls, set = 0, vim.api.nvim_set_hl
      vim.api.nvim_set_hl = function(...) calls = calls + 1 return set(...) end
      local names = require('pivi.highlight').define(...)
      vim.api.nvim_set_hl = set
      return { names[1], calls > 0 }
    """
    watching = "return #vim.api.nvim_get_autocmds({ group = 'pivi.highlight' })"
    before = editor.lua(watching)
    assert editor.lua(spent, [("PiviMeta", "Comment")]) == ["PiviMeta", False]
    assert editor.lua(spent, [("PiviMeta", "Comment"), ("PiviOther", "Comment")]) == ["PiviMeta", True]
    assert editor.lua(spent, [("PiviMeta", "Title")]) == ["PiviMeta", True]
    assert editor.lua(watching) == before
