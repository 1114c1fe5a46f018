from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from pivi.pi.errors import StartFailedError
from pivi.pi.launch import REFUSED, Continue, Fork, New, Resume, Session, build, check_args

SH = "/bin/sh"


def argv(session: Session, args: list[str] | None = None) -> list[str]:
    return build(SH, args or [], {}, session, "/").argv[1:]


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "a b.jsonl"
    path.write_text("{}\n")
    return str(path)


def test_flags_of_each_session(file: str) -> None:
    rpc = ["--mode", "rpc"]
    assert argv(Continue()) == [*rpc, "--continue"]
    assert argv(Resume(file)) == [*rpc, "--session", file]
    assert argv(Fork(file, id="x1", name="n")) == [*rpc, "--fork", file, "--session-id", "x1", "--name", "n"]
    assert argv(New()) == rpc
    assert argv(New(id="a.b-c_d", name=" n ", ephemeral=True)) == [
        *rpc, "--no-session", "--session-id", "a.b-c_d", "--name", " n ",
    ]  # fmt: skip


def test_the_users_arguments_come_before_ours() -> None:
    args = [
        "--session-dir",
        "rel dir",
        "--model",
        "a/b",
        "-na",
        "--my-flag",
        "value",
        "--other=x",
        "-e",
        "-c",
    ]
    assert argv(New(), args) == [*args, "--mode", "rpc"]


@pytest.mark.parametrize("flag", REFUSED)
def test_flags_that_belong_to_commands(flag: str) -> None:
    with pytest.raises(StartFailedError) as error:
        check_args(["--model", "x", flag, "y"])
    assert str(error.value) == f"`{flag}` can't be in pi.args: {REFUSED[flag]}."


@pytest.mark.parametrize(
    ("args", "named"),
    [
        (["--session=x"], "`:Pi resume {target}`"),
        (["--fork=x"], "`:Pi fork {target}`"),
        (["--model"], "needs a value"),
        (["hello"], "`:Pi send`"),
        (["@file"], "`:Pi send`"),
        (["--offline", "words"], "`:Pi send`"),
    ],
)
def test_arguments_that_would_do_harm(args: list[str], named: str) -> None:
    with pytest.raises(StartFailedError, match=r"pi\.args") as error:
        check_args(args)
    assert named in str(error.value)


def test_a_value_that_looks_like_a_flag_stays() -> None:
    check_args(["--append-system-prompt", "--continue", "--system-prompt", "-r"])


@pytest.mark.parametrize(
    "session",
    [
        Resume("01a22e7d"),
        Resume("relative.jsonl"),
        Resume("/no/such/file.jsonl"),
        Resume("/"),
        Fork("01a22e7d"),
        New(id="-bad-"),
        New(id=""),
        New(id="a\n"),
        New(name="  "),
    ],
)
def test_sessions_that_pi_would_take_for_another(session: Session) -> None:
    with pytest.raises(StartFailedError):
        argv(session)


def test_command_as_name_path_line_and_list(tmp_path: Path) -> None:
    program = tmp_path / "my pi"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    env = {"PATH": f"{tmp_path}:/bin:/usr/bin"}
    assert build(str(program), [], env, New(), "/").command == [str(program)]
    assert build("my pi", [], env, New(), "/").command == [str(program)]
    assert build("sh -x 'a b'", [], env, New(), "/").command[1:] == ["-x", "a b"]
    assert build(["sh", "a b"], [], env, New(), "/").command[1:] == ["a b"]
    for missing in ("no-such-pi", "/no/such/pi", ["no-such-pi", "x"]):
        with pytest.raises(StartFailedError, match=r"Pi was not found: .*npm install -g"):
            build(missing, [], env, New(), "/")
    for empty in ("", [], [""], "sh 'x"):
        with pytest.raises(StartFailedError, match=r"pi\.command"):
            build(empty, [], env, New(), "/")


def test_a_relative_command_is_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "pi"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    assert build("./pi", [], {}, New(), "/").command == [str(program)]
    monkeypatch.setenv("HOME", str(tmp_path))
    assert build("~/pi", [], {}, New(), "/").command == [str(program)]


def test_environment_is_ours_with_the_changes() -> None:
    launch = build(SH, [], {"NEW": "1", "GONE": None}, New(), "/", {"OLD": "0", "GONE": "x"})
    assert launch.env == {"OLD": "0", "NEW": "1"}
    assert build(SH, [], {}, New(), "/").env == dict(os.environ)


def test_commands_that_are_named_instead_of_a_flag_exist() -> None:
    table = (Path(__file__).parents[3] / "lua" / "pivi" / "command.lua").read_text()
    known = set(re.findall(r"^  (\w+) = ", table.split("M.TABLE = {", 1)[1], re.MULTILINE))
    named = {word for sentence in REFUSED.values() for word in re.findall(r":Pi (\w+)", sentence)}
    assert named and named <= known
