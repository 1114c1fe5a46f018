"""The outline, fold levels, the list of keys, and the way to files, in a real Neovim without a host."""

from __future__ import annotations

from pathlib import Path

import pytest

from pivi.transcript.blocks import (
    Answer,
    Before,
    Block,
    Notice,
    Outcome,
    Prompt,
    Reply,
    Summary,
    System,
    Title,
    ToolCall,
)
from tests.conftest import StartEditor
from tests.editor.test_motions import conversation, line, paint
from tests.editor.transcript import Transcript
from tests.support.editor import Editor

pytestmark = pytest.mark.matrix


@pytest.fixture
def editor(start_nvim: StartEditor) -> Editor:
    editor = start_nvim(size=(80, 50))
    paint(editor, conversation())
    return editor


def shown(editor: Editor) -> list[str]:
    """Lines that no closed fold hides."""
    return list(
        editor.lua("""
          return vim.iter(vim.fn.range(1, vim.fn.line('$'))):filter(function(lnum)
            local top = vim.fn.foldclosed(lnum)
            return top == -1 or top == lnum
          end):map(vim.fn.getline):filter(function(text) return text ~= '' end):totable()
        """)
    )


def test_the_outline_lists_prompts_with_the_first_words_of_their_answers(editor: Editor) -> None:
    line(editor, "G")
    line(editor, "gO")
    assert editor.lua("return vim.bo.buftype") == "quickfix"
    assert editor.lines() == ["First wish → Here:", "Second wish → The end"]
    assert editor.lua("return vim.fn.line('.')") == 2
    line(editor, "q")
    assert editor.lua("return {vim.bo.filetype, #vim.api.nvim_list_wins()}") == ["pivi", 1]
    line(editor, "gO")
    editor.command("1ll")
    assert editor.lua("return {vim.bo.filetype, vim.fn.getline('.')}") == ["pivi", "## You"]


PLAIN = [
    ("## Do **all** of *it* in `src/**/*.py`!", "Do all of it in src/**/*.py!"),
    ("> [here](http://a.b) and ![there](c.png)", "here and there"),
    ("- 2 * 3 * 4 and snake_case_name, __init__.py", "2 * 3 * 4 and snake_case_name, __init__.py"),
    ("`` a`b `` ~~gone~~ _so_", "a`b gone so"),
    ("*unclosed `code", "*unclosed `code"),
    ("```lua\nx = 1\n```", "x = 1"),
]


def test_the_outline_has_words_without_the_signs_of_markdown(start_nvim: StartEditor) -> None:
    editor = start_nvim(size=(80, 50))
    paint(editor, [Prompt(key=text, section=text, text=text) for text, _ in PLAIN])
    line(editor, "gO")
    assert editor.lines() == [words for _, words in PLAIN]


def test_the_outline_has_the_words_of_an_answer_that_the_model_still_sees(start_nvim: StartEditor) -> None:
    editor = start_nvim(size=(80, 50))
    blocks: list[Block] = [
        Prompt(key="p", section="p", text="first"),
        Answer(key="a", text="half", context="hidden"),
        Answer(key="b", text="whole"),
        Prompt(key="q", section="q", text="second"),
        Answer(key="c", text="gone", context="hidden"),
    ]
    paint(editor, blocks)
    line(editor, "gO")
    assert editor.lines() == ["first → whole", "second → gone"]


def closed(editor: Editor) -> list[str]:
    """What is seen of each closed fold, decorations at the right edge apart."""
    return list(
        editor.lua("""
          return vim.iter(vim.fn.range(1, vim.fn.line('$'))):filter(function(lnum)
            return vim.fn.foldclosed(lnum) == lnum
          end):map(vim.fn.foldtextresult):totable()
        """)
    )


def test_a_closed_fold_tells_what_it_holds(editor: Editor) -> None:
    assert closed(editor) == [
        "### Thinking 3 lines",
        "### bash make ✓ 3 lines",
        "### bash false ✗ exit 1 · 3 lines",
    ]
    line(editor, "z1")
    assert closed(editor) == ["## Pi Here: · 1 tool", "## Pi The end · 1 tool"]


def long_session() -> list[Block]:
    """One with a compaction, a system message, and a prompt that has a note behind it."""
    return [
        Title(key="t", name="A session", session_id="abc", cwd="/"),
        System(key="s", section="s", time=1793534400000, parts=(("", "Be\nkind."),)),
        Before(key="x", entries=2),
        Prompt(key="p1", section="p1", run="x", text="First wish"),
        Reply(key="r1", section="r1", run="x"),
        Answer(key="a1", section="r1", run="x", text="Long ago"),
        Summary(key="z", section="z", of="compaction", text="It was long."),
        Prompt(key="p2", section="p2", text="Second wish"),
        Notice(key="n2", section="p2", of="model_change", text="fake-2"),
        Reply(key="r2", section="r2"),
        Answer(key="a2", section="r2", text="The end"),
    ]


