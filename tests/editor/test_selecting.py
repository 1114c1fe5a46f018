"""A selection in Visual mode stays what it is while a transcript grows around it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import StartEditor
from tests.editor.transcript import Transcript, section
from tests.support.entries import answer, call, result, user
from tests.support.hard import Hard

pytestmark = pytest.mark.matrix

_SELECTED = """
local from, to = vim.fn.getpos('v'), vim.fn.getpos('.')
return {
  vim.fn.mode(), from[3], to[3], vim.fn.winsaveview().curswant,
  vim.fn.getline(from[2]), vim.fn.getline(to[2]), vim.fn.abs(from[2] - to[2]),
}
"""
MODES = ["v", "V", "\\<C-v>", "\\<C-v>$"]


@pytest.fixture
def page(start_nvim: StartEditor) -> Transcript:
    page = Transcript(start_nvim(size=(80, 40))).open().begin()
    page.fill(6)
    return page


def start_selection(page: Transcript, keys: str) -> list[Any]:
    """A selection of three lines of the third section, the cursor at its first or last one."""
    page.editor.command("normal! zR")
    page.editor.lua("vim.fn.search('## You s3')")
    mode, _, end = keys.partition("$")
    page.editor.command(f'exe "normal! 0ll{mode}2j{"$" if "$" in keys else "l"}{end}"')
    return selected(page)


def selected(page: Transcript) -> list[Any]:
    return list(page.editor.lua(_SELECTED))


def grow(page: Transcript) -> None:
    """Patches above and below, and one that replaces a block above."""
    page.fill(5)
    page.patch(page.total, 0, section("new", 5))
    numbers = page.patch(1, 0, section("soon other", 5), group=2)
    page.patch(1, 8, section("other and longer", 9), numbers=numbers, group=2)
    page.patch(page.total, 0, section("newest", 5))


@pytest.mark.parametrize("keys", [*MODES, "v$o", "\\<C-v>$o"])
def test_a_selection_stays_where_it_is_made(page: Transcript, keys: str) -> None:
    before = start_selection(page, keys)
    assert before[6] == 2
    top = page.editor.lua("return {vim.fn.getline('w0'), vim.fn.winline()}")
    grow(page)
    assert selected(page) == before
    assert page.editor.lua("return {vim.fn.getline('w0'), vim.fn.winline()}") == top
    assert page.errors() == ""
    page.editor.command("silent normal! y")
    assert page.editor.lua("return vim.fn.getreg('\"', 1, true)[2]").startswith("wor")


@pytest.mark.parametrize("keys", MODES)
def test_a_selection_stays_with_a_second_window_on_the_transcript(page: Transcript, keys: str) -> None:
    page.editor.command("split")
    page.editor.command("normal! gg")
    page.editor.command("wincmd w")
    before = start_selection(page, keys)
    other = page.editor.lua("return vim.fn.win_getid(1)")
    there = "return {vim.fn.getline(vim.fn.line('.', ...)), vim.api.nvim_win_get_cursor(...)}"
    place = page.editor.lua(there, other)
    grow(page)
    assert selected(page) == before
    assert page.editor.lua(there, other) == place
    assert page.errors() == ""


def test_the_mode_is_told_and_no_event_of_ours_is_seen(page: Transcript) -> None:
    page.editor.lua("""
      _G.modes = {}
      vim.api.nvim_create_autocmd('ModeChanged', { callback = function(event)
        table.insert(_G.modes, event.match)
      end })
    """)
    page.editor.nvim.input("3GVj")
    page.editor.wait_for("return vim.fn.mode() == 'V'")
    before = page.editor.lua("return _G.modes")
    grow(page)
    row = """
      vim.cmd.redraw()
      return vim.iter(vim.fn.range(1, 20)):map(function(col)
        return vim.fn.screenstring(vim.o.lines, col)
      end):join('')
    """
    assert "-- VISUAL LINE --" in page.editor.lua(row)
    assert page.editor.lua("return _G.modes") == before == ["n:V"]


def test_a_selection_in_another_buffer_stays(page: Transcript) -> None:
    shape = page.shape()
    page.editor.command("new")
    page.editor.lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, {'one', 'two', 'three', 'four'})")
    page.editor.command("normal! 2GVj")
    grow(page)
    assert selected(page)[4:] == ["two", "three", 1]
    assert page.editor.lines() == ["one", "two", "three", "four"]
    assert page.errors() == ""
    page.editor.command('exe "normal! \\<Esc>"')
    page.editor.command("wincmd w")
    assert page.shape().count("+") == shape.count("+") + 5 + 3


@pytest.mark.parametrize("keys", ["v", "V", "\\<C-v>"])
def test_a_selection_stays_while_5_mb_are_read(start_nvim: StartEditor, tmp_path: Path, keys: str) -> None:
    hard = Hard(tmp_path, start_nvim(size=(80, 24)))
    write_5_mb(hard)
    hard.nvim.lua(
        """
        vim.api.nvim_create_autocmd('User', { pattern = 'PiviPainted', callback = function()
          _G.lines = vim.api.nvim_buf_line_count(0)
          vim.fn.search('the last but one', 'bw')
          vim.fn.feedkeys(vim.keycode(...), 'n')
        end })
        """.replace("...", f"'0{keys.replace(chr(92), '')}jl'")
    )
    hard.nvim.command(f"Pi view {hard.path}")
    hard.nvim.wait_event("PiviBackfilled", timeout=30)
    # Keys wait for messages that have come with the first one.
    hard.nvim.wait_for("return vim.fn.mode() ~= 'n'")
    mode, from_column, to_column, *_, first, last, rows = hard.nvim.lua(_SELECTED)
    assert (mode, from_column, to_column, rows) == (keys.replace("\\<C-v>", "\x16"), 1, 2, 1)
    assert (first, last) == ("the last but one", "goes on")
    assert hard.nvim.lua("return vim.api.nvim_buf_line_count(0) > 10 * _G.lines")
    assert hard.nvim.messages() == ""


def test_a_buffer_that_was_hidden_while_5_mb_were_read(start_nvim: StartEditor, tmp_path: Path) -> None:
    hard = Hard(tmp_path, start_nvim(size=(80, 24)))
    write_5_mb(hard)
    hard.nvim.lua(
        """
        vim.api.nvim_create_autocmd('User', { pattern = 'PiviPainted', callback = vim.schedule_wrap(function()
          vim.fn.search('the last but one', 'bw')
          _G.reading = vim.b.pivi.reading
          vim.cmd.enew()
        end) })
        """
    )
    hard.nvim.command(f"Pi view {hard.path}")
    hard.nvim.wait_event("PiviBackfilled", timeout=30)
    assert hard.nvim.lua("return _G.reading") < 100
    hard.nvim.command("buffer pivi://")
    assert hard.nvim.lua("return vim.fn.getline('.')") == "the last but one"
    count = """
      local closed, open = 0, 0
      for lnum = 1, vim.fn.line('$') do
        if vim.fn.getline(lnum):find('^### bash') then
          local top = vim.fn.foldclosed(lnum)
          closed, open = closed + (top == lnum and 1 or 0), open + (top == -1 and 1 or 0)
        end
      end
      return { closed, open }
    """
    hard.nvim.wait_for(f"return (function() {count} end)()[1] == 2500")
    assert hard.nvim.lua("return vim.fn.getline('.')") == "the last but one"
    assert hard.nvim.lua("return vim.fn.winline() > 1 and vim.fn.line('w$') == vim.fn.line('$')")
    assert hard.nvim.messages() == ""


def write_5_mb(hard: Hard) -> None:
    lines: list[Any] = []
    parent = None
    for number in range(2500):
        ids = [f"{kind}{number}" for kind in "uar"]
        lines += [
            user(ids[0], parent, f"prompt {number}"),
            answer(ids[1], ids[0], "words " * 40, call(f"c{number}")),
            result(ids[2], ids[1], f"c{number}", "a line of output\n" * 60),
        ]
        parent = ids[2]
    lines += [user("y", parent, "the last but one\ngoes on"), user("z", "y", "last")]
    hard.write(*lines)
    assert hard.path.stat().st_size > 4 << 20
