"""The transcript of a session as Pi stored it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from pivi.pi.messages import ToolResult
from pivi.pi.records import (
    Compaction,
    ContextEdit,
    Damaged,
    Entry,
    Header,
    Label,
    MessageEntry,
    SessionInfo,
    Several,
)

from . import tree
from .blocks import Before, Block, Branch, Context, Damage, Title
from .calls import Calls
from .entries import item_of, milliseconds
from .items import Item
from .sections import Stretch, assemble

FAILED = ("error", "length", "aborted")
"""Stop reasons of an attempt that Pi hides by a context edit before it tries again."""


class Transcript:
    """Entries in, blocks out. Slices may come in any number; each entry is translated once.

    `partial`: the entries are the tail of a file. Then a missing parent is no damage, and `blocks` leaves
    out what depends on what lies before.
    """

    def __init__(self, header: Header | None, partial: bool = False) -> None:
        self.header = header
        self._shown: tuple[Header | None, list[Block]] | None = None
        self._forces: tuple[str, str] | None = None
        self._partial = partial
        self._numbered = header is not None and header.version < 2
        self._items: list[Item] = []
        self._index: dict[str, int] = {}
        self._calls = Calls()
        self._labels: dict[str, str] = {}
        self._edits: dict[int, tuple[str, Context]] = {}
        self._marked: dict[int, tuple[str, Context]] = {}
        self._noted: list[tuple[Item, Damage]] = []
        self._orphans: dict[str, list[int]] = {}
        self._headings: dict[str, Block] = {}
        self._damage = 0
        self._leaf: str | None = None
        self._last = ""
        self.count = 0
        """How many entries are stored, the header and what is no entry not counted."""
        self.name = ""

    @property
    def last_id(self) -> str:
        """The id of the last entry in the file, `""` if there is none."""
        return self._last

    @property
    def leaf_id(self) -> str:
        """The id of the entry from which the conversation goes on."""
        return self._last if self._leaf is None else self._leaf

    def move_leaf(self, entry_id: str) -> None:
        """Pi went to another entry without storing that; the next stored entry is the leaf again."""
        self._leaf = entry_id
        self._shown = self._forces = None

    def ids(self, start: str) -> list[str]:
        """Ids of entries, in file order, that begin with `start`; where one is just that, it alone."""
        return [start] if start in self._index else [key for key in self._index if key.startswith(start)]

    @property
    def model(self) -> str:
        """The model in force at the leaf, as `provider/id`."""
        return self._in_force()[0]

    @property
    def thinking(self) -> str:
        """The thinking level in force at the leaf."""
        return self._in_force()[1]

    def _in_force(self) -> tuple[str, str]:
        """Model and thinking level, looked for once: where one was never told the way goes to the root."""
        if self._forces is None:
            model: str | None = None
            level: str | None = None
            for item in self._upwards():
                if model is None and item.model:
                    model = f"{item.provider}/{item.model}" if item.provider else item.model
                if level is None and item.sort == "thinking_level_change":
                    level = item.thinking
                if model is not None and level is not None:
                    break
            self._forces = model or "", level or ""
        return self._forces

    def above(self, entry_id: str) -> Iterator[str]:
        """The entry's id, then those of the entries above it up to the root; none for an unknown one."""
        at = self._index.get(entry_id)
        for _ in self._items:
            if at is None:
                return
            yield self._items[at].key
            at = self._index.get(self._items[at].parent or "")

    def call_of(self, entry_id: str) -> str:
        """The key of the call that an entry is the result of, `""` for none."""
        at = self._index.get(entry_id)
        home = self._items[at].home if at is not None else None
        return "" if at is None or home is None else home.blocks[self._items[at].home_at].key

    def _upwards(self) -> Iterator[Item]:
        """From the leaf to the root, at most once past every item."""
        at = self._index.get(self.leaf_id)
        for _ in self._items:
            if at is None:
                return
            yield self._items[at]
            at = self._index.get(self._items[at].parent or "")

    def extend(self, entries: Iterable[Entry]) -> None:
        """Add the entries that follow in the file."""
        self._shown = self._forces = None
        for entry in entries:
            self._add(entry)
        self._calls.settle()

    def _add(self, entry: Entry) -> None:
        if isinstance(entry, MessageEntry):
            key = entry.id
            if self._numbered or not key or key in self._index:
                key = self._key(entry)
            item = item_of(entry, key)
            message = entry.message
            if type(message) is ToolResult:
                self._calls.ended(item, message)
            elif item.place == "answers":
                self._calls.opened(item)
        elif isinstance(entry, Several):
            for one in entry.entries:
                self._add(one)
            return
        elif isinstance(entry, Header) and (self.header is None or entry.id == self.header.id):
            return
        else:
            item = item_of(entry, self._key(entry))
            self._heed(entry, item)
        self._place(entry, item)

    def _key(self, entry: Entry) -> str:
        """The entry's id, made unique where it is not."""
        if self._numbered:
            return f"line:{self.count + 1}"
        if not entry.id or isinstance(entry, (Damaged, Header)):
            after = self._items[-1].key if self._items else ""
            return f"{after}+"
        key = entry.id
        while key in self._index:
            key += "~"
        return key

    def _place(self, entry: Entry, item: Item) -> None:
        number = len(self._items)
        self._items.append(item)
        self._damage += item.damage
        if item.loose:
            item.unsure = item.key.startswith("+")
            return
        self.count += 1
        self._leaf = None
        if self._numbered:
            item.parent = f"line:{self.count - 1}" if self.count > 1 else None
            self._last = item.key
            if isinstance(entry, Compaction) and entry.first_kept_entry_index is not None:
                item.kept = f"line:{entry.first_kept_entry_index}"
        else:
            self._last = entry.id or item.key
            item.unsure = item.unsure or item.key.startswith("+")
        if item.key != self._last:
            text = f"The id {self._last} is in the file twice."
            item.notes = (Damage(key=f"{item.key}/twice", text=text),)
            self._damage += 1
        self._index[self._last] = self._index[item.key] = number
        if self._orphans:
            self._orphans.pop(self._last, None)
        if item.parent is not None and item.parent not in self._index:
            self._orphans.setdefault(item.parent, []).append(number)

    def _heed(self, entry: Entry, item: Item) -> None:
        """What an entry says about others, or about the session."""
        if isinstance(entry, SessionInfo):
            self.name = (entry.name or "").strip()
        elif isinstance(entry, Label):
            self._labels[entry.target_id] = entry.label or ""
        elif isinstance(entry, ContextEdit):
            context: Context = "hidden" if entry.replacement is None else "replaced"
            self._edits[len(self._items)] = entry.target_id, context
            target = self._index.get(entry.target_id)
            if target is None:
                item.unsure = self._partial
            elif context == "hidden" and self._items[target].stop in FAILED:
                item.blocks = []

    def blocks(self) -> list[Block]:
        """All blocks, the title first; the list is not to be changed.

        A block that did not change is the same object as before. Where nothing did, the list is too: it is
        asked for with every piece of a streaming answer.
        """
        if self._shown is None or self._shown[0] is not self.header:
            self._shown = self.header, self._blocks()
        return self._shown[1]

    def _blocks(self) -> list[Block]:
        items = self._items
        if self._partial and self._numbered:
            return [self._title(0)]
        walk = self._walk()
        self._mark(walk)
        breaks = tree.breaks(walk, self.count, chain.from_iterable(self._orphans.values()))
        at = tree.compaction(items, walk)
        if at >= 0:
            kept = self._index.get(items[at].kept or "", -1)
            if kept >= 0 or not self._partial:
                tree.leave_behind(walk, at, kept)
            if kept < 0:
                breaks[at] = "The first entry that this compaction keeps is missing."
        damage = self._damage + (0 if self._partial else self._note(breaks))
        runs = list(tree.runs(items, walk.states))
        start, inside = tree.known(items, runs) if self._partial else (0, False)
        stretches = [self._stretch(state, max(at, start), end) for state, at, end in runs if end > start]
        return [self._title(damage), *assemble(stretches, inside)]

    def _walk(self) -> tree.Walk:
        leaf = self._index.get(self.leaf_id, -1)
        return tree.walk(self._items, self._index, leaf)

    def _stretch(self, state: int, first: int, end: int) -> Stretch:
        items = self._items[first:end]
        if state == tree.ACTIVE:
            return Stretch(items)
        whole = [item for item in items if not item.loose]
        key, times = items[0].key, [item.time for item in items if item.time is not None]
        heading: Block
        if state == tree.BRANCH:
            prompt = next((item.prompt for item in items if item.prompt), "")
            heading = Branch(
                key=f"{key}/branch",
                time=times[0] if times else None,
                entries=len(whole),
                first_prompt=prompt,
                until=times[-1] if times else None,
                leaf=whole[-1].key if whole else "",
            )
        else:
            heading = Before(key=f"{key}/before", time=times[0] if times else None, entries=len(whole))
        heading.run = heading.key
        return Stretch(items, self._same(heading))

    def _title(self, damage: int) -> Block:
        header = self.header
        return self._same(
            Title(
                key="title",
                name=self.name,
                session_id=header.id if header else "",
                cwd=header.cwd if header else "",
                parent=(header.parent_session or header.branched_from or "") if header else "",
                time=milliseconds(header.timestamp) if header else None,
                damage=damage,
            )
        )

    def _same(self, block: Block) -> Block:
        """The block handed out before, if it is equal to this one."""
        old = self._headings.get(block.key)
        if old == block:
            return old
        self._headings[block.key] = block
        return block

    def _note(self, breaks: dict[int, str]) -> int:
        """Put notes in front of these items and take away those of the last time; how many."""
        for item, old in self._noted:
            item.notes = tuple(note for note in item.notes if note is not old)
        self._noted = []
        for number, text in breaks.items():
            item = self._items[number]
            note = self._same(Damage(key=f"{item.key}/break", time=item.time, text=text))
            assert isinstance(note, Damage)
            item.notes = (*item.notes, note)
            self._noted.append((item, note))
        return len(breaks)

    def _mark(self, walk: tree.Walk) -> None:
        """Bring labels and context edits to what they name. The newest edit on the branch holds."""
        if not (self._labels or self._edits or self._marked):
            return
        wanted: dict[int, tuple[str, Context]] = {}
        for entry_id, label in self._labels.items():
            if entry_id in self._index:
                wanted[self._index[entry_id]] = label, ""
        for number, (entry_id, context) in self._edits.items():
            target = self._index.get(entry_id)
            if target is not None and (walk.states[target] or not walk.states[number]):
                wanted[target] = wanted.get(target, ("", ""))[0], context
        for number in sorted(wanted.keys() | self._marked.keys()):
            mark = wanted.get(number, ("", ""))
            if self._marked.get(number, ("", "")) != mark:
                self._items[number].mark(*mark)
        self._marked = wanted
