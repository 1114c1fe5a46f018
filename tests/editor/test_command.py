"""`:Pi`, options, status and the host's process, as a user meets them."""

from __future__ import annotations

import json
import os
import re
import signal
import venv
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import StartEditor
from tests.editor.transcript import Transcript
from tests.support.editor import Editor
from tests.support.home import PiHome
from tests.support.pi import Pi
from tests.support.tools import PYTHON, ROOT


def said(editor: Editor) -> str:
    editor.lua("vim.wait(30)")
    return editor.messages()


def stored(home: PiHome, name: str = "01-plain") -> str:
    """A session of ours in the home's project; gives its path."""
    text = (ROOT / f"tests/data/sessions/1.6.0/{name}.jsonl").read_text()
    cwd = json.loads(text.split("\n", 1)[0])["cwd"]
    path = home.project / f"{name}.jsonl"
    path.write_text(text.replace(json.dumps(cwd), json.dumps(str(home.project))))
    return str(path)


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("Pi resme", "unknown subcommand 'resme'; did you mean 'resume'?"),
        ("Pi xyzzy", "unknown subcommand 'xyzzy'; there are abort, "),
        ("Pi sessions nmaed", "unknown argument 'nmaed'; did you mean 'named'?"),
        ("Pi grep", "what is to be found?"),
        ("Pi grep ++al x", "unknown argument '++al'; did you mean '++all'?"),
        ("Pi grep ++session x", "which session? :Pi grep ++session={id, name or path} {words}"),
        ("Pi grep ++session= x", "which session?"),
        ("Pi grep! ++session=a x", ":Pi grep ++session takes no !"),
        ("Pi grep ++session=a\\ b", "what is to be found?"),
        ("Pi! resume", ":Pi resume takes no !"),
        ("1Pi stop", ":Pi stop takes no range"),
        ("Pi new ++ephemral", "unknown argument '++ephemral'; did you mean '++ephemeral'?"),
        ("Pi new ++id", "++id needs an id"),
        ("Pi abort", "there is no conversation here; :Pi opens one"),
        ("Pi send  ", "nothing to send"),
    ],
)
def test_a_wrong_command_is_told_what_is_right(nvim: Editor, command: str, sentence: str) -> None:
    nvim.command(command)
    assert sentence in said(nvim)
    assert nvim.lua("return require('pivi.host').interpreter()") is None


def test_subcommands_and_arguments_are_completed(nvim: Editor) -> None:
    complete = "return vim.fn.getcompletion(..., 'cmdline')"
    assert nvim.lua(complete, "Pi re") == ["restart", "resume"]
    assert nvim.lua(complete, "Pi sess") == ["sessions", "sessions!"]
    assert nvim.lua(complete, "vertical Pi new ++") == ["++ephemeral", "++id="]
    assert nvim.lua(complete, "Pi stop ") == []
    scopes = ["++directory", "++repository", "++all", "++session="]
    assert nvim.lua(complete, "Pi grep ") == scopes and nvim.lua(complete, "Pi grep ++s") == scopes[3:]
    assert nvim.lua(complete, "Pi grep words ") == []


def test_nothing_is_loaded_before_it_is_used(nvim: Editor) -> None:
    loaded = (
        "return vim.tbl_filter(function(name) return name:match('^pivi') end, vim.tbl_keys(package.loaded))"
    )
    assert nvim.lua(loaded) in ([], {})


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"pythn": "x"}, "unknown option 'pythn'; did you mean 'python'?"),
        ({"pi": {"comand": "x"}}, "unknown option 'pi.comand'; did you mean 'pi.command'?"),
        ({"pi": {"args": "x"}}, "option 'pi.args' must be a list of strings"),
        ({"pi": 1}, "option 'pi' must be a table"),
        ({"icons": "emoji"}, 'option \'icons\' must be "unicode" or "ascii"'),
    ],
)
def test_a_wrong_option_is_named(nvim: Editor, options: dict[str, Any], sentence: str) -> None:
    nvim.lua("require('pivi').setup(...)", options)
    assert sentence in said(nvim)


def test_names_are_never_evaluated(start_nvim: StartEditor) -> None:
    editor = start_nvim(size=(80, 24))
    page = Transcript(editor).open().begin()
    name = "100%{execute('let g:ran = 1')} \x1b]0;x\x07%#Error#\x00"
    status = {"phase": "idle", "session_id": "abc", "cwd": "/", "session_name": name, "error": "50%"}
    page.send("status", 1, status, [])
    editor.command("set statusline=%{%v:lua.require'pivi'.statusline()%} | redraw!")
    shown = editor.lua("return vim.api.nvim_eval_statusline(vim.wo.winbar, {use_winbar = true}).str")
    assert "100%{execute('let g:ran = 1')}" in shown
    assert "\x1b" not in shown
    assert editor.lua("return vim.g.ran") is None


