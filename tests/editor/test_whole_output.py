"""A block opened whole: also what Pi itself left out of the session and keeps in a file."""

from __future__ import annotations

from tests.conftest import StartEditor
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
