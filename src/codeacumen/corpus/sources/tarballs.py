"""Unpack tar archives, compressed or not, into a new folder; for ``debian`` and ``npm`` sources.

Only regular files are written, each to a checked path: no link can lead a later file out of the
folder, and no device, owner or mode is set. Skipped members become ``Problem`` records and the rest
is unpacked. An archive is read once from beginning to end, up to a limit of bytes.
"""

from __future__ import annotations

import bz2
import errno
import gzip
import json
import lzma
import tarfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Any

from codeacumen.api import CodeacumenError
from codeacumen.corpus.reading import Problem
from codeacumen.corpus.sources.folder import FolderRoot
from codeacumen.corpus.sources.paths import (
    describe_error,
    describe_escape,
    path_from_bytes,
    to_os_path,
)
from codeacumen.corpus.sources.project import Entry, PathFilter

# ``tarfile`` reads as many bytes at once as a header says; no valid header needs more than this.
LARGEST_READ = 4 << 20
# Errors that decompressors raise for damaged data.
_DAMAGE = (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError)


class TooMuchError(Exception):
    """The archive exceeds a limit of size or number of files."""


class DamagedError(Exception):
    """The archive is damaged and cannot be read to its end."""


def open_decompressed(file: Path) -> IO[bytes]:
    """Open a file for reading; its first bytes decide how it is decompressed, if at all.

    The formats are, in the order of the tests: gzip, bzip2, xz or lzma, Zstandard.
    """
    with file.open("rb") as stream:
        head = stream.read(6)
    if head.startswith(b"\x1f\x8b"):
        return gzip.open(file)  # type: ignore[return-value]
    if head.startswith(b"BZh"):
        return bz2.open(file)
    if head.startswith((b"\xfd7zXZ\0", b"\x5d\0\0")):
        return lzma.open(file)
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        import pyarrow

        opened: IO[bytes] = pyarrow.input_stream(str(file), compression="zstd")
        return opened
    return file.open("rb")


class ForwardStream:
    """A forward-only stream for ``tarfile`` with a limit of ``total`` bytes.

    ``last`` is the result of the last read. A damaged header may point back, and decompressors seek
    back by starting again at the first byte: ``tarfile`` could then loop without end.
    """

    def __init__(self, stream: IO[bytes], total: int) -> None:
        self._stream = stream
        self._total = total
        self._position = 0
        self.last = b""

    def tell(self) -> int:
        return self._position

    def seek(self, position: int) -> int:
        if position < self._position:
            raise DamagedError("a header points backwards")
        while self._position < position and self.read(min(position - self._position, LARGEST_READ)):
            pass
        return self._position

    def read(self, size: int) -> bytes:
        if not 0 <= size <= LARGEST_READ:
            raise TooMuchError(f"a header of {size:,} bytes")
        if self._position + size > self._total:
            raise TooMuchError(f"it unpacks to more than {self._total:,} bytes")
        pieces, missing = [], size
        try:
            while missing and (piece := self._stream.read(missing)):
                pieces.append(piece)
                missing -= len(piece)
        except _DAMAGE as error:
            raise DamagedError(describe_error(error)) from error
        self.last = b"".join(pieces)
        self._position += len(self.last)
        return self.last


# Limits for the unpacked bytes and the files of an archive.
LARGEST_TOTAL = 16 << 30
MOST_FILES = 2_000_000
# Limit for the depth of folders; ``shutil.rmtree`` fails on much deeper ones.
DEEPEST = 200
# Bytes that are copied at once.
CHUNK = 1 << 20
# The folder of the files and the list of problems inside the folder of an ``UnpackedRoot``.
FILES, PROBLEMS = "files", "problems.json"

# Errors that concern one file only: the file system cannot store its name, or the path is taken.
_OF_ONE_FILE = frozenset(
    (
        errno.ENAMETOOLONG,
        errno.EILSEQ,
        errno.EINVAL,
        errno.ENOTDIR,
        errno.EISDIR,
        errno.EEXIST,
        errno.EMLINK,
    )
)


@dataclass(frozen=True, slots=True)
class UnpackedRoot:
    """Unpacked files, and the members of the archive that could not be unpacked.

    ``folder`` holds the folder ``FILES`` and the file ``PROBLEMS``.
    """

    folder: Path

    def list_entries(
        self, is_wanted: PathFilter, levels: int | None = None
    ) -> list[Entry | Problem]:
        entries = FolderRoot(self.folder / FILES).list_entries(is_wanted, levels)
        if levels is not None:
            return entries
        rows = json.loads((self.folder / PROBLEMS).read_text("utf-8"))
        return entries + [Problem(*row) for row in rows if row[0] == "." or is_wanted(row[0])]

    def read_file(self, path: str, largest: int) -> bytes | Problem:
        return FolderRoot(self.folder / FILES).read_file(path, largest)


