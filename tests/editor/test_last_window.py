"""Where a list, its preview or a place that was found has the last window, or one that Neovim made for it."""

from __future__ import annotations

import pytest

from tests.conftest import StartEditor
from tests.editor.test_browser_live import _SHOWN, _WINDOWS, stored
from tests.support.editor import Editor
from tests.support.pi import Pi

__all__ = ["stored"]
pytestmark = [pytest.mark.matrix, pytest.mark.usefixtures("stored")]

_FLOAT = """
  local config = { relative = 'editor', row = 0, col = 60, width = 10, height = 1 }
  vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), false, config)
"""
_FIXED = "return #require('pivi.window').fixed()"


def keys(editor: Editor, text: str) -> None:
    editor.nvim.input(text)
    editor.lua("vim.wait(200)")


def seen(editor: Editor) -> str:
    """What the windows show, and that nothing went wrong."""
    assert editor.messages() == ""
    return str(editor.lua(_WINDOWS))


def test_the_list_is_closed_and_its_preview_alone_is_left(start_nvim: StartEditor, pi: Pi) -> None:
    editor = start_nvim(size=(200, 40))
    for how in ("<C-w>c", ":hide<CR>", "<C-w>l<C-w>o", "<C-w>l:bwipe pivi-sessions://<CR>"):
        editor.command("Pi sessions")
        editor.wait_for(_SHOWN, 2)
        assert editor.lua(_FIXED) == 2
        keys(editor, how)
        assert (editor.lua(_FIXED), seen(editor)) == (1, " |")


def test_q_where_only_something_floats_beside_the_list(start_nvim: StartEditor, pi: Pi) -> None:
    editor = start_nvim(size=(100, 30))
    editor.command("enew | vertical Pi sessions")
    editor.wait_for(_SHOWN, 2)
    keys(editor, "<C-w>o")
    editor.lua(_FLOAT)
    keys(editor, "q")
    assert (editor.lua(_FIXED), editor.lua("return vim.bo.filetype"), editor.messages()) == (1, "", "")


def test_a_hit_in_a_session_that_is_shown_already(start_nvim: StartEditor, pi: Pi) -> None:
    editor = start_nvim(size=(100, 30))
    editor.command("Pi view b2")
    editor.wait_event("PiviBackfilled")
    editor.command("Pi grep said")
    editor.wait_for("return #vim.fn.getqflist() == 2 and vim.bo.buftype == 'quickfix'")
    line = "return vim.api.nvim_get_current_line()"
    for how, own, said in (
        ("gg<CR>", "b2", "You said: paint the door"),
        (":cnext<CR>", "a1", "You said: mend the fence"),
        (":cprev<CR>", "b2", "You said: paint the door"),
        (":tabnew<CR>:cfirst<CR>", "b2", "You said: paint the door"),
    ):
        editor.nvim.input(how)
        editor.wait_for(f"{line} == ...", said)
        shown = f"local shown = (function() {_WINDOWS} end)() return shown:find(..., 1, true) and shown"
        windows = editor.wait_for(shown, own)
        assert f"{own} qf |" in windows or windows.endswith(f"{own} |")
        assert "rror" not in editor.messages()
    assert editor.lua("return vim.fn.bufwinid('pivi-hit://')") == -1


@pytest.mark.parametrize("how", ["float", "two"])
def test_no_window_is_left_on_a_hit(how: str, start_nvim: StartEditor, pi: Pi) -> None:
    editor = start_nvim(size=(100, 30))
    editor.command("Pi grep said")
    editor.wait_for("return #vim.fn.getqflist() == 2 and vim.bo.buftype == 'quickfix'")
    editor.command("wincmd p")
    if how == "float":
        editor.lua(_FLOAT.replace("false, config", "true, config").replace("false, true", "true, false"))
        keys(editor, ":cfirst<CR>")
    else:
        keys(editor, ":vsplit<CR>:cfirst | wincmd w | cfirst<CR>")
    for command, said in (("cnext", "You said: mend the fence"), ("cprev", "You said: paint the door")):
        keys(editor, f":{command}<CR>")
        editor.wait_for("return vim.api.nvim_get_current_line() == ...", said)
    hits = "return vim.tbl_filter(function(b) return b.name:find('^pivi.hit') end, vim.fn.getbufinfo())"
    assert [buffer["windows"] for buffer in editor.lua(hits)] == [[], []]
    assert "rror" not in editor.messages()


def test_hits_in_a_location_list(start_nvim: StartEditor, pi: Pi) -> None:
    editor = start_nvim(size=(100, 30))
    editor.command("Pi grep said")
    editor.wait_for("return #vim.fn.getqflist() == 2 and vim.bo.buftype == 'quickfix'")
    listed = editor.lines()
    editor.command("wincmd p | call setloclist(0, [], ' ', getqflist({'all': 1})) | lopen")
    assert editor.lines() == listed and editor.messages() == ""
    keys(editor, "2G<CR>")
    editor.wait_for("return vim.api.nvim_get_current_line() == 'You said: mend the fence'")


def test_found_in_the_command_line_window(start_nvim: StartEditor, pi: Pi) -> None:
    editor = start_nvim(size=(100, 30))
    editor.nvim.input(":Pi grep said<CR>q:")
    editor.wait_for("return #vim.fn.getqflist() == 2")
    keys(editor, ":q<CR>")
    assert seen(editor) == " qf |"


def test_the_log_from_the_command_line_window(start_nvim: StartEditor, pi: Pi) -> None:
    editor = start_nvim(size=(100, 30))
    for _ in range(2):
        keys(editor, "q:")
        editor.command("Pi log")
        keys(editor, ":q<CR>")
        assert (editor.lua("return vim.fn.bufname()"), editor.messages().strip()) == ("pivi-log://", "")


def test_signs_of_the_reader_are_kept(start_nvim: StartEditor, pi: Pi) -> None:
    editor = start_nvim("--cmd", "set fillchars=eob:\\,,fold:-")
    editor.command("Pi view b2")
    editor.wait_event("PiviBackfilled")
    assert editor.messages() == ""
    assert editor.lua("return vim.wo.fillchars") == "eob:,,fold:-,fold: "
