"""A block opened whole: also what Pi itself left out of the session and keeps in a file."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import StartEditor
from tests.support.entries import answer, call, result, user
from tests.support.hard import Hard
from tests.support.model import Model, Reply, ToolCall
from tests.support.pi import Pi


def test_an_output_that_pi_cut_is_opened_from_its_file(pi: Pi, model: Model, start_nvim: StartEditor) -> None:
    model.script(Reply(tool_calls=[ToolCall("bash", {"command": "seq 1 9000"})]), Reply(text="Counted."))
    with pi.start() as run:
        run.prompt("count")
    nvim = start_nvim()
    nvim.command("Pi resume")
    nvim.wait_event("PiviBackfilled")
    assert "4" not in nvim.lines()
    nvim.command("call search('^### bash seq')")
    nvim.nvim.feedkeys(nvim.nvim.replace_termcodes("<CR>", True, True, True), "m")
    nvim.wait_for("return vim.api.nvim_buf_get_name(0):match('^pivi%-block')")
    assert nvim.lines() == [str(number) for number in range(1, 9001)]


def test_enter_opens_what_has_more_to_show_and_is_vims_own_elsewhere(
    tmp_path: Path, start_nvim: StartEditor
) -> None:
    hard = Hard(tmp_path, start_nvim())
    hard.shown(
        user("a", None, "one\ntwo\nthree\nfour"),
        answer("b", "a", call("1", "read", path="src/a.py", offset=10)),
        result("r", "b", "1", "x = 1", name="read"),
        answer("c", "r", "\n".join(f"line {n}" for n in range(2500))),
    )
    nvim = hard.nvim

    def enter(search: str, keys: str = "<CR>") -> str:
        nvim.command("silent only")
        nvim.lua("vim.fn.search(..., 'w')", search)
        nvim.nvim.feedkeys(nvim.nvim.replace_termcodes(keys, True, True, True), "m")
        nvim.lua("vim.wait(100)")
        return str(
            nvim.lua("return vim.fn.getline('.') .. '|' .. vim.bo.filetype .. '|' .. vim.fn.line('$')")
        )

    assert enter("^one$").startswith("two|pivi")
    assert enter("^one$", "3<CR>").startswith("four|pivi")
    assert enter("^### read") == "x = 1|python|1"
    nvim.command("close")
    assert enter("^line 7$") == "line 0|markdown|2500"
    assert nvim.messages() == ""


def test_lines_of_a_block_are_for_its_own_session(pi: Pi, model: Model, start_nvim: StartEditor) -> None:
    """Also where it is only read and another one was the last of the directory."""
    model.script(
        Reply(tool_calls=[ToolCall("bash", {"command": "seq 1 9"})]),
        Reply(text="Counted."),
        Reply(text="Another one."),
        Reply(text="Explained."),
    )
    states = []
    for prompt in ("count", "another"):
        with pi.start() as run:
            run.prompt(prompt)
            states.append(run.request("get_state")["data"])
    file, session = states[0]["sessionFile"], states[0]["sessionId"]
    nvim = start_nvim()
    nvim.command(f"Pi view {file}")
    nvim.wait_event("PiviBackfilled")
    nvim.command("call search('^### bash seq')")
    nvim.nvim.feedkeys(nvim.nvim.replace_termcodes("<CR>", True, True, True), "m")
    nvim.wait_for("return vim.api.nvim_buf_get_name(0):match('^pivi%-block')")
    nvim.command("2,3Pi send explain")
    nvim.wait_for("return vim.fn.execute('messages'):find('only read', 1, true)")
    waiting = f"pivi-prompt://{session}"
    words = ["explain", "", "2", "3"]
    assert nvim.lua("return vim.fn.getbufline(..., 1, '$')", waiting) == words
    assert nvim.events[-1][0] == "PiviBackfilled"
    nvim.command("Pi resume")
    nvim.wait_event("PiviAttached")
    assert nvim.lua("return vim.b.pivi.session_id") == session
    nvim.command(f"sbuffer {waiting} | %Pi send")
    assert nvim.wait_event("PiviSettled")["session_id"] == session
    assert "\n".join(words) in nvim.text(nvim.lua("return vim.fn.bufnr('pivi://')"))
