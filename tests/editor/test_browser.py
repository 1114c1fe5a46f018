"""`:Pi sessions` as a user meets it: lines, orders, filters, keys; the host is the test."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.conftest import StartEditor
from tests.editor.browsing import Browsing, row
from tests.editor.transcript import Transcript
from tests.support.tools import ROOT

pytestmark = pytest.mark.matrix


@pytest.fixture
def browsing(start_nvim: StartEditor) -> Browsing:
    return Browsing(start_nvim(size=(80, 24)))


def test_a_line_tells_age_title_and_counts_in_80_columns(browsing: Browsing) -> None:
    browsing.open().give(
        row("Fix the parser " + "x" * 100, 125, messages=48, prompts=12, branches=3),
        row("Named", 60 * 24 * 40, name="Release", running=True),
        final=True,
    )
    first, second = browsing.editor.lines()
    assert first.startswith("      2h  Fix the parser xxx")
    assert "… " in first and first.endswith("├3   12/48 msgs")
    assert second.startswith("●◆   1mo  Release ")
    assert all(
        browsing.editor.lua("return vim.fn.strdisplaywidth(...)", line) <= 80 for line in (first, second)
    )
    assert browsing.editor.lua("return {vim.bo.filetype, vim.bo.buftype, vim.bo.modifiable}") == [
        "pivi-sessions",
        "nofile",
        False,
    ]
    assert browsing.editor.messages() == ""


def test_the_selection_stays_on_its_session_while_rows_stream_and_orders_change(browsing: Browsing) -> None:
    browsing.open().give(row("b", 10), row("c", 20), total=5)
    assert "reading 40%" in browsing.bar()
    browsing.keys("j")
    assert browsing.selected() == "c"
    browsing.give(row("a", 1), row("d", 30), row("b2", 15), skipped=2, final=True)
    assert browsing.titles() == ["a", "b", "b2", "c", "d"]
    assert browsing.selected() == "c"
    assert "5 sessions" in browsing.bar() and "2 skipped" in browsing.bar()
    browsing.keys("os")
    assert browsing.selected() == "c"
    browsing.keys("on")
    assert browsing.titles() == ["a", "b", "b2", "c", "d"]
    browsing.keys("*")
    assert browsing.titles() == []
    browsing.keys("*")
    assert browsing.selected() == "c"


def test_who_has_not_moved_stays_at_the_top_while_rows_stream(browsing: Browsing) -> None:
    shown = "return {vim.fn.line('.'), vim.fn.line('w0'), vim.fn.line('$')}"
    browsing.open().give(row("touched", 0), total=28)
    # Its last message, read later than its time, is an old one.
    browsing.give(*[row(f"s{i}", i) for i in range(1, 28)], row("touched", 900), total=28)
    assert browsing.editor.lua(shown) == [1, 1, 28]
    browsing.give(row("newest", 0), final=True)
    assert browsing.editor.lua(shown) == [1, 1, 29]
    # What was read to its end keeps the cursor on its session.
    browsing.keys("R")
    browsing.give(row("newer still", -1), final=False)
    assert (browsing.selected(), browsing.editor.lua(shown)[0]) == ("newest", 2)


def test_no_room_is_left_below_the_last_row(browsing: Browsing) -> None:
    browsing.open().give(*[row(f"s{i}", i) for i in range(60)], final=True)
    browsing.keys("Gzt")
    browsing.keys("on")
    last = browsing.editor.lua("return {vim.fn.line('w$'), vim.fn.winheight(0), vim.fn.line('w0')}")
    assert last[0] - last[2] + 1 == last[1]


def test_the_session_that_the_list_was_opened_for_is_selected_once_it_comes(browsing: Browsing) -> None:
    browsing.open().give(row("a", 1), total=3)
    browsing.editor.lua("require('pivi.browser').of(0).wanted = '/sessions/b.jsonl'")
    browsing.give(row("b", 2), total=3)
    browsing.give(row("c", 0), final=True)
    assert browsing.selected() == "b"


def test_a_row_is_told_again_with_more_of_it(browsing: Browsing) -> None:
    browsing.open().give(row("", 1, messages=None))
    assert "id-" in browsing.editor.text()
    browsing.give(row("", 1, title="now known"), final=True)
    assert browsing.titles() == ["now known"]


def test_forks_stand_under_their_session_even_in_a_circle(browsing: Browsing) -> None:
    root, fork = row("root", 50), row("fork", 1)
    circle, other = row("circle", 60), row("other", 70)
    fork["parent"] = root["path"]
    circle["parent"], other["parent"] = other["path"], circle["path"]
    browsing.open(" threads").give(row("alone", 10), root, fork, circle, other, final=True)
    assert browsing.titles() == ["root", "fork", "alone", "circle", "other"]
    assert "└ fork" in browsing.editor.lines()[1]


def test_a_fork_stands_under_no_session_but_one_that_it_came_from(browsing: Browsing) -> None:
    root, fork, again = row("root", 9, cwd="/q"), row("fork", 2), row("again", 1)
    fork["parent"], again["parent"] = root["path"], fork["path"]
    browsing.open("! threads").give(row("apart", 5), root, fork, again, final=True)
    lines = browsing.editor.lines()
    assert browsing.titles() == ["[/q]", "root", "[/p]", "fork", "again", "apart"]
    assert [line for line in lines if "└" in line] == [lines[4]], "the first one's is in another project"
    assert "└ again" in lines[4]


def test_a_fork_whose_session_is_filtered_out_stands_under_the_next_above(browsing: Browsing) -> None:
    root, fork, again = row("a root", 9), row("fork", 2), row("a second", 1)
    fork["parent"], again["parent"] = root["path"], fork["path"]
    browsing.open(" threads /re:^a ").give(row("a lone one", 5), root, fork, again, final=True)
    lines = browsing.editor.lines()
    assert browsing.titles() == ["a root", "a second", "a lone one"]
    assert ["└ " in line for line in lines] == [False, True, False]


def test_all_sessions_are_grouped_by_project(browsing: Browsing) -> None:
    browsing.open("!").give(row("a", 5), row("b", 2, cwd="/q"), row("c", 9), final=True)
    assert browsing.asked("catalog")[-1]["scope"] == "all"
    assert browsing.titles() == ["[/q]", "b", "[/p]", "a", "c"]
    assert browsing.editor.lines()[0] == "/q 1"
    assert browsing.selected() == "b"
    browsing.keys("sd")
    assert browsing.asked("catalog")[-1]["scope"] == "directory"
    assert len(browsing.asked("leave")) == 0


@pytest.mark.parametrize(
    ("typed", "titles"),
    [
        ("prsr", ["Fix the parser"]),
        ('"the p', ["Fix the parser", "Break the printer"]),
        ('"the p" fix', ["Fix the parser"]),
        ("re:^(Fix|Docs)", ["Docs of x", "Fix the parser"]),
        ("re:(", ["Docs of x", "Fix the parser", "Break the printer"]),
        ("zzz", []),
    ],
)
def test_typing_filters(browsing: Browsing, typed: str, titles: list[str]) -> None:
    browsing.open().give(
        row("Docs of x", 1), row("Fix the parser", 2), row("Break the printer", 3), final=True
    )
    browsing.keys("/" + typed.replace("<", "<lt>"))
    assert browsing.titles() == titles
    browsing.keys("<Esc>")
    assert browsing.editor.lua("return vim.fn.mode()") == "n"
    assert f"{len(titles)} of 3" in browsing.bar() and typed in browsing.bar()
    assert browsing.editor.messages() == ""


def test_a_nul_that_is_typed_filters_nothing_out(browsing: Browsing) -> None:
    browsing.open().give(row("Docs of x", 1), row("Fix the parser", 2), final=True)
    browsing.keys("/par<C-v>u0000s")
    assert browsing.titles() == ["Fix the parser"] and browsing.editor.messages() == ""


def test_what_matches_is_marked(browsing: Browsing) -> None:
    browsing.open().give(row("Fix the pärser", 2), final=True)
    browsing.keys("/rser<Esc>")
    attributes = browsing.editor.lua("""
      vim.cmd.redraw()
      local column = vim.fn.getline(1):find('rser', 1, true) - 1
      local shown = {}
      for i = -2, 1 do
        local at = vim.fn.screenpos(0, 1, column + 1).col
        shown[#shown + 1] = vim.fn.screenattr(2, at + i)
      end
      return shown
    """)
    assert attributes[2] == attributes[3] != attributes[1]


_SCREEN = """
  -- What is marked while the screen is drawn.
  local set, marked = vim.api.nvim_buf_set_extmark, {}
  vim.api.nvim_buf_set_extmark = function(buf, ns, row, col, opts)
    for byte = col, opts.hl_group == 'PiviSessionMatch' and opts.end_col - 1 or -1 do
      marked[row + 1] = marked[row + 1] or {}
      marked[row + 1][byte + 1] = true
    end
    return set(buf, ns, row, col, opts)
  end
  vim.cmd('redraw!')
  vim.api.nvim_buf_set_extmark = set
  local found = vim.api.nvim_buf_get_lines(0, 0, -1, true)
  for lnum, text in ipairs(found) do
    local shown, here = '', marked[lnum] or {}
    for byte = 1, #text do
      shown = shown .. (here[byte] and not here[byte - 1] and '<' or '') .. text:sub(byte, byte)
      shown = shown .. (here[byte] and not here[byte + 1] and '>' or '')
    end
    found[lnum] = shown
  end
  return found
"""


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        # In a title and in the heading, that of another project too.
        ('! /"or', ["~/w<or>k 2", "fix the do<or>", "A name  paint it <or> not", "/q 1", "sc<or>e"]),
        ("! /re:^(fix|.+k$)", ["<~/work> 2", "<fix> the door", "A name"]),
        # Words are best first, so each line names its project.
        ("! /pnt", ["A name  <p>ai<nt> it or not", "~/work"]),
        ("! /wk", ["fix the door", "<w>or<k>", "A name", "<w>or<k>"]),
        # The directory of them all tells none from another.
        (" /wk", []),
        (" /re:not$", ["A name  paint it or <not>"]),
        (' /"the d', ["fix <the d>oor"]),
    ],
)
def test_what_matches_is_marked_wherever_it_stands(
    browsing: Browsing, arguments: str, shown: list[str]
) -> None:
    work = browsing.editor.lua("return vim.env.HOME .. '/work'")
    browsing.open(arguments).give(
        row("fix the door", 1, cwd=work),
        row("A name", 2, cwd=work, name="A name", prompt="paint it or not"),
        row("score", 3, cwd=work if not arguments.startswith("!") else "/q"),
        final=True,
    )
    screen = browsing.editor.lua(_SCREEN) if browsing.titles() else []
    # What a filter leaves out is not there, and nothing else is marked.
    text = "\n".join(screen)
    at = 0
    for part in shown:
        at = text.find(part, at) + len(part)
        assert at >= len(part), part
    assert text.count("<") == "".join(shown).count("<")
    assert browsing.editor.messages() == ""


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("re:fence.*", "mend the <fence and the door and the"),
        ('"the door and the', "mend the fence and <the door and the"),
        ("re:mend.*then", "<mend the fence and the door and the"),
        ("re:roof.*", "mend the fence a…and the <roof and then the wall"),
    ],
)
def test_of_what_matches_beyond_the_column_the_beginning_is_marked(
    text: str, seen: str, browsing: Browsing
) -> None:
    title = "mend the fence and the door and the roof and then the wall and the gate of the garden"
    browsing.open(f" /{text}").give(row(title, 1), final=True)
    screen = "\n".join(browsing.editor.lua(_SCREEN))
    assert seen in screen and screen.count("<") == 1


@pytest.mark.parametrize("size", [(80, 24), (200, 24)])
@pytest.mark.parametrize("filler", ["x", "漢", "e\u0301"])
def test_a_long_text_is_cut_so_that_the_match_is_seen(
    start_nvim: StartEditor, size: tuple[int, int], filler: str
) -> None:
    browsing = Browsing(start_nvim(size=size))
    long = f"{filler * 180} needle {filler * 10}"
    browsing.open('! /"needle').give(
        row("A", 1, name="A long name", prompt=long),
        row(long, 2),
        row("C", 3, cwd="/" + "d" * 300 + "/needle"),
        final=True,
    )
    heading, named, unnamed, other, last = browsing.editor.lua(_SCREEN)
    assert "<" not in heading and "A long name" in named and last
    assert all("…" in one and "<needle>" in one for one in (named, unnamed, other))
    widths = browsing.editor.lua(
        "return vim.tbl_map(vim.fn.strdisplaywidth, vim.api.nvim_buf_get_lines(0,0,-1,true))"
    )
    assert max(widths) <= size[0]
    browsing.keys("/<C-u>ndl<Esc>")
    assert sum(line.count("<n>") for line in browsing.editor.lua(_SCREEN)) == 3


def test_the_filter_line_moves_the_selection_and_enter_resumes_it(browsing: Browsing) -> None:
    browsing.open().give(row("one x", 1), row("two x", 2), row("three", 3), final=True)
    browsing.keys("/x<C-n><CR>")
    assert browsing.asked("resume")[-1]["target"].endswith("two-x.jsonl")
    browsing.keys("/<C-u>three<C-c>")
    assert browsing.titles() == ["one x", "two x"]


def test_full_text_is_searched_by_the_host(browsing: Browsing) -> None:
    browsing.open().give(row("one", 1), row("two", 2), final=True)
    browsing.keys("/text:hello world<Esc>")
    browsing.editor.lua("vim.wait(250)")
    assert browsing.asked("search")[-1]["pattern"] == "hello world"
    assert browsing.titles() == []
    hit = {
        "path": row("two")["path"],
        "id": "x",
        "title": "two",
        "entry": "e1",
        "role": "user",
        "line": "hello",
    }
    browsing.give(hit, method="hits", final=True)
    assert browsing.titles() == ["two"]


def test_leaving_ends_the_stream_and_coming_back_starts_it(browsing: Browsing) -> None:
    browsing.open().give(row("one"))
    browsing.editor.command("enew")
    browsing.settle()
    assert len(browsing.asked("leave")) == 1
    browsing.editor.command("buffer pivi-sessions://")
    assert len(browsing.asked("catalog")) == 2
    browsing.give(row("two"), final=True)
    assert browsing.titles() == ["two"]
    browsing.editor.command("bwipeout")
    browsing.settle()
    assert browsing.editor.messages() == ""


def test_actions_take_the_row_under_the_cursor_when_the_key_was_pressed(browsing: Browsing) -> None:
    browsing.open().give(row("one", 1), row("two", 2), final=True)
    browsing.editor.lua("vim.ui.input = function(opts, done) _G.asked_for, _G.done = opts, done end")
    browsing.keys("jr")
    browsing.keys("k")
    browsing.editor.lua("_G.done('a new name')")
    asked = browsing.asked("rename")[-1]
    assert (asked["path"], asked["name"]) == ("/sessions/two.jsonl", "a new name")
    assert asked["seen"]["size"] == 2048
    browsing.keys("f")
    assert browsing.asked("fork")[-1]["target"] == "/sessions/one.jsonl"
    browsing.keys("<C-v>")
    assert browsing.asked("resume")[-1]["target"] == "/sessions/one.jsonl"


def test_the_trash_asks_and_takes_a_visual_selection_together(browsing: Browsing) -> None:
    browsing.open().give(*(row(f"s{i}", i) for i in range(4)), final=True)
    browsing.editor.lua("vim.fn.confirm = function(text) _G.question = text return _G.choice end")
    browsing.editor.lua("_G.choice = 2")
    browsing.keys("d")
    assert browsing.asked("trash") == []
    browsing.editor.lua("_G.choice = 1")
    browsing.keys("jVjd")
    assert "these 2 sessions" in browsing.editor.lua("return _G.question")
    assert "s1" in browsing.editor.lua("return _G.question")
    assert browsing.asked("trash")[-1]["paths"] == ["/sessions/s1.jsonl", "/sessions/s2.jsonl"]
    browsing.answer("trash", {"token": "t1", "moved": ["/sessions/s1.jsonl", "/sessions/s2.jsonl"]})
    browsing.settle()
    assert browsing.editor.messages() == "in the trash, u brings it back: 2 sessions"
    browsing.keys("u")
    assert browsing.asked("untrash")[-1]["token"] == "t1"


def test_what_can_not_come_back_keeps_nothing_else_in_the_trash(browsing: Browsing) -> None:
    browsing.open().give(*(row(f"s{i}", i) for i in range(4)), final=True)
    browsing.editor.lua("vim.fn.confirm = function() return 1 end")
    for token in ("t1", "t2"):
        browsing.keys("d")
        browsing.answer("trash", {"token": token})
        browsing.give(*(row(f"s{i}", i) for i in range(4)), final=True)
    for token in ("t2", "t1", "t2"):
        browsing.keys("u")
        assert browsing.asked("untrash")[-1]["token"] == token
        answer: list[Any] = [None, "no room"] if token == "t2" else [{}]
        browsing.answer("untrash", *answer)
        browsing.give(*(row(f"s{i}", i) for i in range(4)), final=True)


def test_the_trash_does_not_ask_for_what_is_open_here(browsing: Browsing) -> None:
    browsing.editor.lua("vim.fn.confirm = function(text) _G.question = text return 1 end")
    long = row("a title " * 20, 2)
    browsing.open().give(row("open", 1), long, final=True)
    browsing.editor.lua("""
      require('pivi.conversations').all = function() return { { file = '/sessions/open.jsonl' } } end
    """)
    browsing.keys("d")
    assert browsing.editor.lua("return _G.question") is None
    assert browsing.asked("trash") == []
    assert browsing.editor.messages() == "close it first (:bdelete), it is open here: open"
    browsing.keys("Vjd")
    assert browsing.asked("trash")[-1]["paths"] == [long["path"]]
    question = browsing.editor.lua("return _G.question")
    assert "this session" in question and question.endswith("…") and len(question.split("\n")[1]) == 62
    browsing.answer("trash", {"moved": [long["path"]]})
    browsing.settle()
    assert "in the trash: a title a title" in browsing.editor.messages()


def test_yanks(browsing: Browsing) -> None:
    browsing.open().give(row("one", 1, cwd="/it's"), final=True)
    browsing.keys("yi")
    assert browsing.editor.lua("return vim.fn.getreg('\"')") == "id-one"
    browsing.keys('"ayp')
    assert browsing.editor.lua("return vim.fn.getreg('a')") == "/sessions/one.jsonl"
    browsing.keys("yc")
    command = browsing.editor.lua("return vim.fn.getreg('\"')")
    assert command == "cd '/it'\\''s' && pi --session '/sessions/one.jsonl'"


def test_text_that_could_harm_is_shown_harmless(browsing: Browsing) -> None:
    browsing.open().give(row("a\nb\x1b[31mred\x00\x9b", 1), row("%{execute('let g:ran=1')}", 2), final=True)
    assert len(browsing.editor.lines()) == 2
    assert "\x1b" not in browsing.editor.text()
    browsing.keys("/%<lt>{<Esc>")
    browsing.editor.command("redraw!")
    assert browsing.editor.lua("return vim.g.ran") is None
    assert browsing.editor.messages() == ""


@pytest.mark.parametrize("odd", ["x\ny", "x\x00y", "x\x1b[31m\ry"])
@pytest.mark.parametrize("field", ["cwd", "model", "id", "name"])
def test_no_field_breaks_the_list(start_nvim: StartEditor, field: str, odd: str) -> None:
    browsing = Browsing(start_nvim(size=(200, 24)))
    harm = {field: f"/{odd}"} | ({"title": ""} if field == "id" else {})
    for arguments in ("!", "! /o"):
        browsing.open(arguments).give(row("one", 1, **harm), row("two", 2), final=True)
        browsing.settle()
        assert "two" in browsing.editor.text()
        assert "\x1b" not in browsing.editor.text() and "\x00" not in browsing.editor.text()
        assert browsing.editor.messages() == ""


def test_wide_characters_are_cut_by_their_width(browsing: Browsing) -> None:
    browsing.open().give(row("漢字" * 60, 1), row("e\u0301" * 100, 2), final=True)
    widths = browsing.editor.lua(
        "return vim.tbl_map(vim.fn.strdisplaywidth, vim.api.nvim_buf_get_lines(0,0,-1,true))"
    )
    assert widths == [80, 80]


def test_rows_are_painted_less_often_where_that_takes_long_and_at_once_at_the_end(browsing: Browsing) -> None:
    browsing.open().give(row("one", 1))
    browsing.editor.lua("require('pivi.browser').of(0).took = 10000")
    browsing.give(row("two", 2))
    assert browsing.titles() == ["one"]
    browsing.give(row("three", 3), final=True)
    assert browsing.titles() == ["one", "two", "three"]


def test_every_key_is_in_the_help(browsing: Browsing) -> None:
    keys = browsing.editor.lua(
        "return vim.tbl_map(function(k) return { k[1], k[2] } end, require('pivi.browser.keys').TABLE)"
    )
    text = (ROOT / "doc" / "pivi.txt").read_text()
    assert [key for key, plug in keys if f"\t{key}\t<Plug>(pivi-sessions-{plug})" not in text] == []


def test_a_list_that_is_opened_from_another_or_from_a_transcript_has_the_keys_too(
    browsing: Browsing,
) -> None:
    keys = """
      return vim.tbl_map(function(key)
        return vim.fn.maparg(key, 'n', false, true).buffer == 1
      end, { '<CR>', 'v', 'g?' })
    """
    Transcript(browsing.editor).open().begin()
    browsing.open()
    assert browsing.editor.lua(keys) == [True, True, True]
    browsing.editor.command("edit pivi-sessions://second")
    assert browsing.editor.lua(keys) == [True, True, True]


def test_the_keys_are_listed_in_a_window(browsing: Browsing) -> None:
    browsing.open().give(row("one", 1), final=True)
    browsing.keys("g?")
    text = browsing.editor.text()
    assert " r       rename" in text and "3/8 msgs: 3 prompts, 8 messages." in text
    assert browsing.editor.lua("return vim.api.nvim_win_get_config(0).relative") == "editor"
    browsing.keys("q")
    assert browsing.editor.lua("return vim.bo.filetype") == "pivi-sessions"
    assert browsing.editor.messages() == ""


@pytest.mark.parametrize(
    ("typed", "marked"),
    [
        ("Hello", ["Hello"]),
        ('hello "th. re"', ["hello", "Hello", "th. re"]),
        ("/h[ae]l{2}o", ["hello", "hallo", "Hello"]),
        ("/he(?=l", []),
    ],
)
def test_what_was_said_is_marked_in_the_preview(
    start_nvim: StartEditor, typed: str, marked: list[str]
) -> None:
    browsing = Browsing(start_nvim(size=(200, 24)))
    browsing.open(f" /text:{typed}").give(row("one", 1), final=True)
    hit = {
        "path": row("one")["path"],
        "id": "i",
        "title": "one",
        "entry": "e",
        "role": "user",
        "line": "hello",
    }
    browsing.give(hit, method="hits", final=True)
    browsing.settle()
    text = "# one\n\n## You\nhello hallo\nHello\nth. re" + "\n" * 40 + "end"
    lines = text.split("\n")
    value = {"row": 0, "old": 0, "lines": lines, "new": len(lines), "blocks": [1, 0, 0, 0, 0], "marks": []}
    value |= {"strings": [], "groups": [], "total": len(lines), "at": 2}
    browsing.answer("preview", {**value, "names": {"groups": [], "kinds": ["title"], "tools": {}}})
    found = browsing.editor.lua("""
      local win = vim.fn.bufwinid('pivi-preview://')
      local found = {}
      for _, match in ipairs(vim.fn.getmatches(win)) do
        assert(match.group == 'PiviSessionMatch')
        for _, line in ipairs(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, true)) do
          for _, one in ipairs(vim.fn.matchstrlist({ line }, match.pattern)) do
            table.insert(found, one.text)
          end
        end
      end
      return found
    """)
    assert sorted(found) == sorted(marked)
    browsing.keys("/<C-u>x<Esc>")
    browsing.settle()
    assert browsing.editor.lua("return vim.fn.getmatches(vim.fn.bufwinid('pivi-preview://'))") == []


def test_the_preview_is_painted_as_a_transcript_and_leaves_the_cursor(start_nvim: StartEditor) -> None:
    browsing = Browsing(start_nvim(size=(200, 24)))
    browsing.open().give(row("one", 1), row("two", 2), final=True)
    browsing.settle()
    assert browsing.asked("preview")[-1]["path"] == row("one")["path"]
    text = "# two\n\n## You\nhello **you**\n\n### bash ls\nout\nput"
    blocks = [1, 0, 0, 0, 0, 3, 1, 1, 0, 1, 4, 2, 2, 2, 0]
    value = {"row": 0, "old": 0, "lines": text.split("\n"), "new": 8, "blocks": blocks, "marks": [1, 0, 6, 0]}
    names = {
        "groups": [("PiviPrompt", "Function")],
        "kinds": ["title", "prompt", "tool_call"],
        "tools": {},
    }
    shown = {
        "names": names,
        "strings": [],
        "groups": [],
        "total": 8,
    }
    browsing.keys("j")
    browsing.answer("preview", {**value, **shown})
    preview = browsing.editor.lua("return vim.fn.bufnr('pivi-preview://')")
    assert browsing.editor.text(preview) == text
    assert browsing.selected() == "two"
    closed = "return vim.api.nvim_win_call(vim.fn.bufwinid(...), function() return vim.fn.foldclosed(6) end)"
    assert browsing.editor.lua(closed, preview) == 6
    rendered = """
      vim.cmd.redraw()
      return vim.iter(vim.inspect_pos(..., 3, 8).extmarks):any(function(mark)
        return mark.opts.hl_group == 'PiviStrong'
      end)
    """
    browsing.editor.wait_for(rendered, preview)
    browsing.keys("p")
    assert browsing.editor.lua("return #vim.api.nvim_list_wins()") == 1
    browsing.keys("p")
    browsing.editor.close("quit")


def test_reading_anew_forgets_nothing_before_it_knows_better(browsing: Browsing) -> None:
    first, gone = row("one", 1), row("two", 2)
    browsing.open().give(first, gone, final=True)
    browsing.keys("R")
    assert browsing.titles() == ["one", "two"]
    header = {key: value for key, value in first.items() if key not in ("messages", "prompts", "branches")}
    browsing.give({**header, "title": ""})
    assert browsing.titles() == ["one", "two"]
    browsing.give(final=True)
    assert browsing.titles() == ["one"]


def test_a_host_that_can_not_be_started_is_no_endless_reading(start_nvim: StartEditor) -> None:
    editor = start_nvim(settings={"python": "/nowhere/python"})
    editor.command("Pi sessions")
    editor.lua("vim.wait(100)")
    assert "the host ended" in editor.text()
    assert editor.lua("return require('pivi.browser').of(0).look == nil")


_GIVE = "require('pivi.inbox')('rows', select(1, ...), select(2, ...), { final = true })"
# A clock that goes so fast that each slice is a short one.
_FAST = """
local clock, told = vim.uv.hrtime, 0
vim.uv.hrtime = function()
  told = told + 1
  return clock() + told * 1e4
