"""What Pi keeps of a long output in a file of its own: shown where it is one, within bounds."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pivi.conversation.output import opened
from pivi.transcript.blocks import Outcome, Shell, ToolCall

GONE = "what the session has of it"


def _gone(path: Path) -> None:
    pass


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _directory(path: Path) -> None:
    path.mkdir()


def _unreadable(path: Path) -> None:
    path.symlink_to(path)


@pytest.mark.parametrize("make", [_gone, _pipe, _directory, _unreadable])
def test_where_the_file_of_an_output_is_none_any_more_what_is_stored_is_shown(
    make: Callable[[Path], None], tmp_path: Path
) -> None:
    path = tmp_path / "pi-bash-1.log"
    make(path)
    outcome = Outcome(GONE, full_output=str(path))
    assert opened(ToolCall(key="c", name="bash", tool_id="1", subject="make", outcome=outcome)).text == GONE
    assert opened(Shell(key="s", command="make", output=GONE, full_output=str(path))).text == GONE


def test_of_an_output_beyond_64_mb_the_beginning_is_shown_with_what_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "pi-bash-1.log"
    with path.open("wb") as file:
        file.write(b"the first line\n")
        file.truncate((64 << 20) + 1000)
    shown = opened(Shell(key="s", command="make", output="the end", full_output=str(path))).text
    assert shown.startswith("the first line\n")
    assert shown.endswith(f"… 1000 bytes more in {path}")
