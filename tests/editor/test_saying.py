"""What is told to the user, and a host that can't run: one message, in a line, and what to do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import StartEditor
from tests.support.editor import Editor
from tests.support.pi import Pi
from tests.support.stored import bucket, store

pytestmark = pytest.mark.matrix


def said(editor: Editor) -> list[str]:
    editor.lua("vim.wait(50)")
    return editor.messages().splitlines()


def screen(editor: Editor) -> list[str]:
    editor.command("redraw")
    code = """
    local rows = {}
    for row = 1, vim.o.lines do
      local cells = {}
      for column = 1, vim.o.columns do
        cells[column] = vim.fn.screenstring(row, column)
      end
      rows[row] = table.concat(cells)
    end
    return rows
    """
    rows: list[str] = editor.lua(code)
    return rows


@pytest.fixture
def file(pi: Pi) -> Path:
    return store(bucket(pi.home.sessions_dir, pi.home.project), pi.home.project, "aaaa-1111", "first")


def test_a_refused_prompt_is_told_in_one_line(start_nvim: StartEditor, pi: Pi, file: Path) -> None:
    nvim = start_nvim(size=(80, 24))
    nvim.command(f"Pi view {file}")
    nvim.wait_event("PiviBackfilled")
    nvim.command("Pi send may I?")
    nvim.wait_for("return vim.fn.bufnr('pivi-prompt://') > 0")
    (line,) = said(nvim)
    assert line.startswith("your words are kept in :sbuffer ")
    assert len(line) < 80
    assert nvim.nvim.api.get_mode() == {"mode": "n", "blocking": False}


def test_a_pi_that_refuses_to_start_is_told_in_one_line(start_nvim: StartEditor, pi: Pi, file: Path) -> None:
    program = pi.home.root / "no" / "such" / "folder" / "that" / "has" / "a" / "long" / "name" / "pi"
    nvim = start_nvim(size=(80, 24), settings={"pi": {"command": [str(program)], "env": pi.home.pi_env}})
    nvim.command("Pi send may I?")
    nvim.wait_for("return (vim.b.pivi or {}).phase == 'failed'")
    nvim.wait_for("return vim.fn.bufnr('pivi-prompt://') > 0")
    # A start that fails at once has failed before the words came, and is tried again with them.
    line = said(nvim)[-1]
    assert line.startswith("your words are kept in :sbuffer ")
    assert line.endswith("… (:Pi log)")
    assert len(line) < 80
    assert nvim.nvim.api.get_mode() == {"mode": "n", "blocking": False}
    assert f"there is no program {program}." in "\n".join(nvim.lua("return require('pivi.log').lines()"))


def test_another_notifier_is_given_all(start_nvim: StartEditor, pi: Pi) -> None:
    nvim = start_nvim(size=(80, 24))
    nvim.lua("vim.notify = function(text) _G.told = text end")
    nvim.lua("require('pivi.log').say(('long '):rep(100))")
    nvim.wait_for("return _G.told")
    assert nvim.lua("return _G.told") == ("long " * 100).strip()


@pytest.mark.parametrize("text", ["é" * 100, "漢" * 100, "two\nlines", "x" * 60])
def test_what_is_too_wide_is_cut_to_the_line(start_nvim: StartEditor, pi: Pi, text: str) -> None:
    nvim = start_nvim(size=(60, 10))
    nvim.lua("require('pivi.log').say(...)", text)
    said(nvim)
    assert nvim.nvim.api.get_mode() == {"mode": "n", "blocking": False}
    assert ("(:Pi log)" in screen(nvim)[-1]) == (text != "two\nlines")


def broken(nvim: Editor, folder: Path, module: str, text: str) -> Path:
    """A module that comes before the real one when the host looks for it."""
    folder.mkdir()
    found = folder / f"{module}.py"
    found.write_text(text)
    nvim.lua("vim.env.PYTHONPATH, vim.env.PYTHONDONTWRITEBYTECODE = ..., '1'", str(folder))
    return found


@pytest.mark.parametrize(
    ("module", "text", "why"),
    [
        ("msgspec", "", "it can't run pivi: AttributeError: module 'msgspec' has no attribute"),
        ("platformdirs", "def (", "missing: platformdirs (invalid syntax"),
        ("pynvim", "start_host = None", "it can't run pivi: TypeError: 'NoneType' object is not callable"),
    ],
)
def test_a_broken_package_is_named_and_mended(
    nvim: Editor, pi: Pi, file: Path, tmp_path: Path, module: str, text: str, why: str
) -> None:
    found = broken(nvim, tmp_path / "modules", module, text)
    nvim.lua("vim.ui.select = function() end")
    for attempt in (1, 2):
        nvim.command("Pi resume")
        nvim.wait_for("return select(2, vim.fn.execute('messages'):gsub('Python part', '')) == ...", attempt)
        told: Any = nvim.messages().replace("\n", "")
        assert why in told
        assert "run :Pi install, pivi's Python part" in told and ":checkhealth pivi tells more" in told
        assert "no notification handler" not in told
    if module != "pynvim":
        nvim.command("checkhealth pivi")
        assert why.removeprefix("it can't run pivi: ")[:30] in nvim.text()
        nvim.command("enew!")
    found.unlink()
    nvim.command("Pi resume")
    nvim.wait_event("PiviBackfilled")


def test_the_lines_of_stderr_are_joined(nvim: Editor, pi: Pi, file: Path, tmp_path: Path) -> None:
    text = (
        "import os, sys, time\n"
        "for piece in ('first ', 'line\\nsec', 'ond', ' line\\n\\nthi', 'rd'):\n"
        "    os.write(2, piece.encode())\n"
        "    time.sleep(0.05)\n"
        "sys.exit(7)\n"
    )
    broken(nvim, tmp_path / "modules", "pynvim", text)
    nvim.lua("vim.ui.select = function() end")
    nvim.command("Pi resume")
    nvim.wait_for("return vim.fn.execute('messages'):find('Python part', 1, true)")
    lines = [line[9:] for line in nvim.lua("return require('pivi.log').lines()")]
    assert lines[:4] == ["first line", "second line", "", "third"]
