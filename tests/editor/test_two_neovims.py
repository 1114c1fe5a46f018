"""One session, two Neovims, or somebody else who writes to its file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.editor import Editor, options
from tests.support.home import PiHome
from tests.support.model import Model
from tests.support.pi import Pi
from tests.support.stores import lines, message

_REQUEST = """
local method, params = ...
params.options = { pi = vim.g.pivi.pi }
_G.answer = nil
require('pivi.host').request(method, params, function(value, err)
  _G.answer = { value = value or false, err = err or false }
end)
"""


_CHOOSE = """
local wanted = ...
vim.ui.select = function(items, opts, on_choice)
  _G.question = opts.prompt
  for i, item in ipairs(items) do
    if opts.format_item(item):find(wanted, 1, true) then
      return on_choice(item, i)
    end
  end
end
"""


def ask(editor: Editor, method: str, params: dict[str, Any]) -> dict[str, Any]:
    """The host's answer: its `value`, or `err`."""
    begin(editor, method, params)
    return answered(editor)


def begin(editor: Editor, method: str, params: dict[str, Any]) -> None:
    """Ask, and wait for nothing."""
    editor.lua(_REQUEST, method, params)


def answered(editor: Editor) -> dict[str, Any]:
    """The answer to what was begun."""
    editor.wait_for("return _G.answer ~= nil")
    answer: dict[str, Any] = editor.lua("return _G.answer")
    return answer


@pytest.fixture
def stored(pi: Pi) -> Path:
    with pi.start() as run:
        run.prompt("first words")
    (file,) = pi.home.sessions_dir.rglob("*.jsonl")
    return file


@pytest.fixture
def other(nvim_version: str, pi: Pi) -> Iterator[Editor]:
    """A second Neovim of the same user; each may end while the other goes on."""
    editor = Editor(nvim_version, PiHome(pi.home.root), options(pi))
    yield editor
    if editor.alive:
        editor.close()


@pytest.fixture
def screen(nvim_version: str, pi: Pi) -> Iterator[Editor]:
    """A second Neovim whose user can be asked; so wide that no message waits for Enter."""
    editor = Editor(nvim_version, PiHome(pi.home.root), options(pi), size=(600, 30))
    yield editor
    if editor.alive:
        editor.close()


def resumed(editor: Editor) -> Editor:
    editor.command("Pi resume")
    editor.wait_event("PiviBackfilled")
    editor.wait_for("return vim.b.pivi.phase == 'idle'")
    return editor


def said(editor: Editor, text: str) -> None:
    editor.wait_for("return vim.fn.execute('messages'):gsub('\\n', ' '):find(..., 1, true)", text)


def seen(file: Path) -> dict[str, float]:
    state = file.stat()
    return {"size": state.st_size, "mtime": state.st_mtime_ns / 1e9}


def prompts(file: Path) -> list[str]:
    records = map(json.loads, file.read_text().splitlines())
    messages = [one["message"] for one in records if one["type"] == "message"]
    return [one["content"][0]["text"] for one in messages if one["role"] == "user"]


def test_a_prompt_into_a_session_that_is_open_elsewhere(stored: Path, nvim: Editor, other: Editor) -> None:
    resumed(nvim)
    resumed(other)
    other.command("Pi send from the other")
    said(other, "open in another Neovim")
    assert prompts(stored) == ["first words"]
    nvim.command("Pi send from the one")
    nvim.wait_event("PiviSettled")
    nvim.close()
    other.command("Pi send once more")
    said(other, "Somebody else has written to this session's file")
    assert prompts(stored) == ["first words", "from the one"]
    other.command("Pi restart")
    other.wait_for("return vim.b.pivi.phase == 'idle' and vim.fn.search('from the one', 'nw') > 0")
    other.command("Pi send after the other")
    other.wait_event("PiviSettled")
    assert prompts(stored) == ["first words", "from the one", "after the other"]


