"""Turns that fail, are cut off, steered or come early: no word is lost, and the page is as if resumed."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.bench.sessions import Writer
from tests.conftest import StartEditor
from tests.support.editor import Editor
from tests.support.model import Model, Reply, ToolCall, text_of
from tests.support.pi import Pi
from tests.support.processes import processes_with
from tests.support.stored import bucket, store

pytestmark = pytest.mark.matrix

START = {"PiviPainted", "PiviAttached", "PiviBackfilled"}
LONG = "half of a long answer that is not told to its end"

_PAGE = """
local marks = {}
local ns = vim.api.nvim_get_namespaces()['pivi.marks']
for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, { details = true })) do
  local details = mark[4]
  table.insert(marks, {
    mark[2], mark[3], details.end_row, details.end_col, details.hl_group, details.line_hl_group,
    details.virt_text, details.virt_text_pos,
  })
end
local lines = {}
for lnum, text in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, true)) do
  local closed = vim.fn.foldclosed(lnum)
  local fold = closed == -1 and '.' or closed == lnum and '+' or '-'
  lines[lnum] = vim.fn.foldlevel(lnum) .. fold .. ' ' .. text
end
return { lines, vim.tbl_map(vim.inspect, marks) }
"""

_WAITS = """
local host = require('pivi.host')
for id = 1, 100 do
  if host.pending(id) then
    return false
  end
end
return true
"""

_PROMPT = """
local buf = vim.fn.bufnr('pivi-prompt://')
return buf > 0 and vim.api.nvim_buf_get_lines(buf, 0, -1, true) or nil
"""


def stored(pi: Pi) -> Path:
    """A session of the home's project in which "first" was said."""
    project = pi.home.project
    return store(bucket(pi.home.sessions_dir, project), project, "aaaa-1111", "first")


def resume(nvim: Editor) -> None:
    nvim.command("Pi resume")
    nvim.wait_events(*START)
    nvim.wait_for("return vim.b.pivi.phase == 'idle'")


def say(nvim: Editor, text: str) -> None:
    """Say it and wait until Pi is done."""
    nvim.command(f"Pi send {text}")
    nvim.wait_event("PiviSettled")


def send(nvim: Editor, *texts: str) -> None:
    """Say these and wait until Pi has taken them."""
    for text in texts:
        nvim.command(f"Pi send {text}")
    nvim.wait_for(_WAITS)


def status(nvim: Editor) -> dict[str, Any]:
    found: dict[str, Any] = nvim.lua("return vim.b.pivi")
    return found


def said(file: Path) -> list[str]:
    """The prompts in a session file, in order."""
    entries = (json.loads(line) for line in file.read_text().splitlines())
    messages = [entry["message"] for entry in entries if entry["type"] == "message"]
    return [text_of(message) for message in messages if message["role"] == "user"]


def page(nvim: Editor) -> list[list[str]]:
    """Lines with their folds, and marks."""
    found: list[list[str]] = nvim.lua(_PAGE)
    return found


def at_rest(nvim: Editor) -> list[list[str]]:
    """The page once Pi is idle, all of it is there and nothing of it changes any more."""
    nvim.wait_for("return vim.b.pivi.phase == 'idle' and not vim.b.pivi.reading")
    seen, now = None, page(nvim)
    while seen != now:
        nvim.lua("vim.wait(200)")
        seen, now = now, page(nvim)
    return now


def is_as_resumed(nvim: Editor) -> None:
    """What is shown is what the same file shows when it is resumed anew."""
    live = at_rest(nvim)
    nvim.command("bwipe!")
    resume(nvim)
    assert live == at_rest(nvim)


def kill_pi(nvim: Editor) -> None:
    """SIGKILL."""
    running = processes_with(nvim.home.mark)
    # Pi calls its process "pi" once it has started.
    (pid,) = [pid for pid, line in running.items() if line == "pi" or line.startswith("node ")]
    os.kill(pid, signal.SIGKILL)
    nvim.wait_event("PiviExited")


def busy(nvim: Editor, model: Model, text: str) -> None:
    """Say it, and have the answer stop on its way."""
    model.script(Reply(text=LONG, hold_after=3))
    nvim.command(f"Pi send {text}")
    model.wait_held()
    nvim.wait_for("return vim.fn.search('^half of', 'nw') > 0 and vim.b.pivi.phase == 'running'")


_BESIDE = """
local row = vim.fn.search('^### bash ', 'nw') - 1
local words = {}
local marks = vim.api.nvim_buf_get_extmarks(0, -1, { row, 0 }, { row, -1 }, { details = true })
table.sort(marks, function(a, b) return a[4].priority < b[4].priority end)
for _, mark in ipairs(marks) do
  for _, chunk in ipairs(mark[4].virt_text or {}) do
    table.insert(words, chunk[1])
  end
end
return row >= 0 and table.concat(words, ' ') or ''
"""


