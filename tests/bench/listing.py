"""How long the list of sessions and a search of them take, beside Pi's own list and ripgrep."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from statistics import median
from typing import Any

from pivi.sessions.cache import Cache
from pivi.sessions.catalog import Catalog
from pivi.sessions.listing import Row, Store
from pivi.sessions.location import session_dirs
from pivi.sessions.paths import bucket_name
from pivi.sessions.search import Search
from pivi.sessions.sought import sought
from pivi.sessions.walk import Progress
from pivi.sessions.workers import Workers
from tests.bench.browser import hold, preview
from tests.bench.sessions import Writer
from tests.support.home import PiHome
from tests.support.pi import Pi
from tests.support.tools import NODE, RG

KB, MB = 1 << 10, 1 << 20
HUGE = 1536 * MB
_SEEDS = 20
_LIST = """
const [module, cwd] = process.argv.slice(1);
const { SessionManager } = await import(module);
const start = performance.now();
const found = await SessionManager.list(cwd);
console.log(JSON.stringify([found.length, performance.now() - start]));
"""
_WORDS = ("zzzqqq", "Zzzqqq", "call_27 nothing", '"window buffer stream"')

Report = Callable[[str, str, "float | None", "float | None", str], None]


def fill(folder: Path, cwd: Path, count: int, size: int) -> None:
    """So many sessions of about `size` bytes, each with an id and a time of its own."""
    folder.mkdir(parents=True)
    seeds = []
    for seed in range(_SEEDS):
        path = folder / "seed"
        Writer(path, size, cwd, seed=seed)
        seeds.append(path.read_bytes().partition(b"\n"))
        path.unlink()
    for number in range(count):
        head, _, rest = seeds[number % _SEEDS]
        header = json.loads(head) | {"id": f"{number:08x}-0000-7000-8000-000000000000"}
        path = folder / f"2026-11-01T12-00-00-000Z_{number:08x}.jsonl"
        path.write_bytes(json.dumps(header, separators=(",", ":")).encode() + b"\n" + rest)
        os.utime(path, (1.76e9 + number, 1.76e9 + number))


def add_huge(folder: Path, cwd: Path) -> None:
    """The newest session: 1.5 GB of real lines."""
    path = folder / "2026-11-01T12-00-00-000Z_huge.jsonl"
    Writer(path, 50 * MB, cwd)
    lines = path.read_bytes().partition(b"\n")[2]
    with path.open("ab") as file:
        while file.tell() < HUGE:
            file.write(lines)


def pi_list(pi: Pi, cwd: Path) -> tuple[int, float]:
    """How many sessions Pi's own list finds, and its milliseconds in a process that has just started."""
    module = pi.path.resolve().parents[2] / "dist" / "core" / "session-manager.js"
    argv = [str(NODE), "--input-type=module", "-e", _LIST, str(module), str(cwd)]
    told = json.loads(subprocess.run(argv, env=pi.home.env, capture_output=True, check=True).stdout)
    return told[0], told[1]


class Listed:
    """One list: milliseconds to the first rows, to all but `huge`, to the end."""

    def __init__(self) -> None:
        self.first = self.but_huge = self.all = 0.0
        self.whole: set[str] = set()
        self._start = time.perf_counter()

    def take(self, rows: list[Row], progress: Progress) -> None:
        now = (time.perf_counter() - self._start) * 1000
        self.first = self.first or now
        self.whole |= {row.path for row in rows if row.messages is not None}
        if progress.done >= progress.total - 1 > 0 and not self.but_huge:
            self.but_huge = now
        self.all = now


def _look(folder: Path, cwd: Path) -> Store:
    agent = folder.parent.parent
    found = session_dirs(str(cwd), [], {**os.environ, "PI_CODING_AGENT_DIR": str(agent)})
    assert found.dir == str(folder)
    return Store(found, str(cwd))


async def _listed(folder: Path, cwd: Path, cache: Path) -> Listed:
    workers, listed = Workers(), Listed()
    await Catalog(_look(folder, cwd), Cache(str(cache)), workers, listed.take, lambda _: (False, False)).run()
    await workers.close()
    return listed


def _timed(folder: Path, cwd: Path, cache: Path, *, cold: bool) -> Listed:
    if cold:
        shutil.rmtree(cache, ignore_errors=True)
    return asyncio.run(_listed(folder, cwd, cache))


async def _searched(folder: Path, cwd: Path, cache: Path, words: str, runs: int) -> tuple[int, float]:
    """Hits, and the median of milliseconds with processes that are there already."""
    workers, took, hits = Workers(), [], 0

    def tell(found: list[Any], progress: Progress) -> None:
        nonlocal hits
        hits += len(found)

    for _ in range(runs + 1):
        start, hits = time.perf_counter(), 0
        await Search(_look(folder, cwd), Cache(str(cache)), workers, sought(words, False), tell).run()
        took.append((time.perf_counter() - start) * 1000)
    await workers.close()
    return hits, median(took[1:])