end
"""


def test_a_long_list_is_painted_in_slices(browsing: Browsing) -> None:
    browsing.editor.lua(_FAST)
    many = [row(f"number {i:04d}", i) for i in range(3000)]
    browsing.open().give(*many[:1])
    look = browsing.asked("catalog")[-1]["look"]
    painting = "return require('pivi.browser').of(0).painting ~= nil"
    browsing.editor.lua(_GIVE, look, msgspec.msgpack.encode(many))
    browsing.editor.wait_for(painting)
    # What is on the screen meanwhile is what it was, and the cursor's session.
    assert browsing.titles() == ["number 0000"] and len(browsing.editor.lines()) == 1
    browsing.editor.wait_for("return #require('pivi.browser').of(0).list.items == 3000")
    assert browsing.titles() == [one["title"] for one in many]
    assert browsing.selected() == "number 0000"
    browsing.keys("on")
    browsing.keys("G")
    assert browsing.selected() == "number 2999"


# With the collector at rest, what is allocated between two pauses is what is paid for at once otherwise.
_ALLOCATED = """
local b = require('pivi.browser').of(0)
local list = require('pivi.browser.list')
local most, last = 0, nil
local function pause()
  local now = collectgarbage('count')
  most = math.max(most, now - (last or now))
  last = collectgarbage('count')
