"""Read sources from a folder. Links to files inside it are followed, links to folders never."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from codeacumen.corpus.reading import Problem
from codeacumen.corpus.sources.paths import describe_error, path_from_bytes, to_os_path
from codeacumen.corpus.sources.project import Entry, PathFilter, check_size

# Folders of version control tools are skipped: a branch called fix.java is a file in .git.
_KEPT_BY_TOOLS = frozenset((".git", ".hg", ".svn"))
TO_A_FOLDER = "the link leads to a folder; such links are not followed"


@dataclass(frozen=True, slots=True)
class FolderRoot:
    """The files of a folder."""

    folder: Path

    def list_entries(
        self, is_wanted: PathFilter, levels: int | None = None
    ) -> list[Entry | Problem]:
        entries: list[Entry | Problem] = []
        real_root = os.path.realpath(self.folder)
        # Folders to visit: path from the root, in the form of ``os``, and depth from 1.
        pending = [("", 1)]
        while pending:
            relative, level = pending.pop()
            try:
                # A text, because ``Path`` would split deep paths again for every folder.
                with os.scandir(f"{self.folder}/{relative}") as listing:
                    for dir_entry in listing:
                        path = f"{relative}/{dir_entry.name}" if relative else dir_entry.name
                        if dir_entry.is_dir(follow_symlinks=False):
                            if dir_entry.name not in _KEPT_BY_TOOLS and level != levels:
                                pending.append((path, level + 1))
                            continue
                        text = path_from_bytes(os.fsencode(path))
                        if _is_link_to_folder(dir_entry):
                            if dir_entry.name not in _KEPT_BY_TOOLS and levels is None:
                                entries.append(Problem(text, "link", TO_A_FOLDER))
                        elif is_wanted(text):
                            entries.append(_make_entry(text, dir_entry, real_root))
            except OSError as error:
                text = path_from_bytes(os.fsencode(relative))
                entries.append(
                    Problem(text or ".", "unreadable", f"a folder: {describe_error(error)}")
                )
        return entries

    def read_file(self, path: str, largest: int) -> bytes | Problem:
        file_path = self.folder / to_os_path(path)
        try:
            if not _is_inside(file_path, os.path.realpath(self.folder)):
                return Problem(path, "link", "the link leads out of the folder")
            status = file_path.stat()
            # Opening a named pipe would block.
            if not stat.S_ISREG(status.st_mode):
                return Problem(path, "unreadable", "not a regular file")
            problem = check_size(path, status.st_size, largest)
            return problem or file_path.read_bytes()
        except (OSError, ValueError) as error:  # ValueError: a NUL in the path
            return Problem(path, "unreadable", describe_error(error))


@dataclass(frozen=True, slots=True)
class FileRoot:
    """A single file as a source."""

    file: Path

    def list_entries(
        self, is_wanted: PathFilter, levels: int | None = None
    ) -> list[Entry | Problem]:
        path = path_from_bytes(os.fsencode(self.file.name))
        if not is_wanted(path):
            return []
        try:
            status = self.file.stat()
        except OSError as error:
            return [Problem(path, "unreadable", describe_error(error))]
        return [Entry(path, status.st_size, str(status.st_mtime_ns))]

    def read_file(self, path: str, largest: int) -> bytes | Problem:
        # A link that the user names is followed wherever it leads.
        real = Path(os.path.realpath(self.file))
        content = FolderRoot(real.parent).read_file(
            path_from_bytes(os.fsencode(real.name)), largest
        )
        return (
            Problem(path, content.kind, content.message)
            if isinstance(content, Problem)
            else content
        )


def _is_link_to_folder(dir_entry: os.DirEntry[str]) -> bool:
    try:
        return dir_entry.is_symlink() and dir_entry.is_dir()
    except OSError:  # a link to itself leads nowhere
        return False


def _make_entry(path: str, dir_entry: os.DirEntry[str], real_root: str) -> Entry | Problem:
    """Return the entry of a file, or the problem that prevents reading it."""
    try:
        if dir_entry.is_symlink() and not _is_inside(dir_entry.path, real_root):
            return Problem(path, "link", "the link leads out of the folder")
        status = dir_entry.stat()
    except OSError as error:  # among others: links in a circle, links to nowhere
        return Problem(path, "unreadable", describe_error(error))
    if not stat.S_ISREG(status.st_mode):
        return Problem(path, "unreadable", "not a regular file")
    return Entry(path, status.st_size, str(status.st_mtime_ns))


def _is_inside(path: str | Path, folder: str) -> bool:
    """Return whether a path is in a folder once its links are followed; ``folder`` has none."""
    real = os.path.realpath(path, strict=True)
    return real == folder or real.startswith(folder.rstrip(os.sep) + os.sep)
