"""Makes the plugin's own `.venv`: `python3 pivi/install.py [arguments for pip install]`.

Without arguments it installs pivi's own dependencies, as `:Pi install` and `make install` do; the
development set-up names more. Needs nothing but Python's standard library. What it does is printed line
by line; a failure is one line on stderr and exit status 1.

An interrupted run is safe: the next one sees that the environment is unfinished and makes it anew. A
finished one is brought up to date in place.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MINIMUM = (3, 10)


class InstallError(Exception):
    """Why the environment could not be made, as one sentence for the user."""


def works(python: Path) -> bool:
    """Whether this interpreter exists, is new enough and has pip."""
    check = f"import sys, pip; sys.exit(sys.version_info < {MINIMUM})"
    try:
        return subprocess.run([python, "-c", check], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def install(root: Path, requirements: list[str]) -> None:
    """Makes or updates `root/.venv` and installs `requirements` (arguments of `pip install`) in it.

    Raises InstallError.
    """
    home = root / ".venv"
    python = home / "bin" / "python"
    unfinished = home / "unfinished"
    if unfinished.exists() or not works(python):
        print(f"making {home} with Python {sys.version.split()[0]}", flush=True)
        create(home, unfinished)
    unfinished.touch()
    print("installing packages", flush=True)
    command = [str(python), "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--quiet"]
    done = subprocess.run([*command, *requirements], cwd=root, stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        raise InstallError(f"pip could not install the packages (exit status {done.returncode}, see above)")
    unfinished.unlink()
    print(f"ready: {python}", flush=True)


def create(home: Path, unfinished: Path) -> None:
    """An empty environment with pip, marked as unfinished from its first moment. Raises InstallError."""
    if sys.version_info < MINIMUM:
        raise InstallError(f"Python 3.10 or newer is needed; {sys.executable} is {sys.version.split()[0]}")
    if importlib.util.find_spec("ensurepip") is None:
        raise InstallError(f"{sys.executable} cannot make a venv (on Debian: install python3-venv)")
    try:
        home.mkdir(exist_ok=True)
        unfinished.touch()
        for old in home.iterdir():
            if old.is_dir() and not old.is_symlink():
                shutil.rmtree(old)
            elif old != unfinished:
                old.unlink()
        venv.create(home, with_pip=True, symlinks=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise InstallError(f"{home} could not be made: {error}") from error


def main() -> int:
    """Exit status of the command."""
    # What belongs to another environment must not lead this one's pip astray.
    for name in ("PYTHONHOME", "PYTHONPATH", "PIP_TARGET", "PIP_PREFIX", "PIP_USER"):
        os.environ.pop(name, None)
    try:
        install(ROOT, sys.argv[1:] or ["--editable", "."])
    except InstallError as error:
        print(f"pivi: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
