"""Pi runs where its session files are not the ones that lie here."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import StartEditor
from tests.support.home import make_home
from tests.support.model import Model
from tests.support.pi import Pi
from tests.support.story import tell


def _other_home(root: Path, pi: Pi, model: Model) -> tuple[Pi, list[str]]:
    """Another machine's home, as far as Pi can tell, and the command that runs Pi there."""
    other = make_home(root)
    other.write_models(model.url)
    there = Pi(pi.version, other)
    command = ["/usr/bin/env", f"PI_CODING_AGENT_DIR={other.agent_dir}", str(pi.path)]
    return there, command


def test_a_session_that_only_pi_can_read_is_filled_by_its_answer(
    tmp_path: Path, pi: Pi, model: Model, start_nvim: StartEditor
) -> None:
    there, command = _other_home(tmp_path / "far", pi, model)
    with there.start(cwd=pi.home.project) as run:
        run.prompt("are you far away?")
    settings = {"pi": {"command": command, "env": pi.home.pi_env}}
    nvim = start_nvim(settings=settings)
    nvim.command("Pi resume")
    nvim.wait_event("PiviBackfilled")
    assert "are you far away?" in nvim.lines()
    assert nvim.lua("return vim.b.pivi.phase") == "idle"


def test_an_empty_store_elsewhere_starts_no_empty_session(
    tmp_path: Path, pi: Pi, model: Model, start_nvim: StartEditor
) -> None:
    there, command = _other_home(tmp_path / "far", pi, model)
    nvim = start_nvim(settings={"pi": {"command": command, "env": pi.home.pi_env}})
    nvim.command("Pi resume")
    nvim.wait_for("return vim.fn.execute('messages'):find('start one with :Pi new', 1, true)")
    assert nvim.lua("return vim.bo.filetype") == ""
    assert not list(there.home.sessions_dir.rglob("*.jsonl"))


def test_a_wrapper_that_keeps_sessions_in_another_directory_is_followed(
    tmp_path: Path, pi: Pi, model: Model, start_nvim: StartEditor
) -> None:
    there, command = _other_home(tmp_path / "far", pi, model)
    with there.start(cwd=pi.home.project) as run:
        run.prompt("I am kept far away")
    tell(pi, model)
    nvim = start_nvim(settings={"pi": {"command": command, "env": pi.home.pi_env}})
    nvim.command("Pi resume")
    nvim.wait_event("PiviAttached")
    nvim.wait_for("return vim.b.pivi.phase == 'idle'")
    nvim.wait_for("return vim.fn.search('I am kept far away', 'nw') > 0")
    assert nvim.lua("return vim.b.pivi.session_file").startswith(str(there.home.sessions_dir))
    assert "Rounding" not in nvim.text()
    assert nvim.messages().count("last session is shown") == 1
