"""Markdown, code and diffs as a window shows them, in a real Neovim without a host."""

from __future__ import annotations

from typing import Any

import pytest

from pivi.transcript.blocks import Answer, Block, Outcome, Prompt, Reply, Thinking, Title, ToolCall
from tests.conftest import StartEditor
from tests.editor.test_motions import paint
from tests.editor.transcript import Transcript
from tests.support.editor import Editor

pytestmark = pytest.mark.matrix

_SPANS = """
local row = vim.fn.search('^' .. ..., 'nw') - 1
local ns = vim.api.nvim_get_namespaces()['pivi.paint']
local line = vim.fn.getline(row + 1)
local found = {}
for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, ns, {row, 0}, {row, -1}, {details = true})) do
  local details = mark[4]
  if details.hl_group and details.end_row == row then
    found[#found + 1] = {details.hl_group, line:sub(mark[3] + 1, details.end_col), details.conceal}
  elseif details.virt_text then
    found[#found + 1] = {details.virt_text_pos, details.virt_text[1][1]}
  end
end
return found
"""
_LINE = """
local row = vim.fn.search('^' .. ..., 'nw') - 1
local ns = vim.api.nvim_get_namespaces()['pivi.paint']
for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, ns, {row, 0}, {row, -1}, {details = true})) do
  if mark[4].line_hl_group then return mark[4].line_hl_group end
end
"""
_COUNT = "return #vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_get_namespaces()['pivi.paint'], 0, -1, {})"


def start(start_nvim: StartEditor, *blocks: Block, columns: int = 80) -> tuple[Editor, Transcript]:
    editor = start_nvim(size=(columns, 40))
    title = Title(key="t", name="A session", session_id="abc", cwd="/")
    transcript = paint(editor, [title, *blocks])
    editor.command("normal! zR")
    editor.wait_for(f"vim.cmd.redraw() {_COUNT} > 0")
    settle(editor)
    return editor, transcript


def settle(editor: Editor) -> None:
    editor.lua("vim.cmd.redraw() vim.wait(60) vim.cmd.redraw() vim.wait(20)")


def spans(editor: Editor, line: str) -> list[list[Any]]:
    """Group and text (or position and text) of what lies on the first line that begins so."""
    return list(editor.lua(_SPANS, line))


def line_group(editor: Editor, line: str) -> str | None:
    """Group of the whole of the first line that begins so."""
    group: str | None = editor.lua(_LINE, line)
    return group


def answer(text: str) -> Answer:
    return Answer(key="a", text=text)


def test_emphasis_code_and_links(start_nvim: StartEditor) -> None:
    editor, _ = start(start_nvim, answer("A **bold** and *slanted* `code()` [here](http://a.b)."))
    found = spans(editor, "A ")
    for wanted in (
        ["PiviStrong", "**bold**"],
        ["PiviEmphasis", "*slanted*"],
        ["PiviCode", "`code()`"],
        ["PiviLink", "here"],
        ["PiviUrl", "http://a.b"],
        ["PiviMarker", "`", ""],
    ):
        assert wanted in found
    assert editor.lua("return vim.fn.getline(3)") == "A **bold** and *slanted* `code()` [here](http://a.b)."


def test_headings_lists_and_quotes(start_nvim: StartEditor) -> None:
    editor, _ = start(start_nvim, answer("# Big\n\n- one\n- [x] two\n1. three\n\n> said\n\n---\n\n    code"))
    assert spans(editor, "# Big")[-1] == ["PiviMarker", "#"]
    assert spans(editor, "- one") == [["PiviList", "- "]]
    assert ["PiviList", "[x]"] in spans(editor, "- .x")
    assert spans(editor, "1. three") == [["PiviList", "1. "]]


def test_an_unclosed_fence_ends_with_its_block(start_nvim: StartEditor) -> None:
    editor, _ = start(start_nvim, answer("```lua\nlocal x = 1"), Prompt(key="p", text="*next*"))
    assert ["@keyword.lua", "local"] in spans(editor, "local")
    assert ["PiviEmphasis", "*next*"] in spans(editor, "\\*next")


def test_code_of_a_list_keeps_its_columns(start_nvim: StartEditor) -> None:
    editor, _ = start(start_nvim, answer("- so:\n\n  ```lua\n  return nil\n  ```"))
    assert ["@keyword.return.lua", "return"] in spans(editor, "  return")


def test_a_file_that_was_read_is_coloured_by_its_name(start_nvim: StartEditor) -> None:
    call = ToolCall(key="c", name="read", tool_id="1", subject="a b/c.lua:3-4", outcome=Outcome("return 1\n"))
    editor, _ = start(start_nvim, call)
    assert ["@keyword.return.lua", "return"] in spans(editor, "return")


