"""npm packages: ``npm:PACKAGE`` or ``npm:PACKAGE@VERSION``.

The program npm downloads them, from the registry that the user has configured for it. Without a
version it is the latest one; VERSION may also be a tag such as ``next``.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codeacumen.api import CodeacumenError
from codeacumen.core.progress import Progress
from codeacumen.corpus.sources.project import (
    SourceFetcher,
    SourceRoot,
    SourceSpec,
    get_or_make_folder,
    run_command,
)
from codeacumen.corpus.sources.tarballs import FILES, UnpackedRoot, unpack_archive, write_problems

# npm also accepts folders, archives and URLs, and may run their scripts: allow names only.
_TEXT = re.compile(
    r"(?P<name>(?:@[A-Za-z0-9~][\w.~-]*/)?[A-Za-z0-9~][\w.~-]*)(?:@(?P<version>[A-Za-z0-9][\w.+-]*))?"
)
# By default npm retries for more than a minute if there is no network.
_PATIENCE = ("--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000")
# The algorithms of an integrity text, strongest first.
_HASHES = ("sha512", "sha384", "sha256", "sha1")


@dataclass(frozen=True, slots=True)
class PackageVersion:
    """A version in the registry.

    ``integrity`` has the format of W3C Subresource Integrity; it is empty for a cached package,
    which is not checked again.
    """

    name: str
    version: str
    integrity: str


def parse_source(text: str, cache: Path) -> SourceSpec:
    """Return the source for the text after ``npm:``."""
    match = _TEXT.fullmatch(text)
    if match is None:
        raise CodeacumenError(
            f"npm:{text}: not a name of an npm package", "npm:PACKAGE or npm:PACKAGE@VERSION"
        )
    name, version = match["name"], match["version"] or ""
    return SourceSpec(name, f"npm:{text}", lambda: _find_package(name, version, cache))


def _find_package(name: str, version: str, cache: Path) -> SourceFetcher:
    home = cache / "npm"
    package_folder = home / f"{name}@{version}"
    # A version never changes, so a cached one needs no network. (Tags such as ``latest`` never name
    # a folder of the cache.)
    package = PackageVersion(name, version, "") if version and package_folder.is_dir() else None
    package = package or _query_registry(f"{name}@{version}" if version else name, home)
    package_folder = home / f"{name}@{package.version}"

    def fetch_source(progress: Progress) -> tuple[SourceRoot, str]:
        get_or_make_folder(package_folder, lambda part: _fetch_package(package, part))
        return UnpackedRoot(package_folder), package.version

    return fetch_source


def _query_registry(package_spec: str, home: Path) -> PackageVersion:
    """Return the only version that ``PACKAGE`` or ``PACKAGE@VERSION`` names."""
    home.mkdir(parents=True, exist_ok=True)
    fields = ("name", "version", "dist.integrity", "dist.shasum")
    answer = _run_npm(package_spec, home, "view", package_spec, *fields)
    if isinstance(answer, list) and len(answer) > 1:
        versions = [str(entry.get("version")) for entry in answer]
        raise CodeacumenError(
            f"npm:{package_spec}: {len(versions)} versions match",
            f"name one of them, such as {versions[-1]}",
        )
    entry = answer[0] if isinstance(answer, list) and answer else answer
    if not isinstance(entry, dict) or "version" not in entry:
        raise CodeacumenError(
            f"npm:{package_spec}: there is no such version",
            "`npm view PACKAGE versions` lists the versions",
        )
    # Packages that were published long ago have a SHA-1 only.
    sha1 = base64.b64encode(bytes.fromhex(entry.get("dist.shasum", ""))).decode()
    integrity = entry.get("dist.integrity") or f"sha1-{sha1}"
    return PackageVersion(str(entry["name"]), str(entry["version"]), str(integrity))


def _fetch_package(package: PackageVersion, part: Path) -> None:
    """Download and check a package, and unpack it to the folder ``part``.

    ``part`` is the temporary folder that becomes the package's folder (``get_or_make_folder``).
    """
    package_spec = f"{package.name}@{package.version}"
    downloads = part / "download"
    downloads.mkdir()
    _run_npm(package_spec, downloads, "pack", package_spec, "--ignore-scripts")
    archives = list(downloads.glob("*.tgz"))
    if len(archives) != 1:
        raise CodeacumenError(
            f"npm:{package_spec}: npm downloaded {len(archives)} archives, not one"
        )
    if not matches_integrity(archives[0].read_bytes(), package.integrity):
        raise CodeacumenError(
            f"npm:{package_spec}: the download does not have the published hash "
            f"({package.integrity})",
            "run `npm cache verify` and then the command again",
        )
    write_problems(part, unpack_archive(archives[0], part / FILES))
    shutil.rmtree(downloads)


def matches_integrity(data: bytes, integrity: str) -> bool:
    """Return whether the data has one of the hashes of the strongest algorithm in ``integrity``.

    Hashes of weaker algorithms do not count, nor does a text without any known algorithm.
    """
    # Pairs of algorithm and hash; options may follow the hash after a question mark.
    declared = [part.partition("-")[::2] for part in integrity.split()]
    for kind in _HASHES:
        hashes = {value.split("?")[0] for name, value in declared if name == kind}
        if hashes:
            return base64.b64encode(hashlib.new(kind, data).digest()).decode() in hashes
    return False


def _run_npm(package_spec: str, folder: Path, *arguments: str) -> Any:
    """Run npm and return its JSON output, None if it is not JSON.

    Raise an error if npm reports one.
    """
    # On Windows the program is npm.cmd.
    command = (shutil.which("npm") or "npm", *arguments, "--json", *_PATIENCE)
    process = run_command(command, folder, f"npm:{package_spec}")
    try:
        answer = json.loads(process.stdout or "null")
    except ValueError:
        answer = None
    error = answer.get("error") if isinstance(answer, dict) else None
    if process.returncode or error:
        details = error or {}
        reason = (
            details.get("summary")
            or process.stderr.strip()
            or f"npm ended with {process.returncode}"
        )
        raise CodeacumenError(
            f"npm:{package_spec}: {reason}",
            "check the name and the network; `npm view PACKAGE versions` lists the versions",
        )
    return answer
