"""Transcript buffers: text, folds, marks and views under patches, in a real Neovim without a host."""

from __future__ import annotations

import msgspec
import pytest

from pivi.view.patch import CLOSED, NO_FOLD, OPEN, Patch
from tests.conftest import StartEditor
from tests.editor.browsing import Browsing, row
from tests.editor.transcript import Transcript, section

pytestmark = pytest.mark.matrix

# A title; the last section (three open rows, a closed tool call).
LAST = "0. 0. 0. 0. 0. 1+ 1- 1- 1- 1-"
# A filled section: the empty row, the group's two rows, an empty row within it, a closed tool call.
FILLED = "0. 1. 1. 1. 2+ 2- 2- 2- 2-"


_ASKED = """
_G.asked = {}
require('pivi.host').notify = function(method) table.insert(_G.asked, method) end
"""


@pytest.fixture
def page(start_nvim: StartEditor) -> Transcript:
    return Transcript(start_nvim(size=(80, 24))).open().begin()


def test_chunks_above_have_their_folds_and_the_others_keep_theirs(page: Transcript) -> None:
    assert page.shape() == LAST
    page.fill(2)
    assert page.shape() == f"0. {FILLED} {FILLED} {LAST[3:]}"
    assert page.editor.lines()[:3] == ["# Session", "", "## You s1"]
    assert page.errors() == ""


def test_the_cursor_stays_at_the_end_while_it_fills(page: Transcript) -> None:
    page.fill(20)
    assert page.editor.lua("return vim.fn.line('.') == vim.fn.line('$')")
    assert page.editor.lua("vim.cmd.redraw() return vim.fn.line('w$') == vim.fn.line('$')")


def test_a_reader_in_the_middle_is_not_moved(page: Transcript) -> None:
    page.fill(20)
    page.editor.command("normal! 100Gzt")
    before = page.editor.lua("return {vim.fn.getline('.'), vim.fn.getline('w0'), vim.fn.winline()}")
    page.fill(5)
    page.patch(page.total, 0, section("new", 5))
    assert page.editor.lua("return {vim.fn.getline('.'), vim.fn.getline('w0'), vim.fn.winline()}") == before


def test_a_reader_is_not_moved_by_what_grows_above(page: Transcript) -> None:
    numbers = page.patch(1, 0, section("old", 5), group=OPEN)
    page.fill(20)
    page.editor.command("normal! 100Gzt")
    page.editor.command("split")
    page.editor.command("normal! zt")
    place = "return {vim.fn.getline('.'), vim.fn.getline('w0'), vim.fn.winline()}"
    before = page.editor.lua(place)
    first = page.editor.lua("return vim.fn.search('## You old', 'nw') - 2")
    page.patch(first, 8, section("longer", 15), numbers=numbers, group=OPEN)
    assert page.editor.lua(place) == before
    page.patch(first, 18, section("short", 3), numbers=numbers, group=OPEN)
    assert page.editor.lua(place) == before
    page.editor.command("wincmd w")
    assert page.editor.lua(place)[0] == before[0]


def test_two_windows_and_a_split_have_all_folds(page: Transcript) -> None:
    first = page.editor.lua("return vim.api.nvim_get_current_win()")
    page.fill(1)
    page.editor.command("vsplit")
    page.fill(1)
    page.editor.command("split")
    expected = f"0. {FILLED} {FILLED} {LAST[3:]}"
    assert page.shape() == expected
    assert page.shape(first) == expected
    other = page.editor.lua(
        "return vim.api.nvim_open_win(0, false, {relative='editor', row=1, col=1, width=20, height=5})"
    )
    page.fill(1)
    assert page.shape(other) == page.shape(first) == f"0. {FILLED} {FILLED} {FILLED} {LAST[3:]}"
    assert page.errors() == ""


def test_a_hidden_buffer_has_its_folds_when_it_comes_back(page: Transcript) -> None:
    page.editor.command("enew")
    page.fill(30)
    page.editor.command("buffer pivi://abc")
    page.editor.lua("vim.wait(50)")
    assert page.shape() == " ".join(["0.", *[FILLED] * 30, LAST[3:]])
    assert page.editor.lua("return vim.fn.line('.') == vim.fn.line('$')")
    page.editor.command("tab sbuffer pivi://abc")
    page.editor.lua("vim.wait(50)")
    assert page.shape() == " ".join(["0.", *[FILLED] * 30, LAST[3:]])


