"""Do the tags of `doc/` build? `python -m tests.support.helptags`; works on a copy."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.support.tools import DEFAULT_NVIM, NVIM, ROOT, runtime


def main() -> None:
    """Ends with what Neovim says when it can't build them (a tag given twice, no help file)."""
    nvim = NVIM[DEFAULT_NVIM]
    with tempfile.TemporaryDirectory() as folder:
        doc = Path(folder) / "doc"
        shutil.copytree(ROOT / "doc", doc, ignore=shutil.ignore_patterns("tags"))
        command = [str(nvim), "--clean", "--headless", "-n", "-i", "NONE", "+helptags doc", "+qa!"]
        done = subprocess.run(
            command,
            cwd=folder,
            env={"HOME": folder, "VIMRUNTIME": str(runtime(nvim)), "PATH": "/usr/bin:/bin"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        said = (done.stdout + done.stderr).strip()
        if said or done.returncode != 0 or not (doc / "tags").exists():
            raise SystemExit(f"help tags: {said or f'exit status {done.returncode}'}")


if __name__ == "__main__":
    main()
