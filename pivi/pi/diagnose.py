"""A start that failed, told in one sentence with what to do."""

from __future__ import annotations

import re
from collections.abc import Sequence

from . import probe
from .answers import State
from .errors import Exit, first_sentence
from .launch import INSTALL
from .process import Launch

_NO_NODE = re.compile(r"env: .?node.?: No such file|node: (?:command )?not found|exec: node: not found")
_NODE_SPOKE = re.compile(r"SyntaxError|node:internal|ERR_[A-Z]|Node\.js v")
_NO_DIRECTORY = re.compile(r"Stored session working directory does not exist: (.*)")
_NO_KEY = re.compile(r"No API key|No models available|no model selected", re.IGNORECASE)
_PATH = "Put it on PATH, or set PATH in pi.env."
_LOG = "`:Pi log` has all that Pi said"


async def after_exit(launch: Launch, ended: Exit, asked: Sequence[str]) -> str:
    """Why Pi ended before it had answered; `asked` are the titles of dialogs that were open in it."""
    if asked and ended.status == 0:
        # Nothing is left for Node to do while the extension waits for an answer that nobody reads.
        return f"Pi ended at once: {_asking(asked[0])}"
    if _NO_NODE.search(ended.stderr):
        needed = probe.text(probe.OLDEST_NODE)
        return f"Pi needs Node {needed} or newer, its PATH has none. {_PATH}"
    if gone := _NO_DIRECTORY.search(ended.stderr):
        return f"Go on with `:Pi fork`: the session's directory no longer exists, {gone[1].strip()}."
    found = await probe.versions(launch)
    # Behind ssh or in a container Pi has another Node than the one here: only Node's own words accuse it.
    if old := (old_node(found) if _NODE_SPOKE.search(ended.stderr) else None) or old_pi(found):
        return old
    said = first_sentence(ended.stderr)
    how = f"Pi ended at once ({ended.how})"
    return f"{how}: {said.rstrip('.')}. {_LOG}." if said else f"{how} and gave no reason."


async def after_silence(launch: Launch, limit: float, asked: Sequence[str]) -> str:
    """Why Pi runs and does not answer; `asked` are the titles of dialogs that wait in it."""
    if asked:
        return f"Pi did not answer within {limit:g} s: {_asking(asked[0])}"
    return old_pi(await probe.versions(launch)) or (
        f"Pi did not answer within {limit:g} s: try `--no-extensions` in pi.args. An extension may be waiting"
        f" at its start. {_LOG}."
    )


async def after_refusal(launch: Launch, sentence: str) -> str:
    """Why Pi refused what every supported version can do."""
    return old_pi(await probe.versions(launch)) or f"Pi refused: {sentence}"


def _asking(title: str) -> str:
    return (
        "try `--no-extensions` in pi.args. An extension asks at its start, where Pi can't take an answer:"
        f" {' '.join(title.split())}"
    )


def old_node(found: probe.Versions) -> str | None:
    """What to do about a Node that is too old for Pi; `None` where it is not."""
    if found.node is None or found.node >= probe.OLDEST_NODE:
        return None
    return (
        f"Pi needs Node {probe.text(probe.OLDEST_NODE)} or newer. {_PATH} It runs on"
        f" {probe.text(found.node)}, {found.node_path}."
    )


def old_pi(found: probe.Versions) -> str | None:
    """What to do about a Pi that is too old for pivi; `None` where it is not."""
    if found.pi is None or found.pi >= probe.OLDEST_PI:
        return None
    return (
        f"Pi {probe.text(found.pi)} is too old, update it with `{INSTALL}`:"
        f" pivi needs {probe.text(probe.OLDEST_PI)} or newer."
    )


def no_model(state: State) -> str | None:
    """What to do where Pi has started and no prompt can be answered; `None` where one can."""
    if state.model is not None and state.model.provider not in ("", "unknown"):
        return None
    return "Pi has no model: use `/login` in a `pi` in a terminal, or set a provider's API key."


def refused_prompt(sentence: str) -> str:
    """A refused prompt in one sentence; Pi's own advice on keys takes several paragraphs."""
    if _NO_KEY.search(sentence):
        said = first_sentence(sentence).rstrip(".")
        return f"Use `/login` in a `pi` in a terminal, or set an API key: {said}."
    return first_sentence(sentence) or "Pi refused the prompt and gave no reason."
