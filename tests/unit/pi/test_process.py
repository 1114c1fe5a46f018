from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from pivi.pi import guardian
from pivi.pi.client import Client
from pivi.pi.launch import New, build
from pivi.pi.process import Launch
from tests.support.processes import processes_with, wait_gone
from tests.support.talk import FAKE_PI, Heard

ROOT = Path(__file__).resolve().parents[3]
STUBBORN = ("deaf-to-eof", "deaf-to-term", "with-child")
HOST = """
import asyncio, sys
from pivi.pi.client import Client
from pivi.pi.launch import New, build
from tests.support.talk import Heard

async def main():
    client = await Client.start(build(sys.argv[1:], [], {}, New(), "/"), Heard().hooks())
    await client.get_state()
    print("up", flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""
KILL_NOW = HOST.replace("    print(", "    import atexit; atexit.register(client.kill_now)\n    print(")
KILL_NOW = KILL_NOW.replace("await asyncio.sleep(60)", "raise SystemExit")


@pytest.fixture
def mark() -> Iterator[str]:
    name = uuid.uuid4().hex
    yield name
    wait_gone(name)


def plain(*words: str) -> list[str]:
    return [sys.executable, "-S", FAKE_PI, *words]


def wrapped(*words: str) -> list[str]:
    return ["sh", "-c", 'trap : TERM; "$@"; "$@"; true', "sh", *plain(*words)]


def launch(command: list[str], mark: str) -> Launch:
    return build(command, [], {"PIVI_TEST_MARK": mark}, New(), "/")


@pytest.mark.parametrize("wrap", [plain, wrapped])
async def test_end_leaves_nothing_of_a_stubborn_pi(wrap: type, mark: str) -> None:
    heard = Heard()
    client = await Client.start(launch(wrap(*STUBBORN), mark), heard.hooks())
    await client.get_state()
    # The environment of a program that has only just been run can't be read for a moment.
    await heard.until(lambda: len(processes_with(mark)) >= 2)
    start = time.monotonic()
    end = await client.end()
    assert time.monotonic() - start < 2.5
    assert end.exit.asked
    assert processes_with(mark) == {}


async def test_end_of_a_quiet_pi_is_quick(mark: str) -> None:
    client = await Client.start(launch(plain(), mark), Heard().hooks())
    await client.get_state()
    start = time.monotonic()
    assert (await client.end()).exit.status == 0
    assert time.monotonic() - start < 2


async def test_two_ends_are_one(mark: str) -> None:
    heard = Heard()
    client = await Client.start(launch(plain("deaf-to-eof"), mark), heard.hooks())
    await client.get_state()
    first, second = await asyncio.gather(client.end(), client.end())
    assert first.exit is second.exit and heard.exits == [first.exit]
    assert first.exit.signal == signal.SIGTERM


async def test_what_a_dead_pi_leaves_in_its_group_is_ended(mark: str) -> None:
    command = ["sh", "-c", "sleep 300 & exit 4"]
    heard = Heard()
    client = await Client.start(launch(command, mark), heard.hooks())
    ended = await client.wait()
    assert ended.status == 4
    await client.end()
    assert processes_with(mark) == {}


async def test_neither_guardian_nor_zombie_is_left() -> None:
    def children() -> set[int]:
        return {pid for pid, row in guardian.processes().items() if row[0] == os.getpid()}

    before = children()
    client = await Client.start(launch(plain(), "x"), Heard().hooks())
    await client.get_state()
    assert len(children() - before) == 2
    await client.end()
    assert children() <= before


def start_host(code: str, command: list[str], mark: str) -> subprocess.Popen[bytes]:
    env = {**os.environ, "PIVI_TEST_MARK": mark, "PYTHONPATH": str(ROOT)}
    argv = [sys.executable, "-c", code, *command]
    host = subprocess.Popen(argv, stdout=subprocess.PIPE, env=env, cwd=ROOT, start_new_session=True)
    assert host.stdout is not None
    assert host.stdout.readline() == b"up\n"
    return host


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("wrap", [plain, wrapped])
def test_a_host_that_is_killed_leaves_nothing(number: int, wrap: type, mark: str) -> None:
    host = start_host(HOST, wrap(*STUBBORN), mark)
    os.killpg(host.pid, number)
    host.communicate()
    wait_gone(mark, 3)


@pytest.mark.parametrize("wrap", [plain, wrapped])
def test_kill_now_at_exit_leaves_nothing(wrap: type, mark: str) -> None:
    host = start_host(KILL_NOW, wrap(*STUBBORN), mark)
    start = time.monotonic()
    host.communicate()
    assert time.monotonic() - start < 2.5
    # The host itself is gone, and so is all it had started.
    assert processes_with(mark) == {}


def test_the_table_of_a_system_without_proc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ps = tmp_path / "ps"
    ps.write_text(
        "#!/bin/sh\ncat <<E\n"
        "    1     0     1 Ss   Mon Jan  2 03:04:05 2034\n"
        "   20     1    20 Z    Mon Jan  2 03:04:06 2034\n"
        "  300     1    20 R+   Mon Jan  2 03:04:07 2034\nE\n"
    )
    ps.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    assert guardian._from_ps() == {
        1: (0, 1, "Mon Jan  2 03:04:05 2034"),
        300: (1, 20, "Mon Jan  2 03:04:07 2034"),
    }


@pytest.mark.parametrize("proc", [True, False])
def test_the_descendants_of_a_process(mark: str, proc: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not proc:
        monkeypatch.setattr("os.access", lambda *_: False)
    code = "setsid sh -c 'sleep 300; true' & wait"
    top = subprocess.Popen(["sh", "-c", code], env={**os.environ, "PIVI_TEST_MARK": mark})
    until = time.monotonic() + 5
    while len(found := guardian.descendants(top.pid)) < 2:
        assert time.monotonic() < until
    assert top.pid not in found and guardian.alive(found)
    top.kill()
    top.wait()
    assert guardian.descendants(top.pid) == {} and guardian.alive(found)
    guardian.finish(top.pid, 0.1, found)
    assert not guardian.alive(found)
