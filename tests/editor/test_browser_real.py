"""The session browser with its real host, a real store and the real Pi."""

from __future__ import annotations

import json
import os
import shutil
import socket
import stat
import subprocess
import time
from pathlib import Path

import pytest

from pivi.sessions.paths import bucket_name
from tests.conftest import StartEditor
from tests.contract.test_list_like_pi import fill
from tests.editor.browsing import Browsing
from tests.support.home import PiHome
from tests.support.pi import Pi
from tests.support.processes import processes_with
from tests.support.stores import Store, header, lines, session_info, talk

pytestmark = pytest.mark.matrix

_SHOWN = """
  local b = require('pivi.browser').of(vim.fn.bufnr('pivi-sessions://'))
  local still = b and not (b.look or b.search or b.due or b.painting)
  return still and vim.tbl_count(b.rows) == ...
"""


_PREVIEWED = """
  local lines = vim.api.nvim_buf_get_lines(vim.fn.bufnr('pivi-preview://'), 0, -1, true)
  return table.concat(lines, ' '):find(..., 1, true)
"""
_FILTERED = "return #require('pivi.browser').of(vim.fn.bufnr('pivi-sessions://')).list.items == 1"


@pytest.fixture
def stored(pi_home: PiHome) -> dict[str, Path]:
    """Three sessions of the project, by their ids, the last the newest."""
    project = str(pi_home.project)
    folder = pi_home.sessions_dir / bucket_name(project)
    folder.mkdir(parents=True)
    made: dict[str, Path] = {}
    for own, text in {"a1": "mend the fence", "b2": "paint the door", "c3": "sharpen the saw"}.items():
        path = made[own] = folder / f"2026-01-02T03-04-05-000Z_{own}.jsonl"
        path.write_bytes(lines([header(own, project), *talk(text, f"You said: {text}")]))
        at = 1_767_323_045 + len(made)
        os.utime(path, (at, at))
    return made


def test_rows_preview_filter_and_resume(start_nvim: StartEditor, pi: Pi, stored: dict[str, Path]) -> None:
    editor = start_nvim(size=(160, 30))
    editor.command("Pi sessions name")
    editor.wait_for(_SHOWN, 3)
    browsing = Browsing.__new__(Browsing)
    browsing.editor = editor
    browsing.settle()
    assert browsing.titles() == ["mend the fence", "paint the door", "sharpen the saw"]
    browsing.keys("gg")
    editor.wait_for(_PREVIEWED, "You said: mend the fence")
    browsing.keys("/text:You said: sharpen")
    editor.wait_for(_FILTERED)
    editor.wait_for(_PREVIEWED, "You said: sharpen the saw")
    browsing.keys("<CR>")
    data = editor.wait_events("PiviPainted", "PiviAttached", "PiviBackfilled")["PiviPainted"]
    assert editor.lua("return vim.b[...].pivi.session_file", data["buf"]) == str(stored["c3"])
    assert editor.lua("return #vim.api.nvim_list_wins()") == 1
    editor.command("buffer pivi-sessions://")
    editor.wait_for(_SHOWN, 3)
    editor.wait_for("return vim.api.nvim_buf_get_lines(0, 0, 1, true)[1]:find('●', 1, true) == 1")
    assert editor.messages() == ""


def test_grep_finds_and_goes_there(start_nvim: StartEditor, pi: Pi, stored: dict[str, Path]) -> None:
    editor = start_nvim(size=(80, 24))
    editor.command("Pi grep /said: (mend|paint)/")
    title = "Pi grep /said: (mend|paint)/ (2 found)"
    editor.wait_for("return vim.fn.getqflist({ title = 0 }).title == ...", title)
    editor.nvim.input(":cfirst<CR>")
    editor.wait_for("return vim.bo.filetype == 'pivi' and vim.fn.getline('.') == 'You said: paint the door'")
    editor.wait_for("return vim.fn.col('.') == #'You ' + 1")


@pytest.mark.parametrize("way", ["id", "name", "path", "here"])
def test_grep_in_one_session(way: str, start_nvim: StartEditor, pi: Pi, stored: dict[str, Path]) -> None:
    with stored["b2"].open("ab") as out:
        out.write(lines([session_info("The red door")]))
    editor = start_nvim(size=(80, 24))
    if way == "here":
        editor.command("Pi view b2")
        editor.wait_event("PiviBackfilled")
    named = {"id": "=b", "name": "=The\\ red\\ door", "path": f"={stored['b2']}", "here": ""}[way]
    editor.command(f"Pi grep ++session{named} You said")
    title = f"Pi grep ++session{named} You said (1 found)"
    editor.wait_for("return vim.fn.getqflist({ title = 0 }).title == ...", title)
    (hit,) = editor.lua("return vim.tbl_map(function(one) return one.text end, vim.fn.getqflist())")
    assert hit == "You said: paint the door"
    assert editor.messages() == ""


