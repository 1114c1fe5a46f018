"""Sessions that are only read: `:Pi view`, and `:edit` of a session's file."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import StartEditor
from tests.support.editor import Editor
from tests.support.model import Model
from tests.support.pi import Pi
from tests.support.stored import bucket, store
from tests.support.stores import lines as as_lines
from tests.support.stores import message

pytestmark = pytest.mark.matrix


@pytest.fixture
def path(pi: Pi) -> Path:
    home = pi.home
    return store(bucket(home.sessions_dir, home.project), home.project, "aaaa-1111", "the first words")


def entry(number: int, text: str, parent: int | None = None) -> str:
    """A prompt as Pi stores it, `parent` the number of the entry before it."""
    before = number - 1 if parent is None else parent
    message = {"role": "user", "content": text, "timestamp": 1793534500000}
    stamp = "2026-11-01T12:01:40.000Z"
    record = {"type": "message", "id": f"{number:08x}", "parentId": f"{before:08x}", "timestamp": stamp}
    return json.dumps({**record, "message": message}) + "\n"


def append(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(text)


def phase(nvim: Editor) -> Any:
    return nvim.lua("return vim.b.pivi and vim.b.pivi.phase")


def view(nvim: Editor, target: object) -> None:
    nvim.command(f"Pi view {target}")
    nvim.wait_event("PiviBackfilled")


def test_a_view_is_the_same_transcript_without_pi(path: Path, pi: Pi, start_nvim: StartEditor) -> None:
    nvim = start_nvim()
    before = path.read_bytes(), path.stat().st_mtime_ns
    view(nvim, "aaaa")
    assert [name for name, _ in nvim.events] == ["PiviPainted", "PiviBackfilled"]
    assert nvim.nvim.current.buffer.name == "pivi://aaaa-1111"
    known = nvim.lua("return vim.b.pivi")
    assert known == {
        "phase": "view",
        "session_id": "aaaa-1111",
        "session_file": str(path),
        "cwd": str(pi.home.project),
        "leaf_id": "00000004",
        "entries": 4,
        "model": "fake/fake-1",
        "thinking": "off",
    }
    viewed = nvim.text()
    assert "You said: the first words" in viewed
    nvim.command("Pi resume")
    nvim.wait_events("PiviAttached", "PiviBackfilled")
    assert nvim.text() == viewed
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


def test_resume_takes_a_view_up_in_its_buffer_and_paints_nothing(path: Path, start_nvim: StartEditor) -> None:
    nvim = start_nvim()
    view(nvim, path)
    ticks = nvim.lua("return {vim.fn.bufnr(), vim.b.changedtick}")
    nvim.command("Pi resume")
    nvim.wait_events("PiviAttached", "PiviBackfilled")
    assert nvim.lua("return {vim.fn.bufnr(), vim.b.changedtick}") == ticks
    nvim.command("Pi send and more")
    nvim.wait_event("PiviSettled")
    assert "and more" in nvim.text()


def test_a_view_can_be_taken_up_whose_file_has_grown(path: Path, start_nvim: StartEditor) -> None:
    nvim = start_nvim()
    view(nvim, path)
    append(path, entry(5, "from elsewhere"))
    nvim.command("Pi resume")
    nvim.wait_events("PiviAttached", "PiviBackfilled")
    assert nvim.text().count("from elsewhere") == 1
    assert nvim.lua("return vim.b.pivi.entries") == 5


def test_what_is_appended_between_painting_and_attaching_appears(path: Path, start_nvim: StartEditor) -> None:
    nvim = start_nvim()
    nvim.command("Pi resume")
    nvim.wait_event("PiviPainted")
    last = json.loads(path.read_text().splitlines()[-1])["id"]
    with path.open("ab") as out:
        out.write(as_lines([message("feedbeef", last, "user", [{"type": "text", "text": "just now"}])]))
    nvim.wait_events("PiviAttached", "PiviBackfilled")
    assert nvim.lines()[-1] == "just now"


@pytest.mark.parametrize("version", [1, 2])
def test_an_old_file_is_taken_up_as_pi_has_migrated_it_without_a_flicker(
    version: int, path: Path, start_nvim: StartEditor
) -> None:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    if version == 2:
        lines[0]["version"] = 2
    else:
        del lines[0]["version"]
        for line in lines[1:]:
            del line["id"], line["parentId"]
    hook = {
        "role": "hookMessage",
        "customType": "linter",
        "content": "from a hook",
        "display": True,
        "timestamp": 5,
    }
    ids = {"id": "00000005", "parentId": "00000004"} if version == 2 else {}
    lines.append({"type": "message", **ids, "timestamp": "2026-11-01T12:01:40.000Z", "message": hook})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    nvim = start_nvim()
    view(nvim, path)
    before, tick = nvim.text(), nvim.lua("return vim.b.changedtick")
    assert "from a hook" in before
    nvim.command("Pi resume")
    nvim.wait_events("PiviAttached", "PiviBackfilled")
    header, *entries = map(json.loads, path.read_text().splitlines())
    assert header["version"] == 3
    assert nvim.lua("return vim.b.pivi.leaf_id") == entries[-1]["id"]
    assert nvim.text() == before
    assert nvim.lua("return vim.b.changedtick") == tick
    nvim.command("Pi send go on")
    nvim.wait_event("PiviSettled")
    assert nvim.text().startswith(before)
    assert "go on" in nvim.text()


def test_what_is_said_to_a_view_comes_back(path: Path, start_nvim: StartEditor) -> None:
    nvim = start_nvim()
    view(nvim, path)
    nvim.command("Pi send precious words")
    nvim.wait_for("return vim.fn.execute('messages'):find('only read', 1, true)")
    assert nvim.lua("return vim.fn.getbufline('pivi-prompt://aaaa-1111', 1)") == ["precious words"]
    assert phase(nvim) == "view"


def test_a_view_follows_its_file(path: Path, start_nvim: StartEditor) -> None:
    nvim = start_nvim(size=(80, 24))
    view(nvim, path)
    append(path, entry(5, "it has grown"))
    nvim.wait_for("return vim.fn.search('it has grown', 'nw') > 0")
    # At the end it follows the end.
    assert nvim.lua("return vim.fn.line('.') == vim.fn.line('$')")
    nvim.command("normal! gg")
    torn = entry(6, "written in two pieces")
    append(path, torn[:60])
    nvim.lua("vim.wait(1200)")
    append(path, torn[60:])
    nvim.wait_for("return vim.fn.search('written in two pieces', 'nw') > 0")
    assert nvim.lua("return vim.fn.line('.')") == 1
    assert "Damage" not in nvim.text()
    nvim.wait_for("return vim.b.pivi.entries == 6")


def test_a_view_follows_a_file_that_is_rewritten_or_gone(path: Path, start_nvim: StartEditor) -> None:
    nvim = start_nvim()
    view(nvim, path)
    text = path.read_text()
    other = path.with_suffix(".new")
    other.write_text(text.replace("the first words", "quite other words") + entry(5, "and these"))
    os.replace(other, path)
    nvim.wait_for("return vim.fn.search('and these', 'nw') > 0")
    assert "the first words" not in nvim.text()
    path.unlink()
    nvim.wait_for("return (vim.b.pivi.error or ''):find('gone')")
    assert "quite other words" in nvim.text()
    path.write_text(text)
    nvim.wait_for("return vim.fn.search('the first words', 'nw') > 0")
    nvim.wait_for("return vim.b.pivi.error == nil")


def test_a_session_whose_directory_is_gone_can_be_read(pi: Pi, start_nvim: StartEditor) -> None:
    gone = pi.home.root / "was here"
    path = store(bucket(pi.home.sessions_dir, gone), gone, "bbbb-2222", "long ago")
    nvim = start_nvim()
    view(nvim, path)
    assert "You said: long ago" in nvim.text()
    nvim.command("Pi resume")
    nvim.wait_for("return vim.fn.execute('messages'):find('no longer exists', 1, true)")
    assert phase(nvim) == "view"


def test_another_branch_as_the_active_one(path: Path, start_nvim: StartEditor) -> None:
    append(path, entry(5, "first way"))
    append(path, entry(6, "second way", parent=4))
    nvim = start_nvim()
    view(nvim, path)
    main = nvim.lua("return vim.fn.bufnr()")
    assert nvim.lua("return vim.fn.foldclosed(vim.fn.search('^first way$', 'nw'))") > 0
    assert nvim.lua("return vim.fn.foldclosed(vim.fn.search('^second way$', 'nw'))") == -1
    view(nvim, "--leaf 00000005")
    assert nvim.nvim.current.buffer.name == "pivi://aaaa-1111@00000005"
    assert nvim.lua("return vim.b.pivi.leaf_id") == "00000005"
    assert nvim.lua("return vim.fn.foldclosed(vim.fn.search('^first way$', 'nw'))") == -1
    assert nvim.lua("return vim.fn.foldclosed(vim.fn.search('^second way$', 'nw'))") > 0
    append(path, entry(7, "third way"))
    nvim.wait_for("return vim.fn.search('third way', 'nw') > 0")
    assert nvim.lua("return vim.b.pivi.leaf_id") == "00000005"
    nvim.command("Pi resume")
    nvim.wait_events("PiviAttached", "PiviBackfilled")
    assert nvim.lua("return vim.fn.bufnr()") == main
    nvim.command("Pi view --leaf ffff")
    nvim.wait_for("return vim.fn.execute('messages'):find('no entry has the id ffff', 1, true)")


def test_edit_shows_a_session_file_under_its_own_name(path: Path, start_nvim: StartEditor) -> None:
    nvim = start_nvim()
    before = path.read_bytes(), path.stat().st_mtime_ns
    nvim.command(f"edit {path}")
    nvim.wait_event("PiviBackfilled")
    assert nvim.nvim.current.buffer.name == str(path)
    assert (phase(nvim), nvim.lua("return vim.bo.filetype")) == ("view", "pivi")
    shown = nvim.text()
    assert "You said: the first words" in shown
    nvim.command("edit")
    nvim.wait_for("return vim.fn.search('You said') > 0")
    assert nvim.text() == shown
    for command in (
        "silent! write",
        "silent! write!",
        f"silent! write! {path}",
        "silent! wall",
        "silent! update",
    ):
        nvim.command(command)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    nvim.command("Pi resume")
    nvim.wait_events("PiviAttached", "PiviBackfilled")
    assert (nvim.nvim.current.buffer.name, phase(nvim)) == (str(path), "idle")
    assert nvim.text() == shown
    nvim.command("enew")
    nvim.command(f"edit {path}")
    assert nvim.text() == shown


def test_neovim_started_on_a_session_file(path: Path, start_nvim: StartEditor) -> None:
    nvim = start_nvim(str(path))
    nvim.wait_for("return vim.b.pivi and vim.b.pivi.phase == 'view' and vim.fn.search('You said') > 0")
    assert nvim.nvim.current.buffer.name == str(path)


def test_edit_of_a_session_that_has_a_buffer_goes_there(path: Path, start_nvim: StartEditor) -> None:
    nvim = start_nvim()
    nvim.command("Pi resume")
    nvim.wait_event("PiviBackfilled")
    nvim.command("new")
    nvim.command(f"edit {path}")
    nvim.wait_for("return vim.fn.bufname() == 'pivi://aaaa-1111'")
    assert nvim.lua("return #vim.fn.win_findbuf(vim.fn.bufnr())") == 2
    assert nvim.lua("return vim.fn.bufnr(...)", str(path)) == -1
    assert "this session is open and running here: that buffer is shown" in nvim.messages()


@pytest.mark.parametrize("end", ["bdelete!", "bunload!", "bwipeout!"])
def test_a_session_is_resumed_by_the_command_that_ends_it(
    end: str, path: Path, start_nvim: StartEditor
) -> None:
    nvim = start_nvim()
    nvim.command("Pi resume")
    nvim.wait_event("PiviPainted")
    nvim.command(f"{end} | Pi resume")
    nvim.wait_for("return (vim.b.pivi or {}).phase == 'idle'")
    assert "You said" in nvim.text()
    assert nvim.messages() == ""


def test_a_view_of_a_session_that_is_open_says_so(path: Path, start_nvim: StartEditor) -> None:
    nvim = start_nvim()
    nvim.command("Pi resume")
    nvim.wait_events("PiviAttached", "PiviBackfilled")
    buffer = nvim.lua("return vim.fn.bufnr()")
    nvim.command("enew")
    nvim.command(f"Pi view {path}")
    running = "this session is open and running here: that buffer is shown"
    nvim.wait_for("return vim.fn.execute('messages'):find(..., 1, true)", running)
    assert nvim.lua("return vim.fn.bufnr()") == buffer
    nvim.command("Pi stop")
    nvim.wait_event("PiviExited")
    nvim.command("Pi view")
    ended = "this session is open here, its Pi has ended: that buffer is shown"
    nvim.wait_for("return vim.fn.execute('messages'):find(..., 1, true)", ended)
    assert nvim.messages().count("this session is open") == 2


@pytest.mark.parametrize("command", ["noautocmd edit", "Pi raw"])
def test_the_raw_text(command: str, path: Path, start_nvim: StartEditor) -> None:
    nvim = start_nvim()
    nvim.command(f"{command} {path}")
    assert nvim.lines() == path.read_text().splitlines()
    nvim.command("edit")
    assert command != "Pi raw" or nvim.lines() == path.read_text().splitlines()


@pytest.mark.parametrize("where", ["nowhere.jsonl", "."])
def test_the_raw_text_of_nothing(where: str, path: Path, start_nvim: StartEditor) -> None:
    nvim = start_nvim()
    nvim.command(f"silent! Pi raw {path.parent / where}")
    assert nvim.lua("return vim.api.nvim_buf_get_name(0)") == ""
    assert "there is no such file" in nvim.messages()


def test_paths_that_are_named_are_no_wildcards(path: Path, start_nvim: StartEditor, tmp_path: Path) -> None:
    nvim = start_nvim("--cmd", "set wildignore=*.jsonl,*.md")
    nvim.lua("vim.env.PLACE = ...", str(tmp_path))
    for name in ("a1.md", "a[12].jsonl"):
        (tmp_path / name).write_text(name)
    nvim.command("Pi raw $PLACE/a[12].jsonl")
    assert nvim.lines() == ["a[12].jsonl"]
    nvim.command(f"Pi raw {path}")
    assert nvim.lines() == path.read_text().splitlines()
    nvim.command("Pi raw %")
    for name in ("#notes.md", "<x>.md", "%d.md", "a$HOME.md", "${PLACE}.md"):
        (tmp_path / name).write_text(name)
        nvim.command(f"cd {tmp_path} | Pi raw {name}")
        assert nvim.lines() == [name]
    nvim.command("silent! Pi raw ~nobody/none.md")
    assert "there is no such file: /" in nvim.messages() and "nobody/" not in nvim.messages()
    nvim.command("messages clear")
    nvim.command(f"Pi view {path}")
    nvim.wait_event("PiviBackfilled")
    nvim.command("Pi export $PLACE/a[12].md")
    nvim.wait_for("return vim.uv.fs_stat(...) ~= nil", str(tmp_path / "a[12].md"))


@pytest.mark.parametrize("command", ["Pi resume", "Pi view"])
def test_from_the_raw_text_to_the_transcript(
    command: str, path: Path, start_nvim: StartEditor, pi: Pi
) -> None:
    newer = store(path.parent, pi.home.project, "zzzz-9999", "the newest")
    os.utime(path, (1, 1))
    assert newer != path
    nvim = start_nvim()
    nvim.command(f"Pi raw {path}")
    nvim.command(command)
    data = nvim.wait_event("PiviBackfilled")
    assert nvim.lua("return vim.b[...].pivi.session_id", data["buf"]) == "aaaa-1111"


def test_from_the_transcript_to_the_raw_text(path: Path, start_nvim: StartEditor) -> None:
    nvim = start_nvim()
    nvim.command(f"edit {path}")
    nvim.wait_event("PiviBackfilled")
    nvim.command("Pi raw")
    assert nvim.lines() == path.read_text().splitlines()
    assert nvim.lua("return {vim.bo.buftype, vim.bo.modifiable, vim.wo.foldmethod, vim.wo.winbar}") == [
        "",
        True,
        "manual",
        "",
    ]
    view(nvim, path)
    assert nvim.nvim.current.buffer.name == "pivi://aaaa-1111"


def test_from_the_raw_text_to_the_conversation_whatever_the_directory_is(
    path: Path, start_nvim: StartEditor, pi: Pi
) -> None:
    nvim = start_nvim("--cmd", "set autochdir")
    nvim.command("Pi resume")
    nvim.wait_event("PiviAttached")
    nvim.command("Pi raw")
    assert Path(nvim.lua("return vim.fn.getcwd()")) == path.parent
    for command in ("Pi", "Pi resume"):
        nvim.command(command)
        nvim.wait_for("return vim.api.nvim_buf_get_name(0) == 'pivi://aaaa-1111'")
        nvim.command("Pi raw")
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("gone", ["bdelete", "new | bunload #"])
def test_the_raw_text_after_the_transcript_was_closed(gone: str, path: Path, start_nvim: StartEditor) -> None:
    nvim = start_nvim()
    nvim.command(f"edit {path}")
    nvim.wait_event("PiviBackfilled")
    nvim.command(gone)
    nvim.lua("vim.wait(20)")
    nvim.command(f"Pi raw {path}")
    nvim.lua("vim.wait(50)")
    assert nvim.lines() == path.read_text().splitlines()
    nvim.command("edit")
    nvim.lua("vim.wait(50)")
    assert nvim.lines() == path.read_text().splitlines()
    assert nvim.lua("return {vim.bo.buftype, vim.bo.modifiable}") == ["", True]


def test_text_that_is_shown_already_stays_text(path: Path, start_nvim: StartEditor) -> None:
    nvim = start_nvim()
    nvim.command(f"noautocmd edit {path}")
    nvim.command(f"Pi raw {path}")
    nvim.command("edit")
    assert nvim.lines() == path.read_text().splitlines()


def test_a_failure_to_show_the_text_leaves_events_as_they_were(path: Path, start_nvim: StartEditor) -> None:
    nvim = start_nvim()
    nvim.lua("vim.fn.bufadd = function() error('no buffer') end")
    nvim.command(f"silent! Pi raw {path}")
    assert nvim.lua("return vim.o.eventignore") == ""


def test_a_file_that_is_no_session_after_all_opens_as_text(pi: Pi, start_nvim: StartEditor) -> None:
    path = pi.home.project / "log.jsonl"
    path.write_text('{"type": "session", "no": "id"}\n')
    nvim = start_nvim()
    nvim.command(f"edit {path}")
    nvim.wait_for("return vim.fn.getline(1) ~= ''")
    assert nvim.lines() == ['{"type": "session", "no": "id"}']
    assert nvim.lua("return {vim.bo.buftype, vim.bo.modifiable, vim.bo.swapfile}") == ["", True, True]


def test_any_other_jsonl_is_read_as_ever(pi: Pi, start_nvim: StartEditor) -> None:
    nvim = start_nvim()
    nvim.command("set updatecount=200 undofile")
    nvim.lua("""
      _G.seen = {}
      vim.api.nvim_create_autocmd({'BufReadPre', 'BufReadPost', 'BufNewFile'}, {
        callback = function(event) table.insert(_G.seen, event.event) end,
      })
    """)
    path = pi.home.project / "data.jsonl"
    path.write_bytes('{"a":"é"}\r\n{"b":2}\r\n'.encode("latin-1"))
    nvim.command(f"edit ++enc=latin1 {path}")
    state = nvim.lua("""
      local bo = vim.bo
      return {bo.fileformat, bo.fileencoding, bo.buftype, vim.fn.swapname('') ~= '', bo.undofile}
    """)
    assert state == ["dos", "latin1", "", True, True]
    assert nvim.lines() == ['{"a":"é"}', '{"b":2}']
    assert nvim.lua("return _G.seen") == ["BufReadPre", "BufReadPost"]
    nvim.command("call setline(2, 'other') | write | edit! ++enc=latin1")
    assert path.read_bytes() == '{"a":"é"}\r\nother\r\n'.encode("latin-1")
    nvim.command(f"edit {pi.home.project}/new.jsonl")
    assert nvim.lua("return _G.seen[#_G.seen]") == "BufNewFile"
    path.chmod(0o444)
    nvim.command(f"view {path}")
    assert nvim.lua("return vim.bo.readonly")
    assert nvim.lua("return package.loaded['pivi.host']") is None


def test_session_files_are_searched_and_inserted_as_text(path: Path, start_nvim: StartEditor) -> None:
    nvim = start_nvim()
    nvim.command(f"read {path}")
    assert nvim.lines()[1:] == path.read_text().splitlines()
    nvim.command(f"vimgrep /first words/j {path}")
    assert nvim.lua("return #vim.fn.getqflist()") == 2
    assert nvim.lua("return package.loaded['pivi.host']") is None


def test_a_session_file_that_is_loaded_unseen_stays_unseen(path: Path, start_nvim: StartEditor) -> None:
    nvim = start_nvim()
    nvim.lua("vim.fn.bufload(vim.fn.bufadd(...))", str(path))
    nvim.wait_event("PiviBackfilled")
    assert nvim.lua("return {vim.fn.bufname(), #vim.api.nvim_list_wins()}") == ["", 1]
    nvim.command(f"buffer {path}")
    assert "You said: the first words" in nvim.text()


def test_a_view_is_a_view_again_after_it_was_unloaded(
    path: Path, start_nvim: StartEditor, model: Model
) -> None:
    nvim = start_nvim()
    view(nvim, path)
    number = nvim.lua("return vim.fn.bufnr()")
    nvim.command("bdelete")
    nvim.lua("vim.wait(50)")
    nvim.command(f"buffer {number}")
    nvim.wait_event("PiviBackfilled")
    assert (phase(nvim), nvim.nvim.current.buffer.name) == ("view", "pivi://aaaa-1111")
    assert model.requests == []
