"""`make bench`: the numbers that pivi has promised, measured beside the real Pi in one run."""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path
from statistics import median

from tests.bench.listing import listing
from tests.bench.resume import Resumed, hold_on_screen, pi_alone, resume
from tests.bench.sessions import Writer
from tests.support.home import PiHome, make_home
from tests.support.model import Model
from tests.support.pi import Pi
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
    parser.add_argument("--list", action="store_true", help="the list and search of sessions instead")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pivi-bench-") as folder, Model() as model:
        home = make_home(Path(folder))
        home.write_models(model.url)
        pi = Pi(chosen.pi, home)
        if chosen.list:
            print(f"Pi {chosen.pi}, {os.cpu_count()} cores, median of {chosen.runs} runs, ms")
            listing(home, pi, chosen.nvim, chosen.runs, _row)
            return
        small = _store(home, 0.05)[0]
        print(
            f"Neovim {chosen.nvim}, Pi {chosen.pi}, {os.cpu_count()} cores, median of {chosen.runs} runs, ms"
        )
        for mb in chosen.mb:
            _session(home, pi, chosen.nvim, mb, chosen.runs, small)


def _session(home: PiHome, pi: Pi, nvim: str, mb: float, runs: int, small: Path) -> None:
    project, path, entries = _store(home, mb)
    alone: list[float] = []
    warm: list[Resumed] = []
    cold: list[Resumed] = []
    drawn: list[float] = []
    for _ in range(runs):
        alone.append(pi_alone(pi, path, project))
        warm.append(resume(nvim, pi, home, project, warm=small))
        cold.append(resume(nvim, pi, home, project, warm=None))
        drawn.append(hold_on_screen(nvim, pi, home, project))
    pi_time, size = median(alone), path.stat().st_size
    print(f"\n{mb:g} MiB, {entries} entries, {warm[0].lines} lines; Pi alone to get_entries: {pi_time:.0f}")
    painted, first = median(run.painted for run in warm), median(run.painted for run in cold)
    whole, whole_cold = median(run.backfilled for run in warm), median(run.backfilled for run in cold)
    hold = max(run.hold for run in warm + cold)
    memory = max(run.memory for run in warm)
    _row("first screen, host warm", f"{painted:.1f}", painted / pi_time, 0.1)
    _row("first screen, host cold", f"{first:.1f}", first / pi_time, 0.3)
    _row("complete, host warm", f"{whole:.0f}", whole / pi_time, 1.25)
    _row("complete, host cold", f"{whole_cold:.0f}", whole_cold / pi_time, None)
    _row("attached, host warm", f"{median(run.attached for run in warm):.0f}", None, None)
    _row("longest hold of the editor", f"{hold:.1f}", None, None, "reach: 16 ms")
    _row("longest hold in a terminal", f"{max(drawn):.1f}", None, None, "reach: 16 ms")
    _row(
        "peak memory of the host",
        f"{memory / MIB:.0f} MiB",
        memory / size,
        4 if mb >= LARGE else None,
        "x the file",
    )


def _row(what: str, figure: str, ratio: float | None, reach: float | None, note: str = "x Pi") -> None:
    told = f"{ratio:6.3f} {note}" if ratio is not None else f"{'':6} {note if note != 'x Pi' else ''}"
    goal = f"  (reach: {reach}){'' if ratio is None or ratio <= reach else '  MISSED'}" if reach else ""
    print(f"  {what:28} {figure:>10}  {told}{goal}".rstrip())


def _store(home: PiHome, mb: float) -> tuple[Path, Path, int]:
    """A project with one session of that size in Pi's store: the project, the file, its entries."""
    project = home.root / f"project-{mb:g}"
    project.mkdir()
    bucket = home.sessions_dir / f"--{str(project).lstrip('/').replace('/', '-')}--"
    bucket.mkdir(parents=True)
    path = bucket / "2026-11-01T12-00-00-000Z_bench.jsonl"
    entries = Writer(path, int(mb * MIB), project).entries
    return project, path, entries


if __name__ == "__main__":
    main()
