"""The session browser while a session of its list is open in this Neovim, with a real Pi."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from pivi.sessions.paths import bucket_name
from tests.conftest import StartEditor
from tests.support.editor import Editor
from tests.support.home import PiHome
from tests.support.pi import Pi
from tests.support.stores import header, lines, session_info, talk

pytestmark = pytest.mark.matrix

_SHOWN = """
  local b = require('pivi.browser').of(0)
  return b and not (b.look or b.search or b.due or b.painting) and vim.tbl_count(b.rows) == ...
"""
_WINDOWS = """
  local found = {}
  for _, tab in ipairs(vim.api.nvim_list_tabpages()) do
    for _, win in ipairs(vim.api.nvim_tabpage_list_wins(tab)) do
      local buf = vim.api.nvim_win_get_buf(win)
      found[#found + 1] = vim.b[buf].pivi and vim.b[buf].pivi.session_id or vim.bo[buf].filetype
    end
    found[#found + 1] = '|'
  end
  return table.concat(found, ' ')
"""
_SELECT = """
  for lnum, item in ipairs(require('pivi.browser').of(0).list.items) do
    if item.row.path == ... then vim.api.nvim_win_set_cursor(0, { lnum, 0 }) end
  end
"""
_LIVE = "local c = require('pivi.conversations').all()[1]"
_HERE = "return vim.bo.filetype == 'pivi' and vim.b.pivi and vim.b.pivi.session_id == ..."


@pytest.fixture
def stored(pi_home: PiHome) -> dict[str, Path]:
    """Two sessions of the project, by their ids, the last the newest."""
    project = str(pi_home.project)
    folder = pi_home.sessions_dir / bucket_name(project)
    folder.mkdir(parents=True)
    made: dict[str, Path] = {}
    for own, text in {"a1": "mend the fence", "b2": "paint the door"}.items():
        path = made[own] = folder / f"2026-01-02T03-04-05-000Z_{own}.jsonl"
        path.write_bytes(lines([header(own, project), *talk(text, f"You said: {text}")]))
        at = 1_767_323_045 + len(made)
        os.utime(path, (at, at))
    return made


@pytest.fixture
def live(start_nvim: StartEditor, pi: Pi, stored: dict[str, Path]) -> Editor:
    """`a1` runs in the first window, alone in its tab page; nothing else is open."""
    # So wide that no message waits for Enter, and no preview.
    return resumed(start_nvim(size=(110, 24)))


def resumed(editor: Editor) -> Editor:
    editor.command("Pi resume a1")
    editor.wait_for("return vim.b.pivi and vim.b.pivi.phase == 'idle' and not vim.b.pivi.reading")
    return editor


def browse(editor: Editor, how: str = "") -> Editor:
    """The list beside what is open, the cursor on the live session; its Pi can't be seen by the cursor."""
    editor.command(f"{how} Pi sessions name")
    editor.wait_for(_SHOWN, 2)
    editor.nvim.input("gg")
    editor.wait_for("return vim.api.nvim_get_current_line():find('● .*mend the fence') ~= nil")
    return editor


@pytest.mark.parametrize(
    ("how", "after"), [("vertical", "a1 pivi-sessions |"), ("tab", "a1 | pivi-sessions |")]
)
def test_enter_goes_to_the_window_where_it_is_open(how: str, after: str, live: Editor) -> None:
    buf, win = live.lua("return { vim.api.nvim_get_current_buf(), vim.api.nvim_get_current_win() }")
    browse(live, how)
    assert sorted(live.lua(_WINDOWS).split()) == sorted(after.split())
    live.nvim.input("<CR>")
    live.wait_for(_HERE, "a1")
    assert live.lua("return { vim.api.nvim_get_current_buf(), vim.api.nvim_get_current_win() }") == [buf, win]
    assert sorted(live.lua(_WINDOWS).split()) == sorted(after.split())
    assert live.lua("return vim.b.pivi.phase") == "idle"
    assert live.messages() == ""


@pytest.mark.parametrize(
    ("key", "layout", "tabs"),
    [
        ("<C-s>", "col", 1),
        ("<C-w><CR>", "col", 1),
        ("<C-v>", "row", 1),
        ("<C-t>", "leaf", 2),
        ("<CR>", "leaf", 1),
    ],
)
@pytest.mark.parametrize("session", ["a1", "b2"])
def test_splits_and_tabs_of_an_open_and_of_a_closed_session(
    session: str, key: str, layout: str, tabs: int, live: Editor
) -> None:
    browse(live)
    live.nvim.input(("j" if session == "b2" else "") + key)
    live.wait_for(_HERE, session)
    assert live.lua("return vim.fn.winlayout()[1]") == layout
    assert live.lua("return #vim.api.nvim_list_tabpages()") == tabs
    assert live.lua(
        "return #vim.tbl_filter(function(b) return b.variables.pivi end, vim.fn.getbufinfo())"
    ) == (1 if session == "a1" else 2)
    live.wait_for("return vim.b.pivi.phase == 'idle'")
    assert live.messages() == ""


def test_a_rename_goes_through_the_running_pi_and_the_row_shows_it(
    live: Editor, stored: dict[str, Path]
) -> None:
    browse(live)
    before = stored["a1"].read_bytes()
    live.lua("vim.ui.input = function(opts, done) _G.default = opts.default done('The fence') end")
    live.nvim.input("r")
    live.wait_for("return vim.fn.getline('.'):find('●◆.*The fence') ~= nil")
    live.wait_for(f"{_LIVE} return vim.b[c.buf].pivi.session_name == 'The fence'")
    added = stored["a1"].read_bytes().removeprefix(before).splitlines()
    assert [json.loads(line)["type"] for line in added] == ["session_info"]
    assert json.loads(added[0])["name"] == "The fence"
    assert live.messages() == ""


def test_the_trash_refuses_it_in_one_sentence(live: Editor, stored: dict[str, Path]) -> None:
    browse(live)
    live.lua("vim.fn.confirm = function(question) _G.question = question return 1 end")
    live.nvim.input("d")
    live.wait_for("return vim.fn.execute('messages'):find('close it first', 1, true)")
    assert live.messages() == "close it first (:bdelete), it is open here: mend the fence"
    assert live.lua("return _G.question") is None and stored["a1"].exists()
    assert live.lua("return vim.api.nvim_get_current_line()").startswith("●")


def test_fork_and_view_are_about_the_rows_file(live: Editor, stored: dict[str, Path]) -> None:
    before = {own: path.read_bytes() for own, path in stored.items()}
    browse(live)
    live.nvim.input("f")
    live.wait_for("return vim.bo.filetype == 'pivi' and vim.b.pivi and vim.b.pivi.phase == 'idle'")
    file = Path(live.lua("return vim.b.pivi.session_file"))
    assert file not in stored.values()
    assert json.loads(file.read_text().splitlines()[0])["parentSession"] == str(stored["a1"])
    assert "You said: mend the fence" in live.text()
    # What is open is shown as it is, and goes on; what is not is read without a Pi.
    for session, phase in (("a1", "idle"), ("b2", "view")):
        live.command("Pi sessions name")
        live.wait_for(_SHOWN, 3)
        live.lua(_SELECT, str(stored[session]))
        live.nvim.input("v")
        live.wait_for(_HERE, session)
        live.wait_for("return vim.b.pivi.phase == ...", phase)
    assert {own: path.read_bytes() for own, path in stored.items()} == before


def test_yank_export_and_gx_are_about_the_rows_file(live: Editor, stored: dict[str, Path]) -> None:
    target = live.home.project / "out.md"
    before = stored["a1"].read_bytes()
    live.lua("vim.ui.open = function(path) _G.opened = path end")
    live.lua("local to = ... vim.ui.input = function(_, done) done(to) end", str(target))
    browse(live)
    for key, text in (("yi", "a1"), ("yp", str(stored["a1"]))):
        live.nvim.input(key)
        live.wait_for("return vim.fn.getreg('\"') == ...", text)
    live.nvim.input("yc")
    live.wait_for("return vim.fn.getreg('\"'):find('pi --session', 1, true)")
    assert str(stored["a1"]) in live.lua("return vim.fn.getreg('\"')")
    live.nvim.input("gx")
    assert live.wait_for("return _G.opened") == str(stored["a1"].parent)
    live.nvim.input("x")
    live.wait_for("return vim.fn.execute('messages'):find('written: ', 1, true)")
    assert "You said: mend the fence" in target.read_text()
    assert "paint" not in target.read_text() and stored["a1"].read_bytes() == before
    assert live.lua(f"{_LIVE} return vim.b[c.buf].pivi.phase") == "idle"


def test_a_long_prompt_and_a_name_of_many_lines_are_one_tidy_line_of_a_running_session(
    start_nvim: StartEditor, pi: Pi, stored: dict[str, Path]
) -> None:
    project, folder = str(pi.home.project), stored["a1"].parent
    long = "first line\n\tsecond " + "word " * 2000
    more = {
        "p3": [header("p3", project), *talk(long)],
        "n4": [header("n4", project), *talk(), session_info("two\nlines\x1b[31m " + "and more " * 1200)],
    }
    for own, records in more.items():
        (folder / f"2026-01-02T03-04-05-000Z_{own}.jsonl").write_bytes(lines(records))
    editor = start_nvim(size=(110, 24))
    for own in more:
        editor.command(f"Pi resume {own}")
        editor.wait_for(f"{_HERE} and vim.b.pivi.phase == 'idle' and not vim.b.pivi.reading", own)
    editor.command("Pi sessions name")
    editor.wait_for(_SHOWN, 4)
    rows = [line for line in editor.lines() if line.startswith("●")]
    assert len(editor.lines()) == 4 and len(rows) == 2
    assert "two lines and more and more" in rows[0] and "first line second word word" in rows[1]
    # Its own Pi takes a name of any length.
    editor.lua("vim.ui.input = function(_, done) done('x' .. ('y z '):rep(2500)) end")
    editor.command("2")
    editor.nvim.input("r")
    editor.wait_for("return vim.fn.getline('.'):find('^●◆.*xy z y z .*… ') ~= nil")
    assert all(
        width <= 110
        for width in editor.lua("return vim.tbl_map(vim.fn.strdisplaywidth, ...)", editor.lines())
    )
    assert editor.messages() == ""


def test_the_preview_is_of_its_row_whatever_runs(
    start_nvim: StartEditor, pi: Pi, stored: dict[str, Path]
) -> None:
    editor = resumed(start_nvim(size=(160, 24)))
    before = {own: path.read_bytes() for own, path in stored.items()}
    browse(editor)
    previewed = """
      local lines = vim.api.nvim_buf_get_lines(vim.fn.bufnr('pivi-preview://'), 0, -1, true)
      return table.concat(lines, ' '):find(..., 1, true)
    """
    for key, text in (("j", "You said: paint the door"), ("k", "You said: mend the fence")):
        editor.nvim.input(key)
        editor.wait_for(previewed, text)
    assert editor.lua(f"{_LIVE} return #vim.fn.win_findbuf(c.buf)") == 0
    assert {own: path.read_bytes() for own, path in stored.items()} == before


def test_a_new_session_has_no_id_of_a_stored_one(
    start_nvim: StartEditor, pi: Pi, stored: dict[str, Path]
) -> None:
    editor = start_nvim(size=(110, 24))
    before = stored["a1"].read_bytes()
    editor.command("Pi new ++id=a1")
    said = "There is such a session already; :Pi resume a1 takes it up."
    editor.wait_for("return vim.fn.execute('messages'):find(..., 1, true)", said)
    editor.command("Pi new ++id=a")
    editor.wait_for("return vim.b.pivi and vim.b.pivi.phase == 'idle'")
    assert editor.lua("return vim.b.pivi.session_id") == "a" and stored["a1"].read_bytes() == before


def test_an_autocommand_that_raises_leaves_the_list_whole(
    start_nvim: StartEditor, pi: Pi, stored: dict[str, Path]
) -> None:
    editor = start_nvim(size=(200, 40))
    editor.command("autocmd BufEnter * throw 'mine'")
    editor.command("silent! Pi sessions name")
    editor.wait_for(_SHOWN, 2)
    assert "mend the fence" in editor.text()


@pytest.mark.parametrize(
    ("setting", "footed"),
    [("laststatus=2", True), ("laststatus=3", False), ("laststatus=0", False), ("statusline=%f", False)],
)
def test_how_many_sessions_match_is_in_the_footer_or_where_there_is_none_in_the_bar(
    setting: str, footed: bool, start_nvim: StartEditor, pi: Pi, stored: dict[str, Path]
) -> None:
    editor = start_nvim("--cmd", f"set {setting}", size=(100, 24))
    editor.command("Pi sessions")
    editor.wait_for(_SHOWN, 2)
    editor.nvim.input('/"fence')
    screen = """
      local found = {}
      vim.cmd.redraw()
      for row = 1, vim.o.lines do
        local line = ''
        for col = 1, vim.o.columns do line = line .. vim.fn.screenstring(row, col) end
        found[row] = line
      end
      return found
    """
    editor.wait_for(f"return table.concat((function() {screen} end)()):find('1 of 2', 1, true)")
    rows = [row for row, line in enumerate(editor.lua(screen)) if "1 of 2" in line]
    assert rows == [22 if footed else 0]
