"""Fronts of `:Pi sessions` other than the browser: what we give to a picker, by a stand-in that keeps it.

The plugins can't be had from a package registry; the stand-ins have what was seen of each one when it was
tried by hand, as `tests/pickers.md` says.
"""

from __future__ import annotations

import msgspec
import pytest

from tests.conftest import StartEditor
from tests.editor.browsing import Browsing, row

SNACKS = """
package.loaded['snacks.picker'] = { pick = function(opts)
  _G.given, _G.items = opts, {}
  local thread
  local async = { on = function() end, suspend = coroutine.yield }
  function async.resume() coroutine.resume(thread) end
  -- As snacks has it: the function that is returned runs where no Vimscript function may be called.
  local find = opts.finder({}, { async = async })
  thread = coroutine.create(function()
    find(function(item) table.insert(_G.items, item) end)
    _G.complete = true
  end)
  coroutine.resume(thread)
end }
_G.lines = function() return vim.tbl_map(function(item) return item.text end, _G.items) end
_G.picker = { close = function() end, selected = function() return {} end }
_G.act = function(name) _G.given.actions[name](_G.picker, _G.items[2]) end
"""
TELESCOPE = """
local maps = {}
local function select(name)
  return { replace = function(_, run) maps[name] = run end }
end
package.loaded['telescope'] = {}
package.loaded['plenary.async'] = { util = { scheduler = function() end } }
package.loaded['telescope.actions.state'] = {
  get_selected_entry = function() return _G.items[2] end,
  get_current_picker = function() return { get_multi_selection = function() return {} end } end,
}
package.loaded['telescope.actions'] = {
  close = function() _G.given.finder.close() end,
  select_default = select('default'), select_horizontal = select('horizontal'),
  select_vertical = select('vertical'), select_tab = select('tab'),
}
package.loaded['telescope.config'] = { values = { generic_sorter = function() return {} end } }
package.loaded['telescope.previewers'] = { new_buffer_previewer = function(opts) return opts end }
package.loaded['telescope.pickers'] = { new = function(_, opts)
  _G.given, _G.items = opts, {}
  return { find = function()
    opts.attach_mappings(1, function(_, key, run) maps[key] = run end)
    -- A prompt that is typed anew: only the last one may be told of entries.
    opts.finder('old', function() _G.stale = true end, function() end)
    opts.finder('new', function(entry) table.insert(_G.items, entry) end, function() _G.complete = true end)
    _G.stale = nil
  end }
end }
_G.lines = function() return vim.tbl_map(function(item) return item.display end, _G.items) end
_G.act = function(name)
  local selects = { confirm = 'default', pivi_split = 'horizontal' }
  selects.pivi_vsplit, selects.pivi_tab = 'vertical', 'tab'
  maps[selects[name] or _G.keys[name]]()
end
"""
FZF = """
local base = {}
function base:extend() return { super = { new = function() end } } end
package.loaded['fzf-lua.previewer.builtin'] = { base = base }
package.loaded['fzf-lua'] = { fzf_exec = function(contents, opts)
  _G.given, _G.items = opts, {}
  contents(function(text)
    if not text then _G.complete = true else vim.list_extend(_G.items, vim.split(text, '\\n')) end
  end)
end }
_G.lines = function() return vim.tbl_map(function(line) return (line:gsub('^%d+\\t', '')) end, _G.items) end
_G.act = function(name)
  local key = (_G.keys[name] or 'default'):gsub('<C%-(.)>', 'ctrl-%1'):gsub('<M%-(.)>', 'alt-%1')
  _G.given.winopts.on_close()
  _G.given.actions[key]({ _G.items[2] })
end
"""
MINI = """
_G.items = {}
package.loaded['mini.pick'] = {
  start = function(opts)
    _G.given = opts
    vim.wait(10000, function() return _G.stopped end, 5)
  end,
  set_picker_items = function(items) _G.items, _G.complete = items, true end,
  get_picker_matches = function() return { current = _G.items[2], marked = {} } end,
}
_G.lines = function() return vim.tbl_map(function(item) return item.text end, _G.items) end
_G.act = function(name)
  if name == 'confirm' then _G.given.source.choose(_G.items[2]) else _G.given.mappings[name].func() end
  _G.stopped = true
end
"""


@pytest.fixture
def browsing(start_nvim: StartEditor) -> Browsing:
    return Browsing(start_nvim(size=(80, 24)))


PLUGINS = {"snacks": SNACKS, "telescope": TELESCOPE, "fzf-lua": FZF, "mini.pick": MINI}


