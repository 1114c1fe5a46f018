"""Where the Pi that is started would keep and look for sessions."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import msgspec

from pivi.pi.flags import VALUED, VALUED_OF_OURS

from . import jsontext
from .files import open_regular, read_exactly
from .paths import bucket_name, home_directory, node_text, real, resolve

AGENT_DIR_VARIABLE = "PI_CODING_AGENT_DIR"
SESSION_DIR_VARIABLE = "PI_CODING_AGENT_SESSION_DIR"

_VALUED = VALUED | VALUED_OF_OURS


class Location(msgspec.Struct, frozen=True):
    """The one directory that Pi searches for sessions of a working directory.

    `dir` is absolute. `flat` tells that sessions of all directories are mixed there and Pi filters by the
    header's `cwd`; else it is the bucket of one directory name. `found_by` says who named it, for people.
    """

    dir: str
    flat: bool
    found_by: str
    agent_dir: str
    home: str

    @property
    def sessions_dir(self) -> str:
        """The directory of all buckets."""
        return os.path.join(self.agent_dir, "sessions")


def agent_dir(env: Mapping[str, str], cwd: str | None = None) -> str:
    """Pi's agent directory, absolute. A relative one counts from `cwd` (default: the process's)."""
    home = home_directory(env)
    named = env.get(AGENT_DIR_VARIABLE)
    base = real(cwd if cwd is not None else os.getcwd())
    return resolve(named, base, home) if named else os.path.join(home, ".pi", "agent")


def session_dirs(cwd: str, args: Sequence[str], env: Mapping[str, str]) -> Location:
    """The location for `cwd`, looked up anew: files and links may have changed since the last call.

    `args` are the arguments that Pi gets, `env` its whole environment. Reads settings files, writes nothing.
    """
    home = home_directory(env)
    base = real(cwd)
    agent = agent_dir(env, cwd)
    default = os.path.join(agent, "sessions", bucket_name(node_text(base)))
    named, found_by = _named(base, args, env, agent)
    if not named:
        return Location(default, False, "Pi's default", agent, home)
    explicit = resolve(named, base, home)
    return Location(explicit, explicit != default, found_by, agent, home)


def _named(base: str, args: Sequence[str], env: Mapping[str, str], agent: str) -> tuple[str, str]:
    if flag := flag_value(args, "--session-dir"):
        return flag, "--session-dir"
    if variable := env.get(SESSION_DIR_VARIABLE):
        return variable, SESSION_DIR_VARIABLE
    # A project's own setting counts also where the project is not trusted, and hides the global one even
    # when it is null or empty.
    for file in (os.path.join(base, ".pi", "settings.json"), os.path.join(agent, "settings.json")):
        settings = _settings(file)
        if "sessionDir" in settings:
            value = settings["sessionDir"]
            return (value, f"sessionDir in {file}") if isinstance(value, str) else ("", "")
    return "", ""


def flag_value(args: Sequence[str], flag: str) -> str | None:
    """The value that Pi takes for `flag`: the last one, before a `--`; None where it is not given."""
    found: str | None = None
    rest = iter(range(len(args)))
    for index in rest:
        arg = args[index]
        if arg == "--":
            break
        if arg in _VALUED and index + 1 < len(args):
            next(rest)
            if arg == flag:
                found = args[index + 1]
    return found


def _settings(file: str) -> Mapping[str, object]:
    """A settings file's keys; one that is missing or can't be read has none, as for Pi."""
    try:
        descriptor, state = open_regular(file)
    except (OSError, ValueError):
        return {}
    try:
        text = read_exactly(descriptor, state.st_size, 0)
    except OSError:
        return {}
    finally:
        os.close(descriptor)
    try:
        value = jsontext.parse(text.removeprefix(b"\xef\xbb\xbf"))
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
