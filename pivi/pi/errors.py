"""What can go wrong between us and Pi. The text of each error is a sentence for the user."""

from __future__ import annotations

import re
import signal

import msgspec

from pivi.view.cells import shortened
from pivi.view.safe import block_text, line_text

_ERROR = re.compile(r"^(?:\w*Error\b.*:|error:)")
_NOISE = re.compile(r"^(?:Warning:|\(node:\d+\)|\(Use `node|at |node:|Node\.js v|\^+$)")
_SENTENCE = 300


class Exit(msgspec.Struct, frozen=True):
    """How Pi ended: its exit status, or the number of the signal that killed it, never both.

    `stderr` is what it wrote there, the start and the end of it where it was much.
    `asked` says that we ended it.
    """

    status: int | None
    signal: int | None
    stderr: str
    asked: bool = False

    @property
    def how(self) -> str:
        """The end in a few words: `exit status 1`, `killed by SIGKILL`."""
        if self.signal is None:
            return f"exit status {self.status}"
        try:
            return f"killed by {signal.Signals(self.signal).name}"
        except ValueError:
            return f"killed by signal {self.signal}"

    @property
    def sentence(self) -> str:
        """The end as a sentence, with what stderr says first."""
        said = first_sentence(self.stderr)
        return f"Pi ended ({self.how}): {said}" if said else f"Pi ended ({self.how})."


class PiError(Exception):
    """Something did not work; `str()` of it is one sentence for the user."""


class PiRefusedError(PiError):
    """Pi answered `success: false`; the sentence is Pi's own, `command` is what was asked."""

    def __init__(self, command: str, sentence: str) -> None:
        super().__init__(sentence)
        self.command = command


class PiTimeoutError(PiError):
    """Pi did not answer `command` within `limit` seconds. It may still do what was asked."""

    def __init__(self, command: str, limit: float) -> None:
        super().__init__(f"Pi did not answer {command} within {limit:g} s.")
        self.command = command
        self.limit = limit


class PiGoneError(PiError):
    """Pi ended before it answered, or had ended before it was asked."""

    def __init__(self, ended: Exit) -> None:
        super().__init__(ended.sentence)
        self.exit = ended


class StartFailedError(PiError):
    """Pi could not be started, or did not come to answer. `exit` is its end, if it ran at all."""

    def __init__(self, sentence: str, ended: Exit | None = None) -> None:
        super().__init__(sentence)
        self.exit = ended


def first_sentence(stderr: str) -> str:
    """The line of `stderr` that says what went wrong, `""` where there is none.

    A line that names an error goes before any other, warnings and stack traces come last.
    """
    lines = [line_text(line).strip() for line in block_text(stderr).split("\n")]
    lines = [line for line in lines if line]
    errors = [line for line in lines if _ERROR.match(line)]
    plain = [line for line in lines if not _NOISE.match(line)]
    for found in (errors, plain, lines):
        if found:
            return shortened(found[0], _SENTENCE, "…")
    return ""
