"""npm packages: ``npm:PACKAGE`` or ``npm:PACKAGE@VERSION``, from the registry that the user's npm
is configured for."""

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
from codeacumen.corpus.sources.fetching import kept, run
from codeacumen.corpus.sources.project import Asked, Bring, Root
from codeacumen.corpus.sources.tarballs import FILES, UnpackedRoot, note, unpack

# npm also accepts folders, archives and URLs, and may run their scripts: allow names only.
_TEXT = re.compile(
    r"(?P<name>(?:@[A-Za-z0-9~][\w.~-]*/)?[A-Za-z0-9~][\w.~-]*)(?:@(?P<version>[A-Za-z0-9][\w.+-]*))?"
)
# By default npm retries for more than a minute if there is no network.
_PATIENCE = ("--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000")
# Strongest first.
_HASHES = ("sha512", "sha384", "sha256", "sha1")


@dataclass(frozen=True, slots=True)
class Published:
    """A version in the registry; ``integrity`` has the format of W3C Subresource Integrity."""

    name: str
    version: str
    integrity: str


def asked(text: str, cache: Path) -> Asked:
    """Return the source for the text after ``npm:``."""
    match = _TEXT.fullmatch(text)
    if match is None:
        raise CodeacumenError(
            f"npm:{text}: not a name of an npm package", "npm:PACKAGE or npm:PACKAGE@VERSION"
        )
    name, version = match["name"], match["version"] or ""
    return Asked(name, f"npm:{text}", lambda: _find(name, version, cache))


def _find(name: str, version: str, cache: Path) -> Bring:
    home = cache / "npm"
    place = home / f"{name}@{version}"
    # A version never changes, so a cached one needs no network. (Tags such as ``latest`` never name
    # a folder of the cache.)
    found = Published(name, version, "") if version and place.is_dir() else None
    found = found or _published(f"{name}@{version}" if version else name, home)
    place = home / f"{name}@{found.version}"

    def bring(progress: Progress) -> tuple[Root, str]:
        kept(place, lambda part: _fetch(found, part))
        return UnpackedRoot(place), found.version

    return bring


def _published(wanted: str, home: Path) -> Published:
    home.mkdir(parents=True, exist_ok=True)
    fields = ("name", "version", "dist.integrity", "dist.shasum")
    answer = _npm(wanted, home, "view", wanted, *fields)
    if isinstance(answer, list) and len(answer) > 1:
        versions = [str(one.get("version")) for one in answer]
        raise CodeacumenError(
            f"npm:{wanted}: {len(versions)} versions match",
            f"name one of them, such as {versions[-1]}",
        )
    one = answer[0] if isinstance(answer, list) and answer else answer
    if not isinstance(one, dict) or "version" not in one:
        raise CodeacumenError(
            f"npm:{wanted}: there is no such version",
            "`npm view PACKAGE versions` lists the versions",
        )
    # Packages that were published long ago have a SHA-1 only.
    older = base64.b64encode(bytes.fromhex(one.get("dist.shasum", ""))).decode()
    integrity = one.get("dist.integrity") or f"sha1-{older}"
    return Published(str(one["name"]), str(one["version"]), str(integrity))


def _fetch(found: Published, part: Path) -> None:
    wanted = f"{found.name}@{found.version}"
    downloads = part / "download"
    downloads.mkdir()
    _npm(wanted, downloads, "pack", wanted, "--ignore-scripts")
    archives = list(downloads.glob("*.tgz"))
    if len(archives) != 1:
        raise CodeacumenError(f"npm:{wanted}: npm downloaded {len(archives)} archives, not one")
    if not intact(archives[0].read_bytes(), found.integrity):
        raise CodeacumenError(
            f"npm:{wanted}: the download does not have the published hash ({found.integrity})",
            "run `npm cache verify` and then the command again",
        )
    note(part, unpack(archives[0], part / FILES))
    shutil.rmtree(downloads)


def intact(data: bytes, integrity: str) -> bool:
    """Return whether the data has one of the hashes of the strongest algorithm in ``integrity``."""
    given = [one.partition("-")[::2] for one in integrity.split()]
    for kind in _HASHES:
        hashes = {value.split("?")[0] for name, value in given if name == kind}
        if hashes:
            return base64.b64encode(hashlib.new(kind, data).digest()).decode() in hashes
    return False


def _npm(wanted: str, folder: Path, *arguments: str) -> Any:
    """Run npm and return its JSON output; raise an error if npm reports one."""
    # On Windows the program is npm.cmd.
    command = (shutil.which("npm") or "npm", *arguments, "--json", *_PATIENCE)
    done = run(command, folder, f"npm:{wanted}")
    try:
        answer = json.loads(done.stdout or "null")
    except ValueError:
        answer = None
    error = answer.get("error") if isinstance(answer, dict) else None
    if done.returncode or error:
        told = error or {}
        reason = told.get("summary") or done.stderr.strip() or f"npm ended with {done.returncode}"
        raise CodeacumenError(
            f"npm:{wanted}: {reason}",
            "check the name and the network; `npm view PACKAGE versions` lists the versions",
        )
    return answer
