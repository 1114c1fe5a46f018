"""Two Neovims that begin something with one session at the same moment: nothing is lost, each is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.editor.test_two_neovims import answered, ask, begin, other, prompts, said, seen, stored
from tests.support.editor import Editor

__all__ = ["other", "stored"]

IDLE = "return (vim.b.pivi or {}).phase == 'idle' and not vim.b.pivi.reading"


@pytest.fixture
def both(stored: Path, nvim: Editor, other: Editor) -> tuple[Editor, Editor]:
    """Two Neovims whose hosts run."""
    for editor in (nvim, other):
        ask(editor, "preview", {"look": 0, "path": str(stored)})
    return nvim, other


def at_once(*begun: tuple[Editor, str]) -> None:
    """Each command in its editor, none waited for."""
    for editor, command in begun:
        editor.nvim.command(command, async_=True)


def test_resume_and_resume(stored: Path, both: tuple[Editor, Editor]) -> None:
    one, two = both
    for number in range(3):
        before = stored.read_bytes()
        at_once((one, "Pi resume"), (two, "Pi resume"))
        for editor in both:
            editor.wait_for(IDLE)
            assert "first words" in editor.text()
        assert stored.read_bytes() == before
        earlier = prompts(stored)
        at_once((one, f"Pi send one {number}"), (two, f"Pi send two {number}"))
        words = {f"one {number}": one, f"two {number}": two}
        for editor in both:
            editor.wait_for(
                "return vim.b.pivi.phase == 'idle' and (vim.fn.search(..., 'nw') > 0"
                " or vim.fn.execute('messages'):find('not sent', 1, true))",
                f"You said: {'one' if editor is one else 'two'} {number}",
            )
        (sent,) = prompts(stored)[len(earlier) :]
        refused = two if words[sent] is one else one
        said(refused, "open in another Neovim")
        kept = refused.lua("return vim.fn.getbufline(vim.fn.bufnr('^pivi-prompt://'), 1, '$')")
        assert set(kept) - {""} == set(words) - {sent}
        for editor in both:
            editor.command("messages clear | silent! bwipe! ^pivi-prompt:// | silent! %bwipe!")
            editor.wait_for(
                "return #vim.tbl_filter(vim.api.nvim_buf_is_loaded, vim.api.nvim_list_bufs()) == 1"
            )


def test_rename_and_resume(stored: Path, both: tuple[Editor, Editor]) -> None:
    one, two = both
    for number in range(4):
        before, sight = stored.read_bytes(), seen(stored)
        at_once((two, "Pi resume"))
        begin(one, "rename", {"path": str(stored), "name": f"name {number}", "seen": sight})
        error = answered(one)["err"]
        two.wait_for(IDLE)
        added = [json.loads(line) for line in stored.read_bytes().removeprefix(before).splitlines()]
        assert stored.read_bytes().startswith(before)
        if error:
            assert "in another Neovim" in error and added == []
        else:
            assert [entry["name"] for entry in added] == [f"name {number}"]
            assert added[0]["parentId"] == json.loads(before.splitlines()[-1])["id"]
        two.command(f"Pi send after {number}")
        two.wait_for(
            "return vim.fn.search(..., 'nw') > 0 or vim.fn.execute('messages'):find('Somebody', 1, true)",
            f"You said: after {number}",
        )
        two.command("messages clear | %bwipe!")
        two.wait_for("return vim.fn.bufnr('^pivi://') == -1")
        # Each entry has another one as its parent, which is there: no branch came of it.
        entries = [json.loads(line) for line in stored.read_text().splitlines()[1:]]
        assert [entry["parentId"] for entry in entries[1:]] == [entry["id"] for entry in entries[:-1]]


def test_resume_and_the_trash(stored: Path, both: tuple[Editor, Editor]) -> None:
    one, two = both
    for _ in range(4):
        before, sight = stored.read_bytes(), seen(stored)
        at_once((two, f"Pi resume {stored}"))
        begin(one, "trash", {"paths": [str(stored)], "seen": [sight]})
        trashed = answered(one)["value"]
        if trashed["moved"]:
            two.wait_for("return vim.fn.execute('messages') ~= ''")
            two.lua("vim.wait(1500, function() return (vim.b.pivi or {}).phase == 'failed' end)")
            assert not stored.exists(), "no session is begun in its place"
            ask(one, "untrash", {"token": trashed["token"]})
        else:
            assert "in another Neovim" in trashed["refused"][0] or "changed" in trashed["refused"][0]
            two.wait_for(IDLE)
        assert stored.read_bytes() == before
        two.command("messages clear | %bwipe!")
        two.wait_for("return vim.fn.bufnr('^pivi://') == -1")