def test_grep_in_a_session_that_is_not_there(
    start_nvim: StartEditor, pi: Pi, stored: dict[str, Path]
) -> None:
    editor = start_nvim(size=(900, 24))
    for target, told in (("zz", "No such session here"), ("/nowhere.jsonl", "no such file")):
        editor.command(f"Pi grep ++session={target} You said")
        editor.wait_for("return vim.fn.execute('messages'):find(..., 1, true)", told)
        assert editor.lua("return vim.fn.getqflist()") == []


def test_rename_trash_and_back(start_nvim: StartEditor, pi: Pi, stored: dict[str, Path]) -> None:
    editor = start_nvim(size=(80, 24))
    editor.lua("vim.ui.input = function(_, done) done('A better name') end")
    editor.lua("vim.fn.confirm = function() return 1 end")
    editor.command("Pi sessions")
    editor.wait_for(_SHOWN, 3)
    browsing = Browsing.__new__(Browsing)
    browsing.editor = editor
    browsing.keys("ggr")
    editor.wait_for("return vim.api.nvim_get_current_line():find('A better name', 1, true)")
    renamed = [path for path in stored.values() if b"A better name" in path.read_bytes()]
    assert len(renamed) == 1
    editor.wait_for(_SHOWN, 3)
    browsing.keys("d")
    editor.wait_for(_SHOWN, 2)
    assert not renamed[0].exists()
    browsing.keys("u")
    editor.wait_for(_SHOWN, 3)
    assert renamed[0].exists()
    assert editor.messages() == "in the trash, u brings it back: A better name"


def test_names_are_completed_from_what_was_known(
    start_nvim: StartEditor, pi: Pi, stored: dict[str, Path]
) -> None:
    with stored["b2"].open("ab") as out:
        out.write(lines([session_info("The red door")]))
    first = start_nvim()
    first.command("Pi sessions")
    first.wait_for(_SHOWN, 3)
    first.close()
    editor = start_nvim()
    # The host is up; the sessions are not read.
    editor.lua("_G.rows = require('pivi.catalog').rows")
    editor.lua("require('pivi.catalog').rows = function() return 1 end")
    complete = "return vim.fn.getcompletion('Pi resume ' .. ..., 'cmdline')"
    editor.wait_for("return #vim.fn.getcompletion('Pi resume ', 'cmdline') == 3")
    assert editor.lua(complete, "The") == ["The red door"]
    # The same for one session that is searched, as an argument.
    grep = "return vim.fn.getcompletion('Pi grep ++session=' .. ..., 'cmdline')"
    resume = [f"++session={name}" for name in editor.lua(complete, "")]
    assert editor.lua(grep, "") == [one.replace(" ", "\\ ") for one in resume]
    assert editor.lua(grep, "The\\ r") == ["++session=The\\ red\\ door"]
    assert editor.lua(grep, "a") == ["++session=a1"]
    files = editor.lua("return vim.fn.getcompletion(..., 'file')", "/us")
    assert editor.lua(grep, "/us") == [f"++session={file}" for file in files] != []
    editor.lua("require('pivi.catalog').rows = _G.rows")
    stored["a1"].unlink()
    editor.command("lua package.loaded['pivi.complete'] = nil")
    editor.wait_for("return #vim.fn.getcompletion('Pi resume ', 'cmdline') == 2")
    editor.command("Pi resume The red door")
    editor.wait_event("PiviPainted")
    assert editor.lua("return vim.b.pivi.session_file") == str(stored["b2"])
    editor.wait_event("PiviBackfilled")


def test_a_name_of_any_signs_is_a_name_of_the_export(
    start_nvim: StartEditor, pi: Pi, stored: dict[str, Path]
) -> None:
    with stored["b2"].open("ab") as file:
        file.write(lines([session_info("use $HOME not ~")]))
    editor = start_nvim(size=(120, 24))
    editor.lua("vim.ui.input = function(opts, done) done(opts.default) end")
    editor.command("Pi sessions name")
    editor.wait_for(_SHOWN, 3)
    editor.lua("vim.fn.search('use')")
    editor.nvim.input("x")
    editor.wait_for("return vim.uv.fs_stat(...) ~= nil", str(pi.home.project / "use-$HOME-not-~.md"))