def test_a_window_that_comes_back_has_what_was_painted_while_another_one_showed_it(page: Transcript) -> None:
    page.begin(4)
    page.fill(3)
    page.editor.command("split")
    page.editor.command("normal! 13Gzt")
    here = page.editor.lua("return {vim.fn.line('.'), vim.fn.getline('.')}")
    page.editor.command("enew")
    page.patch(page.total, 0, section("new", 5), group=OPEN)
    page.fill(1)
    page.editor.command("buffer pivi://abc")
    other = page.editor.lua("return vim.fn.win_getid(2)")
    assert page.shape() == page.shape(other)
    # A section came in above the place.
    assert page.editor.lua("return {vim.fn.line('.'), vim.fn.getline('.')}") == [here[0] + 9, here[1]]
    assert page.errors() == ""


def test_a_window_that_the_cursor_comes_back_to_keeps_its_options(page: Transcript) -> None:
    page.begin(4)
    page.editor.command("setlocal foldtext=foldtext() number")
    page.editor.command("botright new | wincmd p")
    assert page.editor.lua("return {vim.bo.filetype, vim.wo.foldtext, vim.wo.number}") == [
        "pivi",
        "foldtext()",
        True,
    ]


def test_nothing_is_kept_of_a_window_that_is_closed(page: Transcript) -> None:
    known = "return vim.tbl_count(require('pivi.conversations').by_buf(vim.fn.bufnr('pivi://abc')).windows)"
    for commands in ("split | close", "tab split | tabclose", "split | enew | close", "vsplit | wincmd o"):
        page.editor.command(commands)
        assert page.editor.lua(known) == 1
    page.fill(1)
    assert page.shape() == f"0. {FILLED} {LAST[3:]}"
    assert page.errors() == ""


def test_every_autocommand_of_ours_has_a_group(start_nvim: StartEditor) -> None:
    browsing = Browsing(start_nvim(size=(80, 24)))
    page = Transcript(browsing.editor).open().begin()
    page.editor.command("split")
    browsing.open().give(row("one"), final=True)
    browsing.keys("/")
    ours = """
      return vim.iter(vim.api.nvim_get_autocmds({})):filter(function(known)
        local source = type(known.callback) == 'function' and debug.getinfo(known.callback).source or ''
        return not known.group and source:find('pivi', 1, true)
      end):map(function(known) return known.event end):totable()
    """
    assert page.editor.lua(ours) == []


def test_hide_and_return_keeps_what_the_reader_opened(page: Transcript) -> None:
    page.editor.command("6foldopen")
    page.editor.command("enew")
    page.editor.command("buffer pivi://abc")
    assert page.shape() == LAST.replace("+", ".").replace("-", ".")


def test_a_fold_that_the_reader_opened_stays_open_when_its_block_is_painted_anew(page: Transcript) -> None:
    page.fill(1)
    first = page.total - 6
    page.editor.command(f"{first + 2}foldopen")
    grown = section("last", 9)[1]
    page.patch(first, 6, [grown], numbers=[2])
    assert page.shape().split()[-9:] == ["0.", *["1."] * 8]
    page.editor.command(f"{first + 2}foldclose")
    page.patch(first, 9, [section("last", 6)[1]], numbers=[2])
    assert page.shape() == f"0. {FILLED} {LAST[3:]}"


def test_a_block_at_the_end_of_a_group_grows_within_it(page: Transcript) -> None:
    prompt, tool = page.patch(1, 0, section("s", 6), group=OPEN)
    page.patch(4, 6, [section("s", 8)[1]], numbers=[tool])
    assert page.shape() == f"0. 0. 1. 1. 1. 2+ 2- 2- 2- 2- 2- 2- {LAST[3:]}"
    assert prompt < tool


_TOUCHED = """
_G.touched = {}
vim.api.nvim_buf_attach(0, false, { on_lines = function(_, _, _, first, last, new)
  table.insert(_G.touched, { first, last, new })
end })
"""


