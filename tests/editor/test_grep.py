"""`:Pi grep`: hits in the quickfix list, and from there into the transcript; the host is the test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.conftest import StartEditor
from tests.editor.browsing import Browsing, row
from tests.support.editor import Editor
from tests.support.entries import HEADER, Line, answer, call, raw, result, user
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
    assert searching.editor.lua("return vim.bo.buftype") == "quickfix"
    searching.give(hit("two", "e/2", "hello world too"), method="hits", final=True, skipped=3)
    assert searching.editor.lua(window)["title"] == "Pi grep hello world (2 found, 3 files skipped)"
    lines = searching.editor.lua(
        "return vim.api.nvim_buf_get_lines(vim.fn.getqflist({qfbufnr = 0}).qfbufnr, 0, -1, true)"
    )
    assert lines == ["one|1h user| say hello world", "two|1h user| hello world too"]


@pytest.mark.parametrize("keys", ["i", ":split<CR>"])
def test_who_has_gone_on_elsewhere_stays_there(searching: Browsing, keys: str) -> None:
    searching.editor.command("Pi grep hello")
    searching.keys(keys)
    searching.give(hit("one", "e1", "hello"), method="hits", final=True)
    assert searching.editor.lua("return vim.bo.buftype") != "quickfix"
    assert searching.editor.lua("return vim.fn.getqflist({winid = 0}).winid") > 0


@pytest.mark.parametrize(("keys", "entry"), [(":cfirst<CR>", "e1"), (":cnext<CR>", "e/2")])
def test_a_hit_leads_to_its_message(searching: Browsing, keys: str, entry: str) -> None:
    searching.editor.lua("require('pivi.place').view = function(path, entry) _G.went = { path, entry } end")
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


def test_hits_of_a_session_share_a_buffer_and_lead_each_to_its_entry(searching: Browsing) -> None:
    nvim = searching.editor
    nvim.lua("require('pivi.place').view = function(_, entry, sought) _G.went = { entry, sought.line } end")
    nvim.command("Pi grep hello")
    for chunk in range(3):
        found = [hit("one", f"e{chunk}{i}", f"hello {chunk}{i}") for i in range(3)]
        searching.give(*found, method="hits", final=chunk == 2)
    names = "return vim.tbl_map(function(b) return b.name end, vim.fn.getbufinfo())"
    assert [name for name in nvim.lua(names) if name] == [f"pivi-hit://{row('one')['path']}"]
    listed = "return vim.fn.getbufline(vim.fn.getqflist({qfbufnr = 0}).qfbufnr, 1, '$')"
    expected = [f"one|1h user| hello {chunk}{i}" for chunk in range(3) for i in range(3)]
    assert nvim.lua(listed) == expected

    def went(keys: str) -> list[str]:
        nvim.lua("_G.went = nil")
        searching.keys(f":enew<CR>{keys}")
        return list(nvim.lua("return _G.went"))

    assert went(":cfirst<CR>") == ["e00", "hello 00"]
    assert went(":cnext<CR>") == ["e01", "hello 01"]
    assert went(":copen<CR>8G<CR>") == ["e21", "hello 21"]
    nvim.command("Pi grep other")
    searching.give(hit("one", "other", "other"), method="hits", final=True)
    nvim.command("wincmd p")
    assert went(":cfirst<CR>") == ["other", "other"]
    assert went(":colder<CR>:cc 5<CR>") == ["e11", "hello 11"]
    assert nvim.lua(listed) == expected
    nvim.command("call setqflist(reverse(getqflist()))")
    assert went(":cc 1<CR>") == ["e22", "hello 22"]
    nvim.command("call setloclist(0, getqflist()) | call setqflist([])")
    assert went(":ll 2<CR>") == ["e21", "hello 21"]
    assert nvim.messages().count("Error") == 0


def test_many_hits_hold_the_editor_shortly(searching: Browsing) -> None:
    searching.editor.command("Pi grep hello")
    spent = 0.0
    for chunk in range(50):
        found = [hit(f"session {i % 40}", f"e{chunk}-{i}", f"hello {i}") for i in range(100)]
        packed = msgspec.msgpack.encode(found)
        spent = searching.editor.lua(
            """
              local args, start = { ... }, os.clock()
              require('pivi.inbox')(unpack(args))
              return (os.clock() - start) * 1000
            """,
            "hits",
            searching.asked("search")[-1]["look"],
            packed,
            {"done": chunk, "total": 50, "skipped": 0, "final": chunk == 49},
        )
    print("the last hundred of 5,000 hits:", spent, "ms")
    assert spent < 20
    assert searching.editor.lua("return #vim.api.nvim_list_bufs()") < 50


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


def parallel(home: PiHome, before: int = 0) -> Path:
    """A session in which three calls of one answer ran at once, `before` long prompts after its beginning."""
    stamp = [{**HEADER, "cwd": str(home.project)}]
    said: list[Line] = [
        user(f"p{i}", f"p{i - 1}" if i else None, f"{i} " + "word " * 800) for i in range(before)
    ]
    said.append(user("u", f"p{before - 1}" if before else None, "look at all three"))
    calls = [call(f"c{i}", command=f"cat file{i}") for i in range(3)]
    said.append(answer("a", "u", "I look at them.", *calls))
    outputs = [f"first of {i}\n" + f"more of {i}\n" * 30 + f"needle  in\t{i}\nlast of {i}" for i in range(3)]
    said += [result(f"r{i}", f"r{i - 1}" if i else "a", f"c{i}", text) for i, text in enumerate(outputs)]
    said += [user(f"q{i}", f"q{i - 1}" if i else "r2", f"{i} " + "later " * 800) for i in range(before)]
    path = home.project / "parallel.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in raw(*stamp, *said)))
    return path


def there(editor: Editor) -> tuple[str, str]:
    """The heading of the block that the cursor is in, and its line from the cursor on."""
    editor.wait_for("return vim.fn.foldclosed('.') == -1 and vim.bo.filetype == 'pivi'")
    heading: str = editor.lua("return vim.fn.getline(vim.fn.search('^### ', 'bnW'))")
    rest: str = editor.lua("return vim.fn.getline('.'):sub(vim.fn.col('.'))")
    return heading, rest


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_result_among_parallel_ones_is_shown_at_its_words(
    number: int, start_nvim: StartEditor, pi: Pi, pi_home: PiHome
) -> None:
    path = parallel(pi_home)
    editor = start_nvim(size=(80, 24))
    store = pi_home.sessions_dir / "--x--"
    store.mkdir(parents=True)
    path.rename(store / path.name)
    editor.command(f"Pi grep! /needle  in\\t{number}/")
    editor.wait_for("return vim.fn.getqflist({ title = 0 }).title:find('(1 found)', 1, true)")
    editor.nvim.input(":cfirst<CR>")
    editor.wait_for("return vim.fn.getline('.'):find('needle', 1, true)")
    heading, rest = there(editor)
    assert f"file{number}" in heading and rest.startswith("needle") and rest.endswith(str(number))
    assert editor.messages() == ""


def test_of_hits_gone_through_quickly_the_last_is_shown(
    start_nvim: StartEditor, pi: Pi, pi_home: PiHome
) -> None:
    path = parallel(pi_home)
    editor = start_nvim(size=(80, 24))
    store = pi_home.sessions_dir / "--x--"
    store.mkdir(parents=True)
    path.rename(store / path.name)
    editor.command("Pi grep! needle")
    editor.wait_for("return vim.fn.getqflist({ title = 0 }).title:find('(3 found)', 1, true)")
    editor.nvim.input(":cfirst<CR>:cnext<CR>:cnext<CR>")
    editor.wait_for("return vim.fn.getline('.'):find('needle', 1, true)")
    last = editor.lua("return vim.fn.getqflist()[3].user_data.entry")
    heading, _ = there(editor)
    assert f"file{last[1:]}" in heading
    assert editor.messages() == ""


def test_an_entry_is_gone_to_before_all_is_painted(start_nvim: StartEditor, pi: Pi, pi_home: PiHome) -> None:
    path = str(parallel(pi_home, before=4000))
    editor = start_nvim(size=(80, 24))
    editor.lua("""
      vim.api.nvim_create_autocmd('CursorMoved', { callback = function()
        _G.reading = _G.reading or vim.b.pivi and { vim.b.pivi.reading or -1 }
      end })
    """)
    place = "require('pivi.place').view(...)"
    editor.lua(place, path, "q3990", {"line": "3990 later later"})
    editor.wait_for("return vim.fn.getline('.'):find('^3990 later') and vim.fn.foldclosed('.') == -1")
    editor.wait_event("PiviBackfilled", timeout=60)
    assert editor.lua("return _G.reading[1]") >= 0
    assert editor.lua("return vim.fn.getline('.')").startswith("3990 later")
    editor.lua(place, path, "r1", {"line": "needle in 1", "col": 0})
    editor.wait_for("return vim.fn.getline('.'):find('needle', 1, true)")
    assert "file1" in there(editor)[0]
