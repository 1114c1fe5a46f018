"""Which session `:Pi resume` takes, and what it says where it takes none."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import StartEditor
from tests.support.editor import Editor
from tests.support.pi import Pi
from tests.support.stored import bucket, store

OLD, NEW = 1_700_000_000, 1_800_000_000
ODD = "a b%d #1 [x] * | 'é\" ~"


@dataclass
class Scene:
    """A Pi that writes down how it is started, and a Neovim that is given it."""

    pi: Pi
    start: StartEditor

    @property
    def project(self) -> Path:
        return self.pi.home.project

    @property
    def root(self) -> Path:
        return self.pi.home.root

    @property
    def starts(self) -> list[str]:
        """The arguments of each start of Pi on a session, joined."""
        log = self.root / "starts"
        lines = log.read_text().splitlines() if log.exists() else []
        return [line for line in lines if "--mode" in line]

    def bucket(self, cwd: Path) -> Path:
        return bucket(self.pi.home.sessions_dir, cwd)

    def nvim(
        self, *, cwd: Path | None = None, args: tuple[str, ...] = (), env: dict[str, str] | None = None
    ) -> Editor:
        """Neovim in `cwd`, with arguments and variables for Pi."""
        program = self.root / "pi"
        program.write_text(
            f'#!/bin/sh\nprintf "%s\\n" "$*" >>"{self.root}/starts"\nexec "{self.pi.path}" "$@"\n'
        )
        program.chmod(0o755)
        told = {"command": str(program), "env": {**self.pi.home.pi_env, **(env or {})}, "args": list(args)}
        return self.start(cwd=cwd, settings={"pi": told})


@pytest.fixture
def scene(pi: Pi, start_nvim: StartEditor) -> Scene:
    return Scene(pi, start_nvim)


def resume(nvim: Editor, target: str = "") -> str:
    """Resume and wait until Pi runs it; returns the session's file."""
    nvim.command(f"Pi resume {target}".rstrip())
    nvim.wait_event("PiviBackfilled")
    assert nvim.lua("return vim.b.pivi.phase") == "idle", nvim.messages()
    assert nvim.messages() == ""
    return str(nvim.lua("return vim.b.pivi.session_file"))


def refused(nvim: Editor, target: str, *words: str) -> None:
    """The target is refused in one message with these words, and nothing is opened for it."""
    nvim.command("messages clear")
    nvim.command(f"Pi resume {target}".rstrip())
    nvim.wait_for("return vim.fn.execute('messages') ~= ''")
    said = nvim.messages()
    assert "\n" not in said
    assert all(word in said for word in words), said
    assert nvim.lua("return vim.bo.filetype") == ""
    assert nvim.lua("return vim.b.pivi") is None


def state(root: Path) -> dict[Path, tuple[bytes, int]]:
    """Every session and Markdown file below: its bytes and time of change."""
    files = [path for kind in ("*.jsonl", "*.md") for path in root.rglob(kind) if path.is_file()]
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


@pytest.mark.matrix
def test_directories_with_one_bucket_name_each_resume_only_their_own(scene: Scene) -> None:
    flat, deep = scene.root / "a-b", scene.root / "a" / "b"
    for folder in (flat, deep):
        folder.mkdir(parents=True)
    shared = scene.bucket(flat)
    assert shared == scene.bucket(deep)
    own = store(shared, flat, "own", "this is mine", at=OLD)
    other = store(shared, deep, "other", "this is the neighbour's", at=NEW)
    before = state(shared)
    nvim = scene.nvim(cwd=flat)
    assert resume(nvim) == str(own)
    assert "this is mine" in nvim.lines()
    assert [str(own) in line and "--continue" not in line for line in scene.starts] == [True]
    nvim.command(f"cd {deep}")
    assert resume(nvim) == str(other)
    assert state(shared) == before


@pytest.mark.matrix
def test_a_neighbour_alone_in_the_bucket_is_nothing_to_resume(scene: Scene) -> None:
    flat, deep = scene.root / "a-b", scene.root / "a" / "b"
    for folder in (flat, deep):
        folder.mkdir(parents=True)
    store(scene.bucket(deep), deep, "other", "this is the neighbour's")
    before = state(scene.root)
    refused(scene.nvim(cwd=flat), "", str(flat), ":Pi new")
    assert scene.starts == []
    assert state(scene.root) == before


