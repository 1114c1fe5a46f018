"""`:edit` in a transcript paints it anew and moves nobody."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import StartEditor
from tests.support.entries import answer, call, result, user
from tests.support.hard import Hard

pytestmark = pytest.mark.matrix

_PLACE = """
local win = ...
return vim.api.nvim_win_call(win, function()
  return { vim.fn.getline('.'), vim.fn.col('.'), vim.fn.winline(), vim.fn.getline(vim.fn.line('w0')) }
end)
"""
_OPEN = """
local found = {}
for lnum = 1, vim.fn.line('$') do
  if vim.fn.getline(lnum):find('^### bash') and vim.fn.foldclosed(lnum) == -1 then
    found[#found + 1] = vim.fn.getline(lnum)
  end
end
return found
"""


@pytest.fixture
def hard(start_nvim: StartEditor, tmp_path: Path) -> Hard:
    hard = Hard(tmp_path, start_nvim(size=(80, 30)))
    lines: list[Any] = []
    parent = None
    for number in range(1200):
        ids = [f"{kind}{number}" for kind in "uar"]
        lines += [
            user(ids[0], parent, f"prompt {number}\nand its second line"),
            answer(ids[1], ids[0], "words " * 40, call(f"c{number}", command=f"run {number}")),
            result(ids[2], ids[1], f"c{number}", "a line of output\n" * 20),
        ]
        parent = ids[2]
    hard.write(*lines)
    hard.view()
    return hard


def edit(hard: Hard) -> None:
    before = hard.nvim.text()
    hard.nvim.command("edit")
    hard.nvim.wait_for("return vim.api.nvim_buf_line_count(0) == ...", before.count("\n") + 1)
    hard.nvim.lua("vim.wait(50)")
    assert hard.nvim.text() == before
    assert hard.nvim.messages() == ""


@pytest.mark.parametrize("number", [3, 600, 1198])
def test_cursor_view_and_folds_stay(hard: Hard, number: int) -> None:
    nvim = hard.nvim
    nvim.lua("vim.fn.search(...)", f"### bash run {number}$")
    nvim.command("normal! zo")
    nvim.lua("vim.fn.search(..., 'b')", f"^prompt {number}$")
    nvim.command("normal! jzz4l")
    first = nvim.lua("return vim.fn.win_getid()")
    nvim.command("split")
    nvim.lua("vim.fn.search(..., 'bw')", "^prompt 700$")
    nvim.command("normal! zt")
    windows = [first, nvim.lua("return vim.fn.win_getid()")]
    before = [nvim.lua(_PLACE, window) for window in windows]
    assert before[0][:2] == ["and its second line", 5]
    edit(hard)
    assert [nvim.lua(_PLACE, window) for window in windows] == before
    nvim.command("wincmd w")
    assert nvim.lua(_OPEN) == [f"### bash run {number}"]


def test_a_reader_at_the_end_is_at_the_end_again(hard: Hard) -> None:
    hard.nvim.command("normal! G")
    edit(hard)
    assert hard.nvim.lua("return vim.fn.line('.') == vim.fn.line('$')")


def test_a_reader_of_a_session_that_comes_back_shorter_stays_too(hard: Hard) -> None:
    nvim = hard.nvim
    rows = nvim.lua("return vim.api.nvim_buf_line_count(0)")
    nvim.command("call search('^prompt 100$', 'w')")
    nvim.command("normal! zt")
    lines = hard.path.read_bytes().splitlines(keepends=True)
    hard.path.write_bytes(b"".join(lines[: len(lines) // 2]))
    nvim.command("edit")
    nvim.wait_for(
        """
        return vim.fn.line('$') < ... and not vim.b.pivi.reading and vim.fn.getline('.') == 'prompt 100'
        """,
        rows,
    )
    assert nvim.lua("return vim.fn.winline()") == 1
    assert nvim.messages() == ""
