"""How Pi is started: its arguments, its environment, and what may not be among them."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from .errors import StartFailedError
from .flags import SWITCHES, VALUED
from .process import Launch

INSTALL = "npm install -g @earendil-works/pi-coding-agent"


class Continue(msgspec.Struct, frozen=True):
    """The newest session of the directory, as Pi chooses it."""


class Resume(msgspec.Struct, frozen=True):
    """The session in a file. `path` is absolute: an id could be another directory's, where Pi asks or
    ends, and for a path to no file Pi starts an empty session."""

    path: str


class Fork(msgspec.Struct, frozen=True):
    """A new session of this directory that starts as a copy of the one in a file (absolute `path`)."""

    path: str
    id: str | None = None
    name: str | None = None


class New(msgspec.Struct, frozen=True):
    """A fresh session; `ephemeral` is never written to a file."""

    id: str | None = None
    name: str | None = None
    ephemeral: bool = False


Session = Continue | Resume | Fork | New

_RESUME = "use `:Pi resume` instead"
_NEW_NAME = "use `:Pi new {name}`; `r` in `:Pi sessions` renames a session"
_ENDS = "it makes Pi print something and end"
REFUSED: Mapping[str, str] = {
    "--continue": _RESUME,
    "-c": _RESUME,
    "--session": "use `:Pi resume {target}` instead",
    "--session-id": "use `:Pi new ++id={id}` instead",
    "--no-session": "use `:Pi new ++ephemeral` instead",
    "--name": _NEW_NAME,
    "-n": _NEW_NAME,
    "--fork": "use `:Pi fork {target}` instead",
    "--mode": "pivi itself starts Pi in the mode that it needs",
    "--resume": "its list needs a terminal; use `:Pi sessions` instead",
    "-r": "its list needs a terminal; use `:Pi sessions` instead",
    "--print": _ENDS,
    "-p": _ENDS,
    "--export": "use `:Pi export` instead",
    "--list-models": _ENDS,
    "--help": _ENDS,
    "-h": _ENDS,
    "--version": _ENDS,
    "-v": _ENDS,
    "--": "prompts are sent with `:Pi send`",
}
"""Flags that name a session or a mode, and what to do instead."""

_ID = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\Z")


def build(
    command: str | Sequence[str],
    args: Sequence[str],
    env: Mapping[str, str | None],
    session: Session,
    cwd: str,
    base: Mapping[str, str] | None = None,
) -> Launch:
    """What to run for `session` in the existing directory `cwd`.

    `command` is a path or name, a shell-like line where there is no such program, or a list. `args` come
    before ours. `env` changes the environment `base` (ours, unless given); `None` takes a name out.
    Raises `StartFailedError`: Pi not found, a flag that belongs to a command, a session that can't be had.
    """
    check_args(args)
    merged = dict(os.environ if base is None else base)
    for name, value in env.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = value
    program = resolve(command, merged)
    argv = [*program, *args, "--mode", "rpc", *session_flags(session)]
    return Launch(argv=argv, env=merged, cwd=cwd, command=program)


def resolve(command: str | Sequence[str], env: Mapping[str, str]) -> list[str]:
    """The command as a list that starts with a program which exists. Raises `StartFailedError`."""
    path = env.get("PATH", os.defpath)
    if isinstance(command, str):
        words = [command] if _which(command, path) else _split(command)
    else:
        words = list(command)
    if not words or not words[0]:
        raise StartFailedError("pi.command is empty. Set it to the path of Pi, or leave it out.")
    found = _which(words[0], path)
    if found is None:
        where = "" if os.sep in words[0] else " on PATH"
        raise StartFailedError(
            f"Pi was not found: there is no program {words[0]}{where}."
            f" Install it with `{INSTALL}`, or set pi.command to its path."
        )
    # Pi starts in its session's directory, where a relative path would mean another program.
    return [str(Path(found).absolute()), *words[1:]]


def check_args(args: Sequence[str]) -> None:
    """Raise `StartFailedError` for the first of the user's own arguments that can't stay."""
    for arg, value in _flags(args):
        name = arg.partition("=")[0]
        if name in REFUSED:
            raise StartFailedError(f"`{name}` can't be in pi.args: {REFUSED[name]}.")
        if arg in VALUED and value is None:
            raise StartFailedError(f"`{arg}` in pi.args needs a value after it.")
        if not arg.startswith("-"):
            raise StartFailedError(f"`{arg}` can't be in pi.args: {REFUSED['--']}.")


def session_flags(session: Session) -> list[str]:
    """Pi's flags for a session. Raises `StartFailedError` where Pi would do something else than meant."""
    if isinstance(session, Continue):
        return ["--continue"]
    if isinstance(session, Resume):
        return ["--session", _file(session.path)]
    flags = ["--fork", _file(session.path)] if isinstance(session, Fork) else []
    if isinstance(session, New) and session.ephemeral:
        flags.append("--no-session")
    if session.id is not None:
        if not _ID.match(session.id):
            raise StartFailedError(
                f"`{session.id}` can't be a session's id: letters, digits, `-`, `_` and `.`,"
                " with a letter or digit at each end."
            )
        flags += ["--session-id", session.id]
    if session.name is not None:
        if not session.name.strip():
            raise StartFailedError("A session's name can't be blank.")
        flags += ["--name", session.name]
    return flags


def _file(path: str) -> str:
    if not Path(path).is_absolute():
        raise StartFailedError(f"`{path}` is no absolute path, and only a path says which session is meant.")
    if not Path(path).is_file():
        raise StartFailedError(f"There is no session file {path}.")
    return path


def _flags(args: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    """Pi's reading of its arguments: each flag with the value that it takes, if any."""
    at = 0
    while at < len(args):
        arg = args[at]
        following = args[at + 1] if at + 1 < len(args) else None
        at += 1
        if arg in VALUED:
            at += 1
            yield arg, following
        elif _unknown(arg) and following is not None and not following.startswith(("-", "@")):
            # A flag of an extension takes what follows, unless that looks like a flag itself.
            at += 1
            yield arg, following
        else:
            yield arg, None


def _unknown(arg: str) -> bool:
    return arg.startswith("--") and "=" not in arg and arg not in SWITCHES and arg not in REFUSED


def _which(program: str, path: str) -> str | None:
    # A Path would lose the `./` that says where to look.
    return shutil.which(str(Path(program).expanduser()) if program.startswith("~") else program, path=path)


def _split(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError as error:
        raise StartFailedError(f"pi.command can't be read: {error}.") from error
