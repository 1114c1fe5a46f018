"""What the session browser asks for: streams of rows and hits, previews, and acts upon closed sessions."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from pivi.conversation.acts import Acts, Open
from pivi.conversation.editor import Editor, Method, Params, TroubleError
from pivi.conversation.exporting import export_closed
from pivi.conversation.options import location_of, options_of
from pivi.conversation.preview import preview
from pivi.conversation.targets import path_of
from pivi.sessions.cache import Cache
from pivi.sessions.catalog import Catalog, Progress
from pivi.sessions.listing import File, Store
from pivi.sessions.locks import Locks
from pivi.sessions.search import Search
from pivi.sessions.sought import BadPatternError, sought
from pivi.sessions.workers import WorkerGoneError, Workers
from pivi.view.icons import TABLES

_OWN_ERROR = "Not all was read: an error of pivi's own, whole in :Pi log."

Tell = Callable[[list[Any], Progress], None]


class _Look:
    """One stream: `task` is None while it is being prepared."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.task: asyncio.Task[None] | None = None


class Browsing:
    """Serves any number of streams, each under the number (`look`) that the editor gave it.

    `opened` tells the sessions that are open here.
    """

    def __init__(self, editor: Editor, opened: Callable[[], Iterable[Open]]) -> None:
        self._editor = editor
        self._opened = opened
        self._workers = Workers()
        self._locks = Locks()
        acts = Acts(opened)
        self._looks: dict[int, _Look] = {}
        self.methods: dict[str, Method] = {
            "catalog": self._catalog,
            "search": self._search,
            "leave": self._leave,
            "preview": self._preview,
            "names": self._names,
            "export_closed": self._export,
            "rename": acts.rename,
            "trash": acts.trash,
            "untrash": acts.untrash,
        }

    async def close(self) -> None:
        """Neovim ends."""
        for look in list(self._looks):
            self._end(look)
        await self._workers.close()

    async def _catalog(self, number: int, params: Params) -> None:
        tell = self._tell("rows", params["look"])
        with self._asked(params["look"]) as look:
            store = await asyncio.to_thread(_store, params)
            marks = await asyncio.to_thread(_marks, [one.path for one in self._opened()], self._locks)
        self._begin(look, Catalog(store, Cache(), self._workers, tell, marks), tell)

    async def _search(self, number: int, params: Params) -> None:
        try:
            what = sought(params["pattern"], bool(params.get("regex")))
        except BadPatternError as error:
            raise TroubleError(str(error)) from error
        tell = self._tell("hits", params["look"])
        with self._asked(params["look"]) as look:
            store = await asyncio.to_thread(_store, params)
        self._begin(look, Search(store, Cache(), self._workers, what, tell), tell)

    async def _leave(self, number: int, params: Params) -> None:
        self._end(params["look"])

    async def _export(self, number: int, params: Params) -> None:
        await export_closed(params["path"], params["to"], options_of(params), force=params["force"])

    async def _names(self, number: int, params: Params) -> bytes:
        """Id, name and time of this directory's sessions as they were known last, packed; none is read."""
        store = await asyncio.to_thread(_store, params)
        known = await asyncio.to_thread(Cache().folder, store.location.dir)
        return msgspec.msgpack.encode(
            [
                (
                    one.header.id,
                    one.facts and one.facts.name,
                    (one.facts and one.facts.active) or one.mtime_ns / 1e9,
                )
                for one in known.values()
                if one.header is not None and (not one.header.cwd or store.directory.is_same(one.header.cwd))
            ]
        )

    async def _preview(self, number: int, params: Params) -> Params:
        icons = TABLES[options_of(params).icons]
        return await preview(params["path"], params.get("entry") or "", params.get("rows") or 50, icons)

    @contextmanager
    def _asked(self, number: int) -> Iterator[_Look]:
        """A stream that is being prepared: it can be left already, and is forgotten where that fails."""
        self._end(number)
        look = self._looks[number] = _Look(number)
        try:
            yield look
        except BaseException:
            self._forget(look)
            raise

    def _begin(self, look: _Look, work: Catalog | Search, tell: Tell) -> None:
        if self._looks.get(look.number) is not look:
            return  # it was left while it was being prepared

        def end(problem: str) -> None:
            tell([], Progress(0, 0, problem=problem, final=True))

        async def run() -> None:
            try:
                await work.run()
            except WorkerGoneError as error:
                end(str(error))
            except Exception:
                end(_OWN_ERROR)
                raise

        look.task = self._editor.run(f"look {look.number}", run())
        look.task.add_done_callback(lambda done: self._forget(look))

    def _end(self, number: int) -> None:
        look = self._looks.pop(number, None)
        if look is not None and look.task is not None:
            look.task.cancel()

    def _forget(self, look: _Look) -> None:
        if self._looks.get(look.number) is look:
            del self._looks[look.number]

    def _tell(self, message: str, look: int) -> Tell:
        def tell(items: list[Any], progress: Progress) -> None:
            told = msgspec.to_builtins(progress)
            # Packed here they cross as one string.
            self._editor.send(message, look, msgspec.msgpack.encode(items), told)

        return tell


def _marks(opened: Iterable[str], locks: Locks) -> Callable[[File], tuple[bool, bool]]:
    here = set(_identities(opened))
    elsewhere = set(_identities(holder.path for holder in locks.held()))

    def marks(file: File) -> tuple[bool, bool]:
        identity = file.device, file.inode
        return identity in here, identity in elsewhere

    return marks


def _identities(paths: Iterable[str]) -> Iterable[tuple[int, int]]:
    for path in paths:
        try:
            state = os.stat(path)
        except OSError:
            continue  # a new session that is not stored yet
        yield state.st_dev, state.st_ino


def _store(params: Params) -> Store:
    """Raises `TargetError` where one session is wanted and not found."""
    options, cwd, target = options_of(params), params["cwd"], params.get("target")
    only = path_of(target, cwd, options) if target else None
    return Store(location_of(cwd, options), cwd, params.get("scope") or "directory", only)
