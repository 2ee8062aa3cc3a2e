"""Fetch a published data set, from its pinned commit or from a local copy.

Each file is written to a ``.part`` file, checked against its hash and then renamed, so a file under
its own name is always complete. An interrupted download resumes.
"""

from __future__ import annotations

import http.client
import importlib
import shutil
import tarfile
import urllib.error
import urllib.request
import zlib
from collections.abc import Callable
from pathlib import Path

from codeacumen.api import CodeacumenError
from codeacumen.core.files import sha256_of
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.datasets.catalogue import DataFile, Dataset, dataset_folder

# Bytes that are read at once from the network.
CHUNK = 1 << 16
TIMEOUT_SECONDS = 30


def fetch_dataset(
    data: Dataset,
    source: Path | None = None,
    base_url: str | None = None,
    progress: Progress = ignore_progress,
) -> list[str]:
    """Fetch every missing or damaged file of a data set; return the names of these files.

    ``source`` is a folder with a copy of the files; without it they are downloaded. ``base_url``
    replaces that of the data set, with ``{commit}`` for its commit; it does not apply to archives.
    """
    folder = dataset_folder(data)
    if source is not None and not source.is_dir():
        raise CodeacumenError(f"{source} is not a folder", "--from takes the folder with the files")
    needed_files = [file for file in data.files if not _is_pinned(folder / file.name, file)]
    if source is not None:
        # Check all files first: a copy of another version must not be copied in part.
        for file in needed_files:
            _check_copy(source / file.name, file)
    folder.mkdir(parents=True, exist_ok=True)
    for number, file in enumerate(needed_files, 1):

        def report_size(size: int, name: str = file.name, number: int = number) -> None:
            progress(f"{name} {size:,} bytes", number, len(data.files))

        target = folder / file.name
        part = target.with_name(target.name + ".part")
        if source is not None:
            shutil.copyfile(source / file.name, part)
            _check_copy(part, file)
        elif file.archive:
            _assemble_file(part, file, data, report_size)
        else:
            url = (base_url or data.base_url).format(commit=data.commit) + file.name
            _download_file(url, part, file, data, report_size)
            _check_download(part, file)
        part.replace(target)
        report_size(target.stat().st_size)
    return [file.name for file in needed_files]


def _assemble_file(
    part: Path, file: DataFile, data: Dataset, report_size: Callable[[int], None]
) -> None:
    """Download the archive of a file and create the file from it, at the path ``part``.

    GitHub makes the archive on demand, so the archive has no stable hash and only the file is
    checked.
    """
    archive = part.with_name(f"{file.name}.archive.part")
    archive.unlink(missing_ok=True)
    _download_file(file.archive, archive, file, data, report_size)
    module, _, function = file.made_by.partition(":")
    try:
        part.write_bytes(getattr(importlib.import_module(module), function)(archive, part.parent))
    except (OSError, EOFError, tarfile.TarError, zlib.error) as error:
        raise CodeacumenError(
            f"{file.archive}: not a readable archive ({error})", "run the command again"
        ) from error
    finally:
        archive.unlink(missing_ok=True)
    _check_download(part, file)


def _is_pinned(path: Path, file: DataFile) -> bool:
    """Return whether a path holds the pinned content of a file."""
    return path.is_file() and sha256_of(path) == file.sha256


def _check_copy(path: Path, file: DataFile) -> None:
    """Raise an error unless a local copy has the pinned content."""
    if not path.is_file():
        raise CodeacumenError(f"{path} is missing", "--from takes the folder with all the files")
    if not _is_pinned(path, file):
        raise CodeacumenError(
            _not_pinned(str(path), file, path),
            "get the files of the commit that `codeacumen dataset show` names",
        )


def _check_download(part: Path, file: DataFile) -> None:
    """Raise an error and delete the download unless it has the pinned content."""
    if not _is_pinned(part, file):
        message = _not_pinned(f"the download of {file.name}", file, part)
        part.unlink()
        raise CodeacumenError(
            message, "run the command again; if the error stays, the publisher changed the file"
        )


def _not_pinned(what: str, file: DataFile, path: Path) -> str:
    return (
        f"{what} is not the pinned version: expected SHA-256 {file.sha256}, found {sha256_of(path)}"
    )


def _download_file(
    url: str, part: Path, file: DataFile, data: Dataset, report_size: Callable[[int], None]
) -> None:
    """Download a URL to ``part``, after the bytes that are already there.

    ``report_size`` is called with the number of bytes so far. The caller checks the content.
    """
    done = part.stat().st_size if part.exists() else 0
    request = urllib.request.Request(url, headers={"Range": f"bytes={done}-"} if done else {})
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
            # 206: the server resumes at our offset; 200: it sends the whole file again.
            resumed = response.status == 206
            with part.open("ab" if resumed else "wb") as out:
                while chunk := response.read(CHUNK):
                    out.write(chunk)
                    report_size(out.tell())
            # urllib does not report a connection that was cut off before the end.
            if response.length:
                raise ConnectionError(f"cut off with {response.length:,} bytes to go")
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 416 and done:  # the part file is complete, or not a part of this file
            if not _is_pinned(part, file):
                part.unlink()
                _download_file(url, part, file, data, report_size)
            return
        raise CodeacumenError(
            f"{url}: {error.code} {error.reason}",
            f"if you have a copy: codeacumen dataset get {data.name} --from DIR",
        ) from error
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        raise CodeacumenError(
            f"{data.name} cannot be downloaded ({reason})",
            f"get a copy of {data.repository} at commit {data.commit} on a machine with a "
            f"network, copy it here and run `codeacumen dataset get {data.name} --from DIR`; "
            "with a network, run the same command again: it goes on where it stopped",
        ) from error
