"""A session whose directory is gone: what is offered before Pi is started."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.conftest import StartEditor
from tests.support.editor import Editor
from tests.support.pi import Pi
from tests.support.stored import bucket, store

_CHOOSE = """
local wanted, typed = ...
_G.asked = {}
vim.ui.select = function(items, opts, on_choice)
  local texts = vim.tbl_map(opts.format_item, items)
  table.insert(_G.asked, { prompt = opts.prompt, texts = texts })
  for i, text in ipairs(texts) do
    if wanted ~= '' and text:find(wanted, 1, true) then
      return on_choice(items[i], i)
    end
  end
  on_choice(nil)
end
vim.ui.input = function(opts, on_confirm)
  table.insert(_G.asked, { prompt = opts.prompt, default = opts.default })
  on_confirm(typed)
end
"""


@pytest.fixture
def lost(pi: Pi) -> Path:
    """The file of a session whose directory is gone."""
    gone = pi.home.root / "moved" / "project"
    gone.parent.mkdir()
    return store(bucket(pi.home.sessions_dir, gone), gone, "bbbb-2222", "long ago")


def asking(start_nvim: StartEditor, choice: str, typed: str = "") -> Editor:
    """A Neovim whose user takes the choice with these words; "" cancels. Wide: no message waits for Enter."""
    nvim = start_nvim(size=(600, 30))
    nvim.lua(_CHOOSE, choice, typed)
    return nvim


def runs(nvim: Editor) -> Path:
    """Waits until Pi runs a session; its file."""
    nvim.wait_for("return vim.bo.filetype == 'pivi' and vim.b.pivi and vim.b.pivi.phase == 'idle'")
    return Path(nvim.lua("return vim.b.pivi.session_file"))


def head(file: Path) -> dict[str, str]:
    header: dict[str, str] = json.loads(file.read_text().splitlines()[0])
    return header


@pytest.mark.matrix
@pytest.mark.parametrize("way", ["command", "browser"])
def test_it_goes_on_here_as_a_fork(way: str, lost: Path, pi: Pi, start_nvim: StartEditor) -> None:
    before = lost.read_bytes(), lost.stat().st_mtime_ns
    nvim = asking(start_nvim, "Go on in")
    if way == "command":
        nvim.command(f"Pi resume {lost}")
    else:
        nvim.command("Pi sessions all")
        nvim.wait_for("return require('pivi.browser').of(0).list.matches == 1")
        nvim.nvim.input("G<CR>")
    file = runs(nvim)
    assert head(file)["cwd"] == str(pi.home.project)
    assert head(file)["parentSession"] == str(lost)
    assert "You said: long ago" in nvim.text()
    (question,) = nvim.lua("return _G.asked")
    assert "moved/project" in question["prompt"] and len(question["texts"]) == 3
    nvim.command("Pi send and on")
    nvim.wait_event("PiviSettled")
    assert (lost.read_bytes(), lost.stat().st_mtime_ns) == before
    assert nvim.messages() == ""


def test_it_goes_on_in_a_chosen_directory(lost: Path, pi: Pi, start_nvim: StartEditor) -> None:
    before = lost.read_bytes()
    there = pi.home.root / "moved" / "to here"
    there.mkdir()
    nvim = asking(start_nvim, "Choose a directory", str(there))
    nvim.command(f"Pi resume {lost}")
    file = runs(nvim)
    assert head(file)["cwd"] == nvim.lua("return vim.b.pivi.cwd").rstrip("/") == str(there)
    assert file.parent == bucket(pi.home.sessions_dir, there)
    assert nvim.lua("return _G.asked[2].default") == f"{there.parent}/"
    assert lost.read_bytes() == before


def closed(nvim: Editor, pi: Pi) -> Path:
    """The file of a session that was open in `nvim`; its buffer is unloaded, its directory gone."""
    place = pi.home.root / "moved" / "project"
    place.mkdir(parents=True)
    file = store(bucket(pi.home.sessions_dir, place), place, "bbbb-2222", "long ago")
    nvim.command(f"lcd {place}")
    nvim.command(f"Pi resume {file}")
    runs(nvim)
    nvim.command(f"lcd {pi.home.project}")
    nvim.command("enew | bdelete pivi://bbbb-2222")
    nvim.lua("vim.wait(50)")
    shutil.rmtree(place.parent)
    return file


@pytest.mark.matrix
@pytest.mark.parametrize("choice", ["Go on in", "Only read", ""])
def test_a_buffer_that_is_read_again_asks_too(choice: str, pi: Pi, start_nvim: StartEditor) -> None:
    nvim = asking(start_nvim, choice)
    file = closed(nvim, pi)
    nvim.command("edit pivi://bbbb-2222")
    buf = nvim.lua("return vim.fn.bufnr()")
    nvim.wait_for("return #_G.asked == 1")
    if choice == "Go on in":
        fork = runs(nvim)
        assert head(fork)["parentSession"] == str(file)
        assert "You said: long ago" in nvim.text()
    elif choice == "Only read":
        nvim.wait_for("return vim.b.pivi and vim.b.pivi.phase == 'view' and vim.fn.search('long ago') > 0")
    else:
        nvim.wait_for("return vim.fn.execute('messages'):gsub('\\n', ''):find('no longer exists', 1, true)")
        assert len(list(pi.home.sessions_dir.rglob("*.jsonl"))) == 1
    assert nvim.lua("return vim.fn.bufnr()") == buf
    assert "is open" not in nvim.messages()


def test_a_buffer_that_nobody_sees_asks_nothing(pi: Pi, start_nvim: StartEditor) -> None:
    nvim = asking(start_nvim, "Go on in")
    closed(nvim, pi)
    nvim.command("call bufload('pivi://bbbb-2222')")
    nvim.wait_for("return vim.fn.execute('messages'):gsub('\\n', ''):find('no longer exists', 1, true)")
    assert nvim.lua("return #_G.asked") == 0


def test_what_is_no_directory_is_refused(lost: Path, pi: Pi, start_nvim: StartEditor) -> None:
    nvim = asking(start_nvim, "Choose a directory", str(lost))
    nvim.command(f"Pi resume {lost}")
    nvim.wait_for("return vim.fn.execute('messages'):find('is no directory', 1, true)")
    assert len(list(pi.home.sessions_dir.rglob("*.jsonl"))) == 1


def test_it_is_only_read(lost: Path, start_nvim: StartEditor) -> None:
    nvim = asking(start_nvim, "Only read")
    nvim.command(f"Pi resume {lost}")
    nvim.wait_event("PiviBackfilled")
    assert nvim.lua("return vim.b.pivi.phase") == "view"
    assert nvim.messages() == ""


def test_a_cancelled_choice_says_what_can_be_done(lost: Path, pi: Pi, start_nvim: StartEditor) -> None:
    nvim = asking(start_nvim, "")
    nvim.command(f"Pi resume {lost}")
    nvim.wait_for("return vim.fn.execute('messages'):gsub('\\n', ''):find('no longer exists', 1, true)")
    assert len(list(pi.home.sessions_dir.rglob("*.jsonl"))) == 1


def test_words_for_what_is_read_go_into_the_fork(lost: Path, start_nvim: StartEditor) -> None:
    nvim = asking(start_nvim, "Go on in")
    nvim.command(f"Pi view {lost}")
    nvim.wait_event("PiviBackfilled")
    nvim.command("Pi send new words")
    nvim.wait_event("PiviSettled")
    file = runs(nvim)
    assert file != lost and "You said: new words" in nvim.text()
    assert "new words" not in lost.read_text()


def test_words_come_back_where_nothing_is_chosen(lost: Path, start_nvim: StartEditor) -> None:
    nvim = asking(start_nvim, "")
    nvim.command(f"Pi view {lost}")
    nvim.wait_event("PiviBackfilled")
    nvim.command("Pi send new words")
    nvim.wait_for("return vim.fn.bufnr('pivi-prompt://bbbb-2222') > 0")
    assert nvim.lua("return vim.fn.getbufline('pivi-prompt://bbbb-2222', 1, '$')") == ["new words"]
