"""Fronts of `:Pi sessions` other than the browser: what we give to a picker, by a stand-in that keeps it.

The plugins can't be had from a package registry; the stand-ins have what each one documents.
"""

from __future__ import annotations

import pytest

from tests.conftest import StartEditor
from tests.editor.browsing import Browsing, row

SNACKS = """
package.loaded['snacks.picker'] = { pick = function(opts) _G.given = opts end }
"""
TELESCOPE = """
local chosen = function() return { value = _G.given.finder.results[2].row } end
local replaced = {}
_G.selects = replaced
local function select(name)
  return { replace = function(_, run) replaced[name] = run end }
end
package.loaded['telescope'] = {}
package.loaded['telescope.actions.state'] = { get_selected_entry = function() return chosen() end }
package.loaded['telescope.actions'] = {
  close = function() end,
  select_default = select('default'), select_horizontal = select('horizontal'),
  select_vertical = select('vertical'), select_tab = select('tab'),
}
package.loaded['telescope.config'] = { values = { generic_sorter = function() return {} end } }
package.loaded['telescope.finders'] = { new_table = function(opts) return opts end }
package.loaded['telescope.previewers'] = { new_buffer_previewer = function(opts) return opts end }
package.loaded['telescope.pickers'] = { new = function(_, opts)
  _G.given = opts
  return { find = function() opts.attach_mappings(1, function() end) end }
end }
"""
FZF = """
local base = {}
base.super = { new = function() end }
function base:extend() return { super = { new = function() end } } end
package.loaded['fzf-lua.previewer.builtin'] = { base = base }
package.loaded['fzf-lua'] = { fzf_exec = function(lines, opts) _G.given = { lines = lines, opts = opts } end }
"""
MINI = """
package.loaded['mini.pick'] = {
  start = function(opts) _G.given = opts end,
  get_picker_matches = function() return { current = _G.given.source.items[2] } end,
}
"""


@pytest.fixture
def browsing(start_nvim: StartEditor) -> Browsing:
    return Browsing(start_nvim(size=(80, 24)))


@pytest.mark.parametrize(
    ("front", "plugin", "confirm", "view"),
    [
        (
            "snacks",
            SNACKS,
            "_G.given.confirm({ close = function() end }, _G.given.items[2])",
            "_G.given.actions.pivi_view({ close = function() end }, _G.given.items[2])",
        ),
        ("telescope", TELESCOPE, "_G.selects.default()", "_G.selects.vertical()"),
        (
            "fzf-lua",
            FZF,
            "_G.given.opts.actions.default({ _G.given.lines[2] })",
            "_G.given.opts.actions['ctrl-r']({ _G.given.lines[2] })",
        ),
        (
            "mini.pick",
            MINI,
            "_G.given.source.choose(_G.given.source.items[2])",
            "_G.given.mappings.pivi_view.func()",
        ),
    ],
)
def test_a_picker_gets_the_sessions_and_gives_one_back(
    browsing: Browsing, front: str, plugin: str, confirm: str, view: str
) -> None:
    browsing.editor.lua(plugin)
    browsing.editor.lua("require('pivi').setup({ sessions = { front = ... } })", front)
    browsing.open()
    browsing.give(row("older", 9), row("newer", 2), final=True)
    browsing.editor.lua(confirm)
    browsing.settle()
    assert browsing.asked("resume")[-1]["target"] == row("older")["path"]
    browsing.editor.lua("require('pivi').view = function(path) _G.viewed = path end")
    browsing.editor.lua(view)
    browsing.settle()
    if front == "telescope":
        assert len(browsing.asked("resume")) == 2
    else:
        assert browsing.editor.lua("return _G.viewed") == row("older")["path"]
    assert browsing.editor.messages() == ""


def test_auto_takes_what_is_installed(browsing: Browsing) -> None:
    browsing.editor.lua("require('pivi').setup({ sessions = { front = 'auto' } })")
    choose = "return require('pivi.pickers').choose('auto')"
    assert browsing.editor.lua(choose) == "select"
    browsing.editor.lua(MINI)
    assert browsing.editor.lua(choose) == "mini.pick"
    browsing.editor.lua(SNACKS)
    assert browsing.editor.lua(choose) == "snacks"


def test_one_that_is_not_installed_is_named(browsing: Browsing) -> None:
    browsing.editor.lua("require('pivi').setup({ sessions = { front = 'telescope' } })")
    browsing.open()
    browsing.settle()
    assert "telescope, which is not installed" in browsing.editor.messages()
    assert browsing.editor.lua("return vim.bo.filetype") == "pivi-sessions"


def test_the_preview_of_a_picker_is_rendered_anew_for_each_session(browsing: Browsing) -> None:
    buffer = browsing.editor.lua("return vim.api.nvim_create_buf(false, true)")
    browsing.editor.command(f"sbuffer {buffer}")
    for words in ("**one** *two*", "*one* **two**"):
        browsing.editor.lua("require('pivi.pickers.preview').into(...)", buffer, row(words))
        value = {
            "lines": ["# x", "", words],
            "row": 0,
            "blocks": [1, 0, 0, 0, 0, 2, 1, 1, 0, 0],
            "marks": [],
            "strings": [],
            "groups": [],
            "total": 3,
        }
        browsing.answer("preview", {**value, "names": [], "kinds": ["title", "answer"]})
        browsing.editor.wait_for(
            "vim.cmd.redraw() return vim.inspect_pos(..., 2, 1).extmarks[1] ~= nil", buffer
        )
        strong = """
          return vim.iter(vim.inspect_pos(..., 2, 8).extmarks):any(function(mark)
            return mark.opts.hl_group == 'PiviStrong'
          end)
        """
        assert browsing.editor.lua(strong, buffer) == words.endswith("**")
    assert browsing.editor.messages() == ""


def test_rows_for_other_plugins(browsing: Browsing) -> None:
    browsing.editor.lua("""
      _G.parts = 0
      _G.stop = require('pivi').sessions({ scope = 'all', order = 'name', on_rows = function(rows)
        _G.parts = _G.parts + #rows
      end }, function(rows, err) _G.rows, _G.err = rows, err end)
    """)
    browsing.give(row("b", 1), row("a", 2))
    browsing.give(row("b", 1, name="zz"), final=True)
    assert browsing.editor.lua("return _G.parts") == 3
    assert browsing.editor.lua("return vim.tbl_map(function(r) return r.title end, _G.rows)") == ["b", "a"]
    browsing.editor.lua("require('pivi').sessions({}, function() _G.late = true end)()")
    assert len(browsing.asked("leave")) == 1


def test_targets_are_completed_from_what_is_known(browsing: Browsing) -> None:
    complete = "return vim.fn.getcompletion('Pi view ', 'cmdline')"
    assert browsing.editor.lua(complete) in ([], {})
    cwd = browsing.editor.lua("return vim.fn.getcwd()")
    browsing.give(row("one", 1, cwd=cwd, name="My name"), row("two", 2, cwd=cwd), final=True)
    assert browsing.editor.lua(complete) == ["My name", "id-one", "id-two"]
    assert browsing.editor.lua("return vim.fn.getcompletion('Pi sessions cr', 'cmdline')") == ["created"]
    assert browsing.editor.lua("return vim.fn.getcompletion('Pi grep ++', 'cmdline')")[-1] == "++all"
