"""`:Pi grep`: hits in the quickfix list, and from there into the transcript; the host is the test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import StartEditor
from tests.editor.browsing import Browsing, row
from tests.support.home import PiHome
from tests.support.pi import Pi

pytestmark = pytest.mark.matrix


def hit(title: str, entry: str, line: str, **more: Any) -> dict[str, Any]:
    session = row(title, 90)
    known = {"path": session["path"], "id": session["id"], "title": title, "entry": entry, "role": "user"}
    return {**known, "line": line, "col": 1, "active": session["active"], **more}


@pytest.fixture
def searching(start_nvim: StartEditor) -> Browsing:
    return Browsing(start_nvim(size=(80, 24)))


def test_hits_stream_into_the_quickfix_list(searching: Browsing) -> None:
    searching.editor.command("Pi grep hello world")
    asked = searching.asked("search")[-1]
    assert (asked["pattern"], asked["regex"], asked["scope"]) == ("hello world", False, "directory")
    searching.give(hit("one", "e1", "say hello world\x1b[0m"), method="hits")
    window = "return vim.fn.getqflist({winid = 0, title = 0, nr = 0})"
    found = searching.editor.lua(window)
    assert found["title"] == "Pi grep hello world (1 found, searching)"
    assert searching.editor.lua("return vim.bo.buftype") != "quickfix"
    searching.give(hit("two", "e/2", "hello world too"), method="hits", final=True, skipped=3)
    assert searching.editor.lua(window)["title"] == "Pi grep hello world (2 found, 3 files skipped)"
    lines = searching.editor.lua(
        "return vim.api.nvim_buf_get_lines(vim.fn.getqflist({qfbufnr = 0}).qfbufnr, 0, -1, true)"
    )
    assert lines == ["one|1h user| say hello world [0m", "two|1h user| hello world too"]


@pytest.mark.parametrize(("keys", "entry"), [(":cfirst<CR>", "e1"), (":cnext<CR>", "e/2")])
def test_a_hit_leads_to_its_message(searching: Browsing, keys: str, entry: str) -> None:
    searching.editor.lua("require('pivi.place').view = function(...) _G.went = { ... } end")
    searching.editor.command("Pi grep! /hel+o/")
    asked = searching.asked("search")[-1]
    assert (asked["pattern"], asked["regex"], asked["scope"]) == ("hel+o", True, "all")
    searching.give(hit("one", "e1", "hello"), hit("two %x", "e/2", "hello"), method="hits", final=True)
    searching.keys(keys)
    title = "one" if entry == "e1" else "two %x"
    assert searching.editor.lua("return _G.went") == [row(title)["path"], entry]
    searching.editor.lua("_G.went = nil")
    searching.keys(":enew<CR>" + keys.replace("cnext", "cc"))
    assert searching.editor.lua("return _G.went") == [row(title)["path"], entry]
    searching.editor.lua("_G.went = nil")
    searching.keys(":enew<CR>:copen<CR>1G<CR>")
    assert searching.editor.lua("return _G.went") == [row("one")["path"], "e1"]
    assert searching.editor.messages().count("Error") == 0


def test_nothing_found_and_a_problem_are_said(searching: Browsing) -> None:
    searching.editor.command("Pi grep nothing")
    searching.give(method="hits", final=True)
    assert "nothing found: nothing" in searching.editor.messages()
    searching.editor.command("Pi grep /(/")
    searching.give(method="hits", final=True, problem="no pattern: (")
    assert "no pattern: (" in searching.editor.messages()


def test_a_new_search_ends_the_one_before(searching: Browsing) -> None:
    searching.editor.command("Pi grep a")
    searching.editor.command("Pi grep b")
    assert searching.asked("leave") == [{"look": 1}]


_AT = """
  local lnum = vim.fn.line('.')
  return vim.fn.getline(lnum) == '## You' and vim.fn.getline(lnum + 2) == ...
"""


def test_a_real_transcript_is_shown_at_the_message(start_nvim: StartEditor, pi: Pi, pi_home: PiHome) -> None:
    editor = start_nvim(size=(80, 24))
    said = [f"message number {i}" for i in range(40)]
    path = str(branched(pi_home, said))
    place = "require('pivi.place').view(...)"
    for entry, words in (("e10", said[10]), ("e30", said[30]), ("aside", "an aside")):
        editor.lua(place, path, entry)
        editor.wait_for(_AT, words)
        assert editor.lua("return vim.fn.foldclosed('.')") == -1
    assert editor.lua("return #vim.api.nvim_list_wins()") == 1


def branched(home: PiHome, said: list[str]) -> Path:
    """A session of these prompts, one after the other, and an aside that hangs on the sixth."""
    stamp = "2026-11-01T12:00:00.000Z"

    def prompt(own: str, parent: str | None, text: str) -> dict[str, Any]:
        message = {"role": "user", "content": [{"type": "text", "text": text}], "timestamp": 1793534400000}
        return {"type": "message", "id": own, "parentId": parent, "timestamp": stamp, "message": message}

    lines: list[dict[str, Any]] = [
        {"type": "session", "version": 3, "id": "s", "timestamp": stamp, "cwd": str(home.project)}
    ]
    for i, text in enumerate(said):
        lines.append(prompt(f"e{i}", f"e{i - 1}" if i else None, text))
        if i == 6:
            lines.append(prompt("aside", "e5", "an aside"))
    path = home.project / "s.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path
