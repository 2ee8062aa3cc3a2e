"""Debian source packages: ``debian:PACKAGE`` or ``debian:PACKAGE=VERSION``.

A package consists of the upstream files, as Debian stores them, and of the folder ``debian``.
Debian's patches of upstream files are not applied; a package of format 1.0 keeps that folder in a
patch and is read without it. PACKAGE may also be a binary package that is built from the sources.

Most machines are configured for binary packages only (``deb`` lines), so apt-get runs with a
private configuration that has a ``deb-src`` line for each ``deb`` line. Its package lists are in
the cache; the machine's own lists are not changed.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path, PurePosixPath

from filelock import FileLock

from codeacumen.api import CodeacumenError
from codeacumen.core.progress import Progress
from codeacumen.corpus.reading import Problem
from codeacumen.corpus.sources.project import (
    SourceFetcher,
    SourceRoot,
    SourceSpec,
    get_or_make_folder,
    run_command,
)
from codeacumen.corpus.sources.tarballs import FILES, UnpackedRoot, unpack_archive, write_problems

# Clears the machine's hooks of ``apt-get update``, such as desktop notifications.
_NO_HOOKS = "".join(
    f"#clear APT::Update::{when};\n"
    for when in ("Pre-Invoke", "Post-Invoke", "Post-Invoke-Success", "Post-Invoke-Stats")
)
# A line of a ``.list`` file, and the field Types of a stanza of a ``.sources`` file.
_LINE = re.compile(r"\s*deb(?:-src)?\s+(.+)")
_TYPES = re.compile(r"^types:(?P<types>.*)$", re.IGNORECASE | re.MULTILINE)
ADD_HINT = "add one to /etc/apt/sources.list, such as: deb-src MIRROR bookworm main"


def to_source_lines(text: str) -> str:
    """Return the lines of a ``.list`` file as ``deb-src`` lines.

    >>> to_source_lines("deb [arch=amd64] MIRROR bookworm main # ours")
    'deb-src [arch=amd64] MIRROR bookworm main # ours\\n'
    """
    repositories = [match[1].rstrip() for line in text.splitlines() if (match := _LINE.match(line))]
    lines = [f"deb-src {rest}\n" for rest in repositories if "cdrom:" not in rest]
    return "".join(dict.fromkeys(lines))


def to_source_stanzas(text: str) -> str:
    """Return the stanzas of a ``.sources`` file (deb822 format) for source packages."""
    stanzas = []
    for stanza in re.split(r"\n(?:[ \t]*\n)+", text.replace("\r\n", "\n")):
        match = _TYPES.search(stanza)
        if match and {"deb", "deb-src"}.intersection(match["types"].split()):
            stanzas.append(_TYPES.sub("Types: deb-src", stanza).strip("\n") + "\n")
    return "\n".join(dict.fromkeys(stanzas))


def run_apt_get(home: Path, arguments: Sequence[str], folder: Path, purpose: str) -> AptAnswer:
    """Run apt-get in ``folder``, with up-to-date lists of source packages.

    ``home`` is the folder of the lists and of the private configuration. ``purpose`` begins the
    message of an error.
    """
    options, update_errors = _update_package_lists(home)
    with FileLock(home / "lock"):
        process = run_command(("apt-get", *options, "-q", *arguments), folder, purpose)
    return AptAnswer(
        process.returncode, process.stdout, _extract_errors(process.stderr), update_errors
    )


@dataclass(frozen=True, slots=True)
class AptAnswer:
    """Exit code, standard output and error messages of apt-get."""

    exit_code: int
    text: str
    errors: str
    # Errors of the update of the package lists, which may be outdated or incomplete then.
    update_errors: str


@lru_cache(maxsize=8)
def _update_package_lists(home: Path) -> tuple[tuple[str, ...], str]:
    """Update the lists of source packages, once per process.

    Return apt-get's options for the private configuration, and the errors of the update.
    """
    parts = home / "sources.list.d"
    options = (
        f"--config-file={home / 'apt.conf'}",
        "--option=Dir::Etc::SourceList=/dev/null",
        f"--option=Dir::Etc::SourceParts={parts}",
        f"--option=Dir::State::Lists={home / 'lists'}",
        f"--option=Dir::Cache={home}",
    )
    configured = _read_configured_sources()
    for folder in (parts, home / "lists" / "partial", home / "archives" / "partial"):
        folder.mkdir(parents=True, exist_ok=True)
    with FileLock(home / "lock"):
        for old in parts.iterdir():
            old.unlink()
        for name, text in configured.items():
            (parts / name).write_text(text, "utf-8")
        (home / "apt.conf").write_text(_NO_HOOKS)
        process = run_command(
            ("apt-get", *options, "-q", "update"), home, "the lists of source packages"
        )
    return options, _extract_errors(process.stderr)


def _read_configured_sources() -> dict[str, str]:
    """Return the machine's configured repositories as ``deb-src`` entries, by file name."""
    purpose = "the package sources of this machine"
    names = ("list", "Dir::Etc::SourceList/f", "parts", "Dir::Etc::SourceParts/d")
    answer = run_command(("apt-config", "shell", *names), Path("/"), purpose).stdout
    locations = dict(re.findall(r"(\w+)='(.*)'", answer))
    files = [Path(locations["list"])] if locations.get("list") else []
    if locations.get("parts"):
        files += sorted(Path(locations["parts"]).glob("*"))
    sources: dict[str, str] = {}
    for number, file in enumerate(files):
        rewrite = {".list": to_source_lines, ".sources": to_source_stanzas}.get(file.suffix)
        if rewrite is not None and file.is_file():
            text = rewrite(file.read_text("utf-8", "replace"))
            sources |= {f"{number}-{file.name}": text} if text else {}
    if not sources:
        raise CodeacumenError("apt has no package repositories on this machine", ADD_HINT)
    return sources


