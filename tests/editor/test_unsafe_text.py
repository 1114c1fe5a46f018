"""Text that would lead a terminal or the status line astray, wherever it can stand: no place shows it raw."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.conftest import StartEditor
from tests.editor.browsing import Browsing, row
from tests.support.editor import Editor
from tests.support.entries import HEADER, answer, call, entry, message, raw, result, user
from tests.support.pi import Pi
from tests.support.stored import bucket

NASTY = (
    "ab\x1b[31mred\x1b[0m \x1b]8;;http://x.y\x07link\x1b]8;;\x07"
    " \x1b]52;c;QUJD\x1b\\ \x1b[2J\x1b[10;10H \x9b31mC1\x9b0m"
    " \x9d52;c;QUJD\x9c \x85 \u2028 \u2029 x\b\b \x00 \x7f \x0c \x0b %{execute('let g:ran=1')} %#Error#"
    " \u202egnp.\u202c \u2066z\u2069 \u200f \u061c \x1b"
)
FOLDED = f"{NASTY}\ncd\te\rf"
"""With ends of lines."""

DIRECTIONS = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
CONTROLS = re.compile(f"[\x00-\x1f\x7f-\x9f\u2028\u2029{DIRECTIONS}]")
"""Of these a line of a transcript may have a tab, and no other line any."""
TRACES = re.compile(r"(?<!\\u001b)(?:\[31m|\[0m|\[2J|\[10;10H|\]8;|\]52;)|(?<!\])52;c")
"""What is left of a sequence that was not taken for one; in JSON it is spelt out."""
TEXT = st.text(
    st.sampled_from(
        "\x00\t\r\n\x1b\x7f\x85\x9b\x9c\x9d\x07\x08\u2028\u2029\u202e\u2069\u200f\u061c[]0;2KmG\\ab é%{}"
    )
    | st.characters(exclude_categories=["Cs"]),
    max_size=40,
)


def unsafe(places: dict[str, list[str]]) -> dict[str, list[str]]:
    """The texts of each place that are not shown as what they are. One without any was not looked at."""
    assert [place for place, texts in places.items() if not texts] == []
    bad = {
        place: [text for text in texts if CONTROLS.search(text) or TRACES.search(text)]
        for place, texts in places.items()
    }
    return {place: texts for place, texts in bad.items() if texts}


def session(pi: Pi) -> Path:
    read = call("1", f"read{FOLDED}", path=f"{FOLDED}.py")
    lines = [
        {**HEADER, "id": f"id {FOLDED}", "cwd": f"{pi.home.project}/{FOLDED}"},
        entry("model_change", "m", None, provider=FOLDED, modelId=FOLDED),
        entry("session_info", "n", "m", name=f"name {FOLDED}"),
        user("u", "n", f"prompt {FOLDED}"),
        answer("a", "u", f"answer {FOLDED}", read, call("2", command=FOLDED), call("3", "edit", path=FOLDED)),
        result("r1", "a", "1", FOLDED, name=f"read{FOLDED}"),
        result("r2", "r1", "2", FOLDED, isError=True),
        result("r3", "r2", "3", FOLDED, name="edit", details={"diff": f" 1 {FOLDED}\n-2 {FOLDED}\n+2 x"}),
        message("b", "r3", "bashExecution", command=FOLDED, output=FOLDED, exitCode=3, fullOutputPath=FOLDED),
        entry("label", "l", "b", targetId="u", label=FOLDED),
        entry("branch_summary", "s", "l", fromId="u", summary=FOLDED),
        entry("compaction", "c", "s", summary=FOLDED, firstKeptEntryId="u", tokensBefore=3),
        entry("custom_message", "cm", "c", customType=FOLDED, content=FOLDED, display=True),
        entry(f"odd{FOLDED}", "o", "cm", data=FOLDED),
        user("v", "o", f"again {FOLDED}"),
        answer("w", "v", stop="error", errorMessage=FOLDED, model=FOLDED, provider=FOLDED),
    ]
    path = bucket(pi.home.sessions_dir, pi.home.project) / "2026-11-01T12-00-00-000Z_nasty.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in raw(*lines)))
    for number, (ident, name) in enumerate([(f"id {FOLDED}", ""), ("other", FOLDED)]):
        more = {**HEADER, "id": ident, "cwd": str(pi.home.project)}
        named = entry("session_info", "n", None, name=name)
        file = path.with_name(f"2026-11-01T12-00-0{number}-000Z_other.jsonl")
        file.write_bytes(b"".join(line + b"\n" for line in raw(more, named, user("u", "n", FOLDED))))
    return path


BESIDE = """
local found = {}
local function put(place, text)
  found[place] = found[place] or {}
  table.insert(found[place], text)
