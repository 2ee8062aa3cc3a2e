"""Tests that tar archives unpack as with GNU tar, except for members that could do harm."""

from __future__ import annotations

import io
import shutil
import subprocess
import tarfile
from pathlib import Path
from random import Random

import pytest

from codeacumen.corpus.reading import Problem
from codeacumen.corpus.sources import tarballs
from codeacumen.corpus.sources.project import Entry
from codeacumen.corpus.sources.tarballs import FILES, UnpackedRoot, unpack_archive, write_problems


def add_member(
    tar: tarfile.TarFile, name: str, content: bytes = b"class A { }", **fields: object
) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(content)
    for field, value in fields.items():
        setattr(member, field, value)
    tar.addfile(member, io.BytesIO(content))


def unpack_to_dict(archive: Path, total: int = 1 << 20) -> tuple[dict[str, bytes], list[Problem]]:
    """Return the contents by path, and the problems."""
    target = archive.parent / "target"
    problems = unpack_archive(archive, target, total)
    files = [file for file in target.rglob("*") if not file.is_dir()]
    return {str(file.relative_to(target)): file.read_bytes() for file in files}, problems


@pytest.mark.parametrize("packed", ["gz", "bz2", "xz", "lzma", "zst", ""])
def test_unpacked_files_equal_those_of_gnu_tar(tmp_path: Path, packed: str) -> None:
    """The oracle is GNU tar, in both directions."""
    source = tmp_path / "hello-1.0"
    (source / "src" / "päth").mkdir(parents=True)
    (source / "src" / "päth" / "A.java").write_text("class A { }" * 5000)
    (source / "src" / ("n" * 150 + ".java")).write_text("class B { }")
    (source / "empty").write_text("")
    (source / "src" / "C.java").hardlink_to(source / "empty")
    command = {"gz": "--gzip", "bz2": "--bzip2", "xz": "--xz", "lzma": "--lzma", "zst": "--zstd"}
    archive = tmp_path / f"a.tar.{packed}"
    if shutil.which({"gz": "gzip", "bz2": "bzip2", "zst": "zstd"}.get(packed, "xz")) is None:
        pytest.skip(f"no program for {packed} on this machine")
    options = [command[packed]] if packed else []
    subprocess.run(["tar", *options, "-cf", archive, source.name], cwd=tmp_path, check=True)
    files, problems = unpack_to_dict(archive)
    assert problems == []
    oracle = tmp_path / "oracle"
    oracle.mkdir()
    subprocess.run(["tar", "-xf", archive, "--strip-components=1", "-C", oracle], check=True)
    expected = [file for file in oracle.rglob("*") if file.is_file()]
    assert len(expected) == 4
    assert files == {str(file.relative_to(oracle)): file.read_bytes() for file in expected}


def test_unsafe_members_are_problems(tmp_path: Path) -> None:
    archive = tmp_path / "a.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        add_member(tar, "top/A.java")
        add_member(tar, "../../B.java")
        add_member(tar, "/etc/C.java")
        add_member(tar, "top/link", b"", type=tarfile.SYMTYPE, linkname="/etc")
        add_member(tar, "top/link/D.java")
        add_member(tar, "top/E.java", b"", type=tarfile.SYMTYPE, linkname="A.java")
        add_member(tar, "top/F.java", b"", type=tarfile.LNKTYPE, linkname="../../etc/passwd")
        add_member(tar, "top/G.java", b"", type=tarfile.LNKTYPE, linkname="top/A.java")
        add_member(tar, "top/H.java", b"", type=tarfile.CHRTYPE)
        add_member(tar, "top/I.java", b"", type=tarfile.FIFOTYPE)
        add_member(tar, "top/A.java/J.java")
        add_member(tar, "top/" + "K" * 300 + ".java")
        add_member(tar, "top/" + "d/" * 300 + "L.java")
    files, problems = unpack_to_dict(archive)
    # Links are not created, so a file below a link stays inside the target.
    assert files == dict.fromkeys(("A.java", "G.java", "link/D.java"), b"class A { }")
    assert [(problem.path, problem.kind) for problem in problems] == [
        ("../../B.java", "tar slip"),
        ("/etc/C.java", "tar slip"),
        ("link", "link"),
        ("E.java", "link"),
        ("F.java", "link"),
        ("H.java", "unreadable"),
        ("I.java", "unreadable"),
        ("A.java/J.java", "unreadable"),
        ("K" * 300 + ".java", "unreadable"),
        ("d/" * 300 + "L.java", "unreadable"),
    ]
    assert not (tmp_path.parent / "B.java").exists()


def test_last_duplicate_wins_and_keeps_hard_links(tmp_path: Path) -> None:
    archive = tmp_path / "a.tar"
    with tarfile.open(archive, "w") as tar:
        add_member(tar, "A.java", b"first")
        add_member(tar, "B.java", b"", type=tarfile.LNKTYPE, linkname="A.java")
        add_member(tar, "A.java", b"second")
    assert unpack_to_dict(archive)[0] == {"A.java": b"second", "B.java": b"first"}


def test_bomb_stops_the_unpacking(tmp_path: Path) -> None:
    archive = tmp_path / "a.tar.xz"
    with tarfile.open(archive, "w:xz") as tar:
        add_member(tar, "A.java")
        add_member(tar, "B.java", b"\0" * (2 << 20))
        add_member(tar, "C.java")
    assert archive.stat().st_size < 2000
    files, problems = unpack_to_dict(archive)
    assert set(files) == {"A.java"}
    assert [(problem.path, problem.kind) for problem in problems] == [(".", "tar bomb")]


