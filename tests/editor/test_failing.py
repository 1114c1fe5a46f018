"""Pi does not start or can't answer: one sentence, a transcript to read, a next try in the same Neovim."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import StartEditor
from tests.support.editor import Editor
from tests.support.home import PiHome
from tests.support.model import Model
from tests.support.pi import Pi
from tests.support.processes import processes_with
from tests.support.talk import stored
from tests.support.tools import NODE

_SPEAK = "#!/bin/sh\n"
_VERSION = 'case "$*" in *--version*) echo {}; exit;; esac\n'

_NODE_20 = """#!/bin/sh
case "$*" in --version|-v) echo v20.11.0; exit;; esac
cat >&2 <<'END'
file:///usr/lib/node_modules/undici/lib/index.js:9
import { styleText, stripVTControlCharacters, enableCompileCache } from "node:module";
                                              ^^^^^^^^^^^^^^^^^^
SyntaxError: The requested module 'node:module' does not provide an export named 'enableCompileCache'
    at ModuleJob._instantiate (node:internal/modules/esm/module_job:134:21)
    at async ModuleJob.run (node:internal/modules/esm/module_job:217:5)

Node.js v20.11.0
END
exit 1
"""

_PROMPT = """
local buf = vim.fn.bufnr('pivi-prompt://')
return buf > 0 and vim.api.nvim_buf_get_lines(buf, 0, -1, true) or nil
"""


@dataclass(frozen=True)
class Case:
    """What Pi's program does, `None` where there is none, and what the user is told of it."""

    script: str | None
    sentence: str


SCRIPTS = {
    "missing": Case(None, "Pi was not found: there is no program {}."),
    "not executable": Case("no program", "Pi was not found: there is no program {}."),
    "no format": Case("\0\0\0", "{} can't be run: Exec format error."),
    "too old": Case(
        _SPEAK + _VERSION.format("0.80.3") + "echo 'Error: Unknown mode: rpc' >&2; exit 1\n",
        "Pi 0.80.3 is too old, update it with `",
    ),
    "too old, silent": Case(
        _SPEAK + _VERSION.format("0.80.3") + "exec sleep 60\n",
        "Pi 0.80.3 is too old, update it with `",
    ),
    "hangs": Case(
        _SPEAK + _VERSION.format("1.6.0") + "sleep 60; true\n",
        "Pi did not answer within 4 s: try `--no-extensions` in pi.args.",
    ),
    "hangs, deaf": Case(
        _SPEAK + "trap '' TERM HUP INT\n" + _VERSION.format("1.6.0") + "sleep 60; sleep 60\n",
        "Pi did not answer within 4 s: try `--no-extensions` in pi.args.",
    ),
    "ends with a word": Case(
        _SPEAK + _VERSION.format("1.6.0") + "echo Warning: hot >&2; echo Error: Disk on fire >&2; exit 3\n",
        "Pi ended at once (exit status 3): Error: Disk on fire. `:Pi log`",
    ),
    "ends without a word": Case(
        _SPEAK + _VERSION.format("1.6.0") + "exit 0\n",
        "Pi ended at once (exit status 0) and gave no reason.",
    ),
    "is killed": Case(
        _SPEAK + _VERSION.format("1.6.0") + "kill -9 $$\n",
        "Pi ended at once (killed by SIGKILL) and gave no reason.",
    ),
}


def settings(command: Path, home: PiHome, path: str = "", timeout: float = 15) -> dict[str, Any]:
    """`vim.g.pivi` with this program for Pi, and `path` for its PATH."""
    env = {**home.pi_env, **({"PATH": path} if path else {})}
    return {"pi": {"command": [str(command)], "env": env, "start_timeout": timeout}}


def write(program: Path, text: str, mode: int = 0o755) -> None:
    program.write_text(text)
    program.chmod(mode)


def fails(nvim: Editor, sentence: str) -> str:
    """`:Pi resume` fails with this sentence, told once, beside the whole transcript, which is returned."""
    nvim.command("Pi resume")
    nvim.wait_events("PiviPainted", "PiviBackfilled")
    nvim.wait_for("return vim.b.pivi.phase == 'failed'")
    error = nvim.lua("return vim.b.pivi.error")
    assert sentence in error
    assert "\n" not in error
    nvim.lua("vim.wait(50)")
    assert nvim.messages().count(error) == 1
    assert "You said: first" in nvim.text()
    assert not any("sleep 60" in line for line in processes_with(nvim.home.mark).values())
    return nvim.text()


