"""The door: hands Neovim's calls to `pivi.host`. Only `rpc_export` here, so there is nothing to register."""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path

import pynvim

# The host imports this file by name with its folder last on the path; the package lies two folders above.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

BROKEN = 93
"""Exit status of a host that can't do anything for Neovim; lua/pivi/python.lua knows it."""


def end_if_alone() -> None:
    """End the process, with the traceback on stderr, where it has been started for this plugin alone.

    pynvim itself would go on, and never answer anything.
    """
    if [os.path.realpath(path) for path in sys.argv[1:]] == [os.path.realpath(__file__)]:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(BROKEN)


try:
    from pivi.host import Host
except Exception:
    end_if_alone()
    raise


@pynvim.plugin
class Pivi:
    def __init__(self, nvim: pynvim.Nvim) -> None:
        try:
            self._host = Host(nvim)
        except Exception:
            end_if_alone()
            raise

    @pynvim.rpc_export("pivi_request")
    def request(self, number: int, method: str, params: dict[str, object]) -> None:
        self._host.request(number, method, params)
