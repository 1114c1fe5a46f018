"""The real Pi, driven by plain JSON lines: no code of ours between a test and Pi."""

from __future__ import annotations

import contextlib
import json
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.support.home import PiHome
from tests.support.tools import PI

Record = dict[str, Any]


@dataclass(frozen=True)
class Pi:
    """A version of Pi in a home."""

    version: str
    home: PiHome

    @property
    def path(self) -> Path:
        """The program, for `pi.command`; its `env` must have Node's folder on PATH, as `home.pi_env` has."""
        return PI[self.version]

    def start(self, *args: str, cwd: Path | None = None) -> PiRun:
        """`pi --mode rpc ARGS` in `cwd`, else in the home's project."""
        return PiRun([str(self.path), "--mode", "rpc", *args], self.home.env, cwd or self.home.project)


class PiRun:
    """A running Pi. `records` holds all it has printed on stdout, in order."""

    def __init__(self, argv: list[str], env: dict[str, str], cwd: Path) -> None:
        self.records: list[Record] = []
        self._ended = False
        self._numbers = 0
        self._changed = threading.Condition()
        self.process = subprocess.Popen(
            argv, env=env, cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self._stderr: list[bytes] = []
        self._threads = [
            threading.Thread(target=self._read, daemon=True),
            threading.Thread(target=self._read_stderr, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def request(self, command: str, timeout: float = 20, **params: Any) -> Record:
        """Sends a command and waits for its response. Raises RuntimeError when Pi says no."""
        self._numbers += 1
        number = f"test-{self._numbers}"
        self.send({"id": number, "type": command, **params})
        response = self.wait(
            lambda record: record.get("id") == number and record["type"] == "response", timeout
        )
        if not response["success"]:
            raise RuntimeError(f"{command}: {response['error']}")
        return response

    def prompt(self, message: str, timeout: float = 30, **params: Any) -> list[Record]:
        """Sends a prompt and waits until the agent has settled; returns what Pi printed for it."""
        start = len(self.records)
        self.request("prompt", timeout, message=message, **params)
        self.wait_event("agent_settled", timeout, start)
        return self.records[start:]

    def send(self, record: Record) -> None:
        """One JSON line to Pi's stdin."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(record).encode() + b"\n")
        self.process.stdin.flush()

    def wait_event(self, kind: str, timeout: float = 20, start: int = 0) -> Record:
        """The first record of this type from number `start` on."""
        return self.wait(lambda record: record.get("type") == kind, timeout, start)

    def wait(self, condition: Callable[[Record], bool], timeout: float = 20, start: int = 0) -> Record:
        """The first record from number `start` on for which `condition` holds.

        Raises TimeoutError, or EOFError with Pi's stderr when Pi has ended.
        """
        end = time.monotonic() + timeout
        with self._changed:
            while True:
                for record in self.records[start:]:
                    if condition(record):
                        return record
                start = len(self.records)
                if self._ended:
                    raise EOFError(f"Pi has ended: {self.stderr.strip() or 'without a word'}")
                if not self._changed.wait(end - time.monotonic()):
                    raise TimeoutError(f"Pi has not said that in {timeout} s")

    @property
    def stderr(self) -> str:
        """What Pi has printed there so far."""
        return b"".join(self._stderr).decode(errors="replace")

    def close(self, timeout: float = 10) -> int:
        """EOF on stdin; returns the exit status. A Pi that stays is killed and raises TimeoutError."""
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            status = self.process.wait(timeout)
        except subprocess.TimeoutExpired as error:
            self.kill()
            raise TimeoutError(f"Pi was still there {timeout} s after EOF") from error
        self._finish()
        return status

    def kill(self) -> None:
        """SIGKILL."""
        self.process.kill()
        self.process.wait()
        self._finish()

    def __enter__(self) -> PiRun:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.kill()

    def _finish(self) -> None:
        for thread in self._threads:
            thread.join()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None and not stream.closed:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            record = json.loads(line)
            with self._changed:
                self.records.append(record)
                self._changed.notify_all()
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _read_stderr(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._stderr.append(line)
