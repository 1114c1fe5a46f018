"""What was read of session files before, kept between runs. It may be deleted at any time."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Iterable, Mapping

import msgspec
import platformdirs

from .known import Known
from .listing import File

_VERSION = 1


class _Folder(msgspec.Struct, array_like=True):
    """A cache file: all that is known of one folder, by the names of its files."""

    version: int
    folder: str
    files: dict[str, Known]


_decode = msgspec.msgpack.Decoder(_Folder).decode


class Cache:
    """Known session files, one cache file for each folder of them.

    Two processes may share it: a cache file is replaced as a whole, and of two writers the later one wins.
    One that can't be read, is damaged or of another version counts as empty; one that can't be written is
    left as it is. Neither is worth a word: the sessions are read again.
    """

    def __init__(self, place: str | None = None) -> None:
        self._place = place or os.path.join(platformdirs.user_cache_dir("pivi", appauthor=False), "sessions")
        self._folders: dict[str, dict[str, Known]] = {}
        self._changed: set[str] = set()

    def get(self, file: File) -> Known | None:
        """What is known of the file, whether it is still true or not."""
        return self._of(file.folder).get(file.name)

    def folder(self, folder: str) -> Mapping[str, Known]:
        """All that is known of a folder, by the names of its files, whether it is still true or not."""
        return self._of(folder)

    def put(self, file: File, known: Known) -> None:
        """Remember what was read of the file; `write` makes it last."""
        self._of(file.folder)[file.name] = known
        self._changed.add(file.folder)

    def keep_only(self, files: Iterable[File]) -> None:
        """Forget all other files of the folders that these are in."""
        names: dict[str, set[str]] = {}
        for file in files:
            names.setdefault(file.folder, set()).add(file.name)
        for folder, kept in names.items():
            known = self._of(folder)
            for name in known.keys() - kept:
                del known[name]
                self._changed.add(folder)

    def write(self) -> None:
        """Make what was put last."""
        changed, self._changed = self._changed, set()
        for folder in changed:
            files = self._of(folder)
            with contextlib.suppress(OSError, UnicodeEncodeError):
                self._replace(folder, msgspec.msgpack.encode(_Folder(_VERSION, folder, files)))

    def _of(self, folder: str) -> dict[str, Known]:
        found = self._folders.get(folder)
        if found is None:
            found = self._folders[folder] = self._read(folder)
        return found

    def _read(self, folder: str) -> dict[str, Known]:
        try:
            with open(self._file(folder), "rb") as file:
                found = _decode(file.read())
        except (OSError, ValueError, RecursionError):
            return {}
        # Two folders with one digest do not happen; a cache file that was copied or renamed does.
        return found.files if (found.version, found.folder) == (_VERSION, folder) else {}

    def _file(self, folder: str) -> str:
        name = hashlib.blake2b(os.fsencode(folder), digest_size=16).hexdigest()
        return os.path.join(self._place, f"{name}.msgpack")

    def _replace(self, folder: str, content: bytes) -> None:
        os.makedirs(self._place, mode=0o700, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=self._place)
        try:
            with open(descriptor, "wb") as file:
                file.write(content)
            os.replace(temporary, self._file(folder))
        except OSError:
            os.unlink(temporary)
            raise
