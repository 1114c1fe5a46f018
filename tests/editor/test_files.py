"""`:Pi files` on a stored session, with the host."""

from __future__ import annotations

import pytest

from tests.conftest import StartEditor
from tests.support.model import Model
from tests.support.pi import Pi
from tests.support.story import tell

pytestmark = pytest.mark.matrix


def test_the_quickfix_list_holds_what_was_read_and_changed(
    start_nvim: StartEditor, pi: Pi, model: Model
) -> None:
    path = tell(pi, model)
    editor = start_nvim(size=(80, 40))
    editor.command(f"Pi resume {path}")
    editor.wait_event("PiviPainted")
    editor.command("Pi files")
    editor.wait_for("return #vim.fn.getqflist() > 0")
    items = editor.lua("""
      return vim.tbl_map(function(item)
        return {vim.fn.fnamemodify(vim.fn.bufname(item.bufnr), ':t'), item.lnum, item.text}
      end, vim.fn.getqflist())
    """)
    assert items == [["thermo.py", 3, "read, edited"], ["README.md", 1, "read"]]
    assert editor.lua("return vim.bo.buftype") == "quickfix"
    editor.lua("vim.cmd('cclose') vim.cmd('Pi files') vim.cmd('split')")
    editor.wait_for("return vim.fn.getqflist({winid = 0}).winid > 0")
    assert editor.lua("return vim.bo.buftype") != "quickfix", "the reader has gone elsewhere"
    assert "Files of Rounding below zero" in editor.lua("return vim.fn.getqflist({title = 1}).title")
