"""Sessions that are large in one way or another: in bounded time and memory, and quick to move in."""

from __future__ import annotations

import base64
import os
import re
import time
from pathlib import Path

import pytest

from tests.conftest import StartEditor
from tests.support.entries import HEADER, answer, call, entry, message, result, user
from tests.support.hard import Hard, json_line
from tests.support.processes import processes_with

LAST = user("z", "y", "the last prompt")
QUICK = 0.1
"""Seconds of computing for one command of a reader."""


@pytest.fixture
def hard(tmp_path: Path, start_nvim: StartEditor) -> Hard:
    return Hard(tmp_path, start_nvim(size=(80, 24)))


def host_memory(hard: Hard) -> int:
    """Bytes that the host has held at most."""
    pids = [
        pid
        for pid in processes_with(hard.nvim.home.mark)
        if "start_host" in Path(f"/proc/{pid}/cmdline").read_text()
    ]
    (line,) = (
        line for line in Path(f"/proc/{pids[0]}/status").read_text().splitlines() if line.startswith("VmHWM")
    )
    return int(line.split()[1]) * 1024


def walk(hard: Hard, word: str) -> None:
    """To the end, to the start, down and up a screen, and to a word; each is quick."""
    for keys in ("G", "gg", "\x04", "j", "\x15", "zR", "G", "gg", "\x06", "jjj", "zX", "G", f"gg/{word}\r"):
        computed = hard.nvim.lua(
            """
            local start = os.clock()
            vim.cmd.normal({ args = { ... }, bang = true })
            vim.cmd.redraw()
            return os.clock() - start
            """,
            keys,
        )
        assert computed < QUICK, keys
    assert word in hard.nvim.nvim.current.line


def test_an_entry_of_11_mb(hard: Hard) -> None:
    state = entry("custom", "b", "a", customType="state", data={"blob": "x" * 11_000_000, "list": [1] * 1000})
    hard.write(user("a", None, "the first prompt"), state, user("y", "b", "needle"), LAST)
    start = time.monotonic()
    text = hard.view()
    assert time.monotonic() - start < 3
    assert max(map(len, text.split("\n"))) < 5000
    walk(hard, "needle")
    assert host_memory(hard) < 100e6


def test_111000_changes_of_the_thinking_level_are_one_line(hard: Hard) -> None:
    levels = [
        entry("thinking_level_change", f"t{n}", f"t{n - 1}", thinkingLevel=["low", "high"][n % 2])
        for n in range(111_000)
    ]
    hard.write(user("t-1", None, "needle"), *levels, user("z", "t110999", "the last prompt"))
    start = time.monotonic()
    text = hard.view()
    assert time.monotonic() - start < 8
    assert "*Thinking level: 111000 entries, the last: high*" in text
    assert len(text.split("\n")) < 20
    walk(hard, "needle")
    assert host_memory(hard) < 400e6