@pytest.mark.parametrize("shown", [True, False])
def test_an_answer_that_streams_in_touches_the_rows_that_change(page: Transcript, shown: bool) -> None:
    said = ["", "one", "two", "three", "fo"]
    page.patch(
        page.total, 0, [("prompt", ["", "## You", "x"], NO_FOLD), ("answer", said, NO_FOLD)], group=OPEN
    )
    row, number = page.total - len(said), page.numbers - 1
    page.editor.lua(_TOUCHED)
    page.editor.command(f"{row + 2},{row + 3}fold | {row + 2}foldopen")
    ns = page.editor.lua("return vim.api.nvim_create_namespace('other')")
    page.editor.lua("return vim.api.nvim_buf_set_extmark(0, ..., select(2, ...), 1, {})", ns, row + 2)
    if not shown:
        page.editor.command("enew")

    def again(lines: list[str]) -> list[list[int]]:
        """Paints the answer anew; which rows were said to change, from the answer's first one."""
        page.editor.lua("_G.touched = {}")
        page.patch(row, page.total - row, [("answer", lines, NO_FOLD)], numbers=[number])
        return [[at - row for at in one] for one in page.editor.lua("return _G.touched")]

    assert again([*said[:4], "four"]) == [[4, 5, 5]]
    assert {one[0] for one in again([*said[:4], "four", "", "five"])} <= {4, 6}
    assert all(one[0] >= 4 for one in again([*said[:4], "4", "5"]))
    page.editor.command("buffer pivi://abc")
    assert page.editor.lines()[row:] == [*said[:4], "4", "5"]
    get = "return vim.api.nvim_buf_get_extmarks(0, ..., 0, -1, {})[1]"
    assert page.editor.lua(get, ns)[1:] == [row + 2, 1]
    if shown:
        assert page.shape().split()[-6:] == ["1.", "2.", "2.", "1.", "1.", "1."]
        again(["", "all", "other"])
        assert page.shape().split()[-3:] == ["1.", "1.", "1."]
    assert page.errors() == ""


def test_a_group_that_is_told_anew_takes_the_place_of_the_old_one(page: Transcript) -> None:
    first, second = page.patch(page.total, 0, section("s", 6), group=OPEN)
    row = page.total - 6
    page.patch(row, 6, [section("s", 6)[1]], numbers=[second])
    blocks = [section("s", 6)[1], ("answer", ["", "more"], NO_FOLD)]
    page.patch(row, 6, blocks, numbers=[second, 99])
    page.send("patch", 1, 99, _groups_only(page, first, 99))
    assert page.shape().split()[-11:] == ["0.", "1.", "1.", "1.", "2+", "2-", "2-", "2-", "2-", "1.", "1."]
    assert page.errors() == ""


def _groups_only(page: Transcript, first: int, last: int) -> bytes:
    return msgspec.msgpack.encode(
        Patch(page.total, 0, [], 0, [], [], [], [], [first, last, OPEN], page.total)
    )


def test_a_closed_run_hides_what_lies_in_it_and_opens_to_it(page: Transcript) -> None:
    page.patch(1, 0, [("reply", ["", "branch"], NO_FOLD), *section("s", 6)], group=CLOSED)
    assert page.shape().split()[1:12] == ["0.", "1+", *["1-"] * 4, *["2-"] * 5]
    page.editor.command("3foldopen")
    assert page.shape().split()[1:12] == ["0.", "1.", "1.", "1.", "1.", "1.", "2+", "2-", "2-", "2-", "2-"]


def test_gone_blocks_leave_no_fold(page: Transcript) -> None:
    page.patch(page.total - 6, 6, [], gone=[2])
    assert page.shape() == "0. 0. 0. 0."


def test_marks_lie_where_the_host_says_and_go_with_their_block(page: Transcript) -> None:
    page.fill(1)
    page.patch(page.total - 6, 6, [section("again", 6)[1]], numbers=[2])
    marks = page.editor.lua(
        "return vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_get_namespaces()['pivi.marks'], 0, -1, {})"
    )
    assert [row for _, row, _ in marks] == [0, 0, 2, 2, 5, 5, 11, 11, 14, 14]


def test_a_closed_fold_shows_its_heading_and_decoration(page: Transcript) -> None:
    chunks = page.editor.lua("return vim.fn.foldtextresult(6)")
    assert chunks == "### bash last decorated"


_LOOK = """
_G.Look = function()
  _G.look = require('pivi.foldtext').text()
  return ''
end
vim.wo.foldtext = 'v:lua.Look()'
vim.fn.foldtextresult(6)
return look
"""


def test_a_closed_fold_has_one_ground_from_its_heading_to_its_decoration(page: Transcript) -> None:
    assert page.editor.lua(_LOOK) == [
        ["### bash last", "PiviHeading"],
        [" ", "PiviHeading"],
        ["decorated", "PiviMeta"],
    ]


