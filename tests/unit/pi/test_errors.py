from __future__ import annotations

import pytest

from pivi.pi.answers import Model, State
from pivi.pi.diagnose import no_model, old_node, old_pi, refused_prompt
from pivi.pi.errors import Exit, first_sentence
from pivi.pi.probe import Versions

NODE_20 = """file:///x/cli.js:2
import { createRequire, enableCompileCache } from "node:module";
                        ^^^^^^^^^^^^^^^^^^
SyntaxError: The requested module 'node:module' does not provide an export named 'enableCompileCache'
    at ModuleJob._instantiate (node:internal/modules/esm/module_job:180:21)

Node.js v20.20.2
"""


@pytest.mark.parametrize(
    ("stderr", "sentence"),
    [
        ("", ""),
        ("\n \n", ""),
        ("No session found matching 'ffffffff'\n", "No session found matching 'ffffffff'"),
        ("Warning: w\n\x1b[31mError: e\x1b[0m\n", "Error: e"),
        ("Warning: w\n", "Warning: w"),
        ("(node:1) Warning: x\nwords\n", "words"),
        (NODE_20, NODE_20.splitlines()[3]),
        ("x" * 1000, "x" * 299 + "…"),
    ],
)
def test_first_sentence(stderr: str, sentence: str) -> None:
    assert first_sentence(stderr) == sentence


def test_an_end_in_words() -> None:
    assert Exit(1, None, "Error: no\n").sentence == "Pi ended (exit status 1): Error: no"
    assert Exit(None, 9, "").sentence == "Pi ended (killed by SIGKILL)."
    assert Exit(None, 99, "").sentence == "Pi ended (killed by signal 99)."


def test_what_is_too_old() -> None:
    for new in (Versions((0, 87, 1), (22, 19, 0), "/n"), Versions(None, None, None)):
        assert old_node(new) is None and old_pi(new) is None
    old = Versions((0, 87, 0), (22, 18, 9), "/n")
    assert "runs on 22.18.9, /n." in str(old_node(old))
    assert "Pi 0.87.0 is too old, update it with `" in str(old_pi(old))


def test_no_model() -> None:
    assert no_model(State("s", model=Model(id="m", provider="p"))) is None
    for state in (State("s"), State("s", model=Model(id="unknown", provider="unknown"))):
        assert "/login" in str(no_model(state))


def test_refused_prompt() -> None:
    long = "No API key found for the selected model.\n\nUse /login to log in.\n\nSee the docs."
    assert refused_prompt(long) == (
        "Use `/login` in a `pi` in a terminal, or set an API key: No API key found for the selected model."
    )
    assert refused_prompt("Agent is busy.") == "Agent is busy."
    assert refused_prompt("") != ""