def test_150_images_of_1_mb(hard: Hard) -> None:
    data = base64.b64encode(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\2\x80\0\0\1\xe0" + b"\x07" * 750_000).decode()
    image = {"type": "image", "mimeType": "image/png", "data": data}
    with hard.path.open("wb") as file:
        file.write(json_line(HEADER) + b"\n" + json_line(user("i-1", None, "needle")) + b"\n")
        for n in range(150):
            parts = [{"type": "text", "text": f"look {n}"}, image]
            file.write(json_line(message(f"i{n}", f"i{n - 1}", "user", parts)) + b"\n")
    start = time.monotonic()
    text = hard.view()
    assert time.monotonic() - start < 6
    assert text.count("[image: image/png, 750.0 kB, 640 × 480]") == 150
    assert data[:60] not in text
    walk(hard, "needle")
    assert host_memory(hard) < 300e6


def test_an_output_of_a_million_lines(hard: Hard) -> None:
    output = "\n".join(f"line {n}" for n in range(1_000_000))
    hard.write(
        user("a", None, "go"),
        answer("b", "a", call("1")),
        result("r", "b", "1", output),
        user("y", "r", "needle"),
        LAST,
    )
    start = time.monotonic()
    text = hard.view()
    assert time.monotonic() - start < 3
    assert "line 0\n" in text
    assert "line 999999\n" in text
    assert re.search(r"998,000 lines, \d+\.\d MB, left out here: <CR> opens it whole", text)
    walk(hard, "needle")
    hard.nvim.command("call search('### bash')")
    hard.nvim.nvim.input("<CR>")
    hard.nvim.wait_for("return vim.fn.line('$') == 1000000")
    assert host_memory(hard) < 160e6


def test_one_line_of_2_mb(hard: Hard) -> None:
    line = "word " * 400_000
    hard.write(
        user("a", None, "go"),
        answer("b", "a", call("1"), "said: " + line),
        result("r", "b", "1", line),
        user("y", "r", "needle"),
        LAST,
    )
    text = hard.view()
    assert max(len(line.encode()) for line in text.split("\n")) <= 4096
    assert text.count("of this line left out here") == 2
    walk(hard, "needle")


def test_a_chain_of_50000_entries(hard: Hard) -> None:
    chain = [user(f"c{n}", f"c{n - 1}" if n else None, f"prompt {n}") for n in range(50_000)]
    hard.write(*chain)
    start = time.monotonic()
    text = hard.view()
    assert time.monotonic() - start < 12
    assert text.count("## You") == 50_000
    assert "Damage" not in text
    walk(hard, "prompt 77")


def test_a_large_session_that_is_rewritten_under_its_reader(hard: Hard) -> None:
    chain = [user(f"c{n}", f"c{n - 1}" if n else None, f"prompt {n}") for n in range(5_000)]
    hard.write(*chain)
    hard.view()
    other = hard.path.with_suffix(".new")
    other.write_bytes(b"".join(json_line(line) + b"\n" for line in (HEADER, *chain[:2_500])))
    os.replace(other, hard.path)
    hard.nvim.wait_for("return vim.b.pivi.entries == 2500 and vim.fn.getline('$') == 'prompt 2499'")
    assert hard.nvim.text().count("## You") == 2_500


@pytest.mark.parametrize("moved", [False, True])
def test_a_search_reaches_what_is_not_painted_yet(hard: Hard, moved: bool) -> None:
    chain = [user(f"c{n}", f"c{n - 1}" if n else None, f"prompt {n} of many") for n in range(50_000)]
    hard.write(*chain)
    hard.nvim.command(f"Pi view {hard.path}")
    hard.nvim.wait_event("PiviPainted")
    hard.nvim.lua("vim.api.nvim_input(...)", "/prompt 77 of\r")
    hard.nvim.wait_for("return vim.fn.execute('messages'):find('goes on', 1, true)")
    if moved:
        hard.nvim.lua("vim.api.nvim_input('k')")
    assert "PiviBackfilled" not in [name for name, _ in hard.nvim.events]
    hard.nvim.wait_event("PiviBackfilled")
    said = "vim.wait(50) return vim.fn.execute('messages')"
    assert ("Found: prompt 77 of" in hard.nvim.lua(said)) is not moved
    assert (hard.nvim.lua("return vim.fn.getline('.')") == "prompt 77 of many") is not moved


def test_a_search_for_what_is_nowhere_ends_in_the_end(hard: Hard) -> None:
    chain = [user(f"c{n}", f"c{n - 1}" if n else None, f"prompt {n}") for n in range(50_000)]
    hard.write(*chain)
    hard.nvim.command(f"Pi view {hard.path}")
    hard.nvim.wait_event("PiviPainted")
    hard.nvim.lua("vim.api.nvim_input(...)", "?nowhere\r")
    hard.nvim.wait_event("PiviBackfilled")
    messages = "vim.wait(50) return vim.fn.execute('messages')"
    assert "Pattern not found: nowhere" in hard.nvim.lua(messages).rsplit("the search goes on")[-1]


def test_a_search_for_what_is_no_pattern_is_told_by_neovim_alone(hard: Hard) -> None:
    chain = [user(f"c{n}", f"c{n - 1}" if n else None, f"prompt {n}") for n in range(50_000)]
    hard.write(*chain)
    hard.nvim.command(f"Pi view {hard.path}")
    hard.nvim.wait_event("PiviPainted")
    hard.nvim.lua("vim.api.nvim_input(...)", "/\\%[\r")
    hard.nvim.wait_event("PiviBackfilled")
    assert (
        hard.nvim.lua("vim.wait(50) return vim.fn.execute('messages')").strip() == "E69: Missing ] after \\%["
    )


@pytest.mark.parametrize("key", ["gg", "G"])
def test_the_ends_are_right_while_it_fills_which_the_winbar_tells(hard: Hard, key: str) -> None:
    chain = [user(f"c{n}", f"c{n - 1}" if n else None, f"prompt {n}") for n in range(50_000)]
    hard.write(*chain)
    hard.nvim.command(f"Pi view {hard.path}")
    hard.nvim.wait_event("PiviPainted")
    at, shown = hard.nvim.lua(
        """
        vim.cmd.normal({ args = { ... }, bang = true })
        local bar = vim.api.nvim_eval_statusline(vim.wo.winbar, { use_winbar = true }).str
        return { vim.fn.getline('.'), bar }
        """,
        key,
    )
    assert at == ("# Session s" if key == "gg" else "prompt 49999")
    assert re.search(r"reading \d+%|view \d+%", shown), shown
    hard.nvim.wait_event("PiviBackfilled")
    assert hard.nvim.lua("return vim.fn.line('.')") == (1 if key == "gg" else len(hard.nvim.lines()))
    assert hard.nvim.lua("return vim.fn.getline('.')") == at