end
collectgarbage('stop')
pause()
local made = list.make(b, pause)
pause()
list.lines(b, made, 120, pause)
pause()
collectgarbage('restart')
return most
"""


@pytest.mark.parametrize(
    "shown", ["order = 'recent'", "order = 'name'", "order = 'threads'", "filter = 'num'"]
)
def test_no_pass_over_a_long_list_makes_something_of_every_session_without_a_pause(
    shown: str, browsing: Browsing
) -> None:
    many = [row(f"number {i:05d}", i) for i in range(13_000)]
    browsing.open().give(*many, final=True)
    browsing.editor.wait_for("return #require('pivi.browser').of(0).list.items == 13000")
    browsing.editor.lua(f"require('pivi.browser').set(require('pivi.browser').of(0), {{ {shown} }})")
    assert browsing.editor.lua(_ALLOCATED) < 600


def test_enter_takes_what_was_typed_for_however_long_the_list(browsing: Browsing) -> None:
    many = [row(f"number {i:04d}", i) for i in range(3000)]
    browsing.open().give(*many, final=True)
    browsing.editor.wait_for("return #require('pivi.browser').of(0).list.items == 3000")
    browsing.editor.nvim.input('/"number 2777"<CR>')
    browsing.editor.wait_for("return vim.iter(_G.asked):any(function(one) return one.method == 'resume' end)")
    assert browsing.asked("resume")[-1]["target"] == row("number 2777")["path"]


def test_q_closes_what_was_opened_and_gives_back_what_was_shown(browsing: Browsing) -> None:
    editor = browsing.editor
    editor.command("file mine | setlocal buftype=nofile")
    shown = "return { vim.fn.bufname(), #vim.api.nvim_list_wins(), #vim.api.nvim_list_tabpages() }"
    browsing.open().give(row("one"), final=True)
    browsing.keys("q")
    assert editor.lua(shown) == ["mine", 1, 1]
    for mods in ("vertical", "tab", "belowright"):
        editor.command(f"{mods} Pi sessions")
        browsing.give(row("one"), final=True)
        browsing.keys("p")
        browsing.keys("q")
        assert editor.lua(shown) == ["mine", 1, 1]
    assert editor.messages() == ""


def test_escape_leaves_the_filter_and_q_the_preview(browsing: Browsing) -> None:
    browsing.open().give(row("one"), row("two", 1), final=True)
    browsing.keys("/two")
    browsing.keys("<Esc>")
    assert browsing.editor.lua("return vim.fn.mode()") == "n"
    assert browsing.editor.lua("return vim.bo.filetype") == "pivi-sessions"
    assert browsing.titles() == ["two"] and browsing.selected() == "two"
    browsing.keys("<Esc>")
    assert browsing.titles() == ["two"]
    browsing.keys("p")
    browsing.keys("<C-w>wq")
    assert browsing.editor.lua("return { vim.bo.filetype, #vim.api.nvim_list_wins() }") == [
        "pivi-sessions",
        1,
    ]
    assert browsing.editor.lua("return vim.fn.reg_recording()") == ""
