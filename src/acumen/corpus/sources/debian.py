"""A Debian source package: ``debian:PACKAGE`` or ``debian:PACKAGE=VERSION``.

The files are those of upstream, as Debian keeps them, with Debian's own folder beside them. What
Debian changes in upstream's files is not applied; with the oldest format (1.0), that is all of its
own folder. PACKAGE may also be one built from the sources.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from acumen.api import AcumenError
from acumen.core.progress import Progress
from acumen.corpus.reading import Problem
from acumen.corpus.sources import apt
from acumen.corpus.sources.cache import kept
from acumen.corpus.sources.project import Asked, Bring, Root
from acumen.corpus.sources.tarballs import FILES, UnpackedRoot, note, unpack

_PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.-]+")
_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+:~-]*")
_URI = re.compile(r"^'[^']+' (\S+) \d+", re.MULTILINE)
_CHECKSUM = re.compile(r"^ ([0-9a-f]{64}) (\d+) ([^\s/]+)$", re.MULTILINE)
# What apt says of a file that is not there, unlike one that did not come.
_LACKING = re.compile("404|File not found|No such file")
_TAR = re.compile(r"(?:\.(?P<kind>orig|debian)(?:-(?P<component>[A-Za-z0-9-]+))?)?\.tar\.\w+$")


@dataclass(frozen=True, slots=True)
class Description:
    """What a ``.dsc`` says."""

    version: str
    # By file name, SHA-256.
    files: dict[str, str]


def asked(text: str, cache: Path) -> Asked:
    """``text`` is what follows ``debian:``."""
    package, _, version = text.partition("=")
    if not _PACKAGE.fullmatch(package) or ("=" in text and not _VERSION.fullmatch(version)):
        raise AcumenError(
            f"debian:{text}: no name of a Debian package",
            "debian:PACKAGE or debian:PACKAGE=VERSION",
        )
    return Asked(package, f"debian:{text}", lambda: _find(package, version, cache))


def _find(package: str, version: str, cache: Path) -> Bring:
    home = cache / "debian"
    wanted = f"{package}={version}" if version else package
    # What is here needs no network.
    if not version or not _place(home, package, version).is_dir():
        version = _version(wanted, home)
    place = _place(home, package, version)

    def bring(progress: Progress) -> tuple[Root, str]:
        kept(place, lambda part: _fetch(wanted, home, place, part))
        (file,) = place.glob("*.dsc")
        return UnpackedRoot(place), described(file.read_text("utf-8", "replace")).version

    return bring


def _place(home: Path, package: str, version: str) -> Path:
    # As in Debian's file names: without the epoch.
    return home / f"{package}_{version.split(':', 1)[-1]}"


def _version(wanted: str, home: Path) -> str:
    """The version that apt would bring; an error if there is none."""
    if shutil.which("apt-get") is None:
        raise AcumenError(
            f"debian:{wanted}: there is no apt-get on this machine",
            "get the sources on a machine with Debian or Ubuntu, bring them here and give "
            "their folder",
        )
    home.mkdir(parents=True, exist_ok=True)
    arguments = ("--print-uris", "source", wanted)
    answer = apt.call(home / "apt", arguments, home, f"debian:{wanted}")
    names = [name for name in _URI.findall(answer.text) if name.endswith(".dsc")]
    if "deb-src" in answer.errors:
        raise AcumenError(
            f"debian:{wanted}: no list of source packages came ({answer.of_update})",
            f"is there a network? if it is a mirror without sources, {apt.ADD}",
        )
    if answer.code or not names:
        reasons = "; ".join(reason for reason in (answer.errors, answer.of_update) if reason)
        raise AcumenError(
            f"debian:{wanted}: apt does not find it ({reasons})",
            "is the name right, and is there a network? `apt-cache search` finds packages",
        )
    return str(names[0].removesuffix(".dsc").split("_", 1)[1])


def _fetch(wanted: str, home: Path, place: Path, part: Path) -> None:
    """Download, check, unpack. What came stays until all is well, and apt goes on where it
    stopped."""
    downloads = place.with_name(place.name + ".download")
    downloads.mkdir(exist_ok=True)
    arguments = ("--download-only", "source", wanted)
    answer = apt.call(home / "apt", arguments, downloads, f"debian:{wanted}")
    found = sorted(downloads.glob("*.dsc"))
    description = described(found[0].read_text("utf-8", "replace")) if len(found) == 1 else None
    missing = [
        name
        for name in (description.files if description else ())
        if not (downloads / name).exists()
    ]
    # Some mirrors lack Debian's own folder of a package; upstream's files do not depend on it.
    lacking = _LACKING.search(answer.errors) and all(_folder(one) == "debian" for one in missing)
    if description is None or (answer.code and not lacking):
        raise AcumenError(
            f"debian:{wanted} cannot be downloaded ({answer.errors})",
            "run the command again: it goes on where it stopped; a mirror may lack a package",
        )
    whole = {name: sha256 for name, sha256 in description.files.items() if name not in missing}
    for name, sha256 in whole.items():
        with (downloads / name).open("rb") as stream:
            if hashlib.file_digest(stream, "sha256").hexdigest() != sha256:
                (downloads / name).unlink()
                raise AcumenError(
                    f"debian:{wanted}: {name} is not the file that {found[0].name} names",
                    "run the command again",
                )
    problems = _unpack(downloads, whole, part / FILES)
    problems += [Problem(".", "missing", f"the mirror lacks {name}") for name in missing]
    note(part, problems)
    shutil.copyfile(found[0], part / found[0].name)
    shutil.rmtree(downloads)


def described(text: str) -> Description:
    """Of a ``.dsc``, which may be signed."""
    version = re.search(r"^Version: *(\S+)", text, re.MULTILINE)
    checksums = re.search(r"^Checksums-Sha256:\s*\n((?: .*\n?)+)", text, re.MULTILINE)
    if version is None or checksums is None:
        raise AcumenError("a .dsc without a version or checksums")
    found = {name: sha256 for sha256, _, name in _CHECKSUM.findall(checksums[1])}
    return Description(version[1], found)


def _unpack(downloads: Path, names: Iterable[str], target: Path) -> list[Problem]:
    """Put the archives where dpkg-source puts them: upstream's at the top, its further components
    in folders of their names, Debian's in ``debian``."""
    problems: list[Problem] = []
    # Upstream's first: what follows takes the place of a folder of its name.
    for folder, name in sorted((_folder(name), name) for name in names if _TAR.search(name)):
        place = target / folder
        if folder and place.is_dir():
            shutil.rmtree(place)
        place.parent.mkdir(parents=True, exist_ok=True)
        for one in unpack(downloads / name, place):
            # What is wrong with an archive as a whole has no path.
            path = one.path if one.path == "." else str(PurePosixPath(folder, one.path))
            problems.append(replace(one, path=path))
    return problems


def _folder(archive: str) -> str:
    match = _TAR.search(archive)
    kind, component = (match["kind"], match["component"]) if match else (None, None)
    return "debian" if kind == "debian" else component or ""
