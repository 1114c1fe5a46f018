"""Settings, autocommands and habits of the user meet a transcript, a draft and the browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import StartEditor
from tests.editor.test_turns import busy, is_as_resumed, resume, stored
from tests.support.editor import Editor
from tests.support.model import Model
from tests.support.pi import Pi


def open_all(nvim: Editor) -> None:
    """A transcript with a turn, the browser, and a draft, in which the cursor is."""
    resume(nvim)
    nvim.command("Pi send once more")
    nvim.wait_event("PiviSettled")
    nvim.command("Pi sessions")
    nvim.wait_for("return vim.bo.filetype == 'pivi-sessions' and vim.fn.search('first', 'nw') > 0")
    nvim.command("split pivi-prompt://aaaa-1111")
    nvim.nvim.input("ia draft<Esc>")
    nvim.wait_for("return vim.fn.getline(1) == 'a draft' and vim.fn.mode() == 'n'")


@pytest.mark.parametrize("command", ["wqa", "xa", "silent wa | qa", "confirm qa", "qa", "wqa!"])
def test_nothing_asks_at_the_end_and_nothing_is_lost(
    pi: Pi, start_nvim: StartEditor, tmp_path: Path, command: str
) -> None:
    file = stored(pi)
    shada = str(tmp_path / "shada")
    nvim = start_nvim("-i", shada, size=(80, 24))
    nvim.command("set undofile swapfile")
    open_all(nvim)
    nvim.command("wincmd b | normal! mAgg")
    nvim.command("buffer pivi://aaaa-1111 | normal! Gk$mBgg")
    marked = nvim.lua("return vim.fn.getline(vim.fn.line('$') - 1)")
    assert nvim.messages() == ""
    before = file.read_bytes()
    nvim.close(command)
    assert file.read_bytes() == before
    again = start_nvim("-i", shada, size=(80, 24))
    resume(again)
    again.wait_for("return vim.fn.bufnr('pivi-prompt://') > 0")
    assert again.lua("return vim.fn.getbufline(vim.fn.bufnr('pivi-prompt://'), 1, '$')") == ["a draft"]
    again.command("normal! `B")
    assert again.lua("return {vim.fn.bufname(), vim.fn.getline('.')}") == ["pivi://aaaa-1111", marked]


SET = """
autocmd FileType pivi,pivi-sessions,markdown,pivi-log setlocal modifiable noreadonly
  \\ foldmethod=expr foldexpr=1 nowrap number conceallevel=0 undolevels=50 textwidth=20 formatoptions+=a
  \\ autoindent expandtab list spell bufhidden=wipe buflisted swapfile
""".replace("\n  \\", "").strip()


def test_an_autocommand_that_changes_options(pi: Pi, model: Model, start_nvim: StartEditor) -> None:
    stored(pi)
    nvim = start_nvim("--cmd", SET, size=(80, 24))
    nvim.command("set undolevels=77")
    options = ["undolevels", "foldmethod", "wrap", "modifiable", "swapfile", "textwidth"]
    before = nvim.lua("return vim.tbl_map(function(o) return vim.go[o] end, ...)", options)
    resume(nvim)
    nvim.command("Pi send once more")
    nvim.wait_event("PiviSettled")
    assert "once more" in nvim.text() and nvim.messages() == ""
    assert nvim.lua("return {vim.wo.number, vim.wo.wrap, vim.bo.undolevels, vim.bo.modifiable}") == [
        True,
        False,
        -1,
        False,
    ]
    assert nvim.lua("return vim.wo.foldmethod") == "manual", "its folds are made by hand"
    nvim.command("silent! undo")
    is_as_resumed(nvim)
    nvim.command("Pi sessions")
    nvim.wait_for("return vim.bo.filetype == 'pivi-sessions' and vim.fn.search('first', 'nw') > 0")
    nvim.command("Pi log")
    nvim.command("enew")
    assert nvim.lua("return vim.tbl_map(function(o) return vim.go[o] end, ...)", options) == before
    assert nvim.lua("return {vim.bo.modifiable, vim.bo.undolevels ~= -1}") == [True, True]
    assert nvim.messages() == ""


def test_undo_and_repeat_leave_the_chat_alone(pi: Pi, start_nvim: StartEditor) -> None:
    stored(pi)
    nvim = start_nvim(size=(80, 24))
    nvim.command("set undofile")
    nvim.nvim.input("ichanged<Esc>")
    nvim.command("set nomodified")
    resume(nvim)
    nvim.command("Pi send once more")
    nvim.wait_event("PiviSettled")
    text = nvim.text()
    for keys in ("u", "<C-r>", ".", "dd", "ix<Esc>", "p", "J", "~", ":undo 0<CR>", ":earlier 1h<CR>", "g-"):
        nvim.nvim.input(keys)
        nvim.wait_for("return not vim.api.nvim_get_mode().blocking")
    assert nvim.text() == text and nvim.lua("return vim.fn.undotree().seq_last") == 0
    nvim.command("messages clear")
    nvim.command("Pi send and again")
    nvim.wait_event("PiviSettled")
    assert "and again" in nvim.text() and nvim.messages() == ""


def test_colours_and_size_change_while_it_streams(pi: Pi, model: Model, start_nvim: StartEditor) -> None:
    stored(pi)
    nvim = start_nvim(size=(80, 24))
    resume(nvim)
    busy(nvim, model, "tell me")
    for columns, rows in ((200, 50), (20, 6), (80, 24)):
        nvim.nvim.ui_try_resize(columns, rows)
        nvim.command("colorscheme blue | colorscheme default | set background=light | set background=dark")
        assert nvim.lua("return vim.tbl_isempty(vim.api.nvim_get_hl(0, { name = 'PiviPrompt' }))") is False
    model.release()
    nvim.wait_event("PiviSettled")
    assert nvim.messages() == ""
    is_as_resumed(nvim)
