"""Read sources from a zip or jar in place, without unpacking it to disk."""

from __future__ import annotations

import hashlib
import os
import stat
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path, PurePosixPath

from codeacumen.api import CodeacumenError
from codeacumen.corpus.reading import Problem
from codeacumen.corpus.sources.paths import describe_error, describe_escape, path_from_bytes
from codeacumen.corpus.sources.project import Entry, PathFilter, check_size

# A member with a higher compression ratio is a zip bomb; hand-written files compress far less.
LARGEST_RATIO = 1000
# Limit for the total size of all files of an archive, in bytes.
LARGEST_TOTAL = 16 << 30
# Zip format: the flag of a name in UTF-8, and the size of the fixed part of a member's header.
_UTF8_NAME = 0x800
_LOCAL_HEADER = 30

# Number of archives that a process keeps open.
_OPEN = 16


@dataclass(frozen=True, slots=True)
class ZipRoot:
    """The files of a zip archive."""

    file: Path

    def list_entries(
        self, is_wanted: PathFilter, levels: int | None = None
    ) -> list[Entry | Problem]:
        try:
            opened = _open_archive(self.file)
        except (OSError, CodeacumenError) as error:  # the archive was readable when the build began
            return [Problem(".", "unreadable", f"the archive: {describe_error(error)}")]
        members = opened.members
        entries: list[Entry | Problem] = []
        total = 0
        for path in sorted(members):
            if not is_wanted(path) or (levels is not None and path.count("/") >= levels):
                continue
            member = members[path]
            if isinstance(member, Problem):
                entries.append(member)
                continue
            total += member.file_size
            if total > LARGEST_TOTAL:
                message = f"total size above {LARGEST_TOTAL:,} bytes"
                entries.append(Problem(path, "zip bomb", message))
                continue
            entries.append(Entry(path, member.file_size, f"{member.CRC:08x}"))
        return entries + [problem for problem in opened.hidden if is_wanted(problem.path)]

    def read_file(self, path: str, largest: int) -> bytes | Problem:
        try:
            opened = _open_archive(self.file)
        except (OSError, CodeacumenError) as error:
            return Problem(path, "unreadable", f"the archive: {describe_error(error)}")
        member = opened.members.get(path)
        if member is None:
            return Problem(path, "unreadable", "the archive has no such file")
        if isinstance(member, Problem):
            return member
        problem = check_size(path, member.file_size, largest)
        return problem or _unpack_member(opened.archive, member, path, largest)


def hash_archive(file: Path) -> str:
    """Return the archive's SHA-256; raise an error if its table of contents cannot be read."""
    _open_archive(file)
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@dataclass(frozen=True, slots=True)
class _OpenArchive:
    """An open archive with its checked table of contents."""

    archive: zipfile.ZipFile
    # The member to read, or the problem that prevents it, by path.
    members: dict[str, zipfile.ZipInfo | Problem]
    # Problems of members that a later member of the same path replaces.
    hidden: tuple[Problem, ...]


def _open_archive(file: Path) -> _OpenArchive:
    """Return an archive, opened again if the file has changed."""
    status = file.stat()
    # A forked process shares file positions with its parent, so every process opens its own.
    return _open_cached(file, status.st_mtime_ns, status.st_size, os.getpid())


@lru_cache(maxsize=_OPEN)
def _open_cached(file: Path, modified_ns: int, size: int, process_id: int) -> _OpenArchive:
    try:
        archive = zipfile.ZipFile(file)
    except Exception as error:  # BadZipFile, struct.error, UnicodeDecodeError, ...: all damage
        raise CodeacumenError(f"{file}: a damaged zip ({describe_error(error)})") from error
    members: dict[str, zipfile.ZipInfo | Problem] = {}
    hidden: list[Problem] = []
    overlapping = _find_overlapping_members(archive.infolist())
    for member in archive.infolist():
        name = _member_name(member)
        if not name or name.endswith("/"):
            continue
        path = str(PurePosixPath(name))
        problem = _check_member(name, path, member)
        if member.header_offset in overlapping:
            problem = Problem(path, "zip bomb", "overlaps another member")
        path = problem.path if problem else path
        if path in members:
            # As when unpacking: the last member of a path wins.
            hidden.append(Problem(path, "duplicate", "a later member has the same path"))
        members[path] = problem or member
    return _OpenArchive(archive, members, tuple(hidden))


def _member_name(member: zipfile.ZipInfo) -> str:
    """Return the name of a member, with / between folders.

    Without the UTF-8 flag the encoding is unknown; ``zipfile`` decodes such names as code page 437,
    but today most are UTF-8.
    """
    encoding = "utf-8" if member.flag_bits & _UTF8_NAME else "cp437"
    raw = member.orig_filename.encode(encoding, "surrogateescape")
    return path_from_bytes(raw.split(b"\0")[0].replace(b"\\", b"/"))


def _check_member(name: str, path: str, member: zipfile.ZipInfo) -> Problem | None:
    """Return the problem of a member that must not be read: zip slip, link or zip bomb."""
    escape = describe_escape(name)
    if escape:
        return Problem(name, "zip slip", escape)
    if stat.S_ISLNK(member.external_attr >> 16):
        return Problem(path, "link", "a link; its target is read under its own path")
    packed = max(1, member.compress_size)
    if member.file_size > LARGEST_RATIO * packed:
        return Problem(path, "zip bomb", f"{member.file_size:,} bytes packed in {packed:,}")
    return None


def _find_overlapping_members(members: Iterable[zipfile.ZipInfo]) -> set[int]:
    """Return the header offsets of members that overlap the next member.

    Overlapping members let a small archive unpack to petabytes although each member has an ordinary
    compression ratio.
    """
    ordered = sorted(members, key=lambda member: member.header_offset)
    return {
        member.header_offset
        for member, next_member in pairwise(ordered)
        if member.header_offset + _LOCAL_HEADER + member.compress_size > next_member.header_offset
    }


def _unpack_member(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: str, largest: int
) -> bytes | Problem:
    """Return the content of a member, or the problem if it is damaged or too large."""
    try:
        with archive.open(member) as stream:
            # The declared size may be wrong, so the number of bytes read is limited.
            data = stream.read(largest + 1)
    except (OSError, RuntimeError, NotImplementedError, EOFError, zipfile.BadZipFile) as error:
        return Problem(path, "unreadable", str(error))
    except Exception as error:  # zlib.error, lzma.LZMAError, ...: a damaged member
        return Problem(path, "unreadable", f"{type(error).__name__}: {error}")
    return check_size(path, len(data), largest) or data
