"""Where sessions are, and which one is taken, is what the real Pi does."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pivi.sessions.location import Location, session_dirs
from pivi.sessions.targets import NotASessionError, continue_takes, find
from tests.support.pi import Pi, PiRun
from tests.support.stores import Store, header, lines, session_info, talk

pytestmark = pytest.mark.matrix


@dataclass
class Place:
    """How a Pi is started: in `cwd` of the home's root, with arguments, environment and settings files."""

    cwd: str = "project"
    args: list[str] = field(default_factory=list)
    env: dict[str, str] = field(default_factory=dict)
    settings: dict[str, object] = field(default_factory=dict)

    def prepare(self, pi: Pi) -> tuple[Path, dict[str, str]]:
        cwd = pi.home.root / self.cwd
        cwd.mkdir(parents=True, exist_ok=True)
        for name, value in self.settings.items():
            file = pi.home.root / name / "settings.json"
            file.parent.mkdir(parents=True, exist_ok=True)
            kept = json.loads(file.read_text()) if file.exists() else {}
            file.write_text(json.dumps({**kept, "sessionDir": value}))
        return cwd, {**pi.home.env, **self.env}


def state(pi: Pi, cwd: Path, env: dict[str, str], *args: str) -> tuple[str, str]:
    """The session id and file, absolute, that a Pi says it has."""
    with PiRun([str(pi.path), "--mode", "rpc", *args], env, cwd) as run:
        data = run.request("get_state")["data"]
    return data["sessionId"], os.path.normpath(os.path.join(os.path.realpath(cwd), data["sessionFile"]))


GLOBAL, PROJECT = "home/.pi/agent", "project/.pi"
VARIABLE = "PI_CODING_AGENT_SESSION_DIR"


@pytest.mark.parametrize(
    "place",
    [
        Place(),
        Place(cwd="a b/ü:x\\y.--z"),
        Place(args=["--session-dir", "no", "--session-dir", "rel/../flat/"]),
        Place(args=["--model", "fake-1", "--session-dir", "~/flat"], env={VARIABLE: "/nowhere"}),
        Place(env={VARIABLE: "~/variable"}, settings={PROJECT: "/nowhere"}),
        Place(env={VARIABLE: ""}, args=["--session-dir", ""], settings={PROJECT: "../s", GLOBAL: "/nowhere"}),
        Place(args=["--no-approve"], settings={PROJECT: "~/s"}),
        Place(settings={GLOBAL: "~"}),
        Place(settings={PROJECT: None, GLOBAL: "/nowhere"}),
        Place(env={"PI_CODING_AGENT_DIR": "~/.pi/agent"}),
        Place(env={"PI_CODING_AGENT_DIR": "../home/.pi/agent/"}),
        Place(env={"PI_CODING_AGENT_DIR": ""}),
    ],
    ids=str,
)
def test_a_new_session_goes_where_we_look(pi: Pi, place: Place) -> None:
    cwd, env = place.prepare(pi)
    link = pi.home.root / "link"
    link.symlink_to(cwd)
    ours = session_dirs(str(link), place.args, env)
    assert ours.dir == os.path.dirname(state(pi, link, env, *place.args)[1])
    assert ours.agent_dir == str(pi.home.agent_dir)


@dataclass
class Scene:
    """A store in the home of a Pi, with two directories that share a bucket."""

    pi: Pi
    store: Store
    one: str
    other: str

    @property
    def folder(self) -> Path:
        return self.store.bucket(self.one)

    def location(self, *args: str) -> Location:
        return self.store.location(self.one, *args)


@pytest.fixture
def scene(pi: Pi) -> Scene:
    store = Store(pi.home.root)
    store.env = pi.home.env
    store.agent = pi.home.agent_dir
    return Scene(pi, store, store.project("a-b"), store.project("a/b"))


def alone(scene: Scene) -> None:
    return None


def older_ones(scene: Scene) -> None:
    scene.store.put("older", scene.one, at=1000)
    scene.store.put("neighbour", scene.other, at=1500)


def newer_neighbour(scene: Scene) -> None:
    scene.store.put("neighbour", scene.other, at=3000)


