"""Folders of published data sets on this machine, and checks of their files."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from codeacumen.api import CodeacumenError
from codeacumen.core.files import sha256_of
from codeacumen.core.home import codeacumen_home
from codeacumen.datasets.catalogue import Dataset, find_dataset


def dataset_folder(data: Dataset) -> Path:
    """Return the folder of a data set; its name has the commit, so that versions never mix."""
    return codeacumen_home() / "data" / f"{data.name}-{data.commit[:12]}"


def missing_files(data: Dataset) -> list[str]:
    """Return the names of files that are missing or have another hash than pinned."""
    folder = dataset_folder(data)
    return [file.name for file in data.files if not _is_right(folder / file.name, file.sha256)]


def _is_right(path: Path, sha256: str) -> bool:
    try:
        state = path.stat()
    except OSError:
        return False
    return _cached_sha256(path, state.st_size, state.st_mtime_ns) == sha256


@lru_cache(maxsize=256)
def _cached_sha256(path: Path, size: int, modified_ns: int) -> str:
    """Return the SHA-256 of a file; size and modification time are part of the cache key."""
    return sha256_of(path)


def require_dataset(name: str) -> Path:
    """Return the folder of a data set; if it is incomplete, raise an error with the command."""
    data = find_dataset(name)
    missing = missing_files(data)
    if missing:
        raise CodeacumenError(
            f"the data set {name} is not on this machine, or incomplete: {len(missing)} of "
            f"{len(data.files)} files are missing or damaged",
            f"run `codeacumen dataset get {name}`, or `codeacumen dataset get {name} --from DIR` "
            "if you have a copy",
        )
    return dataset_folder(data)