@pytest.mark.parametrize("method", ["expr", "marker", "diff", "indent", "syntax"])
def test_a_global_fold_method_does_no_harm(start_nvim: StartEditor, method: str) -> None:
    editor = start_nvim("--cmd", f"set foldmethod={method} foldexpr=1 foldlevelstart=99")
    page = Transcript(editor).open().begin()
    page.fill(1)
    assert page.shape() == f"0. {FILLED} {LAST[3:]}"
    editor.command("enew")
    assert editor.lua("return vim.wo.foldmethod") == method
    assert page.errors() == ""


@pytest.mark.parametrize("flag", ["-R", "-M"])
def test_read_only_editors(start_nvim: StartEditor, flag: str) -> None:
    page = Transcript(start_nvim(flag)).open().begin()
    page.fill(1)
    assert page.shape() == f"0. {FILLED} {LAST[3:]}"
    assert page.errors() == ""


def test_the_buffer_is_not_for_editing(page: Transcript) -> None:
    options = ["filetype", "buftype", "modifiable", "swapfile", "undolevels", "modified"]
    values = page.editor.lua("return vim.tbl_map(function(name) return vim.bo[name] end, ...)", options)
    assert values == ["pivi", "nofile", False, False, -1, False]
    page.editor.command("silent! undo")
    page.editor.command("silent! %d")
    assert page.shape() == LAST


def test_text_that_was_changed_by_force_is_asked_for_again(page: Transcript) -> None:
    page.editor.lua(_ASKED)
    page.editor.lua("""
      vim.bo.modifiable = true
      vim.cmd('silent %d')
    """)
    page.fill(1)
    page.editor.wait_for("return vim.list_contains(_G.asked, 'repaint')")
    page.begin()
    assert page.shape() == LAST
    assert page.errors() == ""


def test_edit_asks_for_all_of_it_again(page: Transcript) -> None:
    page.editor.lua("""
      _G.asked = {}
      require('pivi.host').notify = function(method) table.insert(_G.asked, method) end
    """)
    page.editor.command("edit!")
    page.editor.lua("vim.wait(20)")
    assert page.editor.lua("return _G.asked") == ["repaint"]
    page.begin()
    assert page.shape() == LAST
    assert page.errors() == ""


@pytest.mark.parametrize("command", ["q", "bd!", "bw!", "tabclose", "only", "enew", "hide"])
def test_leaving_while_it_fills_is_no_error(page: Transcript, command: str) -> None:
    page.editor.command("tab split | split")
    page.editor.command(command)
    page.fill(3)
    page.editor.lua("vim.wait(20)")
    page.fill(1)
    assert page.errors() == ""


def test_two_files_with_one_id_have_two_buffers(page: Transcript) -> None:
    other = Transcript(page.editor, conv=2).open(file="/other/abc.jsonl").begin()
    assert page.editor.lua("return vim.fn.bufname()") == "pivi://abc~2"
    again = Transcript(page.editor, conv=3).open(file="/other/../other/abc.jsonl")
    assert page.editor.lua("return vim.fn.bufname()") == "pivi://abc~2"
    assert other.errors() == again.errors() == ""


def test_a_renamed_conversation_leaves_no_buffer_behind(page: Transcript) -> None:
    page.send("rename", 1, {"file": "/x/new.jsonl", "session_id": "new id", "title": "", "cwd": "/"})
    names = page.editor.lua("return vim.tbl_map(vim.api.nvim_buf_get_name, vim.api.nvim_list_bufs())")
    assert [name for name in names if name.startswith("pivi://")] == ["pivi://new_id"]


def test_a_window_that_is_fixed_to_its_buffer_is_left_alone(start_nvim: StartEditor) -> None:
    editor = start_nvim()
    editor.command("set winfixbuf")
    Transcript(editor).open().begin()
    assert editor.lua("return {vim.fn.winnr('$'), vim.fn.bufname()}") == [2, "pivi://abc"]


def test_from_the_command_line_window(start_nvim: StartEditor) -> None:
    editor = start_nvim(size=(80, 24))
    editor.nvim.input("q:")
    editor.wait_for("return vim.fn.getcmdwintype() == ':'")
    page = Transcript(editor).open().begin()
    page.fill(1)
    editor.nvim.input("<C-c><C-c>")
    editor.wait_for("return vim.fn.bufname() == 'pivi://abc'")
    assert page.shape() == f"0. {FILLED} {LAST[3:]}"
    assert page.errors() == ""


