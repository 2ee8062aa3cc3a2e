"""Tests of Debian source packages, fetched with the machine's apt: from a small local repository,
and from the machine's mirror if it can be reached. Oracle for unpacked files: dpkg-source."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.corpus.licences import LicenceFile
from codeacumen.corpus.reading import Problem
from codeacumen.corpus.sources import Entry, Project, find_projects
from codeacumen.corpus.sources.debian import _unpack_archives as unpack_all
from codeacumen.corpus.sources.debian import (
    parse_dsc,
    run_apt_get,
    to_source_lines,
    to_source_stanzas,
)
from codeacumen.corpus.sources.tarballs import FILES, UnpackedRoot, write_problems

needs_apt = pytest.mark.skipif(shutil.which("apt-get") is None, reason="no apt on this machine")


def read_contents(source: Project) -> dict[str, bytes | Problem]:
    return {entry.path: source.read_file(entry.path) for entry in source.list_entries(("",))}


def unpacked_by_dpkg(description: Path, target: Path) -> dict[str, bytes]:
    if shutil.which("dpkg-source") is None:
        pytest.skip("no dpkg-source on this machine to compare with")
    command = ["dpkg-source", "--no-check", "--skip-patches", "-x", description, target]
    subprocess.run(command, check=True, capture_output=True)
    files = (file for file in target.rglob("*") if file.is_file() and not file.is_symlink())
    return {str(file.relative_to(target)): file.read_bytes() for file in files}


# --------------------------------------------------------------------------------------
# A local repository.
# --------------------------------------------------------------------------------------


def write_tar(file: Path, files: dict[str, str]) -> None:
    with tarfile.open(file, f"w:{file.suffix[1:]}") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))


def format_checksums(folder: Path, names: list[str], kind: str) -> str:
    rows = []
    for name in names:
        data = (folder / name).read_bytes()
        rows.append(f" {hashlib.new(kind, data).hexdigest()} {len(data)} {name}\n")
    return "\n" + "".join(rows)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a repository with the package codeacumen-toy 1:1.0-2, which builds
    libcodeacumen-toy-java, and configure apt to use only this repository."""
    folder = tmp_path / "mirror"
    folder.mkdir()
    write_tar(
        folder / "codeacumen-toy_1.0.orig.tar.xz",
        {
            "toy-1.0/src/A.java": "class A { }",
            "toy-1.0/src/pkg/B.java": "class B { }",
            "toy-1.0/debian/Old.java": "class Old { }",
            "toy-1.0/LICENSE": "Apache License, Version 2.0",
        },
    )
    write_tar(folder / "codeacumen-toy_1.0.orig-extra.tar.gz", {"extra-3/C.java": "class C { }"})
    write_tar(
        folder / "codeacumen-toy_1.0-2.debian.tar.xz",
        {"debian/copyright": "/usr/share/common-licenses/GPL-2", "debian/D.java": "class D { }"}
        | {"debian/source/format": "3.0 (quilt)\n"},
    )
    names = sorted(file.name for file in folder.iterdir())
    about = (
        "Format: 3.0 (quilt)\n{}: codeacumen-toy\nBinary: libcodeacumen-toy-java\n"
        "Architecture: all\n"
        "Version: 1:1.0-2\nMaintainer: A <a@example.org>\n{}"
        "Checksums-Sha256:{}Files:{}"
    )
    description = folder / "codeacumen-toy_1.0-2.dsc"
    sums = (format_checksums(folder, names, "sha256"), format_checksums(folder, names, "md5"))
    description.write_text(about.format("Source", "", *sums))
    names.append(description.name)
    sums = (format_checksums(folder, names, "sha256"), format_checksums(folder, names, "md5"))
    (folder / "Sources").write_text(about.format("Package", "Directory: .\n", *sums))
    etc = tmp_path / "etc"
    (etc / "sources.list.d").mkdir(parents=True)
    (etc / "sources.list").write_text(f"deb [trusted=yes] file:{folder} ./\n")
    (etc / "apt.conf").write_text(
        f'Dir::Etc::SourceList "{etc}/sources.list";\n'
        f'Dir::Etc::SourceParts "{etc}/sources.list.d";\n'
    )
    monkeypatch.setenv("APT_CONFIG", str(etc / "apt.conf"))
    return folder


