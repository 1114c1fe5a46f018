"""Items: what one entry of a session, or one live message, becomes before it is put in its place."""

from __future__ import annotations

from copy import copy
from typing import Literal

import msgspec

from .blocks import Block, Context, Damage, Notice, Reply, Usage

Place = Literal["within", "heads", "answers", "joins", "quiet"]
"""How an item meets the sections: falls within the open one, heads its own, opens a reply unless one is
open, joins an open reply (and opens one only if it shows something), or is a small change of state, of
which many in a row are told as one."""


class Item(msgspec.Struct, gc=False, eq=False):
    """An entry's blocks and what has to be known of it to place them.

    `key` is unique; `parent` an entry id. `loose`: a line that is no entry of the tree. `unsure`: what it
    shows depends on entries that are not there. `home` is, for a tool result, the item that holds its
    call, at `home_at`. `damage` counts the blocks that tell of damage. `section` is `None` until the blocks
    were handed out; from then on they are replaced by changed copies, never changed, so that callers can
    compare by identity.
    """

    key: str
    parent: str | None = None
    time: int | None = None
    place: Place = "within"
    blocks: list[Block] = []
    notes: tuple[Damage, ...] = ()
    loose: bool = False
    unsure: bool = False
    damage: int = 0
    sort: str = ""
    usage: Usage | None = None
    model: str = ""
    provider: str = ""
    thinking: str = ""
    stop: str = ""
    prompt: str = ""
    kept: str | None = None
    home: Item | None = None
    home_at: int = 0
    label: str = ""
    context: Context = ""
    section: str | None = None
    run: str = ""
    reply: Reply | None = None
    reply_count: int = 0
    quiet: Notice | None = None
    quiet_count: int = 0

    def move(self, section: str, run: str) -> None:
        """Put the blocks into another section and run."""
        if self.section is not None:
            self.blocks = [copy(block) for block in self.blocks]
        for block in self.blocks:
            block.section = section
            block.run = run
        self.section = section
        self.run = run

    def put(self, at: int, block: Block) -> None:
        """Exchange the block at `at`."""
        blocks = self.blocks.copy()
        blocks[at] = block
        self.blocks = blocks

    def mark(self, label: str, context: Context) -> None:
        """Say that the entry is labelled, or that a context edit concerns it."""
        self.label, self.context = label, context
        if self.home is not None:
            block = copy(self.home.blocks[self.home_at])
            block.label = label or self.home.label
            block.context = context or self.home.context
            self.home.put(self.home_at, block)
            return
        self.blocks = [copy(block) for block in self.blocks]
        for block in self.blocks:
            block.context = context
        for block in self.blocks[:1]:
            block.label = label
