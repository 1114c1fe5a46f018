"""Motions, text objects and yanks in a transcript, in a real Neovim without a host."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from pivi.conversation.names import names
from pivi.conversation.output import opened
from pivi.transcript import tools
from pivi.transcript.blocks import Answer, Block, Outcome, Prompt, Reply, Stop, Thinking, Title, ToolCall
from pivi.transcript.files import touched
from pivi.view.page import Page
from tests.conftest import StartEditor
from tests.editor.transcript import Transcript
from tests.support.editor import Editor

pytestmark = pytest.mark.matrix

CODE = "Here:\n\n```lua\nlocal x = 1\nreturn x\n```\n\n- in a list\n\n  ~~~py\n  print(1)\n  ~~~\n\nDone."


def conversation() -> list[Block]:
    """Two turns with what a session is made of."""
    return [
        Title(key="t", name="A session", session_id="abc", cwd="/"),
        Prompt(key="p1", section="p1", text="First *wish*\nof two lines"),
        Reply(key="r1", section="r1"),
        Thinking(key="h1", section="r1", text="```\nnot a code block of a message\n```"),
        ToolCall(
            key="c1",
            section="r1",
            name="bash",
            tool_id="1",
            subject="make",
            outcome=Outcome("one\ntwo\nthree"),
        ),
        Answer(key="a1", section="r1", text=CODE),
        Prompt(key="p2", section="p2", text="Second wish"),
        Reply(key="r2", section="r2"),
        ToolCall(
            key="c2",
            section="r2",
            name="bash",
            tool_id="2",
            subject="false",
            outcome=Outcome("no\n\nCommand exited with code 1", error=True, exit_status=1),
        ),
        Stop(key="s2", section="r2", reason="error", message="overloaded"),
        Answer(key="a2", section="r2", text="The end"),
    ]


def paint(editor: Editor, blocks: list[Block], **info: str) -> Transcript:
    """The blocks in the editor's current window, the cursor on the first line."""
    transcript = Transcript(editor)
    transcript.open(**names(), **info)
    page = Page()
    for number, patch in enumerate(page.fill(blocks)):
        packed = msgspec.msgpack.encode({**msgspec.structs.asdict(patch), "fresh": number == 0})
        transcript.send("patch", 1, number + 1, packed)
    editor.command("normal! gg")
    return transcript


@pytest.fixture
def editor(start_nvim: StartEditor) -> Editor:
    editor = start_nvim(size=(80, 40))
    paint(editor, conversation())
    return editor


def line(editor: Editor, keys: str) -> str:
    """The cursor's line after these keys."""
    editor.command(f'exe "normal {keys}"')
    return str(editor.lua("return vim.fn.getline('.')"))


def register(editor: Editor, name: str = '"') -> list[str]:
    return list(editor.lua("return vim.fn.getreg(..., 1, true)", name))


def test_motions_stop_where_such_a_thing_begins(editor: Editor) -> None:
    assert [line(editor, "]]") for _ in range(4)] == ["## You", "## Pi", "## You", "## Pi"]
    assert line(editor, "]]") == "## Pi"
    assert [line(editor, "[[") for _ in range(3)] == ["## You", "## Pi", "## You"]
    assert line(editor, "3]]") == "## Pi"
    assert line(editor, "gg]t") == "### bash make"
    assert line(editor, "]t") == "### bash false"
    assert line(editor, "[t") == "### bash make"
    assert line(editor, "gg2]p") == "## You"
    assert editor.lua("return vim.fn.getline(vim.fn.line('.') + 2)") == "Second wish"


def test_from_the_empty_line_above_a_heading_it_is_the_next(editor: Editor) -> None:
    assert line(editor, "gg]tk]t") == "### bash make"
    assert line(editor, "]]j[[") == "## You"


