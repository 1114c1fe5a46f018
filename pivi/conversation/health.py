"""What `:checkhealth pivi` asks the host for."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

from pivi.conversation.editor import Params
from pivi.conversation.options import location_of, options_of
from pivi.pi import probe
from pivi.pi.errors import PiError
from pivi.pi.launch import New, build


async def health(number: int, params: Params) -> dict[str, Any]:
    """The host's Python, where sessions are stored, the versions of Pi and Node or the problem with them."""
    cwd, options = params["cwd"], options_of(params)
    location = await asyncio.to_thread(location_of, cwd, options)
    report: dict[str, Any] = {
        "python": sys.version.split()[0],
        "executable": sys.executable,
        "dir": location.dir,
        "found_by": location.found_by,
        **_access(location.dir),
    }
    try:
        launch = build(options.pi.command, options.pi.args, dict(options.pi.env), New(), cwd)
    except PiError as error:
        return {**report, "problem": str(error)}
    versions = await probe.versions(launch)
    report["command"] = launch.command
    for name, version in (("pi", versions.pi), ("node", versions.node)):
        if version is not None:
            report[name] = probe.text(version)
    return report


def _access(path: str) -> dict[str, bool]:
    """Is it there, and could a session be stored in it? A missing directory is made in its nearest parent."""
    exists = os.path.isdir(path)
    while not os.path.exists(path) and path != os.path.dirname(path):
        path = os.path.dirname(path)
    return {"exists": exists, "writable": os.access(path, os.W_OK | os.X_OK)}