def test_a_tool_that_runs_is_seen_to_run_and_has_no_outcome_yet(
    pi: Pi, model: Model, start_nvim: StartEditor
) -> None:
    stored(pi)
    nvim = start_nvim()
    resume(nvim)
    go_on = pi.home.project / "go-on"
    command = f"echo half way; until [ -e {go_on} ]; do sleep 0.1; done; echo done"
    model.script(Reply(tool_calls=[ToolCall("bash", {"command": command})]))
    nvim.command("Pi send wait a little")
    nvim.wait_for(
        f"local beside = (function() {_BESIDE} end)() return beside:find('1 s · half way', 1, true)"
    )
    beside = nvim.lua(_BESIDE)
    assert beside.startswith("… running · ") and "no result" not in beside
    assert "No result is stored" not in nvim.text()
    nvim.lua("vim.fn.search('^### bash ', 'w') require('pivi.keys').run('<Plug>(pivi-whole)')")
    nvim.wait_for("return vim.api.nvim_buf_get_name(0):find('pivi-block://', 1, true)")
    assert nvim.text().strip() == "half way"
    nvim.command("close")
    go_on.touch()
    nvim.wait_event("PiviSettled")
    nvim.wait_for(
        "return #vim.api.nvim_buf_get_extmarks("
        "0, vim.api.nvim_get_namespaces()['pivi.passing'], 0, -1, {}) == 0"
    )
    assert nvim.lua(_BESIDE).startswith("✓ 2 lines")
    is_as_resumed(nvim)


def test_what_is_said_before_anything_runs_waits_and_is_sent_once(
    pi: Pi, model: Model, start_nvim: StartEditor
) -> None:
    file = stored(pi)
    nvim = start_nvim()
    nvim.command("Pi send early")
    nvim.wait_for("return (vim.b.pivi or {}).phase == 'starting'")
    nvim.command("Pi send and then")
    nvim.wait_event("PiviSettled")
    nvim.wait_for("return vim.b.pivi.phase == 'idle'")
    assert said(file) == ["first", "early", "and then"]
    assert len(model.requests) == 2
    is_as_resumed(nvim)


def test_what_is_said_in_one_breath_is_all_stored_in_its_order(
    pi: Pi, model: Model, start_nvim: StartEditor
) -> None:
    file = stored(pi)
    nvim = start_nvim()
    nvim.command("Pi resume")
    nvim.wait_event("PiviBackfilled")
    nvim.wait_for("return vim.b.pivi.phase == 'idle'")
    words = [f"word {number}" for number in range(9)]
    for first in range(0, 9, 3):
        nvim.lua("for _, text in ipairs(...) do require('pivi').send(text) end", words[first : first + 3])
    # Pi is idle for a moment between two turns: the last answer has to be there too.
    nvim.wait_for("return vim.b.pivi.phase == 'idle' and vim.fn.search('^You said: word 8$', 'nw') > 0")
    assert said(file) == ["first", *words]
    assert nvim.messages() == ""
    is_as_resumed(nvim)


def test_what_is_said_while_a_large_session_is_read(pi: Pi, model: Model, start_nvim: StartEditor) -> None:
    file = bucket(pi.home.sessions_dir, pi.home.project) / "2026-11-01T12-00-00-000Z_large.jsonl"
    Writer(file, 3_000_000, pi.home.project)
    nvim = start_nvim()
    nvim.command("Pi resume")
    nvim.wait_event("PiviPainted")
    assert "PiviBackfilled" not in [name for name, _ in nvim.events]
    say(nvim, "a word in between")
    assert said(file).count("a word in between") == 1
    assert nvim.text().endswith("You said: a word in between")
    is_as_resumed(nvim)


def test_calls_that_fail(pi: Pi, model: Model, start_nvim: StartEditor) -> None:
    stored(pi)
    (pi.home.project / "a.txt").write_text("one\ntwo\nthree\n")
    missing = ToolCall("read", {"path": "missing"})
    edit = {"path": "a.txt", "edits": [{"oldText": "two", "newText": "zwei"}]}
    model.script(
        Reply(thinking="first\nlook", tool_calls=[ToolCall("read", {"path": "a.txt"})]),
        Reply(text="Two:", tool_calls=[ToolCall("bash", {"command": "echo out; exit 3"}), missing]),
        Reply(tool_calls=[ToolCall("edit", edit), ToolCall("nothing", {"x": 1}), ToolCall("bash", "{")]),
        Reply(thinking="done", text="# All done\n\n```python\nprint()\n```\n", piece=3),
    )
    nvim = start_nvim(size=(100, 40))
    resume(nvim)
    say(nvim, "go on")
    text = nvim.text()
    for part in ("### read a.txt", "### bash echo out", "zwei", "# All done"):
        assert part in text
    say(nvim, "and again")
    is_as_resumed(nvim)


