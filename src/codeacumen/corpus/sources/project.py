"""Projects: files that can be listed without reading them, and read by any process.

The root of a project is a folder, a zip or a git repository. A root stores its location only, and
each process opens it on first use. A project is therefore small enough to send to workers, here or
on another machine with the same disk.

Sources that are not on this machine are fetched by programs such as git; fetched folders are kept
in the cache.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from filelock import FileLock

from codeacumen.api import CodeacumenError
from codeacumen.core.progress import Progress
from codeacumen.corpus.licences import (
    LICENCE_LEVELS,
    UNKNOWN,
    LicenceFile,
    is_licence,
    recognize_licences,
)
from codeacumen.corpus.reading import LARGEST, Problem
from codeacumen.corpus.sources.paths import matches_patterns

# Returns True for the path of a file that is wanted.
PathFilter = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of a project.

    ``size`` is in bytes. ``stamp`` changes with the content and is known without reading the file:
    the hash of a git blob, the checksum in a zip, or the modification time in a folder, which
    differs between copies.
    """

    path: str
    size: int
    stamp: str


class SourceRoot(Protocol):
    """The location of a project's files, such as a folder or an archive.

    Paths are texts from ``sources.paths``, relative to the root, with slashes.
    """

    def list_entries(
        self, is_wanted: PathFilter, levels: int | None = None
    ) -> list[Entry | Problem]:
        """Return the files whose paths are wanted, in any order, and problems.

        ``levels`` limits the depth of folders: 1 is the top folder only, None no limit.
        """
        ...

    def read_file(self, path: str, largest: int) -> bytes | Problem:
        """Return the content of a file, or the problem if it is too large or unreadable."""
        ...


# Makes a source available on this machine and returns its root and revision.
SourceFetcher = Callable[[Progress], tuple[SourceRoot, str]]


@dataclass(frozen=True, slots=True)
class SourceSpec:
    """A source that a user named.

    ``name`` is the name of the project. ``find`` checks that the source exists, which may need the
    network, and returns a function that fetches it. ``source`` is the user's text without local
    paths and passwords; the corpus stores it.
    """

    name: str
    source: str
    find: Callable[[], SourceFetcher]


@dataclass(frozen=True, slots=True)
class Project:
    """A project of a corpus, with the patterns that select its files.

    ``revision`` is a commit hash, a version, the SHA-256 of an archive, or empty for a folder. An
    empty ``include`` selects all files; ``largest`` is the limit for a file in bytes.
    """

    name: str
    source: str
    revision: str
    root: SourceRoot
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    largest: int = LARGEST

    def list_entries(self, suffixes: Collection[str]) -> list[Entry | Problem]:
        """Return the files with these suffixes (in any case), sorted by path.

        A file that cannot be read is replaced by its problem.
        """
        endings = tuple(suffixes)

        def is_wanted(path: str) -> bool:
            return path.lower().endswith(endings) and self._is_selected(path)

        entries = self.root.list_entries(is_wanted)
        checked = [
            (isinstance(entry, Entry) and check_size(entry.path, entry.size, self.largest)) or entry
            for entry in entries
            if not (isinstance(entry, Problem) and entry.kind == "link")
            or self._may_select_link(entry.path)
        ]
        return sorted(checked, key=lambda entry: (entry.path, isinstance(entry, Problem)))

    def read_file(self, path: str) -> bytes | Problem:
        """Return the content of a file, or the problem if it is too large or unreadable."""
        return self.root.read_file(path, self.largest)

    def list_licence_files(self) -> list[LicenceFile]:
        """Return the licence files near the top, even if the recipe's patterns exclude them."""
        licence_files: list[LicenceFile] = []
        for entry in self.root.list_entries(is_licence, LICENCE_LEVELS):
            data = self.read_file(entry.path) if isinstance(entry, Entry) else entry
            ids = recognize_licences(entry.path, data) if isinstance(data, bytes) else (UNKNOWN,)
            licence_files.append(LicenceFile(entry.path, ids))
        return sorted(licence_files, key=lambda licence_file: licence_file.path)

    def _may_select_link(self, link: str) -> bool:
        """Return whether the patterns may select a link or a file in the folder behind it."""
        # ``A.java`` stands for any file: the files behind the link are not known.
        return self._is_selected(link) or self._is_selected(f"{link}/A.java")

    def _is_selected(self, path: str) -> bool:
        if self.include and not matches_patterns(path, self.include):
            return False
        return not (self.exclude and matches_patterns(path, self.exclude))


def check_size(path: str, size: int, largest: int) -> Problem | None:
    """Return a problem if a file has more than ``largest`` bytes."""
    if size <= largest:
        return None
    return Problem(path, "too large", f"{size:,} bytes, at most {largest:,} are read")


# Time limit for a program that fetches a source, in seconds.
SECONDS = 1800


def run_command(
    command: Sequence[str], folder: Path, purpose: str
) -> subprocess.CompletedProcess[str]:
    """Run a command and return the finished process; its messages are in English.

    ``purpose`` begins the message of an error.
    """
    try:
        return subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, "LC_ALL": "C.UTF-8", "LANGUAGE": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=SECONDS,
        )
    except FileNotFoundError as error:
        raise CodeacumenError(
            f"{purpose}: there is no {command[0]} on this machine",
            f"install {command[0]}, or copy the sources from another machine and name their folder",
        ) from error
    except subprocess.TimeoutExpired as error:
        raise CodeacumenError(
            f"{purpose}: {command[0]} did not finish within {SECONDS} s"
        ) from error


def get_or_make_folder(folder: Path, fill_folder: Callable[[Path], None]) -> Path:
    """Return the folder; if it does not exist, create it and call ``fill_folder``.

    The folder is filled under another name and then renamed, so that an existing folder is always
    complete. A lock lets only one of several processes fill it.
    """
    if folder.is_dir():
        return folder
    part = folder.with_name(folder.name + ".part")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_name(folder.name + ".lock")):
            if folder.is_dir():
                return folder
            if part.exists():
                shutil.rmtree(part)
            part.mkdir()
            fill_folder(part)
            part.rename(folder)
    except OSError as error:
        raise CodeacumenError(f"{folder} cannot be made: {error}", "is the disk full?") from error
    return folder