def write_problems(folder: Path, problems: list[Problem]) -> None:
    """Write the problems of unpacking, which ``UnpackedRoot`` reads."""
    rows = [[problem.path, problem.kind, problem.message] for problem in problems]
    (folder / PROBLEMS).write_text(json.dumps(rows), "utf-8")


def unpack_archive(archive: Path, target: Path, total: int = LARGEST_TOTAL) -> list[Problem]:
    """Create the folder ``target`` with the files of the archive; return the problems.

    ``total`` limits the unpacked bytes. If all files are in one top folder, that folder becomes the
    target: it is mostly named after the version, and paths should stay the same in the next
    version.
    """
    part = target.with_name(target.name + ".unpacking")
    part.mkdir(parents=True)
    unpacking = _Unpacker(part, total)
    try:
        with open_decompressed(archive) as stream:
            unpacking.unpack_all(ForwardStream(stream, total))
    except TooMuchError as error:
        unpacking.problems.append(Problem(".", "tar bomb", f"{archive.name}: {error}"))
    except (DamagedError, tarfile.TarError) as error:
        message = f"{archive.name} is damaged: {describe_error(error)}"
        unpacking.problems.append(Problem(".", "unreadable", message))
    except OSError as error:
        raise CodeacumenError(f"{archive.name} cannot be unpacked: {error}") from error
    top_paths = list(part.iterdir())
    if len(top_paths) != 1 or not top_paths[0].is_dir():
        part.rename(target)
        return unpacking.problems
    top_paths[0].rename(target)
    part.rmdir()
    prefix = _path_from_name(top_paths[0].name) + "/"
    return [
        Problem(problem.path.removeprefix(prefix), problem.kind, problem.message)
        for problem in unpacking.problems
    ]


@dataclass(slots=True)
class _Unpacker:
    """State of unpacking; ``written`` are the paths of the files so far, which links may name."""

    target: Path
    remaining_bytes: int
    problems: list[Problem] = field(default_factory=list)
    written: set[str] = field(default_factory=set)

    def unpack_all(self, stream: ForwardStream) -> None:
        plain: Any = stream
        with tarfile.open(
            fileobj=plain, mode="r:", encoding="utf-8", errors="surrogateescape"
        ) as tar:
            count = 0
            while (member := tar.next()) is not None:
                count += 1
                if count > MOST_FILES:
                    raise TooMuchError(f"more than {MOST_FILES:,} files")
                # ``tarfile`` would keep all members in memory.
                tar.members = []  # type: ignore[attr-defined]
                if not member.isdir():
                    problem = self._unpack_member(tar, member)
                    self.problems += [problem] if problem else []
        # ``tarfile`` takes an unreadable header for the end of the archive; the real end is a block
        # of zeros.
        if stream.last.strip(b"\0"):
            raise DamagedError("the file is incomplete")

    def _unpack_member(self, tar: tarfile.TarFile, member: tarfile.TarInfo) -> Problem | None:
        name = _path_from_name(member.name)
        escape = describe_escape(name)
        if escape:
            return Problem(name, "tar slip", escape)
        path = str(PurePosixPath(name))
        if member.issym():
            return Problem(path, "link", "a link; its target is read under its own path")
        if path.count("/") >= DEEPEST:
            return Problem(path, "unreadable", f"more than {DEEPEST} folders deep")
        if not (member.isreg() or member.islnk()):
            return Problem(path, "unreadable", "not a regular file")
        # Count sizes here too: a sparse file is larger than its data in the archive.
        self.remaining_bytes -= member.size
        if self.remaining_bytes < 0:
            raise TooMuchError("larger than the limit for a project")
        try:
            return self._write_member(tar, member, path)
        except ValueError as error:  # a NUL in the name
            return Problem(path, "unreadable", describe_error(error))
        except OSError as error:
            if error.errno not in _OF_ONE_FILE:
                raise
            return Problem(path, "unreadable", describe_error(error))

    def _write_member(
        self, tar: tarfile.TarFile, member: tarfile.TarInfo, path: str
    ) -> Problem | None:
        file_path = self.target / to_os_path(path)
        file_path.parent.mkdir(parents=True, exist_ok=True)
        # The last member of a path wins.
        file_path.unlink(missing_ok=True)
        if member.islnk():
            linked_path = str(PurePosixPath(_path_from_name(member.linkname)))
            if linked_path not in self.written:
                return Problem(path, "link", "the link leads to no earlier file")
            file_path.hardlink_to(self.target / to_os_path(linked_path))
        else:
            content = tar.extractfile(member)
            try:
                with file_path.open("xb") as out:
                    while content and (chunk := content.read(CHUNK)):
                        out.write(chunk)
            except (DamagedError, tarfile.TarError):
                file_path.unlink()
                raise
        self.written.add(path)
        return None


def _path_from_name(name: str) -> str:
    """Return the path of a member, given its name as ``tarfile`` decodes it."""
    return path_from_bytes(name.encode("utf-8", "surrogateescape"))
