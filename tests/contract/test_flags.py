"""Pi's flags are known as Pi's own help has them."""

from __future__ import annotations

import re
import subprocess

import pytest

from pivi.pi.flags import SWITCHES, VALUED, VALUED_OF_OURS
from pivi.pi.launch import REFUSED
from tests.support.pi import Pi

pytestmark = pytest.mark.matrix

_FLAG = re.compile(r"^  (--?[a-z-]*(?:, -[a-z]+)?) ([<\[]?)", re.MULTILINE)


def test_each_flag_takes_a_value_or_none(pi: Pi) -> None:
    said = subprocess.run(
        [str(pi.path), "--help"], env=pi.home.env, capture_output=True, text=True, check=True
    ).stdout
    flags = {(name, sign) for names, sign in _FLAG.findall(said) for name in names.split(", ")}
    assert len(flags) > 40
    for name, sign in flags:
        assert (name in VALUED | VALUED_OF_OURS) == (sign == "<"), name
        assert (name in VALUED) + (name in SWITCHES) + (name in REFUSED) == 1, name


def test_a_flag_is_of_one_sort() -> None:
    assert not VALUED & SWITCHES
    assert set(REFUSED) >= VALUED_OF_OURS
