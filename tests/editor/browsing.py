"""A session browser whose host is this test: requests are kept, rows are given as the host gives them."""

from __future__ import annotations

import time
from typing import Any

import msgspec

from tests.support.editor import Editor

Row = dict[str, Any]

_STAND_IN = """
local host = require('pivi.host')
_G.asked, _G.answers = {}, {}
host.request = function(method, params, answer)
  table.insert(_G.asked, { method = method, params = params })
  _G.answers[#_G.asked] = answer
  return #_G.asked
end
host.notify = function(method, params)
  table.insert(_G.asked, { method = method, params = params })
end
"""


def row(title: str, age: int = 0, /, **more: Any) -> Row:
    """A session of that title, last used `age` minutes ago."""
    at = time.time() - 60 * age - 5
    path = f"/sessions/{title.replace(' ', '-').replace('/', '_')}.jsonl"
    known = {"path": path, "id": f"id-{title}", "cwd": "/p", "title": title, "created": at, "active": at}
    return {**known, "mtime": at, "messages": 4, "prompts": 2, "branches": 1, "size": 2048, **more}


class Browsing:
    """`:Pi sessions` in an editor, and what it asks of its host."""

    def __init__(self, editor: Editor) -> None:
        self.editor = editor
        editor.lua(_STAND_IN)

    def open(self, arguments: str = "") -> Browsing:
        self.editor.command(f"Pi sessions{arguments}")
        return self

    def asked(self, method: str) -> list[dict[str, Any]]:
        """The parameters of all requests of this method so far."""
        code = """
          local method, found = ..., {}
          for _, request in ipairs(_G.asked) do
            if request.method == method then table.insert(found, request.params) end
          end
          return found
        """
        found: list[dict[str, Any]] = self.editor.lua(code, method)
        return found or []

    def answer(self, method: str, value: Any, error: str | None = None) -> None:
        """Answers the last request of this method."""
        code = """
          local method, value, err = ...
          for i = #_G.asked, 1, -1 do
            if _G.asked[i].method == method then
              return _G.answers[i](value ~= vim.NIL and value or nil, err)
            end
          end
          error('never asked: ' .. method)
        """
        self.editor.lua(code, method, value, *([error] if error else []))

    def give(self, *rows: Row, final: bool = False, method: str = "rows", **progress: Any) -> None:
        """Sends rows (or hits) of the newest stream, and waits until they are painted."""
        look = self.asked("catalog" if method == "rows" else "search")[-1]["look"]
        packed = msgspec.msgpack.encode(rows)
        told = {"done": len(rows), "total": len(rows), "skipped": 0, "final": final, **progress}
        self.editor.lua("require('pivi.inbox')(...)", method, look, packed, told)
        self.settle()

    def settle(self) -> None:
        self.editor.lua("vim.wait(100)")

    def titles(self) -> list[str]:
        """The second part of each line: a session's title, a project's heading as it is."""
        lines: list[str] = self.editor.lua("""
          local b, found = require('pivi.browser').of(vim.fn.bufnr('pivi-sessions://')), {}
          for i, item in ipairs(b.list.items) do
            found[i] = item.row and (item.row.name or item.row.title) or ('[' .. item.cwd .. ']')
          end
          return found
        """)
        return lines or []

    def selected(self) -> str:
        """The title of the session under the cursor."""
        title: str = self.editor.lua("""
          local b = require('pivi.browser').of(0)
          local found = require('pivi.browser.paint').row_at(b)
          return found and (found.name or found.title) or ''
        """)
        return title

    def bar(self) -> str:
        """What stands over the list, and in its footer."""
        shown: str = self.editor.lua("""
          local over = vim.api.nvim_eval_statusline(vim.wo.winbar, { use_winbar = true, maxwidth = 200 }).str
          return over .. vim.api.nvim_eval_statusline(vim.wo.statusline, { maxwidth = 200 }).str
        """)
        return shown

    def keys(self, keys: str) -> None:
        self.editor.nvim.input(keys)
        self.settle()
