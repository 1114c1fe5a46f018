"""Makes the pictures of the README from real screens: `python -m tests.picture`."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.support.editor import command_line, environment, options
from tests.support.home import make_home
from tests.support.model import Model
from tests.support.pi import Pi
from tests.support.processes import wait_gone
from tests.support.story import tell
from tests.support.terminal import Terminal
from tests.support.tools import DEFAULT_NVIM, DEFAULT_PI, ROOT

PICTURES = ROOT / "doc" / "pictures"
TITLE = "A Pi session resumed in Neovim: a prompt, folded tool calls, a diff and the answer"


def main() -> None:
    """The demo's session, 80 columns wide, at its end."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="pivi-picture-") as folder, Model() as model:
        home = make_home(Path(folder))
        home.write_models(model.url)
        pi = Pi(DEFAULT_PI, home)
        tell(pi, model)
        # The name of a buffer is a session's id, another one each time.
        plain = ("-c", "set laststatus=0 noruler noshowcmd", "-c", "Pi resume")
        command = command_line(DEFAULT_NVIM, options(pi), *plain)
        terminal = Terminal(command, environment(DEFAULT_NVIM, home), 80, 49, str(home.project))
        try:
            terminal.wait(lambda text: "context" in text and "A half goes up" in text)
            terminal.pump(0.5)
            (PICTURES / "resumed.svg").write_text(terminal.svg(TITLE) + "\n")
            terminal.keys(":qa!\r")
            terminal.pump(3)
        finally:
            terminal.close()
            wait_gone(home.mark)


if __name__ == "__main__":
    main()
