"""Transcripts written to files: `:Pi export`, `:write {file}`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import StartEditor
from tests.support.editor import Editor
from tests.support.entries import answer, call, entry, result, user
from tests.support.hard import Hard
from tests.support.pi import Pi
from tests.support.stored import bucket, store

pytestmark = pytest.mark.matrix

LONG = "\n".join(f"output {n}" for n in range(5000))


@pytest.fixture
def hard(tmp_path: Path, start_nvim: StartEditor) -> Hard:
    hard = Hard(tmp_path, start_nvim())
    hard.shown(
        user("a", None, "the stem"),
        answer("b", "a", {"type": "thinking", "thinking": "hm"}, call("1", command="make"), model="m"),
        result("r", "b", "1", LONG),
        answer("c", "r", "an open fence:\n\n```py\nx = 1"),
        user("d", "c", "another way"),
        user("e", "c", "the last words"),
        entry("session_info", "f", "e", name="The <name>"),
    )
    return hard


def said(nvim: Editor, words: str) -> None:
    nvim.wait_for("return vim.fn.execute('messages'):find(..., 1, true)", words)


def test_export_writes_all_of_it_as_markdown(hard: Hard) -> None:
    path = hard.folder / "out.md"
    hard.nvim.command(f"Pi export {path}")
    said(hard.nvim, "written: ")
    text = path.read_text()
    facts = "- Session: s\n- Directory: /p\n- Date: 2026-01-01 00:00\n- Model: p/m"
    assert text.startswith(f"# The <name>\n\n{facts}\n\n## You\n\n*2026-01-01 00:00*\n\nthe stem\n\n")
    assert LONG in text
    assert "left out here" not in text
    assert (
        "### bash make (✓ 5,000 lines)\n\n<details>\n<summary>5,002 lines</summary>\n\n```\noutput 0" in text
    )
    assert "x = 1\n```\n\n<details>\n<summary>Another branch: 1 entry, &quot;another way&quot;" in text
    assert text.count("<details>") == text.count("</details>") == 3
    assert text.index("another way") < text.rindex("</details>") < text.index("the last words")
    # As any file that Neovim writes, not one that only its owner reads.
    (hard.folder / "other").touch()
    assert path.stat().st_mode == (hard.folder / "other").stat().st_mode


def test_export_without_a_name_writes_into_this_directory(hard: Hard) -> None:
    hard.nvim.command("Pi export")
    said(hard.nvim, "written: ")
    (path,) = hard.nvim.home.project.glob("*.md")
    assert path.name == "pi-The-<name>.md"


def test_a_session_without_a_name_is_called_by_what_was_asked_first(pi: Pi, start_nvim: StartEditor) -> None:
    asked = "# What does `src/a.py` do, and why is it so slow when there are many files?"
    store(bucket(pi.home.sessions_dir, pi.home.project), pi.home.project, "aaaa-1111", asked)
    nvim = start_nvim()
    nvim.command("Pi view aaaa")
    nvim.wait_event("PiviBackfilled")
    title = "What does src/a.py do, and why is it so slow when there are…"
    assert title in nvim.lua("return require('pivi').statusline()")
    assert nvim.lua("return vim.api.nvim_buf_get_name(0)") == "pivi://aaaa-1111"
    nvim.command("Pi export")
    said(nvim, "written: ")
    (path,) = pi.home.project.glob("*.md")
    assert path.name == "pi-What-does-src-a.py-do,-and-why-is-it-so-slow-when-there-are.md"


def test_nothing_is_written_over_without_a_bang(hard: Hard) -> None:
    path = hard.folder / "out.md"
    path.write_text("mine")
    hard.nvim.command(f"Pi export {path}")
    said(hard.nvim, "exists; add ! to write over it")
    hard.nvim.command(f"silent! write {path}")
    assert path.read_text() == "mine"
    hard.nvim.command(f"Pi export! {path}")
    said(hard.nvim, "written: ")
    assert "the last words" in path.read_text()
    assert [file.name for file in hard.folder.iterdir() if file.name.startswith(".")] == []


@pytest.mark.parametrize(
    "command", ["write! {}", "Pi export! {}", "1,2write! {}", "write! >> {}", "saveas! {}"]
)
def test_a_session_file_is_never_written_over(command: str, hard: Hard) -> None:
    before = hard.path.read_bytes()
    other = hard.folder / "link.txt"
    other.symlink_to(hard.path)
    for path in (hard.path, other):
        hard.nvim.command("silent! " + command.format(path))
        hard.nvim.lua("vim.wait(100)")
        assert hard.path.read_bytes() == before


def test_write_is_done_when_it_returns(hard: Hard) -> None:
    path = hard.folder / "written.md"
    hard.nvim.command(f"silent write {path}")
    text = path.read_text()
    assert LONG in text
    shown = hard.nvim.lines()
    cut = next(n for n, line in enumerate(shown) if "left out here" in line)
    assert text.split("\n")[:cut] == shown[:cut]
    assert text.split("\n")[-10:-1] == shown[-9:]
    part = hard.folder / "part.md"
    hard.nvim.command(f"silent 1,3write {part}")
    assert part.read_text() == "# The <name>\n\n## You\n"
    assert hard.nvim.nvim.current.buffer.name == "pivi://s"


def test_lines_that_are_written_are_told(hard: Hard) -> None:
    path = hard.folder / "some.md"
    written = hard.nvim.lua(
        "return vim.fn.execute('silent! cd ' .. ... .. ' | 1,2write! some.md')", str(hard.folder)
    )
    assert written.strip() == '"some.md" 2 lines written'
    appended = hard.nvim.lua("return vim.fn.execute('1write >> some.md')")
    assert appended.strip() == '"some.md" 1 line appended'
    assert path.read_text() == "# The <name>\n\n# The <name>\n"


@pytest.mark.parametrize("there", [False, True])
def test_saveas_writes_the_file_and_leaves_the_transcript_what_it_is(hard: Hard, there: bool) -> None:
    nvim, path = hard.nvim, hard.folder / "as.md"
    name, text = nvim.lua("return vim.api.nvim_buf_get_name(0)"), nvim.text()
    if there:
        path.write_text("old")
        nvim.command(f"badd {path}")
    nvim.command(f"saveas! {path}")
    nvim.lua("vim.wait(20)")
    assert path.read_text().startswith("# The <name>")
    assert nvim.lua("return vim.api.nvim_buf_get_name(0)") == name
    nvim.command("edit")
    nvim.wait_for("return vim.fn.line('$') > 20")
    assert nvim.text() == text
    assert "E" not in {line[:1] for line in nvim.messages().splitlines()}


def test_a_conversation_keeps_its_name_too(pi: Pi, start_nvim: StartEditor, tmp_path: Path) -> None:
    store(bucket(pi.home.sessions_dir, pi.home.project), pi.home.project, "aaaa-1111", "first")
    nvim = start_nvim()
    nvim.command("Pi view aaaa")
    nvim.wait_event("PiviBackfilled")
    count = "return #vim.tbl_filter(function(buf) return buf.name:find('pivi://') end, vim.fn.getbufinfo())"
    nvim.command(f"saveas {tmp_path}/x.md")
    nvim.wait_for("return vim.api.nvim_buf_get_name(0) == 'pivi://aaaa-1111'")
    assert nvim.lua("return vim.bo.filetype .. vim.bo.buftype") == "pivinofile"
    nvim.command("edit")
    nvim.wait_for("return vim.fn.search('You said: first', 'nw') > 0")
    assert nvim.lua(count) == 1


def test_a_folder_that_is_not_there_is_told(hard: Hard) -> None:
    hard.nvim.command("Pi export /no/such/folder/x.md")
    said(hard.nvim, "It can't be written, No such file or directory: /no/such/folder/x.md")


def test_html_is_pis_own(pi: Pi, start_nvim: StartEditor) -> None:
    home = pi.home
    store(bucket(home.sessions_dir, home.project), home.project, "aaaa-1111", "the first words")
    nvim = start_nvim()
    nvim.command("Pi view aaaa")
    nvim.wait_event("PiviBackfilled")
    for name in ("read.html", "running.html"):
        path = home.project / name
        nvim.command(f"Pi export {path}")
        said(nvim, f"written: {name}")
        assert "<html" in path.read_text()[:500]
        nvim.command("Pi resume")
        if name == "read.html":
            nvim.wait_events("PiviAttached", "PiviBackfilled")


def test_html_without_pi_is_told(tmp_path: Path, start_nvim: StartEditor) -> None:
    hard = Hard(tmp_path, start_nvim(settings={"pi": {"command": "/no/such/pi"}}))
    hard.shown(user("a", None, "words"))
    hard.nvim.command(f"Pi export {tmp_path}/x.html")
    said(hard.nvim, "Pi was not found")
    assert not (tmp_path / "x.html").exists()
