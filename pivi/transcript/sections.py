"""Sections: items in their order become the list of blocks, replies get a heading, small changes gather."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from copy import copy

import msgspec

from .blocks import Block, Notice, Reply, Usage
from .items import Item

MANY = 3
"""So many small changes of state in a row are still told one by one."""

_NOUNS = {"model_change": "model", "thinking_level_change": "thinking level", "usage": "usage"}


class Stretch(msgspec.Struct):
    """Items that follow each other; `heading` is the block that folds them, if one does."""

    items: list[Item]
    heading: Block | None = None


def assemble(stretches: Iterable[Stretch], inside: bool = False) -> list[Block]:
    """The blocks of all items. `inside`: the first ones belong to a section whose heading is not here."""
    out: list[Block] = []
    for stretch in stretches:
        if stretch.heading is not None:
            out.append(stretch.heading)
        _Assembly(out, stretch.heading.key if stretch.heading else "", inside).add(stretch.items)
        inside = False
    return out


class _Assembly:
    """One stretch on its way into `out`."""

    def __init__(self, out: list[Block], run: str, inside: bool) -> None:
        self.out = out
        self.run = run
        self.section = ""
        self.at = -1
        self.members: list[Item] = []
        self.inside = inside

    def add(self, items: list[Item]) -> None:
        out, run = self.out, self.run
        quiet: list[Item] = []
        for item in items:
            place = item.place
            if place == "quiet" and not item.notes:
                quiet.append(item)
                continue
            if quiet:
                self.add_quiet(quiet)
                quiet = []
            if item.notes:
                for note in item.notes:
                    note.section, note.run = self.section, run
                out += item.notes
            if place == "heads":
                self.close()
                self.inside = False
                self.section = item.blocks[0].key
            elif place == "answers" or place == "joins":
                if self.at >= 0:
                    self.members.append(item)
                elif not self.inside and (place == "answers" or item.blocks):
                    self.open(item)
            if item.section != self.section or item.run != run:
                item.move(self.section, run)
            out += item.blocks
        if quiet:
            self.add_quiet(quiet)
        self.close()

    def open(self, item: Item) -> None:
        self.at = len(self.out)
        self.section = f"{item.key}/reply"
        self.members = [item]
        self.out.append(item.reply or Reply(key=self.section))

    def close(self) -> None:
        """Give the open reply its heading, now that all of its messages are known."""
        if self.at < 0:
            return
        first, members = self.members[0], self.members
        reply = first.reply
        if reply is None or first.reply_count != len(members) or reply.run != self.run:
            reply = Reply(
                key=self.section,
                time=first.time,
                section=self.section,
                run=self.run,
                model=next((item.model for item in members if item.model), ""),
                thinking=next((item.thinking for item in members if item.thinking), ""),
                usage=_total(members),
            )
            first.reply, first.reply_count = reply, len(members)
        self.out[self.at] = reply
        self.at = -1
        self.section = ""

    def add_quiet(self, quiet: list[Item]) -> None:
        if len(quiet) <= MANY:
            for item in quiet:
                if item.section != self.section or item.run != self.run:
                    item.move(self.section, self.run)
                self.out += item.blocks
            return
        first = quiet[0]
        notice = first.quiet
        if notice is None or first.quiet_count != len(quiet):
            text = _told(quiet)
            of = first.sort if all(item.sort == first.sort for item in quiet) else "changes"
            notice = Notice(key=f"{first.key}/changes", time=quiet[-1].time, of=of, text=text)
            first.quiet, first.quiet_count = notice, len(quiet)
        elif notice.section != self.section or notice.run != self.run:
            first.quiet = notice = copy(notice)
        notice.section, notice.run = self.section, self.run
        self.out.append(notice)


def _told(quiet: list[Item]) -> str:
    counts = Counter(item.sort for item in quiet)
    parts = []
    for sort, count in counts.items():
        last = next(item for item in reversed(quiet) if item.sort == sort).blocks[0]
        assert isinstance(last, Notice)
        parts.append(f"{_NOUNS[sort]}: {count} entries, the last: {last.text}")
    return "; ".join(parts)


def _total(members: list[Item]) -> Usage | None:
    used = [item.usage for item in members if item.usage is not None]
    if len(used) <= 1:
        return used[0] if used else None
    return Usage(
        sum([one.input for one in used]),
        sum([one.output for one in used]),
        sum([one.cache_read for one in used]),
        sum([one.cache_write for one in used]),
        sum([one.reasoning for one in used]),
        sum([one.cost for one in used]),
    )