@pytest.mark.parametrize(("name", "begins"), [("out.md", "# Session b2"), ("out.html", "<!DOCTYPE html>")])
def test_a_session_is_exported_by_the_ending_of_the_name(
    name: str, begins: str, start_nvim: StartEditor, pi: Pi, stored: dict[str, Path]
) -> None:
    target = pi.home.project / name
    before = stored["b2"].read_bytes()
    editor = start_nvim(size=(120, 24))
    editor.lua("local to = ... vim.ui.input = function(_, done) done(to) end", str(target))
    editor.command("Pi sessions name")
    editor.wait_for(_SHOWN, 3)
    editor.nvim.input("ggjx")
    editor.wait_for("return vim.fn.execute('messages'):find('written: ', 1, true)")
    text = target.read_text()
    assert text.startswith(begins) and len(text) > 100
    # What is there is written over only where that is wanted.
    target.write_text("mine")
    editor.lua("vim.fn.confirm = function(question) _G.question = question return 2 end")
    editor.nvim.input("x")
    assert str(target) in editor.wait_for("return _G.question")
    assert target.read_text() == "mine" and stored["b2"].read_bytes() == before


def test_a_repository_has_the_sessions_of_all_its_worktrees(
    start_nvim: StartEditor, pi: Pi, stored: dict[str, Path]
) -> None:
    project, beside = pi.home.project, pi.home.root / "beside it"
    git = ("git", "-C", str(project), "-c", "user.name=a", "-c", "user.email=a@b")
    for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "one"]):
        subprocess.run([*git, *command], check=True, env=pi.home.env)
    subprocess.run([*git, "worktree", "add", "-q", "--detach", str(beside)], check=True, env=pi.home.env)
    strange = pi.home.root / "strange"
    strange.mkdir()
    for own, cwd in (("d4", beside), ("e5", strange)):
        folder = pi.home.sessions_dir / bucket_name(str(cwd))
        folder.mkdir()
        (folder / f"2026-01-02T03-04-05-000Z_{own}.jsonl").write_bytes(
            lines([header(own, str(cwd)), *talk(f"said in {cwd.name}")])
        )
    editor = start_nvim(size=(120, 24))
    editor.command("Pi sessions")
    editor.wait_for(_SHOWN, 3)
    editor.nvim.input("sr")
    editor.wait_for(_SHOWN, 4)
    text = editor.text()
    assert "said in beside it" in text and "strange" not in text
    editor.nvim.input("sa")
    editor.wait_for(_SHOWN, 5)
    # From the other worktree it is the same repository.
    editor.command(f"cd {str(beside).replace(' ', chr(92) + ' ')}")
    editor.command("Pi sessions repository")
    editor.wait_for(_SHOWN, 4)


def state_of(folder: Path) -> dict[Path, tuple[int, int, bytes]]:
    """Of all that lies in a folder, and of itself: times, sizes and bytes."""
    found = {}
    for path in [folder, *folder.rglob("*")]:
        state = path.lstat()
        content = path.read_bytes() if stat.S_ISREG(state.st_mode) else b""
        found[path] = (state.st_mtime_ns, state.st_size, content)
    return found


def test_what_is_no_session_is_counted_and_a_look_at_all_changes_no_byte_or_time(
    start_nvim: StartEditor, pi: Pi, stored: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = stored["a1"].parent
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "dir.jsonl").mkdir()
    (folder / "broken.jsonl").symlink_to("nowhere")
    monkeypatch.chdir(folder)  # a socket's path may not be long
    with socket.socket(socket.AF_UNIX) as one:
        one.bind("socket.jsonl")
    hard = folder.parent / "--hard--"
    hard.mkdir()
    fill(Store(pi.home.root / "hard"), hard, "/hard")
    real = folder.parent / "--real--"
    shutil.copytree(Path(__file__).parents[1] / "data" / "sessions" / pi.version, real)
    before = state_of(pi.home.sessions_dir)
    editor = start_nvim(size=(200, 60))
    browsing = Browsing.__new__(Browsing)
    browsing.editor = editor
    editor.command("Pi sessions")
    editor.wait_for(_SHOWN, 3)
    assert "3 sessions" in browsing.bar() and "4 skipped" in browsing.bar()
    editor.command("Pi sessions!")
    editor.wait_for(
        "local b = require('pivi.browser').of(0) return not b.look and vim.tbl_count(b.rows) > 40"
    )
    # Those, and in the other folder notes, a message alone, an empty file, a broken link and a directory.
    assert "9 skipped" in browsing.bar()
    for lnum in range(1, len(browsing.titles()) + 1):
        editor.command(str(lnum))
        editor.lua("vim.cmd.doautocmd('CursorMoved') vim.wait(70)")
    browsing.keys("/text:e<Esc>")
    editor.wait_for("local b = require('pivi.browser').of(0) return not b.search and next(b.hits) ~= nil")
    editor.command("Pi grep! /[a-z]/")
    editor.wait_for("return not vim.fn.getqflist({ title = 0 }).title:find('searching')", timeout=30)
    assert len(editor.lua("return vim.fn.getqflist()")) > 100
    assert state_of(pi.home.sessions_dir) == before