@pytest.mark.matrix
def test_a_broken_link_in_the_bucket_does_not_start_a_new_session(scene: Scene) -> None:
    folder = scene.bucket(scene.project)
    own = store(folder, scene.project, "own", "still here")
    (folder / "broken.jsonl").symlink_to(folder / "nowhere.jsonl")
    before = state(folder)
    nvim = scene.nvim()
    assert resume(nvim) == str(own)
    assert "still here" in nvim.lines()
    assert state(folder) == before


def test_a_project_reached_through_a_link_resumes_its_session(scene: Scene) -> None:
    own = store(scene.bucket(scene.project), scene.project, "own", "by whatever name")
    link = scene.root / "link"
    link.symlink_to(scene.project)
    assert resume(scene.nvim(cwd=link)) == str(own)


def test_a_directory_with_an_odd_name(scene: Scene) -> None:
    odd = scene.root / ODD
    odd.mkdir()
    own = store(scene.bucket(odd), odd, "own", "odd, but mine")
    nvim = scene.nvim()
    nvim.lua("vim.cmd.cd(vim.fn.fnameescape(...))", str(odd))
    assert resume(nvim) == str(own)
    assert nvim.lua("return vim.b.pivi.cwd") == str(odd)
    assert "odd, but mine" in nvim.lines()


@pytest.mark.parametrize("way", ["flag", "variable", "project", "global"])
def test_a_flat_directory_is_searched_for_this_directory_only(way: str, scene: Scene) -> None:
    flat = scene.root / "flat"
    flat.mkdir()
    own = store(flat, scene.project, "own", "mine, the older one", at=OLD)
    store(flat, scene.root, "other", "another directory's", at=NEW)
    before = state(flat)
    more: dict[str, Any] = {}
    if way == "flag":
        more = {"args": ("--session-dir", str(flat))}
    elif way == "variable":
        more = {"env": {"PI_CODING_AGENT_SESSION_DIR": str(flat)}}
    else:
        folder = scene.project / ".pi" if way == "project" else scene.pi.home.agent_dir
        folder.mkdir(exist_ok=True)
        file = folder / "settings.json"
        known = json.loads(file.read_text()) if file.exists() else {}
        file.write_text(json.dumps({**known, "sessionDir": str(flat)}))
    assert resume(scene.nvim(**more)) == str(own)
    assert state(flat) == before


def test_a_session_is_named_by_id_beginning_name_or_path(scene: Scene) -> None:
    folder = scene.bucket(scene.project)
    first = store(folder, scene.project, "aaaa-1111", "one", name="The first one")
    second = store(folder, scene.project, "bbbb-2222", "two")
    elsewhere = store(scene.bucket(scene.root), scene.root, "cccc-3333", "three")
    nvim = scene.nvim()
    assert resume(nvim, "aaaa-1111") == str(first)
    assert resume(nvim, "bbbb") == str(second)
    nvim.command("bwipe!")
    nvim.command("bwipe!")
    assert resume(nvim, "The first one") == str(first)
    assert resume(nvim, str(elsewhere)) == str(elsewhere)
    assert nvim.lua("return vim.b.pivi.cwd") == str(scene.root)


def test_a_target_that_is_not_one_session_is_refused_before_pi_starts(scene: Scene) -> None:
    folder = scene.bucket(scene.project)
    store(folder, scene.project, "abc-1", "one")
    store(folder, scene.project, "abc-2", "two")
    store(scene.bucket(scene.root), scene.root, "ffff-9", "elsewhere")
    notes = scene.project / "notes.md"
    notes.write_text("# Notes\n")
    before = state(scene.root)
    nvim = scene.nvim()
    refused(nvim, "abc", "abc-1", "abc-2")
    refused(nvim, "nothing-like-it", "nothing-like-it", ":Pi sessions")
    refused(nvim, "ffff-9", str(scene.root))
    refused(nvim, str(notes), "is no Pi session")
    refused(nvim, str(scene.project), "no Pi session, a directory")
    refused(nvim, str(folder / "gone.jsonl"), "no such file")
    assert scene.starts == []
    assert state(scene.root) == before


def test_nothing_to_resume_names_the_directory_and_what_to_do(scene: Scene) -> None:
    refused(scene.nvim(), "", "~/.pi/agent/sessions", ":Pi new")
    assert scene.starts == []
    assert state(scene.root) == {}


def test_a_session_whose_directory_is_gone_is_not_given_to_pi(scene: Scene) -> None:
    gone = scene.root / "gone"
    path = store(scene.bucket(gone), gone, "lost", "where am I?")
    before = state(scene.root)
    refused(scene.nvim(), str(path), str(gone), "no longer exists")
    assert scene.starts == []
    assert state(scene.root) == before