def works(nvim: Editor, text: str) -> None:
    """The next `:Pi resume` attaches Pi to the same buffer, whose text stays, and Pi answers."""
    buf = nvim.nvim.current.buffer.number
    nvim.command("Pi resume")
    nvim.wait_event("PiviAttached")
    nvim.wait_for("return vim.b.pivi.phase == 'idle'")
    assert nvim.lua("return vim.b.pivi.error") is None
    assert (nvim.nvim.current.buffer.number, nvim.text()) == (buf, text)
    nvim.command("Pi send back again")
    nvim.wait_event("PiviSettled")
    assert nvim.text().startswith(text)
    assert "You said: back again" in nvim.text()


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_pi_that_does_not_start(start_nvim: StartEditor, pi: Pi, tmp_path: Path, name: str) -> None:
    stored(pi)
    case, program = SCRIPTS[name], tmp_path / "program"
    if case.script is not None:
        write(program, case.script, 0o644 if name == "not executable" else 0o755)
    nvim = start_nvim(settings=settings(program, pi.home, timeout=4 if "sleep" in str(case.script) else 15))
    text = fails(nvim, case.sentence.format(program))
    write(program, f'#!/bin/sh\nexec "{pi.path}" "$@"\n')
    works(nvim, text)


@pytest.mark.matrix
def test_pi_is_installed_after_it_was_missed(start_nvim: StartEditor, pi: Pi, tmp_path: Path) -> None:
    stored(pi)
    program = tmp_path / "program"
    nvim = start_nvim(settings=settings(program, pi.home))
    text = fails(nvim, f"Pi was not found: there is no program {program}.")
    program.symlink_to(pi.path)
    works(nvim, text)


@pytest.mark.matrix
def test_a_node_that_is_too_old(start_nvim: StartEditor, pi: Pi, tmp_path: Path) -> None:
    stored(pi)
    node = tmp_path / "bin" / "node"
    node.parent.mkdir()
    write(node, _NODE_20)
    nvim = start_nvim(settings=settings(pi.path, pi.home, f"{node.parent}:/usr/bin:/bin"))
    text = fails(
        nvim, "Pi needs Node 22.19.0 or newer. Put it on PATH, or set PATH in pi.env. It runs on 20.11.0"
    )
    node.unlink()
    node.symlink_to(NODE)
    works(nvim, text)


def test_no_node(start_nvim: StartEditor, pi: Pi, tmp_path: Path) -> None:
    stored(pi)
    tools = tmp_path / "bin"
    tools.mkdir()
    nvim = start_nvim(settings=settings(pi.path, pi.home, str(tools)))
    text = fails(nvim, "Pi needs Node 22.19.0 or newer, its PATH has none.")
    (tools / "node").symlink_to(NODE)
    works(nvim, text)


def test_words_come_back_from_a_pi_that_does_not_start(
    start_nvim: StartEditor, pi: Pi, tmp_path: Path
) -> None:
    stored(pi)
    program = tmp_path / "program"
    nvim = start_nvim(settings=settings(program, pi.home))
    text = fails(nvim, "Pi was not found")
    nvim.command("Pi send precious words")
    nvim.wait_for(_PROMPT)
    assert nvim.lua(_PROMPT) == ["precious words"]
    assert nvim.lua("return vim.b.pivi.phase") == "failed"
    assert nvim.text() == text
    program.symlink_to(pi.path)
    nvim.command("Pi send more words")
    nvim.wait_event("PiviSettled")
    assert "You said: more words" in nvim.text()


@pytest.mark.parametrize("command", ["Pi new", "Pi new ++ephemeral", "Pi fork"])
def test_a_new_session_of_a_pi_that_does_not_start(
    start_nvim: StartEditor, pi: Pi, tmp_path: Path, command: str
) -> None:
    file = stored(pi)
    program = tmp_path / "program"
    nvim = start_nvim(settings=settings(program, pi.home))
    if command == "Pi fork":
        command = f"Pi fork {file}"
    nvim.command(command)
    sentence = f"Pi was not found: there is no program {program}."
    nvim.wait_for("return vim.fn.execute('messages'):find(..., 1, true)", sentence)
    nvim.lua("vim.wait(50)")
    assert nvim.messages().count(sentence) == 1
    assert nvim.lua("return vim.bo.filetype") == ""
    program.symlink_to(pi.path)
    nvim.command(command)
    nvim.wait_event("PiviAttached")
    nvim.wait_for("return vim.b.pivi.phase == 'idle'")


def no_models(home: PiHome) -> None:
    """Nothing is configured."""
    for name in ("models.json", "settings.json"):
        (home.agent_dir / name).unlink()


def no_key(home: PiHome) -> None:
    """The model of the session and of the settings needs a key that is not there."""
    models = home.agent_dir / "models.json"
    models.write_text(models.read_text().replace('"dummy"', '"$NO_SUCH_KEY"'))


@pytest.mark.matrix
@pytest.mark.parametrize("lacks", [no_models, no_key])
def test_no_key_and_no_model(
    start_nvim: StartEditor, pi: Pi, model: Model, lacks: Callable[[PiHome], None]
) -> None:
    stored(pi)
    lacks(pi.home)
    nvim = start_nvim()
    text = fails(nvim, "Pi has no model: use `/login` in a `pi` in a terminal, or set a provider's API key")
    assert nvim.lua("return vim.b.pivi.model") != "unknown/unknown"
    nvim.command("Pi send precious words")
    nvim.wait_for(_PROMPT)
    assert nvim.lua(_PROMPT) == ["precious words"]
    nvim.wait_for("return vim.b.pivi.phase == 'failed'")
    pi.home.write_models(model.url)
    works(nvim, text)