# Later: a picker that is opened by it may wait for keys.
_ANSWER = """
local method, value = ...
for i, request in ipairs(_G.asked) do
  if request.method == method then
    vim.schedule(function() _G.answers[i](value) end)
  end
end
"""


_KEYS = {
    "split": "<C-s>",
    "vsplit": "<C-v>",
    "tab": "<C-t>",
    "view": "<C-r>",
    "fork": "<C-f>",
    "rename": "<M-r>",
    "trash": "<M-d>",
    "yank": "<M-y>",
    "export": "<M-x>",
}


def picking(browsing: Browsing, front: str) -> None:
    """`:Pi sessions` in the picker; two sessions have come, and more may."""
    browsing.editor.lua("_G.keys = ...", {f"pivi_{name}": key for name, key in _KEYS.items()})
    browsing.editor.lua(PLUGINS[front])
    browsing.editor.lua("require('pivi').setup({ sessions = { front = ... } })", front)
    browsing.editor.lua("vim.schedule(function() vim.cmd('Pi sessions') end)")
    browsing.editor.wait_for("return #_G.asked > 0 and _G.given ~= nil")
    # By its header alone a session has no title yet; what has changed is read after what is known.
    parts = [[row("", 1, path="/sessions/late", messages=None), row("older", 9)], [row("newer", 2)]]
    browsing.editor.lua(
        """
        local look, parts = ...
        for _, part in ipairs(parts) do
          require('pivi.inbox')('rows', look, part, { done = 0, total = 3, skipped = 0, final = false })
        end
        """,
        browsing.asked("catalog")[-1]["look"],
        [msgspec.msgpack.encode(part) for part in parts],
    )
    browsing.editor.wait_for("return #_G.lines() == 2")


@pytest.mark.parametrize("front", PLUGINS)
def test_a_picker_gets_the_sessions_as_they_come(browsing: Browsing, front: str) -> None:
    picking(browsing, front)
    shown = "return vim.tbl_map(function(line) return line:match('%S+  (%S+)') end, _G.lines())"
    assert browsing.editor.lua(shown) == ["newer", "older"]
    browsing.give(row("late", 1, path="/sessions/late"), row("newer", 2), final=True)
    assert browsing.editor.lua(shown) == ["newer", "older", "late"]
    assert browsing.editor.lua("return _G.complete") and not browsing.editor.lua("return _G.stale")
    browsing.editor.lua("_G.act('confirm')")
    browsing.settle()
    assert browsing.asked("resume")[-1]["target"] == row("older")["path"]
    assert browsing.editor.messages() == ""


@pytest.mark.parametrize("front", PLUGINS)
def test_a_picker_has_every_action_on_the_row_that_is_selected(browsing: Browsing, front: str) -> None:
    browsing.editor.lua("""
      vim.fn.confirm = function() return 1 end
      vim.ui.input = function(opts, done) done(opts.prompt:find('Name') and 'a name' or '/out/x.md') end
      _G.shown = {}
      require('pivi.open').resume = function(opts)
        local mods = opts.mods or {}
        local where = mods.tab and 'tab' or mods.vertical and 'vsplit'
          or mods.horizontal and 'split' or 'here'
        table.insert(_G.shown, where .. ' ' .. opts.target)
      end
    """)
    path = row("older")["path"]
    done = {}
    for action in ["confirm", *(f"pivi_{name}" for name in _KEYS)]:
        browsing.editor.lua("_G.stopped, _G.given, _G.asked, _G.answers = false, nil, {}, {}")
        picking(browsing, front)
        browsing.editor.lua("_G.act(...)", action)
        browsing.settle()
        browsing.editor.lua("_G.stopped = true")
        if action in ("pivi_rename", "pivi_trash"):
            # The picker shows what is so now.
            browsing.editor.lua("_G.stopped, _G.given = false, nil")
            browsing.editor.lua(_ANSWER, action.removeprefix("pivi_"), {"moved": []})
            browsing.editor.wait_for("return _G.given ~= nil")
            assert len(browsing.asked("catalog")) == 2
            browsing.editor.lua("_G.stopped = true")
        done[action] = browsing.asked(
            {"pivi_export": "export_closed"}.get(action, action.removeprefix("pivi_"))
        )
    assert browsing.editor.lua("return _G.shown") == [
        f"{where} {path}" for where in ("here", "split", "vsplit", "tab")
    ]
    assert done["pivi_view"][0]["target"] == done["pivi_fork"][0]["target"] == path
    assert (done["pivi_rename"][0]["path"], done["pivi_rename"][0]["name"]) == (path, "a name")
    assert done["pivi_trash"][0]["paths"] == [path]
    assert (done["pivi_export"][0]["path"], done["pivi_export"][0]["to"]) == (path, "/out/x.md")
    assert browsing.editor.lua("return vim.fn.getreg('\"')") == path
    said = browsing.editor.messages().splitlines()
    assert [line for line in said if not line.startswith("yanked the path")] == []


