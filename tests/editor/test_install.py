"""`:Pi install` as plugin managers and shells run it: really, in a copy of the plugin, with pip."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.tools import DEFAULT_NVIM, NVIM, ROOT, runtime

SECONDS = 90
"""For one run; a whole installation takes 5."""

PARTS = ("lua", "pivi", "plugin", "rplugin", "pyproject.toml", "README.md", "LICENSE")

ASK = """
local python = require('pivi.python').candidates()[1]
local answer
local params = { cwd = vim.fn.getcwd(), options = require('pivi.config').for_host() }
require('pivi.host').request('health', params, function(value, err)
  answer = value and value.dir or err
end)
vim.wait(10000, function() return answer end)
io.stderr:write(('\\n%s: %s'):format(python.from, answer))
"""
"""Which interpreter the host runs on, and where it finds the sessions."""


class Copy:
    """The plugin in `pack/*/start` of a user who has just made his home."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.root = home / ".local" / "share" / "nvim" / "site" / "pack" / "pivi" / "start" / "pivi"
        self.root.mkdir(parents=True)
        for part in PARTS:
            if (ROOT / part).is_dir():
                unwanted = shutil.ignore_patterns("__pycache__")
                shutil.copytree(ROOT / part, self.root / part, ignore=unwanted)
            else:
                shutil.copy(ROOT / part, self.root / part)

    def run(self, *commands: str, **env: str) -> str:
        """Headless Neovim, with the Ex `commands`; what it and its children said."""
        nvim = NVIM[DEFAULT_NVIM]
        # How pip reaches its index is the machine's business.
        network = {name: value for name, value in os.environ.items() if _about_network(name)}
        own = {"HOME": str(self.home), "PATH": os.environ["PATH"], "VIMRUNTIME": str(runtime(nvim))}
        arguments = [argument for command in commands for argument in ("-c", command)]
        done = subprocess.run(
            [str(nvim), "--headless", "-n", *arguments, "-c", "qa!"],
            cwd=self.home,
            env={**network, **own, **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
            check=True,
        )
        return done.stdout


def _about_network(name: str) -> bool:
    return name.startswith(("PIP_", "SSL_CERT")) or name.lower().endswith("_proxy")


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path)


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A directory to be the only one on PATH."""
    folder = tmp_path / "programs"
    folder.mkdir()
    return folder


def python(path: Path, can: bool) -> None:
    """An interpreter that can make environments or not; run with a script, it tells its own name."""
    status = 0 if can else 1
    path.write_text(
        f"#!/bin/sh\n"
        f'if [ "$1" = -c ]; then exit {status}; fi\n'
        f'echo "ran {path.name}"\n'
        f"[ {status} = 0 ] || echo 'pivi: no venv here' >&2\n"
        f"exit {status}\n"
    )
    path.chmod(0o755)


def test_a_failed_installation_says_why_and_the_next_one_serves_the_host(copy: Copy) -> None:
    said = copy.run("Pi install", PIP_NO_INDEX="1", PIP_FIND_LINKS="")
    assert "No matching distribution found" in said, "pip's own words, as nobody can open :Pi log any more"
    assert "Error executing Lua callback: pivi: the installation failed (status 1)" in said
    assert "installed" not in said

    said = copy.run("Pi install", "lua " + ASK.replace("\n", " "))
    assert said.index("making ") < said.index("installing packages") < said.index("installed; :Pi is ready")
    assert f"\nthe plugin's .venv: {copy.home}/.pi/agent/sessions/" in said
    assert not (copy.root / ".venv" / "unfinished").exists()


def test_an_interpreter_that_can_make_no_environment_is_passed_over(copy: Copy, programs: Path) -> None:
    python(programs / "python3", can=False)
    python(programs / "python3.12", can=True)
    said = copy.run("Pi install!", PATH=str(programs))
    assert "ran python3.12" in said
    assert "installed; :Pi is ready" in said


def test_where_none_can_the_first_says_why(copy: Copy, programs: Path) -> None:
    python(programs / "python3", can=False)
    said = copy.run("Pi install", PATH=str(programs))
    assert "the installation failed (status 1): pivi: no venv here" in said


def test_without_python_it_fails(copy: Copy, programs: Path) -> None:
    said = copy.run("Pi install", PATH=str(programs))
    assert "pivi: python3 was not found; pivi needs Python 3.10 or newer" in said


def test_another_interpreter_in_the_options_is_told(copy: Copy, programs: Path) -> None:
    python(programs / "python3", can=True)
    said = copy.run("let g:pivi = {'python': '/opt/other/python'}", "Pi install", PATH=str(programs))
    assert "installed, but option 'python' names another interpreter: /opt/other/python" in said