@pytest.mark.parametrize("command", ["Pi new A name of its own", "Pi fork {}"])
def test_a_new_session_is_as_if_it_were_resumed(
    command: str, pi: Pi, model: Model, start_nvim: StartEditor
) -> None:
    file = stored(pi)
    nvim = start_nvim()
    nvim.command(command.format(file))
    nvim.wait_events(*START)
    model.script(Reply(tool_calls=[ToolCall("bash", {"command": "true"})]))
    say(nvim, "hello")
    assert status(nvim)["session_file"] != str(file)
    is_as_resumed(nvim)


@pytest.mark.parametrize("status_code", [400, 500])
def test_a_turn_that_fails(status_code: int, pi: Pi, model: Model, start_nvim: StartEditor) -> None:
    settings = pi.home.agent_dir / "settings.json"
    retry = {"retry": {"enabled": True, "maxRetries": 2, "baseDelayMs": 20}}
    settings.write_text(json.dumps({**json.loads(settings.read_text()), **retry}))
    stored(pi)
    nvim = start_nvim()
    resume(nvim)
    model.script(*[Reply(status=status_code, error="out of order")] * (2 if status_code == 500 else 1))
    say(nvim, "try")
    assert "out of order" in nvim.text()
    assert status(nvim)["phase"] == "idle"
    assert ("You said: try" in nvim.text()) == (status_code == 500)
    is_as_resumed(nvim)


@pytest.mark.parametrize("doing", ["answer", "tool"])
def test_a_turn_is_aborted(doing: str, pi: Pi, model: Model, start_nvim: StartEditor) -> None:
    stored(pi)
    nvim = start_nvim()
    resume(nvim)
    if doing == "answer":
        busy(nvim, model, "stop me")
    else:
        model.script(Reply(tool_calls=[ToolCall("bash", {"command": "echo begun; exec sleep 60"})]))
        nvim.command("Pi send stop me")
        nvim.wait_for("return vim.fn.search('^### bash', 'nw') > 0")
    nvim.command("Pi abort")
    nvim.wait_event("PiviSettled")
    assert status(nvim)["phase"] == "idle"
    assert "stop me" in nvim.lines()
    assert "half of a" in nvim.text() or doing == "tool"
    is_as_resumed(nvim)
    say(nvim, "go on")
    assert nvim.text().endswith("You said: go on")


def test_words_steer_a_running_turn(pi: Pi, model: Model, start_nvim: StartEditor) -> None:
    file = stored(pi)
    nvim = start_nvim()
    resume(nvim)
    model.script(
        Reply(text=LONG, tool_calls=[ToolCall("bash", {"command": "echo tool"})], hold_after=3),
        Reply(text="As you wish."),
    )
    nvim.command("Pi send begin")
    model.wait_held()
    send(nvim, "that way", "quickly")
    model.release()
    nvim.wait_event("PiviSettled")
    assert said(file) == ["first", "begin", "that way", "quickly"]
    order = ["begin", "### bash", "that way", "As you wish."]
    places = [nvim.text().index(part) for part in order]
    assert places == sorted(places)
    assert nvim.lua(_PROMPT) is None
    is_as_resumed(nvim)


def test_pi_is_killed_in_mid_turn(pi: Pi, model: Model, start_nvim: StartEditor) -> None:
    file = stored(pi)
    nvim = start_nvim()
    resume(nvim)
    busy(nvim, model, "taken")
    send(nvim, "not taken")
    kill_pi(nvim)
    assert status(nvim)["phase"] == "failed"
    assert "SIGKILL" in status(nvim)["error"]
    assert nvim.messages().count(status(nvim)["error"]) == 1
    assert nvim.lua(_PROMPT) == ["not taken"]
    assert said(file) == ["first", "taken"]
    assert nvim.lines().count("taken") == 1
    model.release()
    say(nvim, "once more")
    assert status(nvim).get("error") is None
    assert said(file) == ["first", "taken", "once more"]
    is_as_resumed(nvim)


def test_pi_is_killed_in_its_first_turn(pi: Pi, model: Model, start_nvim: StartEditor) -> None:
    nvim = start_nvim()
    nvim.command("Pi new")
    nvim.wait_events(*START)
    busy(nvim, model, "precious")
    kill_pi(nvim)
    file = Path(status(nvim)["session_file"])
    # An old Pi makes the file only when there is an answer.
    kept = said(file) if file.exists() else nvim.lua(_PROMPT)
    assert kept == ["precious"]
    assert (nvim.lua(_PROMPT) is None) == file.exists()
    assert "precious" in nvim.lines()


def test_stopped_in_mid_turn(pi: Pi, model: Model, start_nvim: StartEditor) -> None:
    file = stored(pi)
    nvim = start_nvim()
    resume(nvim)
    busy(nvim, model, "begin")
    send(nvim, "later")
    nvim.command("Pi stop")
    nvim.wait_event("PiviExited")
    assert status(nvim)["phase"] == "stopped"
    assert nvim.lua(_PROMPT) == ["later"]
    assert said(file) == ["first", "begin"]
    nvim.command("Pi restart")
    nvim.wait_event("PiviAttached")
    nvim.wait_for("return vim.b.pivi.phase == 'idle'")
    is_as_resumed(nvim)
