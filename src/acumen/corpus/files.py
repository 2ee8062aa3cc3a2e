"""Files of a source: a folder, or a zip or jar with sources.

Files come in the order of their names, so that the same source gives the same corpus on every
machine. Links are followed to files inside the folder only, never to folders.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath

from acumen.api import AcumenError
from acumen.corpus.reading import LARGEST, Problem

# Path in the source and content, or why there is none.
Found = tuple[str, bytes] | Problem
# Nothing that people write packs a thousandfold.
LARGEST_RATIO = 1000


def files_of(source: Path, suffixes: Collection[str], largest: int = LARGEST) -> Iterator[Found]:
    """Files whose names end so, each read whole, one at a time."""
    if source.is_dir():
        return _of_folder(source, tuple(suffixes), largest)
    if not source.exists():
        raise AcumenError(f"{source}: there is no such folder or archive")
    if not zipfile.is_zipfile(source):
        raise AcumenError(
            f"{source}: neither a folder nor a zip", "a source is a folder, a zip or a jar"
        )
    return _of_archive(source, tuple(suffixes), largest)


def _of_folder(root: Path, suffixes: tuple[str, ...], largest: int) -> Iterator[Found]:
    inside = root.resolve()
    for folder, folders, names in os.walk(root, followlinks=False):
        folders.sort()
        for name in sorted(names):
            if not name.endswith(suffixes):
                continue
            file = Path(folder) / name
            path = file.relative_to(root).as_posix()
            try:
                if file.is_symlink() and not file.resolve().is_relative_to(inside):
                    yield Problem(path, "link", "it leads out of the folder")
                    continue
                if not file.is_file():
                    yield Problem(path, "unreadable", "it is no ordinary file")
                    continue
                size = file.stat().st_size
                yield _too_large(path, size, largest) or (path, file.read_bytes())
            except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle
                reason = getattr(error, "strerror", None) or str(error)
                yield Problem(path, "unreadable", reason)


def _of_archive(file: Path, suffixes: tuple[str, ...], largest: int) -> Iterator[Found]:
    with zipfile.ZipFile(file) as archive:
        for entry in sorted(archive.infolist(), key=lambda entry: entry.filename):
            if entry.is_dir() or not entry.filename.endswith(suffixes):
                continue
            parts = PurePosixPath(entry.filename.replace("\\", "/"))
            if parts.is_absolute() or ".." in parts.parts:
                yield Problem(entry.filename, "zip slip", "its name leads out of the archive")
                continue
            path = str(parts)
            packed = max(1, entry.compress_size)
            if entry.file_size > LARGEST_RATIO * packed:
                yield Problem(path, "zip bomb", f"{entry.file_size:,} bytes packed in {packed:,}")
                continue
            yield _too_large(path, entry.file_size, largest) or _unpacked(
                archive, entry, path, largest
            )


def _unpacked(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: str, largest: int) -> Found:
    try:
        with archive.open(entry) as stream:
            # The size an archive declares may be a lie: never more than that is read.
            data = stream.read(largest + 1)
    except (OSError, RuntimeError, NotImplementedError, EOFError, zipfile.BadZipFile) as error:
        return Problem(path, "unreadable", str(error))
    except Exception as error:  # zlib.error, lzma.LZMAError, ...: a damaged member
        return Problem(path, "unreadable", f"{type(error).__name__}: {error}")
    return _too_large(path, len(data), largest) or (path, data)


def _too_large(path: str, size: int, largest: int) -> Problem | None:
    if size <= largest:
        return None
    return Problem(path, "too large", f"{size:,} bytes, at most {largest:,} are read")