def test_lines_and_changed_words_of_a_diff(start_nvim: StartEditor) -> None:
    diff = " 1 def f():\n-12     return one + two\n+12     return one + three\n+13     more()"
    call = ToolCall(key="c", name="edit", tool_id="1", subject="a.py", outcome=Outcome("Done.", diff=diff))
    editor, _ = start(start_nvim, call)
    assert spans(editor, "-12") == [["PiviDiffDeleteText", "two"]]
    assert spans(editor, "+12") == [["PiviDiffAddText", "three"]]
    assert spans(editor, "+13") == []
    assert [line_group(editor, line) for line in (" 1", "-12", "+13")] == [
        None,
        "PiviDiffDelete",
        "PiviDiffAdd",
    ]


def test_a_diff_in_an_answer_has_the_colours_of_one(start_nvim: StartEditor) -> None:
    editor, _ = start(start_nvim, answer("```diff\n--- a/x\n+++ b/x\n-one two\n+one three\n```"))
    assert spans(editor, "-one") == [["PiviDiffDeleteText", "two"]]
    assert spans(editor, "+one") == [["PiviDiffAddText", "three"]]
    lines = ("--- a", "+++ b", "-one", "+one")
    assert [line_group(editor, line) for line in lines] == [None, None, "PiviDiffDelete", "PiviDiffAdd"]


TABLE = "| a | long name |\n|--:|---|\n| 100 | `x` |\n| 1 | ä\\|b |"


def test_tables_are_aligned_where_they_fit(start_nvim: StartEditor) -> None:
    editor, _ = start(start_nvim, answer(TABLE))
    screen = editor.lua("""
      local lines = {}
      for row = 4, 7 do
        local text = ''
        for col = 1, 24 do text = text .. vim.fn.screenstring(row, col) end
        lines[#lines + 1] = vim.trim(text)
      end
      return lines
    """)
    assert screen == [
        "|   a | long name |",
        "|----:|-----------|",
        "| 100 | `x`       |",
        "|   1 | ä\\|b      |",
    ]
    editor.command("set conceallevel=2 concealcursor=n")
    settle(editor)
    assert ["inline", " " * 8] in spans(editor, "| 100")


def test_only_what_is_seen_is_rendered(start_nvim: StartEditor) -> None:
    call = ToolCall(key="c", name="read", tool_id="1", subject="c.lua", outcome=Outcome("return 1"))
    many = [answer(f"**{number}**") for number in range(300)]
    editor, _ = start(start_nvim, call, Reply(key="r", section="r"), *many)
    editor.command("normal! zM")
    near = editor.lua(_COUNT)
    assert near < 200
    editor.command("normal! G")
    settle(editor)
    assert ["PiviStrong", "**299**"] in spans(editor, "\\*\\*299")
    assert spans(editor, "\\*\\*150") == []


def test_what_opens_is_rendered_then(start_nvim: StartEditor) -> None:
    call = ToolCall(key="c", name="read", tool_id="1", subject="c.lua", outcome=Outcome("return 1"))
    editor = start_nvim(size=(80, 40))
    paint(editor, [Title(key="t", name="x", session_id="abc", cwd="/"), call])
    settle(editor)
    assert spans(editor, "return") == []
    editor.command("normal! Gzo")
    settle(editor)
    assert ["@keyword.return.lua", "return"] in spans(editor, "return")


def test_thinking_is_coloured(start_nvim: StartEditor) -> None:
    editor, _ = start(start_nvim, Thinking(key="h", text="hm\nwell"))
    marks = editor.lua(
        "return vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_get_namespaces()['pivi.paint'],"
        " 0, -1, {details = true})"
    )
    assert [mark[3]["hl_group"] for mark in marks] == ["PiviThinking", "PiviMarker"]


def test_markdown_in_thinking_keeps_the_colour_of_thinking(start_nvim: StartEditor) -> None:
    editor, _ = start(start_nvim, Thinking(key="h", text="hm **so**\n\n```lua\nlocal x = 1\n```\n\n# Head\n"))
    assert ["PiviStrong", "**so**"] in spans(editor, "hm")
    inspect = "local row = vim.fn.search(..., 'nw') - 1 return vim.inspect_pos(0, row, 0).extmarks"
    for line, wanted in (
        ("^hm", {"PiviThinking"}),
        ("^local", {"PiviThinking", "PiviCodeBlock"}),
        ("^# Head", {"PiviThinking", "PiviStrong", "PiviMarker"}),
    ):
        assert {mark["opts"]["hl_group"] for mark in editor.lua(inspect, line)} == wanted


def test_a_block_that_changes_is_rendered_anew(start_nvim: StartEditor) -> None:
    editor, transcript = start(start_nvim, answer("**old**"))
    last = transcript.numbers = 1
    transcript.total = 3
    transcript.patch(1, 2, [("answer", ["", "is *new* now"], 0)], numbers=[last])
    settle(editor)
    assert editor.lua("return vim.fn.getline(3)") == "is *new* now"
    assert ["PiviEmphasis", "*new*"] in spans(editor, "is")
    assert not any(span[0] == "PiviStrong" for span in spans(editor, "is"))


