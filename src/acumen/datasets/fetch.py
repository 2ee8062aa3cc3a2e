"""Getting a data set: from its pinned commit, or from a local copy.

Each file goes to a ``.part`` file beside its place, is checked against its hash and then
renamed, so a file under its own name is always whole. A download that was cut off goes on
where it stopped.
"""

from __future__ import annotations

import hashlib
import shutil
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

from acumen.api import AcumenError
from acumen.datasets.catalogue import DataFile, Dataset
from acumen.datasets.home import dataset_folder

CHUNK = 1 << 16
TIMEOUT_SECONDS = 30

Progress = Callable[[str, int], None]


def sha256_of(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def get(
    data: Dataset,
    source: Path | None = None,
    base_url: str | None = None,
    progress: Progress = lambda name, size: None,
) -> list[str]:
    """Bring every file of ``data`` home; returns the names of those that were not there.

    Files already home are checked and, if they are damaged, fetched again.
    """
    folder = dataset_folder(data)
    folder.mkdir(parents=True, exist_ok=True)
    if source is not None and not source.is_dir():
        raise AcumenError(f"{source} is not a folder", "--from takes the folder with the files")
    fetched: list[str] = []
    for file in data.files:
        target = folder / file.name
        if target.is_file() and sha256_of(target) == file.sha256:
            continue
        part = target.with_name(target.name + ".part")
        if source is not None:
            _copy(source / file.name, part)
        else:
            url = (base_url or data.base_url).format(commit=data.commit) + file.name
            _download(url, part, file, data, progress)
        _check(part, file, source)
        part.replace(target)
        fetched.append(file.name)
        progress(file.name, target.stat().st_size)
    return fetched


def _copy(origin: Path, part: Path) -> None:
    if not origin.is_file():
        raise AcumenError(f"{origin} is missing", "--from takes the folder with all the files")
    shutil.copyfile(origin, part)


def _check(part: Path, file: DataFile, source: Path | None) -> None:
    found = sha256_of(part)
    if found == file.sha256:
        return
    part.unlink()
    where = f"{source / file.name}" if source else f"the download of {file.name}"
    raise AcumenError(
        f"{where} is not the pinned version: expected SHA-256 {file.sha256}, found {found}",
        "get the files of the commit that `acumen data list` names"
        if source
        else "run the command again; if it stays, the publisher changed the file",
    )


def _download(url: str, part: Path, file: DataFile, data: Dataset, progress: Progress) -> None:
    done = part.stat().st_size if part.exists() else 0
    request = urllib.request.Request(url, headers={"Range": f"bytes={done}-"} if done else {})
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
            # 206: the server goes on where we stopped; 200: it sends everything again.
            resumed = response.status == 206
            with part.open("ab" if resumed else "wb") as out:
                while chunk := response.read(CHUNK):
                    out.write(chunk)
                    progress(file.name, out.tell())
    except urllib.error.HTTPError as error:
        if error.code == 416:  # the part file is already whole, or longer than the file
            if sha256_of(part) != file.sha256:
                part.unlink()
                _download(url, part, file, data, progress)
            return
        raise AcumenError(f"{url}: {error.code} {error.reason}") from error
    except OSError as error:
        reason = getattr(error, "reason", error)
        raise AcumenError(
            f"{data.name} cannot be downloaded ({reason})",
            f"get a copy of {data.repository} at commit {data.commit} on a machine with a "
            f"network, bring it here and run `acumen data get {data.name} --from DIR`; "
            "with a network, run the same command again: it goes on where it stopped",
        ) from error
