"""Session files made by hand, opened in Neovim to be read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support.editor import Editor
from tests.support.entries import HEADER, Line, raw

_FOLDED = """
local found = {}
for lnum = 1, vim.fn.line('$') do
  if vim.fn.foldclosed(lnum) == -1 or vim.fn.foldclosed(lnum) == lnum then
    table.insert(found, vim.fn.getline(lnum))
  end
end
return found
"""

_DECORATIONS = """
local found = {}
local ns = vim.api.nvim_get_namespaces()['pivi.marks']
for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, { details = true })) do
  for _, chunk in ipairs(mark[4].virt_text or {}) do
    table.insert(found, { vim.fn.getline(mark[2] + 1), chunk[1] })
  end
end
return found
"""


class Hard:
    """A folder for such files, and the editor that reads them."""

    def __init__(self, folder: Path, nvim: Editor) -> None:
        self.folder = folder
        self.nvim = nvim
        self.path = folder / "hard.jsonl"

    def write(self, *lines: Line | bytes, header: Line | bytes = HEADER, end: bytes = b"\n") -> Path:
        """The file, each line ended by `end`; what is bytes is written as it is."""
        self.path.write_bytes(b"".join(line + end for line in raw(header, *lines)))
        return self.path

    def view(self, path: Path | None = None, seconds: float = 30) -> str:
        """Reads the file and gives the buffer's text. The file must stay as it is."""
        path = path or self.path
        before = path.stat()
        self.nvim.command(f"Pi view {path}")
        self.nvim.wait_event("PiviBackfilled", timeout=seconds)
        after = path.stat()
        assert (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)
        assert self.nvim.lua("return vim.b.pivi.session_file") == str(path)
        assert self.nvim.messages() == ""
        return self.nvim.text()

    def shown(self, *lines: Line | bytes, header: Line | bytes = HEADER, end: bytes = b"\n") -> str:
        """Writes the file and reads it."""
        return self.view(self.write(*lines, header=header, end=end))

    def seen(self) -> list[str]:
        """Lines that no closed fold hides; of a fold its first one."""
        found: list[str] = self.nvim.lua(_FOLDED)
        return found

    def decorations(self) -> list[list[str]]:
        """What stands behind lines, with the text of its line."""
        found: list[list[str]] = self.nvim.lua(_DECORATIONS)
        return found

    def status(self, key: str) -> Any:
        """One of `b:pivi`."""
        return self.nvim.lua("return vim.b.pivi[...]", key)


def json_line(value: Any) -> bytes:
    """A line as Pi writes it, half surrogates as escapes."""
    return json.dumps(value).encode("ascii")
