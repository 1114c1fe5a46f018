"""`:help pivi` names everything that a user can meet."""

from __future__ import annotations

import re

import msgspec
import pytest

from pivi.conversation.front import Status
from pivi.conversation.options import PiOptions
from pivi.view.groups import LINKS
from tests.support.editor import EVENTS, Editor
from tests.support.tools import ROOT

HELP = (ROOT / "doc" / "pivi.txt").read_text()
TAGS = set(re.findall(r"\*(\S+)\*", HELP))


def names(struct: type[msgspec.Struct]) -> list[str]:
    return [field.name for field in msgspec.structs.fields(struct)]


def test_every_subcommand_has_a_tag(nvim: Editor) -> None:
    commands = nvim.lua("return require('pivi.command').names()")
    assert [name for name in commands if f":Pi-{name}" not in TAGS] == []


def test_every_subcommand_is_in_the_readme(nvim: Editor) -> None:
    readme = (ROOT / "README.md").read_text()
    commands = nvim.lua("return require('pivi.command').names()")
    assert [name for name in commands if f":Pi {name}" not in readme] == []


def test_every_key_stands_with_its_map(nvim: Editor) -> None:
    keys = nvim.lua(
        "return vim.tbl_map(function(k) return { k.key, k.plug } end, require('pivi.keys').TABLE)"
    )
    assert [key for key in keys if f"\t{key[0]}\t{key[1]}\t" not in HELP] == []


def test_every_function_has_a_tag(nvim: Editor) -> None:
    functions = nvim.lua("return vim.tbl_keys(require('pivi'))")
    assert [name for name in functions if f"pivi.{name}()" not in TAGS] == []


def test_every_event_has_a_tag() -> None:
    assert [name for name in EVENTS if name not in TAGS] == []


@pytest.mark.parametrize("option", ["python", "icons", *(f"pi.{name}" for name in names(PiOptions))])
def test_options(option: str) -> None:
    assert re.search(rf"^{re.escape(option)}\t", HELP, re.MULTILINE)


@pytest.mark.parametrize("key", names(Status))
def test_keys_of_the_status(key: str) -> None:
    assert re.search(rf"^\t{key}\t", HELP, re.MULTILINE)


@pytest.mark.parametrize(("group", "link"), LINKS.items())
def test_highlight_groups(group: str, link: str) -> None:
    assert re.search(rf"^\t\*hl-{group}\*\t+{link}\s", HELP, re.MULTILINE)
