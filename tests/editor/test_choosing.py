"""`vim.ui.select` and `vim.ui.input` that are cancelled, answer twice, or never do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import StartEditor
from tests.editor.test_turns import resume, said
from tests.editor.test_view import append, entry
from tests.support.editor import Editor
from tests.support.pi import Pi
from tests.support.stored import bucket, store

CANCEL = ""

_ANSWERS = """
local answers, typed = ...
_G.asked = {}
vim.ui.select = function(items, opts, done)
  table.insert(_G.asked, opts.prompt)
  for _, wanted in ipairs(answers) do
    local found
    for _, item in ipairs(items) do
      local text = opts.format_item and opts.format_item(item) or item
      found = found or wanted ~= '' and text:find(wanted, 1, true) and item or nil
    end
    done(found)
  end
end
vim.ui.input = function(opts, done)
  table.insert(_G.asked, opts.prompt)
  for _, text in ipairs(typed) do
    done(text ~= '' and text or nil)
  end
end
"""
_KEPT = """
local buf = vim.fn.bufnr('^pivi-prompt://aaaa')
return buf > 0 and table.concat(vim.fn.getbufline(buf, 1, '$'), '\\n') or ''
"""


def asking(start_nvim: StartEditor, *answers: str, typed: tuple[str, ...] = (), **more: object) -> Editor:
    """A Neovim whose user answers a question so, "" cancels it. Wide: no message waits for Enter."""
    nvim = start_nvim(size=(600, 30), **more)
    answer(nvim, *answers, typed=typed)
    return nvim


def answer(nvim: Editor, *answers: str, typed: tuple[str, ...] = ()) -> None:
    nvim.lua(_ANSWERS, list(answers), list(typed))


def asked(nvim: Editor, times: int = 1) -> None:
    nvim.wait_for("return #_G.asked == ...", times)


def sessions(pi: Pi) -> list[Path]:
    return list(pi.home.sessions_dir.rglob("*.jsonl"))


def settled(nvim: Editor) -> None:
    """Nothing more comes of what was answered."""
    nvim.lua("vim.wait(300)")


@pytest.fixture
def lost(pi: Pi) -> Path:
    """The file of a session whose directory is gone."""
    gone = pi.home.root / "gone"
    return store(bucket(pi.home.sessions_dir, gone), gone, "aaaa-1111", "long ago")


@pytest.fixture
def here(pi: Pi) -> Path:
    return store(bucket(pi.home.sessions_dir, pi.home.project), pi.home.project, "aaaa-1111", "first")


GO_ON, READ = "Go on in", "Only read it"


@pytest.mark.parametrize("answers", [(GO_ON, GO_ON), (GO_ON, CANCEL), (GO_ON, READ)])
def test_the_first_answer_counts_where_the_directory_is_gone(
    start_nvim: StartEditor, pi: Pi, lost: Path, answers: tuple[str, ...]
) -> None:
    nvim = asking(start_nvim, *answers)
    nvim.command(f"Pi view {lost}")
    nvim.wait_event("PiviBackfilled")
    nvim.command("Pi send new words")
    nvim.wait_event("PiviSettled")
    settled(nvim)
    (fork,) = set(sessions(pi)) - {lost}
    assert said(fork) == ["long ago", "new words"]
    assert nvim.messages() == ""


def test_one_fork_for_a_directory_that_is_given_twice(start_nvim: StartEditor, pi: Pi, lost: Path) -> None:
    there = str(pi.home.project)
    nvim = asking(start_nvim, "Choose a directory", typed=(there, there))
    nvim.command(f"Pi resume {lost}")
    nvim.wait_event("PiviBackfilled")
    settled(nvim)
    assert len(sessions(pi)) == 2
    assert nvim.messages() == ""


def test_words_stay_where_the_first_answer_is_none(start_nvim: StartEditor, pi: Pi, lost: Path) -> None:
    nvim = asking(start_nvim, CANCEL, GO_ON)
    nvim.command(f"Pi view {lost}")
    nvim.wait_event("PiviBackfilled")
    nvim.command("Pi send new words")
    nvim.wait_for(f"return (function() {_KEPT} end)() == 'new words'")
    settled(nvim)
    assert sessions(pi) == [lost]


def test_a_question_without_an_answer_holds_nothing_up(start_nvim: StartEditor, pi: Pi, lost: Path) -> None:
    nvim = asking(start_nvim)
    nvim.command(f"Pi view {lost}")
    nvim.wait_event("PiviBackfilled")
    nvim.command("Pi send new words")
    asked(nvim)
    assert nvim.lua(_KEPT) == "new words"
    nvim.command("Pi new")
    nvim.wait_event("PiviBackfilled")
    nvim.command("Pi send to another one")
    nvim.wait_event("PiviSettled")
    assert "You said: to another one" in nvim.text()
    assert nvim.lua(_KEPT) == "new words"
    assert nvim.messages() == ""


def test_words_for_a_restored_transcript_wait_in_sight(start_nvim: StartEditor, pi: Pi, lost: Path) -> None:
    nvim = asking(start_nvim)
    nvim.command(f"edit {lost}")
    nvim.wait_event("PiviBackfilled")
    nvim.command(f"mksession {pi.home.root}/Session.vim")
    nvim.close("qa")
    again = asking(start_nvim)
    again.command(f"source {pi.home.root}/Session.vim")
    again.wait_event("PiviBackfilled")
    again.command("Pi send new words")
    asked(again)
    assert again.lua(_KEPT) == "new words"
    answer(again, CANCEL)
    again.command("Pi send more words")
    asked(again)
    again.wait_for("return vim.fn.execute('messages'):find('your words are kept in', 1, true)")
    assert again.lua(_KEPT) == "new words\n\nmore words"


TAKE_IN, ALL_THE_SAME = "Take in", "Send it all the same"


@pytest.mark.parametrize(
    ("answers", "prompts"),
    [
        ((TAKE_IN, TAKE_IN), ["first", "theirs", "mine"]),
        ((ALL_THE_SAME, ALL_THE_SAME), ["first", "theirs", "mine"]),
        ((ALL_THE_SAME, CANCEL), ["first", "theirs", "mine"]),
        ((CANCEL, ALL_THE_SAME), ["first", "theirs"]),
        ((), ["first", "theirs"]),
    ],
)
def test_the_first_answer_counts_where_somebody_else_wrote(
    start_nvim: StartEditor, here: Path, answers: tuple[str, ...], prompts: list[str]
) -> None:
    nvim = asking(start_nvim, *answers)
    resume(nvim)
    append(here, entry(5, "theirs"))
    nvim.command("Pi send mine")
    if "mine" in prompts:
        nvim.wait_event("PiviSettled")
    asked(nvim)
    settled(nvim)
    contents = [json.loads(line).get("message", {}) for line in here.read_text().splitlines()]
    users = [message["content"] for message in contents if message.get("role") == "user"]
    assert [text if isinstance(text, str) else text[0]["text"] for text in users] == prompts
    assert nvim.lua(_KEPT) == ("" if "mine" in prompts else "mine")
    answer(nvim, ALL_THE_SAME)
    nvim.command("Pi send another")
    nvim.wait_event("PiviSettled")
    assert "You said: another" in nvim.text()


@pytest.mark.parametrize("answers", [(CANCEL,), ()])
def test_a_list_that_nothing_is_chosen_from(
    start_nvim: StartEditor, here: Path, answers: tuple[str, ...]
) -> None:
    nvim = asking(start_nvim, *answers)
    nvim.lua("require('pivi').setup({ sessions = { front = 'select' } })")
    nvim.command("Pi sessions")
    asked(nvim)
    settled(nvim)
    assert [name for name, _ in nvim.events] == [] and nvim.messages() == ""
    answer(nvim, "first", "first")
    nvim.command("Pi sessions")
    nvim.wait_event("PiviBackfilled")
    assert "You said: first" in nvim.text() and nvim.messages() == ""


@pytest.mark.parametrize("typed", [("A name", "A name"), ("A name", CANCEL), (CANCEL, "A name"), ()])
def test_a_name_is_given_once(start_nvim: StartEditor, here: Path, typed: tuple[str, ...]) -> None:
    nvim = asking(start_nvim, typed=typed)
    nvim.command("Pi sessions")
    nvim.wait_for("return vim.fn.search('first', 'nw') > 0")
    nvim.lua("require('pivi').sessions({}, function(rows) _G.row = rows[1] end)")
    nvim.wait_for("return _G.row")
    nvim.lua("_G.done = 0 require('pivi.acts').rename(_G.row, function() _G.done = _G.done + 1 end)")
    asked(nvim)
    settled(nvim)
    assert here.read_text().count('"name":"A name"') == (typed[:1] == ("A name",))
    assert nvim.lua("return _G.done") == (1 if typed else 0)
    assert nvim.messages() == ""


@pytest.mark.parametrize("typed", ["twice", "then not", "not at first"])
def test_it_is_exported_once(start_nvim: StartEditor, here: Path, tmp_path: Path, typed: str) -> None:
    target = str(tmp_path / "out.md")
    answers = {"twice": (target, target), "then not": (target, CANCEL), "not at first": (CANCEL, target)}
    nvim = asking(start_nvim, typed=answers[typed])
    nvim.lua("_G.confirmed = 0 vim.fn.confirm = function() _G.confirmed = _G.confirmed + 1 return 2 end")
    nvim.lua("require('pivi').sessions({}, function(rows) _G.row = rows[1] end)")
    nvim.wait_for("return _G.row")
    nvim.lua("require('pivi.acts').export(_G.row)")
    asked(nvim)
    settled(nvim)
    assert Path(target).exists() == (typed != "not at first")
    assert nvim.messages().count("written:") == (typed != "not at first")
    assert nvim.lua("return _G.confirmed") == 0


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """An interpreter that takes a while to install nothing, and writes down that it was to."""
    path = tmp_path / "python"
    path.write_text(
        f'#!/bin/sh\n[ "$1" = -c ] && exit 0\necho ran >> {tmp_path}/runs\nsleep 0.1\necho no >&2\nexit 1\n'
    )
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("answers", "times"),
    [(("Yes", "Yes"), 1), (("Yes", CANCEL), 1), (("No", CANCEL), 0), ((CANCEL, CANCEL), 0), ((), 0)],
)
def test_it_is_installed_once(
    start_nvim: StartEditor, python: Path, answers: tuple[str, ...], times: int
) -> None:
    nvim = asking(start_nvim, *answers, settings={"python": str(python)})
    nvim.command("Pi install")
    asked(nvim)
    nvim.lua("vim.wait(400)")
    runs = python.parent / "runs"
    assert (runs.read_text().count("ran") if runs.exists() else 0) == times
    assert nvim.messages().count("the installation failed") == times
    assert "E5" not in nvim.messages()
    answer(nvim, "Yes")
    nvim.command("Pi install")
    nvim.lua("vim.wait(400)")
    assert runs.read_text().count("ran") == times + 1


def test_two_questions_whether_to_install_are_one_installation(start_nvim: StartEditor, python: Path) -> None:
    nvim = asking(start_nvim, settings={"python": str(python)})
    nvim.lua("_G.answers = {} vim.ui.select = function(_, _, done) table.insert(_G.answers, done) end")
    for _ in range(2):
        nvim.command("Pi install")
    nvim.lua("for _, answer in ipairs(_G.answers) do answer('Yes') end")
    nvim.lua("vim.wait(400)")
    assert nvim.messages().count("the installation is still running") == 1
    assert (python.parent / "runs").read_text().count("ran") == 1