@pytest.mark.parametrize("choice", ["Go on there", "Only read it", "Go on apart", "Send it all the same"])
def test_the_choice_where_it_is_open_elsewhere(
    choice: str, stored: Path, nvim: Editor, screen: Editor
) -> None:
    resumed(nvim)
    resumed(screen)
    screen.lua(_CHOOSE, choice)
    screen.lua("vim.api.nvim_win_set_cursor(0, { vim.fn.search('^first words'), 3 })")
    screen.command("Pi send from here")
    question = screen.wait_for("return _G.question")
    assert question == f"This session is open in another Neovim (process {nvim.pid})."
    kept = "return vim.fn.getbufline('^pivi-prompt://', 1, '$')"
    if choice == "Go on there":
        assert screen.lua(kept) == ["from here"]
    elif choice == "Only read it":
        screen.wait_for("return vim.b.pivi.phase == 'view' and not vim.b.pivi.reading")
        assert screen.lua("return { vim.fn.getline('.'), vim.fn.col('.') }") == ["first words", 4]
        nvim.command("Pi send from there")
        screen.wait_for("return vim.fn.search('You said: from there', 'nw') > 0")
        assert screen.lua(kept) == ["from here"]
    else:
        screen.wait_event("PiviSettled")
        assert "You said: from here" in screen.text()
        assert screen.lua(kept) == [""]
    assert (screen.lua("return vim.b.pivi.session_file") == str(stored)) == (choice != "Go on apart")
    sent_here = choice == "Send it all the same"
    assert ("from here" in prompts(stored)) == sent_here
    is_kept = choice in ("Go on there", "Only read it")
    assert ("your words are kept in" in screen.messages()) == is_kept
    assert is_kept or screen.messages() == ""


def test_what_somebody_else_wrote_is_taken_in_before_words_go_out(stored: Path, screen: Editor) -> None:
    resumed(screen)
    screen.lua(_CHOOSE, "Take in")
    last = json.loads(stored.read_text().splitlines()[-1])["id"]
    with stored.open("ab") as out:
        out.write(lines([message("feedbeef", last, "user", [{"type": "text", "text": "theirs"}])]))
    screen.command("Pi send mine")
    screen.wait_event("PiviSettled")
    assert prompts(stored) == ["first words", "theirs", "mine"]
    text = screen.text()
    assert 0 < text.find("theirs") < text.find("You said: mine")
    assert "You said: mine" in text and screen.messages() == ""


def test_a_file_that_grows_by_somebody_elses_hand(stored: Path, nvim: Editor) -> None:
    resumed(nvim)
    last = json.loads(stored.read_text().splitlines()[-1])["id"]
    with stored.open("ab") as out:
        out.write(lines([message("feedbeef", last, "user", [{"type": "text", "text": "theirs"}])]))
    nvim.command("Pi send mine")
    said(nvim, "Somebody else has written")
    assert prompts(stored) == ["first words", "theirs"]
    nvim.command("Pi send mine, knowing it")
    nvim.wait_event("PiviSettled")
    assert prompts(stored) == ["first words", "theirs", "mine, knowing it"]


def test_a_file_that_was_deleted_while_it_is_open(stored: Path, nvim: Editor) -> None:
    resumed(nvim)
    nvim.command("Pi send two")
    nvim.wait_event("PiviSettled")
    stored.unlink()
    nvim.command("Pi send three")
    said(nvim, "This session's file is gone")
    assert not stored.exists()


def test_own_turns_are_nobody_elses(stored: Path, model: Model, nvim: Editor) -> None:
    resumed(nvim)
    for number in range(3):
        nvim.command(f"Pi send number {number}")
        nvim.wait_event("PiviSettled")
    assert "Somebody" not in nvim.messages()
    assert len(prompts(stored)) == 4


def test_renaming(stored: Path, pi: Pi, nvim: Editor, other: Editor) -> None:
    path = str(stored)
    closed = {"path": path, "name": "closed", "seen": seen(stored)}
    assert ask(nvim, "rename", closed)["err"] is False
    assert "changed meanwhile" in ask(other, "rename", {**closed, "name": "too late"})["err"]
    with pi.start("--session", path) as run:
        assert run.request("get_state")["data"]["sessionName"] == "closed"
    resumed(nvim)
    refused = ask(other, "rename", {**closed, "name": "other", "seen": seen(stored)})["err"]
    assert "open in another Neovim" in refused
    assert ask(nvim, "rename", {**closed, "name": "through Pi"})["err"] is False
    nvim.wait_for("return vim.b.pivi.session_name == 'through Pi'")
    assert json.loads(stored.read_text().splitlines()[-1])["name"] == "through Pi"