def test_errors_are_found_by_what_failed_each_block_once(editor: Editor) -> None:
    assert line(editor, "gg]e") == "### bash false"
    assert line(editor, "]e") == "**Error:** overloaded"
    assert line(editor, "]e") == "**Error:** overloaded"
    assert line(editor, "[e") == "### bash false"
    assert line(editor, "G2[e") == "### bash false"


def bottom(editor: Editor) -> str:
    """What stands in the last row of the screen."""
    editor.lua("vim.wait(10)")
    cells = """
      return vim.iter(vim.fn.range(1, vim.o.columns)):map(function(col)
        return vim.fn.screenstring(vim.o.lines, col)
      end):join('')
    """
    return str(editor.lua(cells)).strip()


@pytest.mark.parametrize(
    ("key", "things"),
    [("]", "sections"), ("p", "prompts"), ("t", "tools"), ("e", "errors"), ("c", "code blocks")],
)
def test_a_motion_that_comes_to_its_end_says_so(editor: Editor, key: str, things: str) -> None:
    editor.command("set noshowmode noshowcmd")
    line(editor, f"gg]{key}")
    assert "no more" not in bottom(editor)
    last = line(editor, f"9]{key}")
    assert bottom(editor) == f"pivi: no more {things} below"
    editor.nvim.input(f"<C-l>v]{key}")
    assert bottom(editor) == f"pivi: no more {things} below"
    assert line(editor, "\\<Esc>") == last
    line(editor, f"ggy[{'[' if key == ']' else key}")
    assert bottom(editor) == f"pivi: no more {things} above"
    assert editor.messages() == ""


def test_above_what_is_not_yet_read_there_may_be_more(editor: Editor) -> None:
    editor.lua("require('pivi.conversations').by_buf(0).status.reading = 40")
    line(editor, "gg[e")
    assert bottom(editor) == "pivi: no more errors above yet, the session is still being read"
    line(editor, "G]e")
    assert bottom(editor) == "pivi: no more errors below"


def test_code_blocks_are_those_of_messages(editor: Editor) -> None:
    assert line(editor, "gg]c") == "```lua"
    assert line(editor, "]c") == "  ~~~py"
    assert line(editor, "]c") == "  ~~~py"
    assert line(editor, "[c") == "```lua"
    assert line(editor, "G[c") == "  ~~~py"


def test_a_motion_sets_the_jump_list_and_opens_what_hides_its_target(editor: Editor) -> None:
    line(editor, "]t")
    editor.command("normal! zM")
    assert line(editor, "gg]t") == "### bash make"
    assert editor.lua("return vim.fn.foldclosed('.') == -1 or vim.fn.foldclosed('.') == vim.fn.line('.')")
    editor.command('exe "normal! \\<C-o>"')
    assert editor.lua("return vim.fn.line('.')") == 1


def test_a_fold_that_a_motion_opened_closes_when_the_next_one_leads_away(editor: Editor) -> None:
    closed = "return vim.fn.foldclosed(vim.fn.search(..., 'nw')) ~= -1"
    line(editor, "gg]t")
    assert not editor.lua(closed, "^two$")
    line(editor, "jj]t")
    assert editor.lua(closed, "^two$") and not editor.lua(closed, "^no$")
    # Who leaves it by other ways finds it as it was.
    line(editor, "gg")
    line(editor, "]t")
    assert not editor.lua(closed, "^no$")
    assert editor.messages() == ""


def test_motions_extend_a_selection_and_serve_an_operator(editor: Editor) -> None:
    line(editor, "ggV2]]y")
    assert register(editor)[-1] == "## Pi"
    line(editor, "gg]]y]]")
    assert register(editor) == ["## You", "", "First *wish*", "of two lines", ""]
    line(editor, "ggy2]p")
    assert register(editor)[0] == "# A session"
    assert register(editor)[-2:] == ["Done.", ""]
    assert "E" not in editor.messages()


def test_message_objects(editor: Editor) -> None:
    line(editor, "gg]pjjyim")
    assert register(editor) == ["First *wish*", "of two lines"]
    line(editor, "gg]pyam")
    assert register(editor) == ["## You", "", "First *wish*", "of two lines"]
    line(editor, "Gyim")
    assert register(editor) == ["The end"]
    line(editor, "[[yim")
    assert register(editor)[0] == "### bash false"
    assert register(editor)[-1] == "The end"


