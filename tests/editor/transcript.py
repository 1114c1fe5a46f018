"""Patches as the host sends them, given to a Neovim directly, and what its windows then show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from pivi.view.patch import AT_END, CLOSED, NO_FOLD, OPEN, Patch
from tests.support.editor import Editor

KINDS = ["title", "prompt", "reply", "answer", "tool_call"]

_SHAPE = """
local win = ...
return vim.api.nvim_win_call(win == 0 and vim.api.nvim_get_current_win() or win, function()
  local shape = {}
  for lnum = 1, vim.fn.line('$') do
    local closed = vim.fn.foldclosed(lnum)
    shape[lnum] = vim.fn.foldlevel(lnum) .. (closed == -1 and '.' or closed == lnum and '+' or '-')
  end
  return table.concat(shape, ' ')
end)
"""


def section(name: str, rows: int) -> list[tuple[str, list[str], int]]:
    """A prompt, and a tool call of so many rows, closed."""
    tool = ["", f"### bash {name}", *(f"{name} output {i}" for i in range(rows - 2))]
    return [("prompt", ["", f"## You {name}", f"words of {name}"], NO_FOLD), ("tool_call", tool, CLOSED)]


@dataclass
class Transcript:
    """A conversation in an editor's current window."""

    editor: Editor
    conv: int = 1
    total: int = 0
    numbers: int = 0
    seq: int = 0
    straight: bool = False
    """Rows go straight into the buffer, as those that come in between others do."""

    def open(self, session_id: str = "abc", file: str = "", **info: Any) -> Transcript:
        """Shows the empty buffer."""
        groups = [("PiviHeading", "Title"), ("PiviMeta", "Comment")]
        known = {"file": file, "session_id": session_id, "title": "", "cwd": "/"}
        self.send("open", 0, self.conv, {**known, "groups": groups, "kinds": KINDS, "tools": {}, **info})
        return self

    def send(self, method: str, *args: Any) -> None:
        self.editor.lua("require('pivi.inbox')(...)", method, *args)

    def patch(
        self,
        row: int,
        old: int,
        blocks: list[tuple[str, list[str], int]],
        *,
        numbers: list[int] | None = None,
        group: int | None = None,
        gone: list[int] | None = None,
        fresh: bool = False,
    ) -> list[int]:
        """Puts blocks (kind, lines, fold) in place of rows; `group` folds them all. Gives their numbers."""
        if fresh:
            self.total = 0
        numbers = numbers or list(range(self.numbers, self.numbers + len(blocks)))
        self.numbers = max([self.numbers, *(n + 1 for n in numbers)])
        lines: list[str] = []
        flat: list[int] = []
        marks: list[int] = []
        for number, (kind, own, fold) in zip(numbers, blocks, strict=True):
            flat += [len(own), number, KINDS.index(kind), fold, 2]
            heading = 0 if kind == "title" else 1
            end = len(own[0 if kind == "title" else 1])
            marks += [heading, 0, end, 0, *(heading, 0, AT_END, 1)]
            lines += own
        self.total += len(lines) - old
        groups = [] if group is None else [numbers[0], numbers[-1], group]
        strings = ["decorated"] * len(blocks)
        patch = Patch(row, old, lines, len(lines), flat, gone or [], marks, strings, groups, self.total)
        self._give(msgspec.structs.replace(patch, fresh=fresh))
        return numbers

    def _give(self, patch: Patch) -> None:
        """As the host does, and within one request."""
        self.seq += 1
        if not self.straight:
            self.send("patch", self.conv, self.seq, msgspec.msgpack.encode(patch))
            return
        buf = self.editor.lua("return vim.api.nvim_get_current_buf()")
        packed = msgspec.msgpack.encode(msgspec.structs.replace(patch, lines=[]))
        inbox = "require('pivi.inbox')(...)"
        self.editor.nvim.api.call_atomic(
            [
                ["nvim_exec_lua", [inbox, ["insert", self.conv, self.seq, buf, packed]]],
                ["nvim_buf_set_lines", [buf, patch.row, patch.row + patch.old, False, patch.lines]],
                ["nvim_exec_lua", [inbox, ["inserted", self.conv, self.seq]]],
            ]
        )

    def begin(self, rows: int = 6) -> Transcript:
        """A title and one section."""
        self.patch(0, 0, [("title", ["# Session"], NO_FOLD), *section("last", rows)], fresh=True)
        return self

    def fill(self, count: int, rows: int = 6) -> None:
        """Sections right below the title, the newest first, each with an open fold of its own."""
        for i in range(count):
            self.patch(1, 0, section(f"s{count - i}", rows), group=OPEN)

    def shape(self, win: int = 0) -> str:
        """Each line's fold level, and whether it is open (.), starts a closed fold (+) or lies in one (-)."""
        return str(self.editor.lua(_SHAPE, win))

    def errors(self) -> str:
        """What went wrong in the editor."""
        self.editor.lua("vim.wait(20)")
        return self.editor.messages()
