"""`make bench`: the numbers that pivi has promised, measured beside the real Pi in one run."""

from __future__ import annotations

import argparse
import os
import re
import tempfile
from functools import partial
from pathlib import Path
from statistics import median

from tests.bench.hard import HARD, Write
from tests.bench.listing import listing
from tests.bench.report import row
from tests.bench.resume import Resumed, hold_on_screen, pi_alone, resume
from tests.bench.sessions import Writer
from tests.bench.streaming import streaming
from tests.support.home import PiHome, make_home
from tests.support.model import Model
from tests.support.pi import Pi
from tests.support.stored import bucket
from tests.support.tools import DEFAULT_NVIM, DEFAULT_PI

MIB = 1 << 20
LARGE = 50
"""From so many MiB on the memory is judged: below, Python itself is most of it."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--mb", type=float, nargs="+", default=[5, 50], help="sizes of the sessions in MiB")
    parser.add_argument("--runs", type=int, default=3, help="runs of each, the median is told")
    parser.add_argument("--nvim", default=DEFAULT_NVIM)
    parser.add_argument("--pi", default=DEFAULT_PI)
    parser.add_argument("--hard", nargs="*", choices=HARD, help="hard sessions instead, all or those named")
    parser.add_argument("--stream", action="store_true", help="answers that stream instead")
    parser.add_argument("--list", action="store_true", help="the list and search of sessions instead")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pivi-bench-") as folder, Model() as model:
        home = make_home(Path(folder))
        home.write_models(model.url)
        pi = Pi(chosen.pi, home)
        runs = f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, median of {chosen.runs} runs, ms"
        print(f"Neovim {chosen.nvim}, Pi {chosen.pi}, {runs}")
        if chosen.list:
            listing(home, pi, chosen.nvim, chosen.runs, row)
            return
        if chosen.stream:
            streaming(chosen.nvim, pi, home, model, chosen.runs)
            return
        bench = _Bench(home, pi, chosen.nvim, chosen.runs)
        if chosen.hard is not None:
            for name in chosen.hard or HARD:
                bench.session(name, HARD[name])
            return
        for mb in chosen.mb:
            bench.session(f"{mb:g} MiB", partial(_turns, mb))


def _turns(mb: float, path: Path, cwd: Path) -> int:
    return Writer(path, int(mb * MIB), cwd).entries


class _Bench:
    """Measures resumes of one session after the other."""

    def __init__(self, home: PiHome, pi: Pi, nvim: str, runs: int) -> None:
        self._home = home
        self._pi = pi
        self._nvim = nvim
        self._runs = runs
        self._small = self._store("warm", partial(_turns, 0.05))[0]

    def session(self, name: str, write: Write) -> None:
        """`write` makes the session."""
        project, path, entries = self._store(name, write)
        nvim, pi, home = self._nvim, self._pi, self._home
        alone: list[float | None] = []
        warm: list[Resumed] = []
        cold: list[Resumed] = []
        drawn: list[tuple[float, float]] = []
        for _ in range(self._runs):
            alone.append(pi_alone(pi, path, project))
            warm.append(resume(nvim, pi, home, project, warm=self._small))
            cold.append(resume(nvim, pi, home, project, warm=None))
            drawn.append(hold_on_screen(nvim, pi, home, project))
        size, answered = path.stat().st_size, [took for took in alone if took is not None]
        pi_time = median(answered) if answered else None
        theirs = f"{pi_time:.0f}" if pi_time else "it fails"
        what = f"{size / MIB:.1f} MiB, {entries} entries, {warm[0].lines} lines"
        print(f"\n{name}: {what}; Pi alone to get_entries: {theirs}")
        for figure, runs, reach in (
            ("first screen, host warm", [run.painted for run in warm], 0.1),
            ("first screen, host cold", [run.painted for run in cold], 0.3),
            ("complete, host warm", [run.backfilled for run in warm], 1.25),
            ("complete, host cold", [run.backfilled for run in cold], None),
        ):
            took = median(runs)
            row(figure, f"{took:.{int(took < 200)}f}", took / pi_time if pi_time else None, reach)
        row("attached, host warm", f"{median(run.attached for run in warm):.0f}", None, None)
        for where, held in (
            ("of the editor", [(run.hold, run.busy) for run in warm + cold]),
            ("in a terminal", drawn),
        ):
            hold, busy = (max(figures) for figures in zip(*held, strict=True))
            row(f"longest hold {where}", f"{hold:.1f}", None, 16, f"at most {busy:.1f} of computing")
        memory = max(run.memory for run in warm)
        reach = 4 if size >= LARGE * MIB else None
        row("peak memory of the host", f"{memory / MIB:.0f} MiB", memory / size, reach, "x the file")

    def _store(self, name: str, write: Write) -> tuple[Path, Path, int]:
        """A project with one session in Pi's store: the project, the file, its entries."""
        project = self._home.root / f"project-{re.sub('[^a-z0-9]+', '-', name.lower())}"
        project.mkdir()
        path = bucket(self._home.sessions_dir, project) / "2026-11-01T12-00-00-000Z_bench.jsonl"
        return project, path, write(path, project)


if __name__ == "__main__":
    main()