def test_one_file_of_1500_mb_holds_up_no_other_and_is_left_with_the_list(
    start_nvim: StartEditor, pi: Pi, stored: dict[str, Path]
) -> None:
    huge = stored["a1"].parent / "2026-01-02T03-04-05-000Z_huge.jsonl"
    huge.write_bytes(lines([header("huge", str(pi.home.project)), *talk("the huge one")]))
    os.truncate(huge, 1536 << 20)
    editor = start_nvim(size=(110, 24))
    editor.command("Pi sessions")
    editor.wait_for("""
      local b = require('pivi.browser').of(0)
      local known = vim.tbl_filter(function(row) return row.messages end, vim.tbl_values(b.rows))
      return b.look and #known == 3 and vim.tbl_count(b.rows) == 4
    """)
    # It is the newest, told by its header; the reading of it is on.
    assert "75%" in editor.lua("return require('pivi.browser.bar').footer()")
    readers = sum("pivi.sessions.worker" in line for line in processes_with(pi.home.mark).values())
    assert readers > 0
    editor.nvim.input("jj")
    chosen = "return require('pivi.browser.paint').row_at(require('pivi.browser').of(0)).path"
    path = editor.lua(chosen)
    editor.nvim.input("os")
    editor.wait_for("return vim.fn.line('.') > 1")
    assert editor.lua(chosen) == path != str(huge)
    editor.nvim.input("q")
    editor.wait_for("return vim.bo.filetype ~= 'pivi-sessions'")
    end = time.monotonic() + 5
    while sum("pivi.sessions.worker" in line for line in processes_with(pi.home.mark).values()) >= readers:
        assert time.monotonic() < end
        time.sleep(0.02)
    assert editor.messages() == ""


_COMPUTED = """
  local last, start = os.clock(), os.clock()
  _G.longest = 0
  _G.ticker = vim.uv.new_timer()
  _G.ticker:start(1, 1, function()
    local now = os.clock()
    _G.longest, last = math.max(_G.longest, now - last), now
  end)
  _G.computed = function()
    _G.ticker:close()
    return { os.clock() - start, _G.longest }
  end
"""


def test_13000_sessions_are_shown_without_holding_the_editor(
    start_nvim: StartEditor, pi: Pi, stored: dict[str, Path]
) -> None:
    project, folder = str(pi.home.project), stored["a1"].parent
    tail = lines(talk("x" * 100, "y" * 100))
    for number in range(13_000 - len(stored)):
        path = folder / f"2026-01-02T03-04-05-{number:05}Z_{number}.jsonl"
        path.write_bytes(lines([header(f"n{number}", project)]) + tail)
    editor = start_nvim(size=(110, 40))
    # Read, then as it is known from the cache.
    for _ in range(2):
        editor.lua(_COMPUTED)
        editor.command("Pi sessions")
        editor.wait_for(_SHOWN, 13_000, timeout=60)
        assert editor.lua("return vim.api.nvim_buf_line_count(0)") == 13_000
        for keys, count in (("os", 13_000), ("/re:fence<Esc>", 1), ("/<C-u><Esc>G", 13_000)):
            editor.nvim.input(keys)
            editor.wait_for("return require('pivi.browser').of(0).list.matches == ...", count)
            editor.wait_for(_SHOWN, 13_000)
        total, longest = editor.lua("return _G.computed()")
        print(f"computed for 13,000 sessions: {total:.3f} s, at once at most {longest:.3f} s")
        # Seconds of computing, however busy the machine is.
        assert total < 1.5 and longest < 0.05
        editor.command("bwipeout")
    assert editor.messages().strip() == ""


def test_a_fork_and_the_directory_of_the_file(
    start_nvim: StartEditor, pi: Pi, stored: dict[str, Path]
) -> None:
    before = stored["b2"].read_bytes()
    editor = start_nvim(size=(120, 24))
    editor.lua("vim.ui.open = function(path) _G.opened = path end")
    editor.command("Pi sessions name")
    editor.wait_for(_SHOWN, 3)
    editor.nvim.input("ggjgx")
    assert editor.wait_for("return _G.opened") == str(stored["b2"].parent)
    editor.nvim.input("f")
    editor.wait_for("return vim.bo.filetype == 'pivi' and vim.b.pivi and vim.b.pivi.phase == 'idle'")
    file = Path(editor.lua("return vim.b.pivi.session_file"))
    head = json.loads(file.read_text().splitlines()[0])
    assert file not in stored.values() and head["parentSession"] == str(stored["b2"])
    assert "You said: paint the door" in editor.text()
    assert stored["b2"].read_bytes() == before
    assert editor.messages() == ""
