"""A tour of all that opens or writes a buffer, in a Neovim that is set up as some are."""

from __future__ import annotations

import pytest

from tests.conftest import StartEditor
from tests.editor.test_turns import is_as_resumed, resume, stored
from tests.support.model import Model, Reply, ToolCall
from tests.support.pi import Pi

TOUR = {
    "a turn": "Pi send once more",
    "the list of keys": "normal g?",
    "the outline": "normal gO",
    "a block that is whole": "call search('^You said') | exe \"normal \\<CR>\"",
    "the log": "Pi log",
    "files": "Pi files",
    "a search": "Pi grep first",
    "the raw text": "Pi raw",
    "an export": "Pi export out.md",
}
"""What opens a buffer or writes into one, from a transcript."""

LISTED = "return vim.bo.buftype == 'quickfix'"

COMES = {"files": LISTED, "a search": LISTED, "an export": "return vim.fn.filereadable('out.md') == 1"}
"""What is to be seen of those that ask the host."""


def _set(*options: str) -> tuple[str, str]:
    return "--cmd", f"set {' '.join(options)}"


MODES = {
    "-R": ("-R",),
    "-M": ("-M",),
    "winfixbuf": ("--cmd", "autocmd FileType pivi,pivi-sessions,markdown setlocal winfixbuf"),
    "expr": ("--cmd", "set foldmethod=expr foldexpr=1"),
    "marker": ("--cmd", "set foldmethod=marker"),
    "diff": ("--cmd", "set foldmethod=diff scrollbind cursorbind"),
    "nohidden": ("--cmd", "set nohidden confirm autowriteall"),
    "texts": _set(
        "selection=exclusive virtualedit=all nostartofline ignorecase smartcase nomagic nowrapscan"
    ),
    "windows": _set(
        "splitbelow splitright noequalalways splitkeep=screen switchbuf=newtab",
        "winminheight=0 winheight=999 winwidth=999 cmdheight=0 laststatus=3 showtabline=2",
    ),
    "folds": _set("foldclose=all foldopen= foldminlines=0 nofoldenable foldlevelstart=99 foldnestmax=1"),
    "looks": _set(
        "ambiwidth=double rightleft list number relativenumber signcolumn=yes:4 foldcolumn=4",
        "scrolloff=999 sidescrolloff=999 smoothscroll nowrap conceallevel=0 lazyredraw",
    ),
    "files": _set(
        "autowrite backup fileformats=dos nofixeol",
        "isfname=@ iskeyword=a-z wildignore=*.jsonl,*/sessions/*",
    ),
    "limits": _set("report=0 updatetime=1 timeoutlen=1 regexpengine=1 undolevels=-1"),
}


@pytest.mark.parametrize("mode", MODES)
def test_everything_opens(pi: Pi, model: Model, start_nvim: StartEditor, mode: str) -> None:
    file = stored(pi)
    written = ToolCall("write", {"path": "new.txt", "content": "one\n"})
    model.script(Reply(tool_calls=[written]), Reply(text="Written."))
    nvim = start_nvim(*MODES[mode], size=(200, 50))

    def well(what: str) -> None:
        nvim.lua("vim.wait(50)")
        assert nvim.lua("return { vim.v.errmsg, #vim.api.nvim_list_wins() > 0 }") == ["", True], what

    resume(nvim)
    for what, command in TOUR.items():
        nvim.command(command)
        if what == "a turn":
            nvim.wait_event("PiviSettled")
        if what in COMES:
            nvim.wait_for(COMES[what])
        well(what)
        nvim.command("Pi")
        nvim.command("silent only")
    is_as_resumed(nvim)
    nvim.command("bwipe!")
    nvim.command(f"Pi view {file}")
    nvim.wait_event("PiviBackfilled")
    nvim.command("Pi send words that come back")
    nvim.wait_for("return vim.fn.bufnr('^pivi-prompt://') > 0")
    nvim.command("exe 'sbuffer' bufnr('^pivi-prompt://') | normal! oand more")
    assert nvim.lines() == ["words that come back", "and more"]
    nvim.command("bdelete | split pivi-prompt://aaaa-1111")
    assert nvim.lines() == ["words that come back", "and more"]
    nvim.command("Pi sessions")
    nvim.wait_for("return vim.bo.filetype == 'pivi-sessions' and vim.fn.search('first', 'nw') > 0")
    nvim.wait_for("return vim.fn.bufnr('^pivi-preview://') > 0")
    nvim.nvim.input("/first<CR>q")
    nvim.wait_for("return vim.bo.filetype ~= 'pivi-sessions'")
    well("the browser")
