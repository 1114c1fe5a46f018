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
