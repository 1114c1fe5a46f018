"""Files that Pi rewrites when it takes them up, resumed directly: whoever reads already sees nothing move."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.bench.sessions import Writer
from tests.conftest import StartEditor
from tests.editor.test_turns import is_as_resumed, say
from tests.support.editor import Editor
from tests.support.model import Model
from tests.support.pi import Pi
from tests.support.stored import bucket

pytestmark = pytest.mark.matrix

READ = "return (vim.b.pivi or {}).reading == 100"
_SHOWN = """
local windows = {}
for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
  table.insert(windows, vim.api.nvim_win_call(win, function()
    local folds = {}
    for lnum = 1, vim.fn.line('$') do
      folds[lnum] = vim.fn.foldlevel(lnum) .. ':' .. vim.fn.foldclosed(lnum)
    end
    return { vim.fn.winsaveview(), table.concat(folds, ' ') }
  end))
end
return { windows, vim.fn.mode(), vim.fn.getpos('v'), vim.fn.getpos('.'), vim.b.changedtick }
"""


def first_version(path: Path, *compactions: tuple[int, int]) -> None:
    """Makes it a file of version 1, compacted at these records; each kept what the second number says."""
    header, *entries = map(json.loads, path.read_text().splitlines())
    del header["version"]
    lines = [header, *({k: v for k, v in entry.items() if k not in ("id", "parentId")} for entry in entries)]
    for number, (at, kept) in enumerate(compactions, 1):
        summed: dict[str, Any] = {"type": "compaction", "timestamp": header["timestamp"], "tokensBefore": 9}
        lines.insert(at, {**summed, "summary": f"summary {number}", "firstKeptEntryIndex": kept})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def held(pi: Pi, gate: Path) -> dict[str, Any]:
    """Options for a Pi that starts once there is a file `gate`."""
    script = pi.home.root / "later"
    script.write_text(f'#!/bin/sh\nwhile [ ! -e "{gate}" ]; do sleep 0.05; done\nexec "{pi.path}" "$@"\n')
    script.chmod(0o755)
    return {"pi": {"command": str(script), "env": pi.home.pi_env}}


def begin(nvim: Editor, compactions: int) -> Any:
    """Opens one fold, closes another, selects; what is then to be seen in two windows."""
    nvim.command("Pi resume")
    nvim.wait_event("PiviPainted")
    nvim.wait_for(READ)
    nvim.command("split")
    nvim.command("call search('^summary 1', 'w') | normal! zv")
    nvim.command("call search('^### bash', 'b') | normal! zO")
    nvim.command("wincmd w")
    nvim.command("call cursor(line('$') * 3 / 4, 1) | call search('^### bash') | normal! zo5jzz")
    assert nvim.lua("return { vim.fn.foldlevel('.'), vim.fn.foldclosed('.') }") == [2, -1]
    nvim.nvim.input("Vjj")
    nvim.wait_for("return vim.fn.mode() == 'V'")
    shown = nvim.lua(_SHOWN)
    assert nvim.text().count("## Compaction") == compactions
    return shown


@pytest.mark.parametrize(
    "compactions",
    [((50, 40),), ((40, 30), (70, 60)), ((50, 0),), ((50, 9999),)],
    ids=["one", "two", "header", "nowhere"],
)
def test_a_compaction_by_index_is_taken_up_without_a_flicker(
    pi: Pi, model: Model, start_nvim: StartEditor, compactions: tuple[tuple[int, int], ...]
) -> None:
    path = bucket(pi.home.sessions_dir, pi.home.project) / "2026-11-01T12-00-00-000Z_old.jsonl"
    Writer(path, 300_000, pi.home.project)
    first_version(path, *compactions)
    gate = pi.home.root / "gate"
    nvim = start_nvim(size=(80, 30), settings=held(pi, gate))
    before = begin(nvim, len(compactions))
    gate.touch()
    nvim.wait_events("PiviAttached", "PiviBackfilled")
    nvim.wait_for("return vim.b.pivi.phase == 'idle'")
    assert json.loads(path.read_text().split("\n", 1)[0])["version"] == 3, "Pi has rewritten it"
    assert nvim.lua(_SHOWN) == before
    assert nvim.messages() == ""
    nvim.nvim.input("<Esc>")
    say(nvim, "go on")
    nvim.command("only")
    is_as_resumed(nvim)
