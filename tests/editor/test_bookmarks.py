"""Marks that a reader set stay on their lines while a transcript is painted from its end on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench.sessions import Writer
from tests.conftest import StartEditor
from tests.support.editor import Editor
from tests.support.pi import Pi
from tests.support.stored import bucket

WHOLE = "return (vim.b.pivi or {}).phase == 'idle' and not vim.b.pivi.reading"
COMPLETE = "return vim.api.nvim_buf_line_count(0) == ..."


@pytest.fixture
def session(pi: Pi) -> Path:
    path = bucket(pi.home.sessions_dir, pi.home.project) / "2026-11-01T12-00-00-000Z_large.jsonl"
    Writer(path, 2 << 20, pi.home.project)
    return path


def resume(nvim: Editor) -> None:
    nvim.command("Pi resume")
    nvim.wait_event("PiviBackfilled")
    nvim.wait_for(WHOLE)


def place(nvim: Editor, mark: str) -> list[object]:
    found: list[object] = nvim.lua(
        'local _, lnum, col = unpack(vim.fn.getpos("\'" .. ...)) return {col, vim.fn.getline(lnum)}', mark
    )
    return found


def test_over_a_restart(start_nvim: StartEditor, session: Path, tmp_path: Path) -> None:
    nvim = start_nvim("-i", str(tmp_path / "shada"), size=(80, 24))
    resume(nvim)
    nvim.command("normal! 50%4|mB")
    known = place(nvim, "B")
    nvim.close("qa")
    again = start_nvim("-i", str(tmp_path / "shada"), size=(80, 24))
    again.command("normal! mA")
    resume(again)
    assert place(again, "B") == known
    assert again.lua('return vim.fn.getpos("\'A")[1] ~= vim.fn.bufnr()'), "it is in another buffer"


def test_over_edit(start_nvim: StartEditor, session: Path) -> None:
    nvim = start_nvim(size=(80, 24))
    resume(nvim)
    rows = nvim.lua("return vim.api.nvim_buf_line_count(0)")
    nvim.command("normal! 20%3|ma30%2|mB80%mcGmZ")
    known = [place(nvim, mark) for mark in "aBcZ"]
    # The last time it is emptied again while it fills.
    for command in ("edit", "edit", "edit | call wait(20, 0) | edit"):
        nvim.command(command)
        nvim.wait_for(COMPLETE, rows)
        assert [place(nvim, mark) for mark in "aBcZ"] == known


def test_one_that_is_set_while_it_fills_goes_with_its_line(start_nvim: StartEditor, session: Path) -> None:
    nvim = start_nvim(size=(80, 24))
    resume(nvim)
    rows = nvim.lua("return vim.api.nvim_buf_line_count(0)")
    nvim.command("normal! 20%ma30%mb")
    known = place(nvim, "b")
    nvim.command("edit")
    nvim.wait_for("return vim.api.nvim_buf_line_count(0) > 100")
    nvim.command("normal! Gkkma")
    set_now = place(nvim, "a")
    nvim.wait_for(COMPLETE, rows)
    assert [place(nvim, "a"), place(nvim, "b")] == [set_now, known]


def test_of_a_session_that_comes_back_shorter(start_nvim: StartEditor, session: Path) -> None:
    nvim = start_nvim(size=(80, 24))
    nvim.command(f"edit {session}")
    nvim.wait_event("PiviBackfilled")
    nvim.command("normal! gg3jma")
    known = place(nvim, "a")
    lines = session.read_bytes().splitlines(keepends=True)
    session.write_bytes(b"".join(lines[: len(lines) // 2]))
    rows = nvim.lua("return vim.api.nvim_buf_line_count(0)")
    nvim.command("edit")
    nvim.wait_for(
        """
        local rows, col, text = ...
        local mark = vim.fn.getpos("'a")
        return vim.fn.line('$') < rows and mark[3] == col and vim.fn.getline(mark[2]) == text
        """,
        rows,
        *known,
    )
