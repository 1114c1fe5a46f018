"""The session directory is the one that the Pi which is started would use."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from pivi.sessions.location import agent_dir, flag_value, session_dirs
from tests.support.stores import Store


def settings(folder: Path, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "settings.json").write_text(text)


def test_default_is_the_bucket_of_the_directory(store: Store) -> None:
    cwd = store.project("a b")
    found = store.location(cwd)
    assert found.dir == str(store.agent / "sessions" / f"--{cwd[1:].replace('/', '-')}--")
    assert not found.flat
    assert found.agent_dir == str(store.agent)


def test_a_link_to_a_project_leads_to_the_bucket_of_the_real_one(store: Store) -> None:
    cwd = store.project("real")
    link = store.root / "link"
    link.symlink_to(cwd)
    assert store.location(str(link)) == store.location(cwd)
    assert store.location(cwd + "/") == store.location(cwd + "/../real") == store.location(cwd)


@pytest.mark.parametrize(
    ("cwd", "bucket"),
    [("/", "----"), ("/a/ü:x", "--a-ü-x--"), ("/a/back\\slash", "--a-back-slash--"), ("/.h--x", "--.h--x--")],
)
def test_a_bucket_is_spelled_as_pi_spells_it(cwd: str, bucket: str) -> None:
    assert session_dirs(cwd, [], {"HOME": "/h"}).dir == f"/h/.pi/agent/sessions/{bucket}"


def test_a_directory_that_is_no_utf8_has_a_bucket_that_node_can_name(tmp_path: Path) -> None:
    cwd = os.fsdecode(os.fsencode(tmp_path) + b"/b\xff")
    assert session_dirs(cwd, [], {"HOME": "/h"}).dir.endswith("b\ufffd--")


def test_flag_then_variable_then_project_then_global_settings(store: Store) -> None:
    cwd = store.project("p")
    project = store.root / "x" / "p" / ".pi"
    variable = "PI_CODING_AGENT_SESSION_DIR"
    settings(store.agent, json.dumps({"sessionDir": "/s/global"}))
    assert store.location(cwd).dir == "/s/global"
    settings(project, json.dumps({"sessionDir": "/s/project"}))
    assert store.location(cwd).dir == "/s/project"
    assert str(project) in store.location(cwd).found_by
    store.env[variable] = "/s/variable"
    assert store.location(cwd).dir == "/s/variable"
    assert store.location(cwd, "--session-dir", "/s/flag").dir == "/s/flag"
    assert store.location(cwd, "--session-dir", "/s/flag").found_by == "--session-dir"
    store.env[variable] = ""
    assert store.location(cwd, "--session-dir", "").dir == "/s/project"
    (project / "settings.json").unlink()
    assert store.location(cwd).dir == "/s/global"
    assert store.location(cwd).flat


def test_tilde_and_relative_paths_in_every_place(store: Store) -> None:
    cwd = store.project("p")
    for given, wanted in [("~/s", f"{store.home}/s"), ("~", str(store.home)), ("rel/s/", f"{cwd}/rel/s"),
                          ("../s", str(store.root / "x" / "s")), ("~other", f"{cwd}/~other")]:  # fmt: skip
        assert store.location(cwd, "--session-dir", given).dir == wanted
        store.env["PI_CODING_AGENT_SESSION_DIR"] = given
        assert store.location(cwd).dir == wanted
        del store.env["PI_CODING_AGENT_SESSION_DIR"]
        settings(store.agent, json.dumps({"sessionDir": given}))
        assert store.location(cwd).dir == wanted
        (store.agent / "settings.json").unlink()
        assert agent_dir({"HOME": str(store.home), "PI_CODING_AGENT_DIR": given}, cwd) == wanted
    assert agent_dir({"HOME": "/h", "PI_CODING_AGENT_DIR": ""}, cwd) == "/h/.pi/agent"


def test_naming_the_own_bucket_does_not_make_it_flat(store: Store) -> None:
    cwd = store.project("p")
    assert not store.location(cwd, "--session-dir", store.location(cwd).dir + "/").flat


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"sessionDir": 5}', '{"sessionDir": null}', "\x00"])
def test_odd_settings_name_no_directory(store: Store, text: str) -> None:
    cwd = store.project("p")
    settings(store.agent, text)
    assert store.location(cwd).found_by == "Pi's default"


def test_settings_with_a_bom_and_half_a_surrogate_are_read(store: Store) -> None:
    cwd = store.project("p")
    settings(store.agent, '\ufeff{"x": "\\ud83d", "sessionDir": "/s"}')
    assert store.location(cwd).dir == "/s"


def test_a_null_in_the_project_hides_the_global_setting(store: Store) -> None:
    cwd = store.project("p")
    settings(store.agent, '{"sessionDir": "/s"}')
    settings(store.root / "x" / "p" / ".pi", '{"sessionDir": null}')
    assert store.location(cwd).found_by == "Pi's default"


def test_settings_that_are_a_pipe_never_block(store: Store) -> None:
    os.mkfifo(store.agent / "settings.json")
    assert store.location(store.project("p")).found_by == "Pi's default"


@pytest.mark.parametrize(
    ("args", "value"),
    [
        (["--session-dir", "a", "--session-dir", "b"], "b"),
        (["--model", "--session-dir", "x"], None),
        (["--", "--session-dir", "x"], None),
        (["--session-dir=x"], None),
        (["--session-dir"], None),
        (["-c", "--offline", "--session-dir", "--", "x"], "--"),
    ],
)
def test_the_flag_is_found_as_pi_finds_it(args: list[str], value: str | None) -> None:
    assert flag_value(args, "--session-dir") == value