def test_status_is_written_whole_before_its_event(nvim: Editor) -> None:
    page = Transcript(nvim).open().begin()
    nvim.lua("""
      _G.seen = {}
      vim.api.nvim_create_autocmd('User', {pattern = 'PiviSettled', callback = function(args)
        table.insert(_G.seen, {vim.b[args.data.buf].pivi.phase, args.data.session_id})
        error('a handler of the user')
      end})
      local function second() _G.second = true end
      vim.api.nvim_create_autocmd('User', {pattern = 'PiviSettled', callback = second})
    """)
    page.send("status", 1, {"phase": "running", "session_id": "abc", "cwd": "/", "error": "x"}, [])
    page.send("status", 1, {"phase": "idle", "session_id": "abc", "cwd": "/"}, [["PiviSettled", {}]])
    assert nvim.lua("return _G.seen") == [["idle", "abc"]]
    assert nvim.lua("return _G.second") is True
    assert nvim.lua("return vim.b.pivi.error == nil and require('pivi').status().phase") == "idle"
    page.fill(1)
    assert "a handler of User PiviSettled" in said(nvim)
    assert nvim.lua("return vim.fn.mode()") == "n"


def test_sections_are_gone_through_by_keys(nvim: Editor) -> None:
    page = Transcript(nvim).open().begin()
    page.fill(3)
    nvim.command("normal gg]]")
    assert nvim.lua("return vim.fn.getline('.')") == "## You s1"
    nvim.command("normal 2]]")
    assert nvim.lua("return vim.fn.getline('.')") == "## You s3"
    nvim.command("normal [[")
    assert nvim.lua("return vim.fn.getline('.')") == "## You s2"


def test_words_that_come_back_are_kept(nvim: Editor) -> None:
    page = Transcript(nvim).open().begin()
    page.send("words_back", 1, "two\nlines", [], "Pi is busy.")
    buf = nvim.lua("return vim.fn.bufnr('pivi-prompt://abc')")
    assert nvim.lines(buf) == ["two", "lines"]
    assert "your words are kept in :sbuffer" in said(nvim)


def test_the_host_is_started_again_after_it_was_killed(
    start_nvim: StartEditor, pi: Pi, pi_home: PiHome
) -> None:
    path = stored(pi_home)
    editor = start_nvim()
    editor.command(f"Pi resume {path}")
    data = editor.wait_events("PiviPainted", "PiviAttached", "PiviBackfilled")["PiviPainted"]
    text = editor.text()
    os.kill(
        editor.lua("return vim.fn.jobpid(vim.api.nvim_list_chans()[#vim.api.nvim_list_chans()].id)"),
        signal.SIGKILL,
    )
    editor.wait_for("return vim.b.pivi.phase == 'failed'")
    assert "Python host ended" in said(editor)
    assert editor.text() == text
    editor.command("Pi")
    again = editor.wait_events("PiviPainted", "PiviAttached", "PiviBackfilled")["PiviPainted"]
    assert again["buf"] == data["buf"]
    assert editor.text() == text


def test_edit_paints_anew(start_nvim: StartEditor, pi: Pi, pi_home: PiHome) -> None:
    editor = start_nvim()
    editor.command(f"Pi resume {stored(pi_home)}")
    editor.wait_events("PiviPainted", "PiviAttached", "PiviBackfilled")
    text = editor.text()
    editor.command("edit!")
    editor.wait_for("return vim.api.nvim_buf_line_count(0) > 5")
    editor.lua("vim.wait(100)")
    assert editor.text() == text
    editor.command("bdelete!")
    editor.lua("vim.wait(100)")
    editor.command("edit " + editor.lua("return vim.fn.fnameescape(vim.fn.bufname('#'))"))
    editor.wait_events("PiviPainted", "PiviAttached", "PiviBackfilled")
    assert editor.text() == text


@pytest.mark.matrix
@pytest.mark.parametrize("command", ["Pi resume", "Pi view"])
def test_a_deleted_buffer_is_taken_again(
    start_nvim: StartEditor, pi: Pi, pi_home: PiHome, command: str
) -> None:
    path = stored(pi_home)
    editor = start_nvim()
    editor.command(f"{command} {path}")
    editor.wait_event("PiviBackfilled")
    here = "return {vim.fn.bufnr(), vim.fn.bufname(), vim.bo.buflisted, vim.fn.maparg(']]', 'n')}"
    before, text = editor.lua(here), editor.text()
    editor.command("bdelete")
    editor.lua("vim.wait(100)")
    editor.command(f"{command} {path}")
    editor.wait_event("PiviBackfilled")
    assert editor.lua(here) == before
    assert editor.text() == text
    assert editor.messages() == ""