@needs_apt
@pytest.mark.parametrize(
    "text", ["codeacumen-toy", "libcodeacumen-toy-java", "codeacumen-toy=1:1.0-2"]
)
def test_source_package_equals_that_of_dpkg(repository: Path, tmp_path: Path, text: str) -> None:
    (source,) = find_projects([f"debian:{text}"], tmp_path / "cache")
    assert (source.name, source.source) == (text.split("=")[0], f"debian:{text}")
    assert source.revision == "1:1.0-2"
    assert read_contents(source) == {
        "LICENSE": b"Apache License, Version 2.0",
        "debian/D.java": b"class D { }",
        "debian/copyright": b"/usr/share/common-licenses/GPL-2",
        "debian/source/format": b"3.0 (quilt)\n",
        "extra/C.java": b"class C { }",
        "src/A.java": b"class A { }",
        "src/pkg/B.java": b"class B { }",
    }
    assert read_contents(source) == unpacked_by_dpkg(
        repository / "codeacumen-toy_1.0-2.dsc", tmp_path / "oracle"
    )
    assert source.list_licence_files() == [
        LicenceFile("LICENSE", ("Apache-2.0",)),
        LicenceFile("debian/copyright", ("GPL-2.0",)),
    ]
    assert not list((tmp_path / "cache" / "debian").glob("*.download"))


