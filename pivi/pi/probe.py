"""What versions of Pi and Node are there. Asked only when something has failed, or by the health check."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
from collections.abc import Mapping, Sequence

import msgspec

from .process import Launch

OLDEST_PI = (0, 87, 1)
OLDEST_NODE = (22, 19, 0)
LIMIT = 5.0
"""Seconds that a program has to tell its version."""

_VERSION = re.compile(r"(?<![\d.])v?(\d+)\.(\d+)\.(\d+)")

Version = tuple[int, int, int]


class Versions(msgspec.Struct, frozen=True):
    """What was found; `None` where it could not be told. `node_path` is the `node` on Pi's PATH."""

    pi: Version | None
    node: Version | None
    node_path: str | None


async def versions(launch: Launch) -> Versions:
    """Ask Pi and Node, both at once."""
    node_path = shutil.which("node", path=launch.env.get("PATH", os.defpath))
    pi, node = await asyncio.gather(
        version([*launch.command, "--version"], launch.env, launch.cwd),
        version([node_path, "--version"] if node_path else [], launch.env, launch.cwd),
    )
    return Versions(pi, node, node_path)


async def version(argv: Sequence[str], env: Mapping[str, str], cwd: str) -> Version | None:
    """The version in what a program prints, `None` where there is none or it takes too long."""
    said = await output(argv, env, cwd) if argv else None
    found = _VERSION.search(said or "")
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


async def output(
    argv: Sequence[str], env: Mapping[str, str], cwd: str, limit: float = LIMIT, *, errors: bool = False
) -> str | None:
    """What a program prints, with `errors` on stderr too; `None` where it takes more than `limit` seconds."""
    try:
        process = await asyncio.create_subprocess_exec(
            *argv,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT if errors else asyncio.subprocess.DEVNULL,
            env=env,
            cwd=cwd,
            start_new_session=True,
        )
    except OSError:
        return None
    try:
        said, _ = await asyncio.wait_for(process.communicate(), limit)
    except asyncio.TimeoutError:
        return None
    finally:
        _kill_group(process.pid)
        await process.wait()
    return said.decode("utf-8", "replace")


def text(found: Version) -> str:
    """The version as people write it."""
    return ".".join(map(str, found))


def _kill_group(group: int) -> None:
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        # It has ended, which is what was wanted.
        return