def test_a_slice_is_short(start_nvim: StartEditor) -> None:
    text = "\n\n".join(
        f"Some **bold {n}** text with `code` and a [link](http://x.y/{n})." for n in range(700)
    )
    code = "```lua\n" + "local x = f('text', 12) -- words\n" * 1500 + "```"
    editor, _ = start(start_nvim, answer(text), answer(code))
    editor.lua("""
      _G.held = {}
      local paint = require('pivi.paint')
      local piece = paint.piece
      paint.piece = function(...)
        local start = os.clock()
        piece(...)
        table.insert(_G.held, (os.clock() - start) * 1000)
      end
    """)
    for _ in range(10):
        editor.command('exe "normal! \\<C-f>"')
        settle(editor)
    editor.command("normal! Gzz")
    settle(editor)
    held = sorted(editor.lua("return _G.held"))
    assert len(held) > 5
    assert held[len(held) // 2] < 6


_NOTE_SLICES = """
_G.slices = {}
local function note(module, name, what)
  local own = module[name]
  module[name] = function(...)
    local said = what(...)
    table.insert(said == 'slice' and _G.slices or _G.slices[#_G.slices], said == 'slice' and {} or said)
    return own(...)
  end
end
local code, markdown, paint = require('pivi.code'), require('pivi.markdown'), require('pivi.paint')
for i in ipairs(markdown.PREPARATIONS) do
  note(markdown.PREPARATIONS, i, function() return 'prepare' end)
end
note(code, 'language', function(told) return not code.is_known(told) and 'load' or nil end)
note(paint, 'piece', function() return 'paint' end)
note(require('pivi.log'), 'guard', function() return 'slice' end)
"""


def test_what_takes_long_at_first_has_slices_of_its_own(start_nvim: StartEditor) -> None:
    editor = start_nvim(size=(80, 40))
    editor.lua(_NOTE_SLICES)
    text = "*a*\n\n```lua\nreturn\n```\n\n```c\nint a;\n```"
    paint(editor, [Title(key="t", name="x", session_id="abc", cwd="/"), answer(text)])
    editor.command("normal! zR")
    editor.wait_for(f"vim.cmd.redraw() {_COUNT} > 0")
    settle(editor)
    slices = [did for did in editor.lua("return _G.slices") if did]
    first = next(i for i, did in enumerate(slices) if "paint" in did)
    assert slices[:first] == [["prepare"]] * first
    assert first > 4
    assert [did for did in slices[first:] if "load" in did] == [["load"], ["load"]]
    assert ["@type.builtin.c", "int"] in spans(editor, "int")


@pytest.mark.parametrize(("icons", "between"), [("ascii", ", "), ("unicode", " · ")])
def test_the_winbar_keeps_to_the_icons(start_nvim: StartEditor, icons: str, between: str) -> None:
    editor = start_nvim(size=(80, 40), settings={"icons": icons})
    transcript = paint(editor, [Title(key="t", name="x", session_id="abc", cwd="/")])
    transcript.send("status", 1, {"phase": "idle", "session_name": "A name", "model": "fake/one"}, [])
    assert editor.lua("return require('pivi').statusline()") == f"idle{between}A name{between}fake/one"
    assert editor.lua("return require('pivi.winbar').text()").endswith(f"A name{between}fake/one")


@pytest.mark.parametrize("columns", [200, 80, 40, 12])
def test_the_winbar_of_a_narrow_window_tells_the_phase_and_cuts_the_title(
    start_nvim: StartEditor, columns: int
) -> None:
    editor = start_nvim(size=(columns, 12))
    Transcript(editor).open(title="日本" * 60).send(
        "status", 1, {"phase": "idle", "model": "fake/one", "session_id": "abc", "cwd": "/", "context": 3}, []
    )
    shown = editor.lua("return vim.api.nvim_eval_statusline(vim.wo.winbar, { use_winbar = true })")
    assert shown["str"].startswith(" idle  日") and "<" not in shown["str"] and shown["width"] <= columns
    assert shown["str"].endswith("… · fake/one · context 3%") == (columns >= 80)


_TOP = """
vim.cmd('normal! gg')
vim.cmd.redraw()
local text = ''
for col = 1, vim.o.columns do text = text .. vim.fn.screenstring(2, col) end
return vim.trim(text)
"""


def test_what_stands_beside_the_title_gives_way_to_it(start_nvim: StartEditor) -> None:
    editor = start_nvim(size=(80, 12))
    home = editor.lua("return vim.env.HOME")
    name = "A session with a name of some length"
    title = Title(
        key="t", name=name, session_id="abc", cwd=f"{home}/far/away/the-project", time=1793534400000
    )
    paint(editor, [title, Prompt(key="p", text="hello")])
    shown = editor.lua(_TOP)
    assert shown.startswith(f"# {name}  ") and shown.endswith(" · …/away/the-project"), shown
    for columns, end in ((100, " · ~/far/away/the-project"), (58, ":00"), (42, name)):
        editor.nvim.ui_try_resize(columns, 12)
        settle(editor)
        shown = editor.lua(_TOP)
        assert shown.startswith(f"# {name}") and shown.endswith(end), (columns, shown)