def test_sparse_file_counts_with_its_full_size(tmp_path: Path) -> None:
    with (tmp_path / "Holes.java").open("wb") as out:
        out.truncate(1 << 30)
    archive = tmp_path / "a.tar"
    subprocess.run(["tar", "--sparse", "-cf", archive, "Holes.java"], cwd=tmp_path, check=True)
    assert archive.stat().st_size < 20_000
    files, problems = unpack_to_dict(archive)
    assert files == {}
    assert [problem.kind for problem in problems] == ["tar bomb"]


def test_huge_header_is_a_bomb(tmp_path: Path) -> None:
    archive = tmp_path / "a.tar"
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, 5 << 20
    archive.write_bytes(header.tobuf() + b"\0" * (6 << 20))
    _, problems = unpack_to_dict(archive, 1 << 30)
    assert [problem.kind for problem in problems] == ["tar bomb"]


def test_number_of_files_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tarballs, "MOST_FILES", 2)
    archive = tmp_path / "a.tar"
    with tarfile.open(archive, "w") as tar:
        for name in ("A.java", "B.java", "C.java"):
            add_member(tar, name)
    files, problems = unpack_to_dict(archive)
    assert set(files) == {"A.java", "B.java"}
    assert [problem.kind for problem in problems] == ["tar bomb"]


@pytest.mark.parametrize("packed", ["gz", "bz2", "xz"])
def test_truncated_archive_keeps_complete_files(tmp_path: Path, packed: str) -> None:
    archive = tmp_path / "a.tar"
    with tarfile.open(archive, f"w:{packed}") as tar:
        add_member(tar, "A.java")
        add_member(tar, "B.java", bytes(range(256)) * 2000)
    data = archive.read_bytes()
    archive.write_bytes(data[: len(data) * 2 // 3])
    files, problems = unpack_to_dict(archive)
    assert "B.java" not in files
    assert [(problem.path, problem.kind) for problem in problems] == [(".", "unreadable")]


def test_damaged_header_is_a_problem(tmp_path: Path) -> None:
    archive = tmp_path / "a.tar"
    with tarfile.open(archive, "w") as tar:
        add_member(tar, "A.java")
        add_member(tar, "B.java")
    data = bytearray(archive.read_bytes())
    data[1024:1100] = b"\xff" * 76
    archive.write_bytes(bytes(data))
    files, problems = unpack_to_dict(archive)
    assert set(files) == {"A.java"}
    assert [(problem.path, problem.kind) for problem in problems] == [(".", "unreadable")]


def test_negative_member_size_ends_the_reading(tmp_path: Path) -> None:
    """A negative size made Python's tarfile read one member forever (CVE-2025-8194)."""
    archive = tmp_path / "a.tar"
    header = bytearray(tarfile.TarInfo("A.java").tobuf())
    header[124:136] = (-1024).to_bytes(12, "big", signed=True)
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    archive.write_bytes(bytes(header) * 3 + b"\0" * 1024)
    _, problems = unpack_to_dict(archive)
    assert [problem.kind for problem in problems] == ["unreadable"]


@pytest.mark.parametrize("content", [b"", b"hello", b"\x1f\x8b" + b"\0" * 50, b"\0" * 10_000])
def test_file_that_is_not_an_archive(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.tar").write_bytes(content)
    files, problems = unpack_to_dict(tmp_path / "a.tar")
    assert files == {}
    assert [problem.kind for problem in problems] in (["unreadable"], [])


@pytest.mark.parametrize("packed", ["", "gz", "xz"])
def test_random_damage_of_an_archive_is_a_problem(tmp_path: Path, packed: str) -> None:
    content = b"class A { int a; } " * 40
    original = io.BytesIO()
    with tarfile.open(fileobj=original, mode=f"w:{packed}") as tar:
        for number in range(4):
            add_member(tar, f"top/{number}{'n' * 60 * number}/A.java", content)
    random = Random(1)
    outcomes = set()
    for number in range(150):
        data = bytearray(original.getvalue())
        for _ in range(random.randint(1, 6)):
            data[random.randrange(len(data))] = random.randrange(256)
        file = tmp_path / f"{number}.tar"
        file.write_bytes(data)
        outcomes |= {
            problem.kind for problem in unpack_archive(file, tmp_path / f"target{number}", 1 << 20)
        }
    assert "unreadable" in outcomes


def test_problems_are_listed_with_the_files(tmp_path: Path) -> None:
    archive = tmp_path / "a.tar"
    with tarfile.open(archive, "w") as tar:
        add_member(tar, "top/A.java")
        add_member(tar, "top/b.txt", b"", type=tarfile.SYMTYPE, linkname="A.java")
        add_member(tar, "top/B.java", b"", type=tarfile.SYMTYPE, linkname="A.java")
    (tmp_path / "kept").mkdir()
    write_problems(tmp_path / "kept", unpack_archive(archive, tmp_path / "kept" / FILES))
    root = UnpackedRoot(tmp_path / "kept")
    entries = root.list_entries(lambda path: path.endswith(".java"))
    assert [(entry.path, isinstance(entry, Entry)) for entry in entries] == [
        ("A.java", True),
        ("B.java", False),
    ]
    assert root.read_file("A.java", 100) == b"class A { }"
