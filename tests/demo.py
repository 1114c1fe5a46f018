"""`make demo`: the real Pi holds a conversation offline, then Neovim resumes it with `:Pi resume`.

In a terminal Neovim opens for you to move in, and the scripted model answers what you send. Without one, or
with `--print`, the transcript's text is printed. All that was made is gone afterwards.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from types import FrameType

import pynvim

from tests.support.editor import Editor, command_line, environment, options
from tests.support.home import PiHome, make_home
from tests.support.model import Model
from tests.support.pi import Pi
from tests.support.processes import wait_gone
from tests.support.story import tell
from tests.support.tools import DEFAULT_NVIM, DEFAULT_PI, ROOT

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def show(pi: Pi) -> int:
    """Opens the conversation in the user's terminal; returns Neovim's exit status."""
    command = command_line(DEFAULT_NVIM, options(pi), "-c", f"helptags {ROOT / 'doc'}", "-c", "Pi resume")
    return subprocess.run(
        command, cwd=pi.home.project, env=environment(DEFAULT_NVIM, pi.home), check=False
    ).returncode


def text(pi: Pi) -> str:
    """The text of the resumed transcript. Raises RuntimeError when the resume fails."""
    editor = Editor(DEFAULT_NVIM, pi.home, options(pi), size=(100, 40))
    try:
        editor.command("Pi resume")
        events = editor.wait_events("PiviAttached", "PiviBackfilled", timeout=20)
        return editor.text(events["PiviBackfilled"]["buf"])
    except (TimeoutError, pynvim.NvimError) as error:
        raise RuntimeError(f"`:Pi resume` did not bring the transcript: {error}") from error
    finally:
        editor.close()


def run(home: PiHome, printing: bool) -> int:
    """The whole demo in a home; returns the exit status."""
    with Model() as model:
        home.write_models(model.url)
        pi = Pi(DEFAULT_PI, home)
        session = tell(pi, model)
        if not session.exists():
            raise RuntimeError(f"Pi wrote no session: {session} is missing")
        if not printing:
            return show(pi)
        asked = len(model.requests)
        print(text(pi))
        if len(model.requests) != asked:
            raise RuntimeError("the resume asked the model something")
        return 0


def stop(number: int, frame: FrameType | None) -> None:
    """A signal that ends us lets the clean-up run."""
    ignore_signals()
    sys.exit(128 + number)


def ignore_signals() -> None:
    """From now on nothing interrupts the clean-up, which is bounded."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def main() -> int:
    """Exit status of the command."""
    for number in SIGNALS:
        signal.signal(number, stop)
    printing = "--print" in sys.argv[1:] or not (sys.stdin.isatty() and sys.stdout.isatty())
    try:
        with tempfile.TemporaryDirectory(prefix="pivi-demo-") as folder:
            home = make_home(Path(folder))
            try:
                return run(home, printing)
            finally:
                ignore_signals()
                wait_gone(home.mark)
    except (AssertionError, EOFError, OSError, RuntimeError) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