def test_two_names_at_once_are_one_name_and_one_refusal(stored: Path, nvim: Editor, other: Editor) -> None:
    for editor in (nvim, other):
        ask(editor, "preview", {"look": 0, "path": str(stored)})  # its host runs
    for number in range(5):
        before, params = stored.read_bytes(), {"path": str(stored), "seen": seen(stored)}
        begin(nvim, "rename", {**params, "name": f"one {number}"})
        begin(other, "rename", {**params, "name": f"other {number}"})
        errors = [answered(editor)["err"] for editor in (nvim, other)]
        assert sorted(bool(error) for error in errors) == [False, True]
        why = next(error for error in errors if error)
        assert "changed meanwhile" in why or "in another Neovim" in why
        added = stored.read_bytes().removeprefix(before).splitlines()
        assert len(added) == 1 and json.loads(added[0])["name"].endswith(str(number))


def test_a_name_and_the_trash_at_once(stored: Path, nvim: Editor, other: Editor) -> None:
    for editor in (nvim, other):
        ask(editor, "preview", {"look": 0, "path": str(stored)})
    before, sight = stored.read_bytes(), seen(stored)
    begin(nvim, "rename", {"path": str(stored), "name": "kept", "seen": sight})
    begin(other, "trash", {"paths": [str(stored)], "seen": [sight]})
    named, trashed = answered(nvim)["err"] is False, answered(other)["value"]
    if trashed["moved"]:
        assert not stored.exists()
        ask(other, "untrash", {"token": trashed["token"]})
    assert stored.read_bytes().startswith(before)
    assert (stored.read_bytes() != before) == named
    assert not (named and trashed["moved"])


def test_a_resume_and_the_trash_at_once(stored: Path, pi: Pi, nvim: Editor, other: Editor) -> None:
    ask(other, "preview", {"look": 0, "path": str(stored)})
    before, sight = stored.read_bytes(), seen(stored)
    nvim.command("Pi resume")
    nvim.wait_event("PiviPainted")
    nvim.wait_for("return vim.b.pivi.phase == 'starting' or vim.b.pivi.phase == 'idle'")
    trashed = ask(other, "trash", {"paths": [str(stored)], "seen": [sight]})["value"]
    assert "open in another Neovim" in trashed["refused"][0]
    nvim.wait_for("return vim.b.pivi.phase == 'idle'")
    assert stored.read_bytes() == before


def test_the_name_of_a_running_session_can_not_be_cleared(stored: Path, nvim: Editor) -> None:
    resumed(nvim)
    assert ask(nvim, "rename", {"path": str(stored), "name": "mine", "seen": seen(stored)})["err"] is False
    blank = {"path": str(stored), "name": " "}
    error = ask(nvim, "rename", {**blank, "seen": seen(stored)})["err"]
    assert error == ":Pi stop it first: Pi can't take a running session's name away."
    nvim.command("Pi stop")
    nvim.wait_for("return vim.b.pivi.phase == 'stopped'")
    assert ask(nvim, "rename", {**blank, "seen": seen(stored)})["err"] is False
    assert json.loads(stored.read_text().splitlines()[-1])["name"] == ""


def test_the_trash(stored: Path, nvim: Editor, other: Editor) -> None:
    resumed(nvim)
    content, params = stored.read_bytes(), {"paths": [str(stored)], "seen": [seen(stored)]}
    assert "open here" in ask(nvim, "trash", params)["value"]["refused"][0]
    assert "open in another Neovim" in ask(other, "trash", params)["value"]["refused"][0]
    nvim.close()
    moved = ask(other, "trash", params)["value"]
    assert moved["moved"] == [str(stored)] and not moved["refused"] and not stored.exists()
    assert ask(other, "untrash", {"token": moved["token"]})["value"] == {"restored": [str(stored)]}
    assert stored.read_bytes() == content