def test_rows_that_go_straight_into_the_buffer(page: Transcript) -> None:
    page.straight = True
    page.fill(2)
    assert page.editor.lines()[2:4] == ["## You s1", "words of s1"]
    assert page.editor.lua("return vim.bo.modifiable") is False
    assert page.shape() == f"0. {FILLED} {FILLED} {LAST[3:]}"
    page.straight = False
    page.patch(page.total, 0, section("after", 3))
    assert page.editor.lines()[-1] == "after output 0"
    assert page.errors() == ""


def test_no_row_goes_straight_into_a_text_that_was_changed_by_force(page: Transcript) -> None:
    page.editor.lua(_ASKED)
    page.editor.command("setlocal modifiable | call setline(1, 'mine') | setlocal nomodifiable")
    page.straight = True
    page.fill(1)
    assert "## You s1" not in page.editor.lines()
    page.editor.wait_for("return vim.list_contains(_G.asked, 'repaint')")
    assert page.errors() == ""


def test_where_neovim_lets_nobody_write_all_is_asked_for_again(page: Transcript) -> None:
    page.editor.lua(_ASKED)
    page.editor.lua("""
      vim.keymap.set('n', 'x', function()
        vim.wait(300)
        vim.schedule(function() _G.evaluated = true end)
        return ''
      end, { expr = true })
      vim.api.nvim_input('x')
    """)
    page.straight = True
    page.fill(1)
    assert page.editor.lua("return vim.bo.modifiable") is False
    page.editor.wait_for("return vim.list_contains(_G.asked, 'repaint') and _G.evaluated")


@pytest.mark.parametrize(
    "command",
    [
        "tab split",
        "split | wincmd T",
        "lua vim.api.nvim_open_win(0, true, { split = 'left' })",
        "lua vim.api.nvim_open_win(0, true, {relative = 'editor', row = 1, col = 1, width = 9, height = 9})",
    ],
)
def test_a_new_window_of_any_kind_shows_the_place_and_has_the_folds(page: Transcript, command: str) -> None:
    page.fill(3)
    page.editor.command("normal! 5Gzo")
    before = page.shape()
    page.editor.command(command)
    page.editor.lua("vim.cmd.redraw() vim.wait(50)")
    assert page.editor.lua("return vim.fn.line('.')") == 5
    if "split" in command and "lua" not in command:
        assert page.shape() == before
    assert page.shape().replace("+", ".").replace("-", ".") == before.replace("+", ".").replace("-", ".")
    assert page.errors() == ""


def test_painting_anew_while_an_expression_is_evaluated_is_put_off(page: Transcript) -> None:
    page.editor.lua(_ASKED)
    page.editor.lua("""
      vim.keymap.set('n', 'x', function()
        vim.wait(300)
        vim.schedule(function() _G.evaluated = true end)
        return ''
      end, { expr = true })
      vim.api.nvim_input('x')
    """)
    page.patch(0, 0, [("title", ["# Session"], NO_FOLD), *section("last", 6)], fresh=True)
    page.editor.wait_for("return vim.list_contains(_G.asked, 'repaint') and _G.evaluated")
    page.patch(0, 0, [("title", ["# Session"], NO_FOLD), *section("last", 6)], fresh=True)
    assert page.shape() == LAST
    assert page.errors() == ""


def test_painting_that_always_fails_is_told_in_the_end(page: Transcript) -> None:
    page.editor.lua(_ASKED)
    page.editor.lua("require('pivi.marks').set = function() error('boom') end")
    for _ in range(5):
        page.patch(0, 0, [("title", ["# Session"], NO_FOLD), *section("last", 6)], fresh=True)
        page.editor.lua("vim.wait(150)")
    assert (
        page.editor.lua(
            "return vim.tbl_count(vim.tbl_filter(function(m) return m == 'repaint' end, _G.asked))"
        )
        == 3
    )
    assert "can't be painted" in page.errors()
    assert page.editor.lua("return vim.bo.modifiable") is False


def test_a_patch_of_a_thousand_lines_holds_the_editor_shortly(page: Transcript) -> None:
    blocks = [block for i in range(50) for block in section(f"n{i}", 17)]
    page.editor.lua("""
      local buffer = require('pivi.buffer')
      local apply = buffer.apply
      _G.held = {}
      buffer.apply = function(...)
        local start = os.clock()
        local taken = apply(...)
        table.insert(_G.held, (os.clock() - start) * 1000)
        return taken
      end
    """)
    for _ in range(5):
        page.patch(1, 0, blocks, group=OPEN)
    assert min(page.editor.lua("return _G.held")) < 3
