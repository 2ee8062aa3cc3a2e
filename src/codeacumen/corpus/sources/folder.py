"""Read sources from a folder. Links to files inside it are followed, links to folders never."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from codeacumen.corpus.reading import Problem
from codeacumen.corpus.sources.paths import as_text, on_disk, why
from codeacumen.corpus.sources.project import Entry, Wanted, too_large

# Folders of version control are skipped: a branch called fix.java is a file in .git.
_KEPT_BY_TOOLS = frozenset((".git", ".hg", ".svn"))
TO_A_FOLDER = "it leads to a folder; folders behind links are not followed"


@dataclass(frozen=True, slots=True)
class FolderRoot:
    """The files of a folder."""

    folder: Path

    def entries(self, wanted: Wanted, levels: int | None = None) -> list[Entry | Problem]:
        found: list[Entry | Problem] = []
        inside = os.path.realpath(self.folder)
        waiting = [("", 1)]
        while waiting:
            relative, level = waiting.pop()
            try:
                # As text: ``Path`` would split deep paths again for every folder.
                with os.scandir(f"{self.folder}/{relative}") as listing:
                    for one in listing:
                        path = f"{relative}/{one.name}" if relative else one.name
                        if one.is_dir(follow_symlinks=False):
                            if one.name not in _KEPT_BY_TOOLS and level != levels:
                                waiting.append((path, level + 1))
                            continue
                        text = as_text(os.fsencode(path))
                        if _leads_to_a_folder(one):
                            if one.name not in _KEPT_BY_TOOLS and levels is None:
                                found.append(Problem(text, "link", TO_A_FOLDER))
                        elif wanted(text):
                            found.append(_entry(text, one, inside))
            except OSError as error:
                text = as_text(os.fsencode(relative))
                found.append(Problem(text or ".", "unreadable", f"a folder: {why(error)}"))
        return found

    def read(self, path: str, largest: int) -> bytes | Problem:
        place = self.folder / on_disk(path)
        try:
            if not _is_inside(place, os.path.realpath(self.folder)):
                return Problem(path, "link", "it leads out of the folder")
            status = place.stat()
            # Opening a named pipe would block.
            if not stat.S_ISREG(status.st_mode):
                return Problem(path, "unreadable", "it is no ordinary file")
            problem = too_large(path, status.st_size, largest)
            return problem or place.read_bytes()
        except (OSError, ValueError) as error:  # ValueError: a NUL in the path
            return Problem(path, "unreadable", why(error))


@dataclass(frozen=True, slots=True)
class FileRoot:
    """A single file as a source."""

    file: Path

    def entries(self, wanted: Wanted, levels: int | None = None) -> list[Entry | Problem]:
        path = as_text(os.fsencode(self.file.name))
        if not wanted(path):
            return []
        try:
            status = self.file.stat()
        except OSError as error:
            return [Problem(path, "unreadable", why(error))]
        return [Entry(path, status.st_size, str(status.st_mtime_ns))]

    def read(self, path: str, largest: int) -> bytes | Problem:
        # A link that the user names is followed wherever it leads.
        real = Path(os.path.realpath(self.file))
        found = FolderRoot(real.parent).read(as_text(os.fsencode(real.name)), largest)
        return Problem(path, found.kind, found.message) if isinstance(found, Problem) else found


def _leads_to_a_folder(one: os.DirEntry[str]) -> bool:
    try:
        return one.is_symlink() and one.is_dir()
    except OSError:  # a link to itself leads nowhere
        return False


def _entry(path: str, one: os.DirEntry[str], inside: str) -> Entry | Problem:
    try:
        if one.is_symlink() and not _is_inside(one.path, inside):
            return Problem(path, "link", "it leads out of the folder")
        status = one.stat()
    except OSError as error:  # among others: links in a circle, links to nowhere
        return Problem(path, "unreadable", why(error))
    if not stat.S_ISREG(status.st_mode):
        return Problem(path, "unreadable", "it is no ordinary file")
    return Entry(path, status.st_size, str(status.st_mtime_ns))


def _is_inside(place: str | Path, folder: str) -> bool:
    real = os.path.realpath(place, strict=True)
    return real == folder or real.startswith(folder.rstrip(os.sep) + os.sep)