def test_levels_of_folds_with_a_compaction(start_nvim: StartEditor) -> None:
    editor = start_nvim(size=(80, 50))
    paint(editor, long_session())
    assert "## System 2 lines" in "".join(closed(editor))
    line(editor, "z1")
    seen = shown(editor)
    assert "First wish" in seen and "Second wish" in seen
    assert not {"Long ago", "The end", "kind."} & set(seen)
    line(editor, "z2")
    seen = shown(editor)
    assert "The end" in seen and not {"First wish", "Long ago", "kind."} & set(seen)
    line(editor, "z3")
    assert {"First wish", "Long ago", "kind."} <= set(shown(editor))
    assert editor.messages() == ""


@pytest.mark.parametrize(("icons", "ellipsis", "arrow"), [("unicode", "…", " → "), ("ascii", "...", " -> ")])
def test_the_outline_is_cut_as_wide_as_its_window(
    start_nvim: StartEditor, icons: str, ellipsis: str, arrow: str
) -> None:
    editor = start_nvim(size=(80, 50), settings={"icons": icons})
    turns = [("ä" * 100, "b" * 100), ("ask", "b" * 100), ("a" * 100, "yes")]
    blocks: list[Block] = []
    for prompt, answer in turns:
        blocks += [Prompt(key=prompt, section=prompt, text=prompt), Answer(key="a" + prompt, text=answer)]
    paint(editor, blocks)
    line(editor, "gO")
    rows = editor.lines()
    assert [len(row) for row in rows] == [80, 80, 80]
    assert [row.endswith(ellipsis) for row in rows] == [True, True, False]
    assert rows[0].startswith("ä" * (38 - len(ellipsis)) + ellipsis + arrow + "b")
    assert rows[1].startswith("ask" + arrow + "b")
    assert rows[2].endswith(ellipsis + arrow + "yes")


def test_levels_of_folds(editor: Editor) -> None:
    line(editor, "z1")
    prompts = ["First *wish*", "of two lines", "## Pi"]
    assert shown(editor) == ["# A session", "## You", *prompts, "## You", "Second wish", "## Pi"]
    editor.command("Pi fold talk")
    assert "### bash make" in shown(editor)
    assert "one" not in shown(editor)
    assert "Done." in shown(editor)
    line(editor, "z3")
    assert "one" in shown(editor)
    line(editor, "z2")
    assert "one" not in shown(editor)
    editor.command("normal! zR")
    assert "one" in shown(editor)
    assert editor.messages() == ""
    editor.command("Pi fold tal")
    assert "did you mean 'talk'" in editor.messages() or "talk" in editor.messages()


def test_the_keys_are_listed_as_they_are_mapped(start_nvim: StartEditor) -> None:
    editor = start_nvim(size=(80, 50))
    editor.command("nmap gX <Plug>(pivi-next-tool)")
    paint(editor, conversation())
    line(editor, "g?")
    text = editor.text()
    assert " gX      go to the next tool" in text
    assert " [[      go to the previous section" in text
    line(editor, "q")
    assert editor.lua("return vim.bo.filetype") == "pivi"
    keys = editor.lua("""
      return vim.tbl_map(function(key) return key.plug end, require('pivi.keys').TABLE)
    """)
    manual = (Path(__file__).parents[2] / "doc" / "pivi.txt").read_text()
    assert [key for key in keys if key not in manual] == []


def test_a_transcript_that_is_opened_from_another_has_the_keys_too(start_nvim: StartEditor) -> None:
    editor = start_nvim(size=(80, 50))
    editor.command("nmap gX zz<Plug>(pivi-next-tool)")
    paint(editor, conversation())
    second = Transcript(editor, conv=2).open(session_id="second").begin()
    assert editor.lua("return vim.api.nvim_buf_get_name(0)") == "pivi://second"
    keys = """
      return vim.tbl_map(function(key)
        return vim.fn.maparg(key[1], key[2], false, true).buffer == 1
      end, { { ']p', 'n' }, { 'g?', 'n' }, { ']]', 'o' }, { 'am', 'x' }, { ']t', 'n' }, { ']t', 'x' } })
    """
    # The user has put one of them on a key of his own.
    assert editor.lua(keys) == [True, True, True, True, False, True]
    assert line(editor, "gg]]") == "## You last"
    assert second.errors() == ""


@pytest.mark.parametrize(
    ("size", "footer"), [((80, 24), " CTRL-D CTRL-U scroll · q closes "), ((80, 60), " q closes ")]
)
def test_the_list_of_keys_says_how_it_is_left(
    start_nvim: StartEditor, size: tuple[int, int], footer: str
) -> None:
    editor = start_nvim(size=size)
    paint(editor, conversation())
    line(editor, "g?")
    editor.command("redraw")
    seen = editor.lua("""
      return vim.tbl_map(function(row)
        return vim.iter(vim.fn.range(1, vim.o.columns)):map(function(col)
          return vim.fn.screenstring(row, col)
        end):join('')
      end, vim.fn.range(1, vim.o.lines))
    """)
    frame = [row for row in seen if "╭" in row or "╰" in row]
    assert " Keys of a transcript " in frame[0]
    assert footer in frame[1]
    editor.command('exe "normal \\<C-d>"')
    assert (editor.lua("return vim.fn.line('w0')") > 1) == (size[1] == 24)