def _extract_errors(text: str) -> str:
    """Return the errors in apt's output; a list that cannot be fetched is only a warning there."""
    prefixes = ("E: ", "W: Failed to fetch")
    return "; ".join(line[3:].strip() for line in text.splitlines() if line.startswith(prefixes))


# Names and versions of Debian Policy 5.6.1 and 5.6.12. Nothing that they match is an option of
# apt-get.
_PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.-]+")
_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+:~-]*")
# A line of ``apt-get --print-uris``: URI, file name, size; then a checksum line of a ``.dsc`` file:
# SHA-256, size, file name.
_URI = re.compile(r"^'[^']+' (\S+) \d+", re.MULTILINE)
_CHECKSUM = re.compile(r"^ ([0-9a-f]{64}) (\d+) ([^\s/]+)$", re.MULTILINE)
# apt's messages for a file that the mirror lacks, as opposed to a failed download.
_LACKING = re.compile("404|File not found|No such file")
# The end of an archive's name: .orig.tar.xz, .orig-COMPONENT.tar.gz, .debian.tar.xz, or .tar.xz of
# a native package.
_TAR = re.compile(r"(?:\.(?P<kind>orig|debian)(?:-(?P<component>[A-Za-z0-9-]+))?)?\.tar\.\w+$")


@dataclass(frozen=True, slots=True)
class DscDescription:
    """Version and files of a ``.dsc`` file."""

    version: str
    # SHA-256 by file name.
    files: dict[str, str]


def parse_source(text: str, cache: Path) -> SourceSpec:
    """Return the source for the text after ``debian:``."""
    package, _, version = text.partition("=")
    if not _PACKAGE.fullmatch(package) or ("=" in text and not _VERSION.fullmatch(version)):
        raise CodeacumenError(
            f"debian:{text}: not a name of a Debian package",
            "debian:PACKAGE or debian:PACKAGE=VERSION",
        )
    return SourceSpec(package, f"debian:{text}", lambda: _find_package(package, version, cache))


def _find_package(package: str, version: str, cache: Path) -> SourceFetcher:
    """Return the function that fetches a package, of apt's version if ``version`` is empty."""
    home = cache / "debian"
    package_spec = f"{package}={version}" if version else package
    # A version that is in the cache needs no network.
    if not version or not _package_folder(home, package, version).is_dir():
        version = _resolve_version(package_spec, home)
    package_folder = _package_folder(home, package, version)

    def fetch_source(progress: Progress) -> tuple[SourceRoot, str]:
        get_or_make_folder(
            package_folder, lambda part: _fetch_package(package_spec, home, package_folder, part)
        )
        (file,) = package_folder.glob("*.dsc")
        return UnpackedRoot(package_folder), parse_dsc(file.read_text("utf-8", "replace")).version

    return fetch_source


def _package_folder(home: Path, package: str, version: str) -> Path:
    # As in Debian's file names: without the epoch.
    return home / f"{package}_{version.split(':', 1)[-1]}"


