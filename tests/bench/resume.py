"""How long a resume takes beside the real Pi, how long it holds the editor, and what the host needs."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import pynvim

from tests.support.editor import Editor, command_line, environment, options
from tests.support.home import PiHome
from tests.support.pi import Pi
from tests.support.processes import wait_gone
from tests.support.terminal import Terminal

_MEASURE = """
local m = { start = vim.uv.hrtime(), longest = 0, busiest = 0, at = {} }
_G.measured = m
vim.api.nvim_create_autocmd('User', {
  pattern = { 'PiviPainted', 'PiviAttached', 'PiviBackfilled' },
  callback = function(args)
    m.at[args.match] = m.at[args.match] or (vim.uv.hrtime() - m.start) / 1e6
  end,
})
local last, spent = m.start, os.clock()
local timer = vim.uv.new_timer()
timer:start(1, 1, function()
  local now, cpu = vim.uv.hrtime(), os.clock()
  if not m.at.PiviBackfilled then
    m.longest = math.max(m.longest, (now - last) / 1e6 - 1)
    m.busiest = math.max(m.busiest, (cpu - spent) * 1000)
  end
  last, spent = now, cpu
end)
vim.cmd('Pi resume')
m.command = (vim.uv.hrtime() - m.start) / 1e6
"""


@dataclass(frozen=True)
class Resumed:
    """Milliseconds from the command to each event and of the longest hold; host's peak in bytes.

    `busy`: the most that Neovim itself has computed at one go. On a busy machine a hold is mostly a wait for
    the others.
    """

    painted: float
    attached: float
    backfilled: float
    hold: float
    busy: float
    memory: int
    lines: int


def pi_alone(pi: Pi, path: Path, cwd: Path) -> float | None:
    """Milliseconds from the spawn of Pi to its whole answer to `get_entries`; `None` where it gives none."""
    start = time.perf_counter()
    process = subprocess.Popen(
        [str(pi.path), "--mode", "rpc", "--session", str(path)],
        cwd=cwd,
        env=pi.home.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin and process.stdout
    process.stdin.write(b'{"id":"1","type":"get_entries"}\n')
    process.stdin.flush()
    line = process.stdout.readline()
    took = (time.perf_counter() - start) * 1000
    process.stdin.close()
    process.wait()
    return took if line and json.loads(line)["success"] else None


def resume(version: str, pi: Pi, home: PiHome, project: Path, *, warm: Path | None) -> Resumed:
    """Resume the last session of `project`; `warm` is another directory whose session was resumed before."""
    editor = Editor(version, home, options(pi), cwd=warm or project, size=(120, 40))
    try:
        if warm is not None:
            editor.command("Pi resume")
            editor.wait_event("PiviBackfilled")
            editor.command(f"cd {project}")
        editor.lua(_MEASURE)
        editor.wait_event("PiviBackfilled", 120)
        measured = editor.lua("return measured")
        host = editor.lua("return vim.fn.jobpid(vim.fn['remote#host#Require']('pivi'))")
        at = measured["at"]
        return Resumed(
            painted=at["PiviPainted"],
            attached=at["PiviAttached"],
            backfilled=at["PiviBackfilled"],
            hold=measured["longest"],
            busy=measured["busiest"],
            memory=_peak(host),
            lines=editor.lua("return vim.fn.line('$')"),
        )
    finally:
        editor.close()


def hold_on_screen(version: str, pi: Pi, home: PiHome, project: Path) -> tuple[float, float]:
    """The same, `hold` and `busy`, of a Neovim that draws on a terminal while it resumes."""
    socket = home.root / "nvim.sock"
    place = ("--listen", str(socket), "--cmd", f"cd {project}")
    argv = command_line(version, options(pi), *place)
    terminal = Terminal(argv, environment(version, home), 120, 40, str(project))
    reader = threading.Thread(target=terminal.pump, args=(120,), daemon=True)
    reader.start()
    try:
        nvim = _attach(socket)
        while not nvim.exec_lua("return vim.v.vim_did_enter == 1"):
            time.sleep(0.01)
        nvim.exec_lua(_MEASURE)
        while not nvim.exec_lua("return measured.at.PiviBackfilled"):
            time.sleep(0.2)
        hold = nvim.exec_lua("return { measured.longest, measured.busiest }")
        nvim.command("qa!", async_=True)
        reader.join(5)
        return float(hold[0]), float(hold[1])
    finally:
        terminal.close()
        socket.unlink(missing_ok=True)
        wait_gone(home.mark, 5)


def _attach(socket: Path) -> pynvim.Nvim:
    """The Neovim that listens there, or will in a moment. Raises TimeoutError."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        try:
            return pynvim.attach("socket", path=str(socket))
        except (FileNotFoundError, ConnectionRefusedError):
            time.sleep(0.01)
    raise TimeoutError(f"no Neovim listens on {socket}")


def _peak(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise ValueError(f"no peak memory of process {pid} is told")
