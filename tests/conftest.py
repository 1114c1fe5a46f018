"""Fixtures: the scripted model, a home, the real Pi, the real Neovim.

PIVI_TEST_NVIM and PIVI_TEST_PI choose versions (`"0.10.4 0.12"`, `all`); tests marked `matrix` run on each
that they use, the others on one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.support.editor import Editor, options
from tests.support.home import PiHome, make_home
from tests.support.model import Model
from tests.support.pi import Pi
from tests.support.processes import wait_gone
from tests.support.tools import DEFAULT_PI, chosen_nvim, chosen_pi

StartEditor = Callable[..., Editor]

# How long an example takes says nothing where the machine is busy with others.
settings.register_profile("pivi", deadline=None)
settings.load_profile("pivi")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    matrix = metafunc.definition.get_closest_marker("matrix") is not None
    for name, versions in (("nvim_version", chosen_nvim()), ("pi_version", chosen_pi())):
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, versions.all if matrix else [versions.default])


@pytest.fixture
def model() -> Iterator[Model]:
    """A scripted model that echoes until `model.script` is called."""
    with Model() as running:
        yield running


@pytest.fixture
def pi_home(tmp_path: Path, model: Model) -> Iterator[PiHome]:
    """A home whose default model is `model`. At the end no process of this home may be left."""
    home = make_home(tmp_path / "pi")
    home.write_models(model.url)
    yield home
    wait_gone(home.mark)


@pytest.fixture
def pi(pi_version: str, pi_home: PiHome) -> Pi:
    """The real Pi, not started."""
    return Pi(pi_version, pi_home)


@pytest.fixture
def start_nvim(nvim_version: str, pi_home: PiHome, request: pytest.FixtureRequest) -> Iterator[StartEditor]:
    """Starts Neovims: `start_nvim(*args, cwd=…, size=(columns, rows), settings={…})`, all closed at the end.

    A test that is also given `pi` has that version in them. `settings` are merged over `vim.g.pivi`.
    """
    version = request.getfixturevalue("pi_version") if "pi_version" in request.fixturenames else DEFAULT_PI
    started: list[Editor] = []

    def start(*args: str, settings: dict[str, Any] | None = None, **more: Any) -> Editor:
        merged = {**options(Pi(version, pi_home)), **(settings or {})}
        editor = Editor(nvim_version, pi_home, merged, *args, **more)
        started.append(editor)
        return editor

    yield start
    for editor in started:
        if editor.alive:
            editor.close()


@pytest.fixture
def nvim(start_nvim: StartEditor) -> Editor:
    """A Neovim in the home's project, without a screen."""
    return start_nvim()