end
local buf, win = vim.api.nvim_get_current_buf(), vim.api.nvim_get_current_win()
local c = require('pivi.conversations').by_buf(buf)
for _, line in ipairs(vim.api.nvim_buf_get_lines(buf, 0, -1, true)) do
  put('lines', (line:gsub('\\t', ' ')))
end
put('buffer name', vim.api.nvim_buf_get_name(buf))
for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buf, -1, 0, -1, { details = true })) do
  for _, chunk in ipairs(mark[4].virt_text or {}) do
    put('virtual text', chunk[1])
  end
end
vim.cmd('normal! zM')
for lnum = 1, vim.fn.line('$') do
  if vim.fn.foldclosed(lnum) == lnum then
    -- It begins with the line's own text.
    put('folds', (vim.fn.foldtextresult(lnum):gsub('\\t', ' ')))
  end
end
vim.cmd('normal! zR')
put('winbar', require('pivi.winbar').text())
put('winbar', vim.api.nvim_eval_statusline(vim.wo.winbar, { winid = win, use_winbar = true }).str)
put('status line', require('pivi.winbar').statusline())
for _, name in ipairs(vim.fn.getcompletion('Pi resume ', 'cmdline')) do
  put('completion', name)
end
require('pivi.outline').open()
put('outline', vim.fn.getloclist(0, { title = 1 }).title)
put('outline', vim.w.quickfix_title)
for _, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, true)) do
  put('outline', line)
end
for _, item in ipairs(vim.fn.getloclist(0)) do
  put('outline', item.text)
end
vim.cmd.lclose()
local function block()
  return vim.api.nvim_buf_get_name(0):find('^pivi%-block:') ~= nil
end
for number in pairs(c.page.blocks) do
  vim.api.nvim_set_current_win(win)
  if require('pivi.whole').has_more(c, number) then
    require('pivi.whole').open(c, number)
    assert(vim.wait(5000, block, 5), number)
  end
  if block() then
    put('whole blocks', vim.api.nvim_buf_get_name(0))
    for _, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, true)) do
      put('whole blocks', (line:gsub('\\t', ' ')))
    end
    vim.cmd.close()
  end
end
require('pivi.files').open()
assert(vim.wait(5000, function() return vim.bo.buftype == 'quickfix' end, 5))
put('files', vim.w.quickfix_title)
for _, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, true)) do
  put('files', line)
end
vim.cmd.cclose()
put('draft', vim.api.nvim_buf_get_name(require('pivi.prompt').keep(c.session_id .. ..., 'words')))
return found
"""
PLACES = [
    "buffer name",
    "completion",
    "draft",
    "files",
    "folds",
    "lines",
    "outline",
    "status line",
    "virtual text",
    "whole blocks",
    "winbar",
]
_GRID = """
vim.cmd.redraw()
local rows = {}
for row = 1, vim.o.lines do
  local cells = {}
  for col = 1, vim.o.columns do cells[col] = vim.fn.screenstring(row, col) end
  rows[row] = table.concat(cells)
end
return rows
"""
TOLD = """
_G.told = {}
local function put(place, text)
  _G.told[place] = _G.told[place] or {}
  table.insert(_G.told[place], text)
end
vim.notify = function(text) put('notifications', text) end
vim.ui.select = function(items, opts, done)
  put('select', opts.prompt)
  for _, item in ipairs(items) do
    put('select', opts.format_item and opts.format_item(item) or item)
  end
  done()
end
vim.ui.input = function(opts, done)
  put('input', opts.prompt)
  put('input', opts.default)
  done()
end
vim.fn.confirm = function(text)
  -- Each session has a line of its own.
  for _, line in ipairs(vim.split(text, '\\n')) do
    put('confirm', line)
  end
  return 2
end
local echo = vim.api.nvim_echo
vim.api.nvim_echo = function(chunks, ...)
  put('echo', chunks[1][1])
  return echo({ { '' } }, ...)
end
for _, how in ipairs({ 'ok', 'info', 'warn', 'error' }) do
  local report = vim.health[how]
  vim.health[how] = function(text, ...)
    put('health', text)
    return report(text, ...)
  end
end
"""
_TELL = """
local text, home = ...
local log, acts = require('pivi.log'), require('pivi.acts')
log.error(text)
log.caught(text, text)
require('pivi.inbox').say('warn', text)
require('pivi.inbox').log(1, 'stderr', text)
require('pivi.choose').ask(text, { { text = text, run = function() end } }, function() end)
local row = { path = '/x/' .. text, id = text, title = text, name = text, cwd = text, size = 1, mtime = 1 }
local bare = { path = '/x/' .. text, id = text, title = '', cwd = text, size = 1, mtime = 1 }
acts.trash({ row, bare }, function() end)
for _, one in ipairs({ row, bare }) do
  acts.rename(one, function() end)
  acts.export(one)
  acts.yank(one, 'id', 'a')
  acts.yank({ path = '/x/y', id = text, title = '', cwd = text }, 'command', 'a')