def _ripgrep(folder: Path, words: str, runs: int) -> float:
    """What finds the same in the lines as they are: words in any order, or a phrase."""
    asked = [words.strip('"')] if '"' in words else words.split()
    pattern = "|".join(".*".join(map(re.escape, order)) for order in permutations(asked))
    argv = [str(RG), "--smart-case", pattern, str(folder)]
    took = []
    for _ in range(runs + 1):
        start = time.perf_counter()
        subprocess.run(argv, stdout=subprocess.DEVNULL, check=False)
        took.append((time.perf_counter() - start) * 1000)
    return median(took[1:])


def listing(home: PiHome, pi: Pi, nvim: str, runs: int, report: Report) -> None:
    """All of it, told through `report`."""
    cwd, cache = home.root / "listed", home.root / "cache"
    cwd.mkdir()
    for count, size in ((2000, 200 * KB), (13_000, 2 * KB)):
        folder = home.sessions_dir / bucket_name(str(cwd))
        fill(folder, cwd, count, size)
        alone = _one(folder, cwd, cache, pi, runs, f"{count} sessions of {size // KB} KB", report)
        held = max(hold(nvim, pi, home, cwd) for _ in range(runs))
        report("longest hold of the editor", f"{held:.1f}", None, 16, "")
        if count == 2000:
            _search(folder, cwd, cache, runs, report)
            add_huge(folder, cwd)
            listed = _timed(folder, cwd, cache, cold=True)
            print("\nthe same with one of 1.5 GB, the newest")
            report("first rows", f"{listed.first:.0f}", listed.first / alone, 0.02, "x Pi without that one")
            report(
                "all but that one",
                f"{listed.but_huge:.0f}",
                listed.but_huge / alone,
                0.2,
                "x Pi without that one",
            )
            report("complete, cold", f"{listed.all:.0f}", None, None, "")
        shutil.rmtree(folder)
    _preview(home.sessions_dir / bucket_name(str(cwd)), cwd, home, pi, nvim, runs, report)


def _one(folder: Path, cwd: Path, cache: Path, pi: Pi, runs: int, what: str, report: Report) -> float:
    """The milliseconds that Pi's own list takes."""
    theirs, cold, cached = [], [], []
    for _ in range(runs):
        found, took = pi_list(pi, cwd)
        theirs.append(took)
        cold.append(_timed(folder, cwd, cache, cold=True))
        cached.append(_timed(folder, cwd, cache, cold=False))
        assert len(cold[-1].whole) == len(cached[-1].whole) == found
    alone = median(theirs)
    print(f"\n{what}; Pi's own SessionManager.list: {alone:.0f}")
    rows: tuple[tuple[str, list[Listed], float, Callable[[Listed], float]], ...] = (
        ("first rows, cold", cold, 0.02, lambda one: one.first),
        ("complete, cold", cold, 0.2, lambda one: one.all),
        ("complete, from the cache", cached, 0.02, lambda one: one.all),
    )
    for name, lists, reach, of in rows:
        took = median(of(one) for one in lists)
        report(name, f"{took:.0f}", took / alone, reach, "x Pi")
    return alone


def _preview(folder: Path, cwd: Path, home: PiHome, pi: Pi, nvim: str, runs: int, report: Report) -> None:
    """Of a session of 50 MB, below a small one."""
    fill(folder, cwd, 1, 20 * KB)
    large = folder / "2026-11-01T12-00-00-000Z_large.jsonl"
    Writer(large, 50 * MB, cwd)
    os.utime(large, (1.75e9, 1.75e9))
    ids = [json.loads(line)["id"] for line in large.read_bytes().splitlines()[1:]]
    found = [
        preview(nvim, pi, home, cwd, large, [ids[10], ids[len(ids) // 2], ids[-10]]) for _ in range(runs)
    ]
    print("\npreview of a session of 50 MB, host warm")
    for number, what in enumerate(
        ("of its end, from the key on", "at its beginning", "in the middle", "at its end")
    ):
        report(what, f"{median(one.took[number] for one in found):.0f}", None, None, "")
    report("longest hold of the editor", f"{max(one.hold for one in found):.1f}", None, 16, "")


def _search(folder: Path, cwd: Path, cache: Path, runs: int, report: Report) -> None:
    print("\nsearch in them, warm; beside ripgrep on the raw files")
    for words in _WORDS:
        hits, took = asyncio.run(_searched(folder, cwd, cache, words, runs))
        report(f"{words} ({hits})", f"{took:.0f}", took / _ripgrep(folder, words, runs), 4, "x ripgrep")