def test_code_objects(editor: Editor) -> None:
    line(editor, "gg]cyic")
    assert register(editor) == ["local x = 1", "return x"]
    line(editor, "gg]cjyac")
    assert register(editor) == ["```lua", "local x = 1", "return x", "```"]
    line(editor, "gg]cjvicy")
    assert register(editor) == ["local x = 1", "return x"]


def test_output_objects_open_their_fold(editor: Editor) -> None:
    line(editor, "gg]tyio")
    assert register(editor) == ["one", "two", "three"]
    line(editor, "gg]tyao")
    assert register(editor) == ["### bash make", "", "```", "one", "two", "three", "```"]


def test_where_there_is_no_such_object_nothing_is_yanked(editor: Editor) -> None:
    editor.lua("vim.fn.setreg('\"', 'kept')")
    editor.nvim.input("gg]pyic")
    editor.wait_for("return vim.fn.mode(1) == 'n' and vim.fn.line('.') > 1")
    assert register(editor) == ["kept"]


def test_yanks_without_what_stands_around(editor: Editor) -> None:
    line(editor, 'gg2]c\\"ayc')
    assert register(editor, "a") == ["print(1)"]
    line(editor, "gg]pym")
    assert register(editor) == ["First *wish*", "of two lines"]
    line(editor, "gg]tym")
    assert register(editor) == ["one", "two", "three"]
    line(editor, "gg]pyc")
    assert register(editor) == ["one", "two", "three"]


def test_a_key_of_the_users_replaces_ours(start_nvim: StartEditor) -> None:
    editor = start_nvim(size=(80, 24))
    editor.command("nmap gX <Plug>(pivi-next-tool)")
    paint(editor, conversation())
    assert line(editor, "gggX") == "### bash make"
    assert editor.lua("return vim.fn.maparg(']t', 'n', false, true).buffer") != 1


def test_only_a_tool_that_reads_a_part_names_its_lines(start_nvim: StartEditor) -> None:
    editor = start_nvim()
    heading = "return (require('pivi.paths').of_heading(...))"
    assert editor.lua(heading, tools.paths(), "### read a.lua:20-21") == {"path": "a.lua", "lnum": 20}
    for name in ("edit", "write", "ls"):
        assert editor.lua(heading, tools.paths(), f"### {name} a:12") == {"path": "a:12"}


def test_a_new_tool_needs_one_row_to_be_coloured_and_gone_to(
    start_nvim: StartEditor, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    row = tools.Tool(lambda arguments: "", path="subject", did="peeked", part=True)
    monkeypatch.setitem(tools.TABLE, "peek", row)
    (tmp_path / "a.lua").write_text("local a = 1\n" * 30)
    outcome = Outcome("local a = 1\nlocal a = 1")
    call = ToolCall(key="c", section="r", name="peek", tool_id="1", subject="a.lua:20-21", outcome=outcome)
    assert [(file.path, file.line, file.did) for file in touched([call])] == [("a.lua", 20, "peeked")]
    assert opened(call).file == "a.lua"
    editor = start_nvim(size=(80, 24))
    paint(editor, [Title(key="t", section="t", name="s", session_id="i", cwd="/"), call], cwd=str(tmp_path))
    editor.command("normal! zRG")
    editor.lua("vim.fn.search('^local', 'b')")
    editor.wait_for("""
      vim.cmd.redraw()
      return vim.iter(vim.inspect_pos(0, vim.fn.line('.') - 1, 0).extmarks):any(function(mark)
        return (mark.opts.hl_group or ''):find('keyword') ~= nil
      end)
    """)
    line(editor, "gf")
    assert editor.lua("return {vim.fn.expand('%:t'), vim.fn.line('.')}") == ["a.lua", 21]