def test_sessions_are_picked_from(start_nvim: StartEditor, pi: Pi, pi_home: PiHome) -> None:
    editor = start_nvim(settings={"sessions": {"front": "select"}})
    path = stored(pi_home)
    editor.lua(
        "vim.g.pivi = vim.tbl_deep_extend('force', vim.g.pivi, {pi = {args = {'--session-dir', ...}}})",
        str(pi_home.project),
    )
    editor.lua("""
      vim.ui.select = function(rows, opts, choose)
        _G.shown = vim.tbl_map(opts.format_item, rows)
        choose(rows[1])
        choose(rows[1])
      end
    """)
    editor.command("Pi sessions")
    data = editor.wait_events("PiviPainted", "PiviAttached", "PiviBackfilled")["PiviPainted"]
    assert editor.lua("return vim.b[...].pivi.session_file", data["buf"]) == path
    assert "hello there" in editor.lua("return _G.shown")[0]
    assert editor.lua("return vim.fn.getcompletion('Pi resume ', 'cmdline')") == [data["session_id"]]


def test_missing_packages_are_named_and_words_kept(start_nvim: StartEditor, tmp_path: Path) -> None:
    venv.create(tmp_path / "bare", symlinks=True)
    editor = start_nvim(settings={"python": str(tmp_path / "bare/bin/python")})
    editor.command("Pi send precious")
    sentence = "(option 'python'): missing: pynvim, msgspec, platformdirs; :checkhealth pivi tells more"
    editor.wait_for("return vim.fn.bufnr('pivi-prompt://unsent') > 0")
    told = said(editor)
    assert sentence in told and told.count("\n") == 0
    assert re.match(r"your words are kept in :sbuffer \d+: run :Pi install, ", told[:57])
    assert editor.lines(editor.lua("return vim.fn.bufnr('pivi-prompt://unsent')")) == ["precious"]


def test_a_missing_interpreter_is_named(start_nvim: StartEditor) -> None:
    editor = start_nvim(settings={"python": "/nowhere/python"})
    editor.command("Pi resume")
    assert "run :Pi install, " in said(editor) and "/nowhere/python (option 'python'): not found;" in said(
        editor
    )


def test_health(start_nvim: StartEditor, pi: Pi) -> None:
    editor = start_nvim()
    editor.command("checkhealth pivi")
    text = editor.text()
    assert "ERROR" not in text
    assert "OK Pi 1.6.0" in text
    assert "OK Node" in text
    assert "with pynvim, msgspec, platformdirs, send2trash" in text


OLD_NODE = '#!/bin/sh\n[ "$1" = --version ] && echo v20.1.0 && exit\nexit 1\n'


@pytest.mark.parametrize("python", ["", "/nowhere/python"])
def test_health_names_an_old_node_as_the_cause(
    start_nvim: StartEditor, pi: Pi, tmp_path: Path, python: str
) -> None:
    (tmp_path / "node").write_text(OLD_NODE)
    (tmp_path / "node").chmod(0o755)
    env = {**pi.home.pi_env, "PATH": f"{tmp_path}:/usr/bin:/bin"}
    more = {"python": python} if python else {}
    editor = start_nvim(settings={**more, "pi": {"command": str(pi.path), "env": env}})
    editor.command("checkhealth pivi")
    text = editor.text()
    assert "ERROR Node 20.1.0 is too old" in text
    assert "Pi was not found" not in text and "no program" not in text
    assert "Pi can't run on this Node" in text


def test_health_tells_of_pi_without_an_environment(start_nvim: StartEditor, pi: Pi) -> None:
    editor = start_nvim(settings={"python": "/nowhere/python"})
    editor.command("checkhealth pivi")
    text = editor.text()
    assert "ERROR no interpreter has all that the host needs" in text
    assert "OK Pi 1.6.0" in text and "OK Node" in text
    editor.close()
    editor = start_nvim(settings={"python": "/nowhere/python", "pi": {"command": "/nowhere/pi"}})
    editor.command("checkhealth pivi")
    assert "ERROR there is no program /nowhere/pi: install Pi" in editor.text()


def test_health_tells_that_nothing_can_go_to_the_trash(
    start_nvim: StartEditor, pi: Pi, tmp_path: Path
) -> None:
    # An interpreter that finds all but send2trash.
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['send2trash'] = None\n")
    (tmp_path / "python").write_text(f'#!/bin/sh\nPYTHONPATH="{tmp_path}" exec "{PYTHON}" "$@"\n')
    (tmp_path / "python").chmod(0o755)
    editor = start_nvim(settings={"python": str(tmp_path / "python")})
    editor.command("checkhealth pivi")
    text = editor.text()
    assert "with pynvim, msgspec, platformdirs\n" in text
    assert "send2trash is missing: no session can be moved to the trash" in text
    assert "ERROR" not in text
