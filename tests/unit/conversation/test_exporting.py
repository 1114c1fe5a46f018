"""A file that is written keeps to itself what it kept, and a new one is as the user's umask has it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pivi.conversation import Options
from pivi.conversation.exporting import export_closed
from tests.support.told import stored


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return stored(tmp_path)


@pytest.fixture(params=[0o022, 0o077, 0o002], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


async def test_a_new_file_is_as_the_umask_has_it(session: Path, tmp_path: Path, umask: int) -> None:
    path = tmp_path / "out.md"
    await export_closed(str(session), str(path), Options(), force=False)
    assert path.stat().st_mode & 0o777 == 0o666 & ~umask
    assert "hello" in path.read_text()


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
async def test_a_file_keeps_its_mode(session: Path, tmp_path: Path, umask: int, mode: int) -> None:
    path = tmp_path / "out.md"
    path.write_text("before")
    path.chmod(mode)
    await export_closed(str(session), str(path), Options(), force=True)
    assert path.stat().st_mode & 0o777 == mode
    assert "hello" in path.read_text()
    assert [name for name in os.listdir(tmp_path) if name.startswith(".")] == []
