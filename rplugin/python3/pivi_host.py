"""The door: hands Neovim's calls to `pivi.host`. Only `rpc_export` here, so there is nothing to register."""

from __future__ import annotations

import sys
from pathlib import Path

import pynvim

# The host imports this file by name with its folder last on the path; the package lies two folders above.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from pivi.host import Host


@pynvim.plugin
class Pivi:
    def __init__(self, nvim: pynvim.Nvim) -> None:
        self._host = Host(nvim)

    @pynvim.rpc_export("pivi_request")
    def request(self, number: int, method: str, params: dict[str, object]) -> None:
        self._host.request(number, method, params)
