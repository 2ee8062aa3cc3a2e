"""A project: its files can be listed without being read, and read by any process.

What a project lies in (a folder, a zip, a git repository) is its root. A root holds only where it
is; what it opens to read, each process opens for itself when it first needs it. So a project is
small to send to other processes, here or on another machine with the same disk.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Protocol

from codeacumen.core.progress import Progress
from codeacumen.corpus.licences import LICENCE_LEVELS, UNKNOWN, LicenceFile, is_licence, recognised
from codeacumen.corpus.reading import LARGEST, Problem
from codeacumen.corpus.sources.paths import fits

Wanted = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Entry:
    """A file that is there: ``stamp`` is another when the content is another, where that can be
    known without reading (a blob's hash in git, a checksum in a zip, the time of the last change
    in a folder; the latter differs between copies)."""

    path: str
    size: int
    stamp: str


class Root(Protocol):
    def entries(self, wanted: Wanted, levels: int | None = None) -> list[Entry | Problem]:
        """Files with wanted paths in any order, in the first so many levels of folders."""
        ...

    def read(self, path: str, largest: int) -> bytes | Problem: ...


# Brings a project here: its root and its revision.
Bring = Callable[[Progress], tuple[Root, str]]


@dataclass(frozen=True, slots=True)
class Asked:
    """A source that a person named. ``find`` looks whether it is there, which may need the
    network, and says how to bring it. ``source`` is what was asked for, without paths of this
    machine and without passwords."""

    name: str
    source: str
    find: Callable[[], Bring]


@dataclass(frozen=True, slots=True)
class Project:
    """``revision``: a commit's hash, a version, an archive's SHA-256, or nothing for a folder."""

    name: str
    source: str
    revision: str
    root: Root
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    largest: int = LARGEST

    def entries(self, suffixes: Collection[str]) -> list[Entry | Problem]:
        """Files whose names end so, in capitals too, in the order of their paths; in place of one
        that cannot be read, why."""
        endings = tuple(suffixes)

        def wanted(path: str) -> bool:
            return path.lower().endswith(endings) and self._chosen(path)

        found = self.root.entries(wanted)
        checked = [
            (isinstance(one, Entry) and too_large(one.path, one.size, self.largest)) or one
            for one in found
            if not (isinstance(one, Problem) and one.kind == "link") or self._concerned(one.path)
        ]
        return sorted(checked, key=lambda one: (one.path, isinstance(one, Problem)))

    def read(self, path: str) -> bytes | Problem:
        return self.root.read(path, self.largest)

    def licences(self) -> list[LicenceFile]:
        """The licence files at the top, also those that a recipe's patterns leave out."""
        found: list[LicenceFile] = []
        for entry in self.root.entries(is_licence, LICENCE_LEVELS):
            data = self.read(entry.path) if isinstance(entry, Entry) else entry
            ids = recognised(entry.path, data) if isinstance(data, bytes) else (UNKNOWN,)
            found.append(LicenceFile(entry.path, ids))
        return sorted(found, key=lambda one: one.path)

    def _concerned(self, link: str) -> bool:
        """Whether a link, or something in the folder it leads to, might have been chosen."""
        return self._chosen(link) or self._chosen(f"{link}/A.java")

    def _chosen(self, path: str) -> bool:
        if self.include and not fits(path, self.include):
            return False
        return not (self.exclude and fits(path, self.exclude))


def too_large(path: str, size: int, largest: int) -> Problem | None:
    if size <= largest:
        return None
    return Problem(path, "too large", f"{size:,} bytes, at most {largest:,} are read")