@pytest.mark.parametrize("front", ["telescope", "fzf-lua", "mini.pick"])
def test_a_picker_that_is_closed_reads_no_further(browsing: Browsing, front: str) -> None:
    picking(browsing, front)
    browsing.editor.lua("_G.act('confirm')")
    browsing.settle()
    assert browsing.asked("leave") == [{"look": 1}]


def test_in_another_order_all_come_at_once(browsing: Browsing) -> None:
    browsing.editor.lua(MINI)
    browsing.editor.lua(
        "vim.schedule(function() require('pivi').sessions({ order = 'name', front = 'mini.pick' }) end)"
    )
    browsing.editor.wait_for("return #_G.asked > 0 and _G.given ~= nil")
    browsing.give(row("b", 1))
    assert browsing.editor.lua("return #_G.items") == 0
    browsing.give(row("a", 9), final=True)
    assert browsing.editor.lua("return vim.tbl_map(function(i) return i.title end, _G.items)") == ["a", "b"]
    browsing.editor.lua("_G.stopped = true")


def test_select_is_given_all_and_resumes(browsing: Browsing) -> None:
    browsing.editor.lua(
        "vim.ui.select = function(items, opts, done) _G.items = items done(items[2]) done(items[1]) end"
    )
    browsing.editor.lua("require('pivi').setup({ sessions = { front = 'select' } })")
    browsing.open().give(row("older", 9))
    assert browsing.editor.lua("return _G.items") is None
    browsing.give(row("newer", 2), final=True)
    assert [one["target"] for one in browsing.asked("resume")] == [row("older")["path"]]


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
        browsing.answer(
            "preview", {**value, "names": {"groups": [], "kinds": ["title", "answer"], "tools": {}}}
        )
        browsing.editor.wait_for(
            "vim.cmd.redraw() return vim.inspect_pos(..., 2, 1).extmarks[1] ~= nil", buffer
        )
        strong = """
          return vim.iter(vim.inspect_pos(..., 2, 8).extmarks):any(function(mark)
            return mark.opts.hl_group == 'PiviStrong'
          end)
        """
        assert browsing.editor.lua(strong, buffer) == words.endswith("**")
        assert browsing.editor.lua("return {vim.wo.winbar, vim.wo.foldmethod}") == ["", "manual"]
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


def test_a_scope_or_an_order_that_there_is_not_raises_an_error(browsing: Browsing) -> None:
    code = "return { pcall(require('pivi').sessions, ...) }"
    found = browsing.editor.lua(code, {"scope": "here"})
    assert found == [False, 'scope: directory, repository, all, got "here"']
    assert browsing.editor.lua(code, {"order": "size", "scope": 3})[0] is False
    assert browsing.asked("catalog") == []


def test_targets_are_completed_from_what_is_known(browsing: Browsing) -> None:
    complete = "return vim.fn.getcompletion('Pi view ', 'cmdline')"
    assert browsing.editor.lua(complete) in ([], {})
    cwd = browsing.editor.lua("return vim.fn.getcwd()")
    browsing.give(row("one", 1, cwd=cwd, name="My name"), row("two", 2, cwd=cwd), final=True)
    assert browsing.editor.lua(complete) == ["My name", "id-two"]
    assert browsing.editor.lua(complete.replace("view ", "view i")) == ["id-one", "id-two"]
    more = [row(f"n{i}", 10 - i, cwd=cwd) for i in range(8)]
    browsing.give(*more, row("same", 20, cwd=cwd, name="My name"), final=True)
    browsing.editor.lua(complete)
    assert browsing.editor.lua(complete) == ["My name", *(f"id-n{i}" for i in (7, 6, 5, 4, 3))]
    assert browsing.editor.lua("return vim.fn.getcompletion('Pi sessions cr', 'cmdline')") == ["created"]
    assert browsing.editor.lua("return vim.fn.getcompletion('Pi grep ++', 'cmdline')")[-1] == "++session="