end
-- A directory that is there, and can't be typed.
vim.fn.mkdir(home .. '/odd\\27[31m/gone', 'p')
local lost = home .. '/odd\\27[31m/gone/' .. text
local gone = { path = '/x', directory = lost, sentence = text }
require('pivi.gone').ask(gone, { cwd = '/x/' .. text }, function() end)
vim.wait(50)
local select = vim.ui.select
vim.ui.select = function(items, opts, done)
  done(items[2])
end
require('pivi.gone').ask(gone, {}, function() end)
vim.wait(50)
vim.ui.select = select
local c = require('pivi.conversations').by_buf(0)
require('pivi.export').write_lines(c, home .. '/out' .. text:gsub('[%z/]', ''), false)
vim.g.pivi = vim.tbl_extend('force', vim.g.pivi, { ['odd' .. text] = true })
vim.cmd('checkhealth pivi')
vim.wait(50)
return _G.told
"""


@pytest.fixture
def nasty(pi: Pi, start_nvim: StartEditor) -> Editor:
    path = session(pi)
    nvim = start_nvim(size=(100, 30))
    nvim.command(f"Pi view {path}")
    nvim.wait_event("PiviBackfilled")
    return nvim


@pytest.mark.matrix
def test_the_transcript_and_what_stands_beside_it(nasty: Editor) -> None:
    assert "answer ab" in nasty.text() and "again ab" in nasty.text()
    assert "<202e>gnp.<202c>" in nasty.text(), "what turns the direction of writing is shown"
    grid = nasty.lua(_GRID)
    places = nasty.lua(BESIDE, NASTY.replace("\x00", ""))
    assert sorted(places) == PLACES
    assert unsafe({**places, "screen": grid}) == {}
    assert "%%{execute" in places["winbar"][0] and "%{execute" in places["winbar"][1]
    assert nasty.lua("return vim.g.ran") is None


@pytest.mark.matrix
def test_messages_questions_health_and_the_log(nasty: Editor, pi: Pi) -> None:
    nasty.lua(TOLD)
    places = nasty.lua(_TELL, NASTY, str(pi.home.project))
    nasty.command("Pi log")
    assert "ab" in nasty.text()
    assert sorted(places) == ["confirm", "echo", "health", "input", "notifications", "select"]
    assert unsafe({**places, "log": nasty.lines()}) == {}
    assert nasty.lua("return vim.g.ran") is None


def test_the_browser_and_its_preview(start_nvim: StartEditor) -> None:
    editor = start_nvim(size=(200, 30))
    browsing = Browsing(editor)
    odd = row(NASTY, 1, name=NASTY, cwd=f"/p/{NASTY}", model=f"p/{NASTY}", parent=NASTY)
    bare = row("", 3, id=NASTY, cwd="/p")
    browsing.open(" all").give(odd, row(FOLDED, 2, cwd="/p"), bare, final=True)
    editor.lua(
        "require('pivi.browser').set(require('pivi.browser').of(0), { filter = ... })", f"ab {NASTY[:40]}"
    )
    editor.lua("require('pivi.browser').set(require('pivi.browser').of(0), { filter = '' })")
    browsing.settle()
    browsing.answer("preview", None, f"can't be read: {NASTY}")
    shown = editor.lua("""
      local found = { lines = vim.api.nvim_buf_get_lines(0, 0, -1, true), winbars = {} }
      for _, win in ipairs(vim.api.nvim_list_wins()) do
        table.insert(found.winbars, vim.wo[win].winbar)
        local opts = { winid = win, use_winbar = true }
        table.insert(found.winbars, vim.api.nvim_eval_statusline(vim.wo[win].winbar, opts).str)
      end
      return found
    """)
    assert len(shown["lines"]) > 3 and len(shown["winbars"]) == 4
    assert unsafe(shown) == {}
    assert editor.lua("return vim.g.ran") is None


def test_what_a_search_finds_and_what_pickers_show(start_nvim: StartEditor) -> None:
    editor = start_nvim(size=(200, 30))
    browsing = Browsing(editor)
    editor.lua(TOLD)
    editor.lua("require('pivi.grep').run({ text = ..., title = ... })", f"ab {NASTY}")
    hit = {"path": "/x/a.jsonl", "entry": "e", "line": FOLDED, "col": 0, "title": FOLDED, "role": FOLDED}
    browsing.give(hit, method="hits")
    shown = {"quickfix": editor.lines(), "title": [editor.lua("return vim.w.quickfix_title")]}
    editor.lua("vim.cmd.cclose() require('pivi.pickers').open({ front = 'select' })")
    browsing.give(row(FOLDED, name=FOLDED, cwd=f"/p/{FOLDED}"), row("", id=FOLDED), final=True)
    shown["select"] = editor.lua("return _G.told.select")
    assert len(shown["select"]) == 3
    assert unsafe(shown) == {}
    assert editor.lua("return vim.g.ran") is None


@pytest.mark.matrix
def test_no_text_makes_a_control_of_a_line(start_nvim: StartEditor) -> None:
    editor = start_nvim()
    code = """
      local safe = require('pivi.safe')
      return vim.tbl_map(function(text)
        local line = safe.line(text)
        local made = { line, safe.bar(text), safe.name(text), safe.line(line) }
        return vim.list_extend(made, safe.lines(text))
      end, ...)
    """

    # Each example is many texts, of which the one that fails is told: none is made smaller.
    @settings(max_examples=40, phases=[Phase.explicit, Phase.generate])
    @given(st.lists(TEXT, min_size=20, max_size=60))
    def check(texts: list[str]) -> None:
        for text, made in zip(texts, editor.lua(code, texts), strict=True):
            line, bar, _, again, *_ = made
            assert not any(map(CONTROLS.search, made)), (text, made)
            assert bar.replace("%%", "") == line.replace("%", ""), text
            assert again == line, text

    check()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("two\nlines\tand \r\n", "two lines and"),
        ("\x1b[31mred\x1b[0m \x9b1mbold\x9b0m", "red bold"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x07", "link"),
        ("\x1b]52;c;QUJD\x9c\x9d52;c;QUJD\x07\x9d0;t\x1b\\.", "."),
        ("torn \x1b[3", "torn"),
        ("nel\x85ls\u2028ps\u2029.", "nel ls ps ."),
        ("evil\u202egpj.exe\u2069 שלום\u200f", "evilgpj.exe שלום"),
        ("👩\u200d💻 e\u0301 日本", "👩\u200d💻 e\u0301 日本"),
    ],
)
def test_what_is_left_of_a_text(start_nvim: StartEditor, text: str, line: str) -> None:
    assert start_nvim().lua("return require('pivi.safe').line(...)", text) == line


def test_bytes_that_are_no_text_are_question_marks(start_nvim: StartEditor) -> None:
    line = "return require('pivi.safe').line('caf\\233 \\155\\091 é\\226\\128 日\\237\\160\\128')"
    assert start_nvim().lua(line) == "caf? ?[ é?? 日???"


def test_sessions_that_cannot_be_read(start_nvim: StartEditor) -> None:
    browsing = Browsing(start_nvim(size=(200, 30)))
    browsing.open().give(final=True, problem=f"can't read {NASTY}")
    assert "can't read ab" in browsing.editor.text()
    assert unsafe({"list": browsing.editor.lines(), "bar": [browsing.bar()]}) == {}


def test_of_a_large_text_the_time_is_linear(start_nvim: StartEditor) -> None:
    code = """
      local safe, start = require('pivi.safe'), os.clock()
      local bytes = { '\\194\\155', '\\226\\128\\174', '\\226' }
      for _, piece in ipairs({ ' ', '\\27[', '\\27]', '\\27[0', 'x \\n', 'é', unpack(bytes) }) do
        safe.line(piece:rep(200000) .. 'x')
      end
      return os.clock() - start
    """
    assert start_nvim().lua(code) < 5


def test_modelines_are_words(pi: Pi, start_nvim: StartEditor) -> None:
    words = "vim: set tabstop=3 textwidth=7 :"
    path = bucket(pi.home.sessions_dir, pi.home.project) / "2026-11-01T12-00-00-000Z_modeline.jsonl"
    header = {**HEADER, "id": "modeline", "cwd": str(pi.home.project)}
    path.write_bytes(
        b"".join(line + b"\n" for line in raw(header, user("u", None, words), answer("a", "u", words)))
    )
    editor = start_nvim(size=(100, 30))
    editor.command("set modeline modelines=9")
    editor.command(f"edit {path}")
    editor.wait_event("PiviBackfilled")
    assert words in editor.text()
    editor.command("edit")
    editor.wait_for("return vim.fn.search('vim: set', 'nw') > 0")
    options = "return { vim.bo.tabstop, vim.bo.textwidth }"
    assert editor.lua(options) == [8, 0]
    buffer = editor.lua("return require('pivi.prompt').keep('modeline', ...)", words)
    editor.command(f"buffer {buffer}")
    # Restored, its options are those of any buffer.
    editor.command("set modeline")
    editor.command("edit")
    assert words in editor.text() and editor.lua(options)[1] == 0
