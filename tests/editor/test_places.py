"""The reader's place over restarts, in a real Neovim without a host."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import StartEditor
from tests.editor.test_motions import conversation, line, paint
from tests.support.editor import Editor

pytestmark = pytest.mark.matrix

_FIRE = "vim.api.nvim_exec_autocmds('User', {pattern = ..., data = {buf = vim.api.nvim_get_current_buf()}})"
_PATH = "return require('pivi.memory').path()"


def read(start_nvim: StartEditor, file: Path, *, keys: str = "") -> Editor:
    """A Neovim in which the session of `file` was painted; the reader types `keys` before it is complete."""
    file.touch()
    editor = start_nvim(size=(80, 16))
    paint(editor, conversation(), file=str(file))
    editor.command("normal! G")
    editor.lua(_FIRE, "PiviPainted")
    if keys:
        editor.nvim.input(keys)
        editor.lua("vim.wait(20)")
    editor.lua(_FIRE, "PiviBackfilled")
    return editor


def where(editor: Editor) -> list[object]:
    return list(editor.lua("return {vim.fn.line('.'), vim.fn.winline(), vim.fn.line('$')}"))


def test_the_place_and_the_folds_come_back(start_nvim: StartEditor, tmp_path: Path) -> None:
    editor = read(start_nvim, tmp_path / "a.jsonl")
    line(editor, "gg]tzo[[zc]tjjj")
    line(editor, "gg]]]]zo]tzojjzz")
    before = where(editor)
    assert before[0] != before[2]
    folds = editor.lua("return vim.tbl_map(vim.fn.foldclosed, vim.fn.range(1, vim.fn.line('$')))")
    editor.close()
    again = read(start_nvim, tmp_path / "a.jsonl")
    assert where(again) == before
    assert again.lua("return vim.tbl_map(vim.fn.foldclosed, vim.fn.range(1, vim.fn.line('$')))") == folds
    assert again.messages() == ""


def test_a_reader_at_the_end_stays_at_the_end(start_nvim: StartEditor, tmp_path: Path) -> None:
    read(start_nvim, tmp_path / "a.jsonl").close()
    place = where(read(start_nvim, tmp_path / "a.jsonl"))
    assert place[0] == place[2]


def test_one_who_moved_already_is_not_moved(start_nvim: StartEditor, tmp_path: Path) -> None:
    editor = read(start_nvim, tmp_path / "a.jsonl")
    line(editor, "gg5j")
    editor.close()
    again = read(start_nvim, tmp_path / "a.jsonl", keys="gg")
    # What was painted held the place already; the keys came after.
    assert where(again)[0] == 1


def test_a_buffer_that_is_left_keeps_its_place(start_nvim: StartEditor, tmp_path: Path) -> None:
    editor = read(start_nvim, tmp_path / "a.jsonl")
    line(editor, "gg5j")
    editor.command("enew")
    known = json.loads(Path(editor.lua(_PATH)).read_text())
    assert known["sessions"][str(tmp_path / "a.jsonl")]["lnum"] == 6


def test_the_file_is_bounded_and_one_that_is_broken_does_no_harm(
    start_nvim: StartEditor, tmp_path: Path
) -> None:
    editor = read(start_nvim, tmp_path / "a.jsonl")
    path = Path(editor.lua(_PATH))
    path.parent.mkdir(parents=True, exist_ok=True)
    sessions = {f"/s/{n}.jsonl": {"time": n, "text": "x" * 5000} for n in range(1000)}
    path.write_text(json.dumps({"version": 1, "sessions": sessions}))
    line(editor, "gg5j")
    editor.command("enew")
    assert path.stat().st_size <= 512 * 1024
    kept = json.loads(path.read_text())["sessions"]
    assert str(tmp_path / "a.jsonl") in kept
    editor.close()
    path.write_text('{"sessions": {"')
    assert "Error" not in read(start_nvim, tmp_path / "a.jsonl").messages()


def test_on_a_full_disk_the_places_stay_what_they_were(start_nvim: StartEditor, tmp_path: Path) -> None:
    editor = read(start_nvim, tmp_path / "a.jsonl")
    editor.command("enew")
    path = Path(editor.lua(_PATH))
    before = path.read_text()
    path.with_name(f"{path.name}.{editor.pid}").symlink_to("/dev/full")
    editor.lua("require('pivi.memory').put('/b.jsonl', { lnum = 3 })")
    # Else reading it would never end.
    assert not path.is_symlink()
    assert path.read_text() == before
    assert "the reader's place is not kept: No space left" in editor.lua(
        "return table.concat(require('pivi.log').lines(), ' ')"
    )
    assert [file.name for file in path.parent.iterdir()] == ["places.json"]