def broken_link(scene: Scene) -> None:
    (scene.folder / "broken.jsonl").symlink_to("nowhere")


def newer_that_are_none(scene: Scene) -> None:
    (scene.folder / "dir.jsonl").mkdir()
    (scene.folder / "empty.jsonl").touch()
    (scene.folder / "notes.jsonl").write_text("# notes\n")
    (scene.folder / "long.jsonl").write_bytes(lines([header("long", scene.other, more="x" * (1 << 20))]))


def name_no_utf8(scene: Scene) -> None:
    with open(os.fsencode(scene.folder) + b"/b\xff.jsonl", "wb"):
        pass


def moved_at_start(scene: Scene) -> None:
    (scene.store.agent / "old.jsonl").write_bytes(lines([header("old", scene.one), *talk()]))


@pytest.mark.parametrize(
    ("change", "taken"),
    [
        (alone, True),
        (older_ones, True),
        (newer_neighbour, False),
        (broken_link, False),
        (newer_that_are_none, True),
        (name_no_utf8, False),
        (moved_at_start, False),
    ],
)
def test_continue_takes_the_file_that_we_foretell(
    scene: Scene, change: Callable[[Scene], None], taken: bool
) -> None:
    file = scene.store.put("mine", scene.one, at=2000)
    change(scene)
    before = file.read_bytes(), file.stat().st_mtime_ns
    assert find(None, scene.one, scene.location()).path == str(file)
    assert continue_takes(str(file), scene.one, scene.location()) == taken
    ident, path = state(scene.pi, Path(scene.one), scene.store.env, "--continue")
    assert ((ident, path) == ("mine", str(file))) == taken
    assert (file.read_bytes(), file.stat().st_mtime_ns) == before


def test_continue_in_a_flat_directory(scene: Scene) -> None:
    flat = scene.pi.home.root / "flat"
    flat.mkdir()
    mine = scene.store.put("mine", scene.one, folder=flat, at=1000)
    scene.store.put("theirs", scene.other, folder=flat, at=2000)
    args = ("--session-dir", str(flat))
    assert continue_takes(str(mine), scene.one, scene.location(*args))
    assert state(scene.pi, Path(scene.one), scene.store.env, *args, "--continue") == ("mine", str(mine))


@pytest.mark.parametrize("target", [None, "mine", "mi", "The name", "PATH"])
def test_the_path_we_find_opens_that_session(scene: Scene, target: str | None) -> None:
    file = scene.store.put("mine", scene.one, at=2000, more=[session_info("The name")])
    scene.store.put("neighbour", scene.other, at=3000)
    cwd = scene.other if target == "PATH" else scene.one
    found = find(str(file) if target == "PATH" else target, cwd, scene.location())
    assert found.cwd == scene.one
    assert state(scene.pi, Path(cwd), scene.store.env, "--session", found.path) == ("mine", str(file))


@pytest.mark.parametrize(
    ("content", "opens"),
    [
        (b"\xef\xbb\xbf" + lines([header("s", None), *talk()]), False),
        (b"# notes\n\n", False),
        (b"[1]\n" + lines([header("s", None), *talk()]), False),
        (lines([{"type": "session", "version": 3}, *talk()]), False),
        (b"garbage\nnull\n\n" + lines([header("s", None), *talk()]), True),
        (lines([header("s", None, more="x" * (3 << 20)), *talk()]), True),
        (lines([header("s", None), *talk()]).replace(b"\n", b"\r\n"), True),
    ],
)
def test_a_file_is_a_session_for_us_where_it_is_for_pi(scene: Scene, content: bytes, opens: bool) -> None:
    file = scene.pi.home.root / "s.jsonl"
    file.write_bytes(content)
    if opens:
        assert find(str(file), scene.one, scene.location()).header.id == "s"
        assert state(scene.pi, Path(scene.one), scene.store.env, "--session", str(file))[0] == "s"
    else:
        with pytest.raises(NotASessionError):
            find(str(file), scene.one, scene.location())
        with pytest.raises(EOFError, match="not a valid pi session"):
            state(scene.pi, Path(scene.one), scene.store.env, "--session", str(file))
    assert file.read_bytes() == content