def _resolve_version(package_spec: str, home: Path) -> str:
    """Return the version that apt would download, without the epoch.

    Raise an error if there is none.
    """
    if shutil.which("apt-get") is None:
        raise CodeacumenError(
            f"debian:{package_spec}: there is no apt-get on this machine",
            "download the sources on a machine with Debian or Ubuntu, copy them here and name "
            "their folder",
        )
    home.mkdir(parents=True, exist_ok=True)
    arguments = ("--print-uris", "source", package_spec)
    answer = run_apt_get(home / "apt", arguments, home, f"debian:{package_spec}")
    names = [name for name in _URI.findall(answer.text) if name.endswith(".dsc")]
    if "deb-src" in answer.errors:
        raise CodeacumenError(
            f"debian:{package_spec}: no list of source packages was fetched "
            f"({answer.update_errors})",
            f"check the network; if the mirror has no sources, {ADD_HINT}",
        )
    if answer.exit_code or not names:
        reasons = "; ".join(reason for reason in (answer.errors, answer.update_errors) if reason)
        raise CodeacumenError(
            f"debian:{package_spec}: apt does not find it ({reasons})",
            "check the name and the network; `apt-cache search` finds packages",
        )
    return str(names[0].removesuffix(".dsc").split("_", 1)[1])


def _fetch_package(package_spec: str, home: Path, package_folder: Path, part: Path) -> None:
    """Download and check a package, and unpack it to the folder ``part``.

    ``part`` is the temporary folder that becomes ``package_folder`` (``get_or_make_folder``).
    Downloaded files are kept beside ``package_folder`` until everything succeeded, so that apt
    resumes after an error.
    """
    downloads = package_folder.with_name(package_folder.name + ".download")
    downloads.mkdir(exist_ok=True)
    arguments = ("--download-only", "source", package_spec)
    answer = run_apt_get(home / "apt", arguments, downloads, f"debian:{package_spec}")
    dsc_files = sorted(downloads.glob("*.dsc"))
    description = (
        parse_dsc(dsc_files[0].read_text("utf-8", "replace")) if len(dsc_files) == 1 else None
    )
    missing = [
        name
        for name in (description.files if description else ())
        if not (downloads / name).exists()
    ]
    # Some mirrors lack the archive of the folder ``debian``; the upstream files do not need it.
    only_debian_missing = _LACKING.search(answer.errors) and all(
        _archive_folder(missing_name) == "debian" for missing_name in missing
    )
    if description is None or (answer.exit_code and not only_debian_missing):
        raise CodeacumenError(
            f"debian:{package_spec} cannot be downloaded ({answer.errors})",
            "run the command again: it goes on where it stopped; a mirror may lack a package",
        )
    complete_files = {
        name: sha256 for name, sha256 in description.files.items() if name not in missing
    }
    for name, sha256 in complete_files.items():
        with (downloads / name).open("rb") as stream:
            if hashlib.file_digest(stream, "sha256").hexdigest() != sha256:
                (downloads / name).unlink()
                raise CodeacumenError(
                    f"debian:{package_spec}: {name} does not have the SHA-256 in "
                    f"{dsc_files[0].name}",
                    "run the command again",
                )
    problems = _unpack_archives(downloads, complete_files, part / FILES)
    problems += [Problem(".", "missing", f"the mirror lacks {name}") for name in missing]
    write_problems(part, problems)
    shutil.copyfile(dsc_files[0], part / dsc_files[0].name)
    shutil.rmtree(downloads)


def parse_dsc(text: str) -> DscDescription:
    """Parse the text of a ``.dsc`` file, which may be signed."""
    version = re.search(r"^Version: *(\S+)", text, re.MULTILINE)
    checksums = re.search(r"^Checksums-Sha256:\s*\n((?: .*\n?)+)", text, re.MULTILINE)
    if version is None or checksums is None:
        raise CodeacumenError("a .dsc without a version or checksums")
    sha256_of_file = {name: sha256 for sha256, _, name in _CHECKSUM.findall(checksums[1])}
    return DscDescription(version[1], sha256_of_file)


def _unpack_archives(downloads: Path, names: Iterable[str], target: Path) -> list[Problem]:
    """Unpack the archives as dpkg-source does; return the problems.

    The upstream archive goes to the top, its further components to folders of their names, Debian's
    archive to ``debian``.
    """
    problems: list[Problem] = []
    # The upstream archive first: later archives replace its folder of the same name.
    for folder, name in sorted(
        (_archive_folder(name), name) for name in names if _TAR.search(name)
    ):
        target_folder = target / folder
        if folder and target_folder.is_dir():
            shutil.rmtree(target_folder)
        target_folder.parent.mkdir(parents=True, exist_ok=True)
        for problem in unpack_archive(downloads / name, target_folder):
            # A problem of the whole archive has the path "." and stays there.
            path = problem.path if problem.path == "." else str(PurePosixPath(folder, problem.path))
            problems.append(replace(problem, path=path))
    return problems


def _archive_folder(archive: str) -> str:
    """Return the folder that an archive is unpacked to; empty for the upstream archive."""
    match = _TAR.search(archive)
    kind, component = (match["kind"], match["component"]) if match else (None, None)
    return "debian" if kind == "debian" else component or ""