@needs_apt
def test_cached_package_needs_neither_apt_nor_network(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = ["debian:codeacumen-toy=1:1.0-2"]
    (before,) = find_projects(sources, tmp_path / "cache")
    monkeypatch.setenv("PATH", "")
    (after,) = find_projects(sources, tmp_path / "cache")
    assert after == before
    with pytest.raises(CodeacumenError, match="there is no apt-get on this machine"):
        find_projects(["debian:other"], tmp_path / "cache")


@needs_apt
@pytest.mark.parametrize("text", ["codeacumen-toy=9.9", "codeacumen-absent"])
def test_missing_package_is_rejected(repository: Path, tmp_path: Path, text: str) -> None:
    with pytest.raises(
        CodeacumenError, match=f"debian:{text}: apt does not find it .*source package"
    ):
        find_projects([f"debian:{text}"], tmp_path / "cache")


@needs_apt
def test_wrong_or_missing_archive_is_rejected_and_fetched_later(
    repository: Path, tmp_path: Path
) -> None:
    upstream = repository / "codeacumen-toy_1.0.orig.tar.xz"
    data = upstream.read_bytes()
    for wrong_data in (None, data[:-4] + b"evil", data[: len(data) // 2]):
        upstream.unlink()
        if wrong_data is not None:
            upstream.write_bytes(wrong_data)
        with pytest.raises(
            CodeacumenError, match=r"codeacumen-toy (cannot be downloaded|: .* is not the)"
        ):
            find_projects(["debian:codeacumen-toy"], tmp_path / "cache")
        upstream.write_bytes(data)
        assert not list((tmp_path / "cache" / "debian").glob("codeacumen-toy_1.0-2"))
    (source,) = find_projects(["debian:codeacumen-toy"], tmp_path / "cache")
    assert len(read_contents(source)) == 7


@needs_apt
def test_missing_debian_archive_is_a_problem(repository: Path, tmp_path: Path) -> None:
    (repository / "codeacumen-toy_1.0-2.debian.tar.xz").unlink()
    (source,) = find_projects(["debian:codeacumen-toy"], tmp_path / "cache")
    entries = source.list_entries((".java",))
    assert [entry.path for entry in entries if isinstance(entry, Entry)] == [
        "debian/Old.java",
        "extra/C.java",
        "src/A.java",
        "src/pkg/B.java",
    ]
    (problem,) = [entry for entry in entries if not isinstance(entry, Entry)]
    assert (problem.path, problem.kind) == (".", "missing")
    assert "codeacumen-toy_1.0-2.debian.tar.xz" in problem.message


@needs_apt
def test_machine_without_package_repositories_is_reported(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "etc" / "sources.list").write_text("# nothing\ndeb cdrom:[Disk 1]/ bookworm main\n")
    with pytest.raises(CodeacumenError, match="apt has no package repositories") as caught:
        find_projects(["debian:codeacumen-toy"], tmp_path / "cache")
    assert "deb-src" in caught.value.hint


@needs_apt
def test_apt_state_of_the_machine_stays_unchanged(repository: Path, tmp_path: Path) -> None:
    def read_modification_times() -> list[tuple[str, int]]:
        folders = [Path("/var/lib/apt/lists"), Path("/etc/apt"), Path("/var/cache/apt")]
        return [
            (str(file), file.stat().st_mtime_ns)
            for folder in folders
            for file in (folder, *sorted(folder.glob("*")))
            if file.exists()
        ]

    before = read_modification_times()
    find_projects(["debian:codeacumen-toy"], tmp_path / "cache")
    assert read_modification_times() == before


# --------------------------------------------------------------------------------------
# The machine's own mirror.
# --------------------------------------------------------------------------------------


@needs_apt
def test_real_package_of_the_mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """json-lib has 52 Java files in Debian 12; any version will do."""
    monkeypatch.delenv("APT_CONFIG", raising=False)
    cache = tmp_path / "cache"
    try:
        (source,) = find_projects(["debian:libjson-java"], cache)
    except CodeacumenError as error:
        unreachable = ("Failed to fetch", "Could not resolve", "Could not connect", "apt knows no")
        if any(reason in str(error) for reason in unreachable):
            pytest.skip(f"the mirror does not give the package: {error}")
        raise
    java = source.list_entries((".java",))
    assert len(java) > 40
    assert all(isinstance(entry, Entry) for entry in java)
    assert LicenceFile("debian/copyright", ("Apache-2.0",)) in source.list_licence_files()
    (package_dir,) = (cache / "debian").glob("libjson-java_*/")
    # Run apt again to download the archives that dpkg-source needs.
    downloads = tmp_path / "downloads"
    downloads.mkdir()
    answer = run_apt_get(
        cache / "debian" / "apt", ("--download-only", "source", "libjson-java"), downloads, "again"
    )
    assert answer.exit_code == 0
    (description,) = downloads.glob("*.dsc")
    assert source.revision == parse_dsc(description.read_text()).version
    assert read_contents(source) == unpacked_by_dpkg(description, tmp_path / "oracle")
    assert package_dir.name.split("_")[1] in description.name


# --------------------------------------------------------------------------------------
# Configuration and descriptions.
# --------------------------------------------------------------------------------------


def test_lines_for_source_packages() -> None:
    text = (
        "# deb MIRROR old main\n"
        "deb MIRROR bookworm main contrib # ours\n"
        "  deb [arch=amd64 signed-by=/k.gpg] MIRROR/sec bookworm-security main\n"
        "deb-src MIRROR bookworm main contrib # ours\n"
        "deb cdrom:[Debian 12]/ bookworm main\n"
        "debx MIRROR no thing\n"
        "\n"
    )
    assert to_source_lines(text) == (
        "deb-src MIRROR bookworm main contrib # ours\n"
        "deb-src [arch=amd64 signed-by=/k.gpg] MIRROR/sec bookworm-security main\n"
    )


def test_stanzas_for_source_packages() -> None:
    text = (
        "# Types: deb in a comment\nTypes: deb deb-src\nURIs: MIRROR\nSuites: bookworm\n"
        "Signed-By:\n -----BEGIN PGP-----\n .\n xyz\n"
        "\n \n"
        "types:deb\r\nURIs: MIRROR\r\nSuites: b\r\nEnabled: no\r\n"
        "\n"
        "Description: no source of packages\n"
    )
    assert to_source_stanzas(text) == (
        "# Types: deb in a comment\nTypes: deb-src\nURIs: MIRROR\nSuites: bookworm\n"
        "Signed-By:\n -----BEGIN PGP-----\n .\n xyz\n"
        "\n"
        "Types: deb-src\nURIs: MIRROR\nSuites: b\nEnabled: no\n"
    )


def test_damaged_component_does_not_affect_others(tmp_path: Path) -> None:
    write_tar(tmp_path / "a_1.orig.tar.xz", {"a-1/A.java": "class A { }"})
    (tmp_path / "a_1.orig-b.tar.xz").write_bytes(b"no archive at all")
    write_tar(tmp_path / "a_1.orig-c.tar.xz", {"c/../../C.java": "", "c/D.java": "class D { }"})
    names = [file.name for file in tmp_path.iterdir()]
    problems = unpack_all(tmp_path, names, tmp_path / "kept" / FILES)
    write_problems(tmp_path / "kept", problems)
    entries = UnpackedRoot(tmp_path / "kept").list_entries(lambda path: path.endswith(".java"))
    assert sorted((entry.path, isinstance(entry, Entry)) for entry in entries) == [
        (".", False),
        ("A.java", True),
        ("c/../../C.java", False),
        ("c/D.java", True),
    ]


def test_signed_description_is_parsed() -> None:
    text = (
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\nFormat: 3.0 (native)\nSource: a\n"
        "Version: 2:1.0~rc1-1\nChecksums-Sha1:\n 0123 5 a.tar.xz\nChecksums-Sha256:\n"
        f" {'0' * 64} 5 a_1.0.tar.xz\n {'1' * 64} 7 ../evil.tar.xz\nFiles:\n"
        f" {'2' * 32} 5 a_1.0.tar.xz\n\n-----BEGIN PGP SIGNATURE-----\n\nabc\n"
    )
    description = parse_dsc(text)
    assert (description.version, description.files) == ("2:1.0~rc1-1", {"a_1.0.tar.xz": "0" * 64})
    with pytest.raises(CodeacumenError, match="without a version or checksums"):
        parse_dsc("Source: a\n")


@needs_apt
def test_hooks_of_the_configuration_do_not_run(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    conf = Path(os.environ["APT_CONFIG"])
    hook = f'APT::Update::Post-Invoke {{ "touch {tmp_path}/ran"; }};\n'
    conf.write_text(conf.read_text() + hook)
    find_projects(["debian:codeacumen-toy"], tmp_path / "cache")
    assert not (tmp_path / "ran").exists()