def files(root: Path) -> list[Block]:
    (root / "src").mkdir()
    (root / "src" / "a.py").write_text("".join(f"line {n}\n" for n in range(1, 40)))
    (root / "my file.txt").write_text("one\n")
    diff = "    ...\n 11 eleven\n-12 twelve\n+12 zwoelf\n"
    output = 'src/a.py:12: found\n(src/a.py:7:3)\n  File "src/a.py", line 9, in f\n--- a/src/a.py\nnone.py:3'

    def call(key: str, name: str, subject: str, outcome: Outcome) -> ToolCall:
        return ToolCall(key=key, name=name, tool_id=key, subject=subject, outcome=outcome)

    return [
        Title(key="t", name="A session", session_id="abc", cwd=str(root)),
        call("1", "bash", "rg found", Outcome(output)),
        call("2", "read", "src/a.py:20-21", Outcome("line 20\nline 21")),
        call("3", "edit", "src/a.py", Outcome("Done.", diff=diff)),
        call("4", "read", "my file.txt", Outcome("one")),
    ]


@pytest.fixture
def working(start_nvim: StartEditor, tmp_path: Path) -> Editor:
    editor = start_nvim(size=(80, 60))
    root = tmp_path / "session"
    root.mkdir()
    paint(editor, files(root), cwd=str(root))
    editor.command("normal! zR")
    return editor


@pytest.mark.parametrize(
    ("search", "file", "lnum", "col"),
    [
        ("^src.a.py:12", "a.py", 12, 1),
        ("^(src", "a.py", 7, 3),
        ("File", "a.py", 9, 1),
        ("^--- a", "a.py", 1, 1),
        ("^### read src", "a.py", 20, 1),
        ("^line 21", "a.py", 21, 1),
        ("^+12", "a.py", 12, 1),
        ("^### edit", "a.py", 1, 1),
        ("^### read my", "my file.txt", 1, 1),
    ],
)
def test_gf_goes_to_the_line(working: Editor, search: str, file: str, lnum: int, col: int) -> None:
    working.lua("vim.fn.search(...)", search)
    line(working, "4lgf" if search in ("^--- a", "^(src") else 'f\\"2lgf' if search == "File" else "gf")
    where = working.lua("return {vim.fn.expand('%:t'), vim.fn.line('.'), vim.fn.col('.')}")
    assert where == [file, lnum, col]
    working.command('exe "normal! \\<C-o>"')
    assert working.lua("return vim.bo.filetype") == "pivi"


def test_gf_where_there_is_no_file_says_so(working: Editor) -> None:
    working.lua("vim.fn.search('^none')")
    line(working, "gf")
    assert "no such file: none.py" in working.messages()
    working.command("messages clear")
    assert working.lua("return vim.fn.search('^##\\\\? ', 'w')") > 0
    line(working, "0gf")
    assert working.messages() == "no path here"


def test_windows_of_their_own(working: Editor) -> None:
    working.lua("vim.fn.search('^src.a.py:12')")
    working.command("setlocal winfixbuf")
    line(working, "gF")
    assert working.lua("return {vim.fn.winnr('$'), vim.fn.line('.')}") == [2, 12]
    working.command("close")
    line(working, "\\<C-w>f")
    assert working.lua("return {vim.fn.winnr('$'), vim.fn.line('.')}") == [2, 12]
    working.command("close")
    line(working, "\\<C-w>gF")
    assert working.lua("return {vim.fn.tabpagenr('$'), vim.fn.line('.')}") == [2, 12]


@pytest.mark.parametrize(
    ("text", "cells", "rest", "cut"),
    [
        ("plain", 5, "...", "plain"),
        ("plain words", 8, "...", "plain..."),
        ("ä" * 10, 8, "…", "ä" * 7 + "…"),
        ("日本語の話", 8, "…", "日本語…"),
        ("e\u0301" * 10, 8, "…", "e\u0301" * 7 + "…"),
        ("x" * 100_000, 4, "…", "xxx…"),
        ("words", 1, "...", "..."),
    ],
)
def test_a_text_is_cut_to_a_width(
    start_nvim: StartEditor, text: str, cells: int, rest: str, cut: str
) -> None:
    editor = start_nvim()
    short, width = editor.lua("return { require('pivi.cells').cut(...) }", text, cells, rest)
    assert (short, width) == (cut, editor.lua("return vim.fn.strdisplaywidth(...)", cut))


def test_paths_are_relative_to_the_session_or_the_home(start_nvim: StartEditor, tmp_path: Path) -> None:
    editor = start_nvim()
    editor.command(f"cd {tmp_path}")
    absolute = "return require('pivi.absolute').of({ cwd = ... }, select(2, ...))"
    assert editor.lua(absolute, "/home/dev", "src/a.py") == "/home/dev/src/a.py"
    assert editor.lua(absolute, "/home/dev", "/etc/hosts") == "/etc/hosts"
    assert editor.lua(absolute, "", "a.py") == str(tmp_path / "a.py")
    editor.lua("vim.uv.os_homedir = function() return '/home/a%1b' end")
    assert editor.lua(absolute, "/work", "~/a.py") == "/home/a%1b/a.py"
