"""Tar archives: what GNU tar would unpack, less all that could do harm."""

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
from codeacumen.corpus.sources.tarballs import FILES, UnpackedRoot, note, unpack


def add(tar: tarfile.TarFile, name: str, content: bytes = b"class A { }", **fields: object) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(content)
    for field, value in fields.items():
        setattr(member, field, value)
    tar.addfile(member, io.BytesIO(content))


def unpacked(archive: Path, total: int = 1 << 20) -> tuple[dict[str, bytes], list[Problem]]:
    """Content by path, and problems."""
    target = archive.parent / "target"
    problems = unpack(archive, target, total)
    files = [file for file in target.rglob("*") if not file.is_dir()]
    return {str(file.relative_to(target)): file.read_bytes() for file in files}, problems


@pytest.mark.parametrize("packed", ["gz", "bz2", "xz", "lzma", "zst", ""])
def test_as_gnu_tar_unpacks_it(tmp_path: Path, packed: str) -> None:
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
    files, problems = unpacked(archive)
    assert problems == []
    oracle = tmp_path / "oracle"
    oracle.mkdir()
    subprocess.run(["tar", "-xf", archive, "--strip-components=1", "-C", oracle], check=True)
    expected = [file for file in oracle.rglob("*") if file.is_file()]
    assert len(expected) == 4
    assert files == {str(file.relative_to(oracle)): file.read_bytes() for file in expected}


def test_what_leads_out_and_what_is_no_file(tmp_path: Path) -> None:
    archive = tmp_path / "a.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        add(tar, "top/A.java")
        add(tar, "../../B.java")
        add(tar, "/etc/C.java")
        add(tar, "top/link", b"", type=tarfile.SYMTYPE, linkname="/etc")
        add(tar, "top/link/D.java")
        add(tar, "top/E.java", b"", type=tarfile.SYMTYPE, linkname="A.java")
        add(tar, "top/F.java", b"", type=tarfile.LNKTYPE, linkname="../../etc/passwd")
        add(tar, "top/G.java", b"", type=tarfile.LNKTYPE, linkname="top/A.java")
        add(tar, "top/H.java", b"", type=tarfile.CHRTYPE)
        add(tar, "top/I.java", b"", type=tarfile.FIFOTYPE)
        add(tar, "top/A.java/J.java")
        add(tar, "top/" + "K" * 300 + ".java")
        add(tar, "top/" + "d/" * 300 + "L.java")
    files, problems = unpacked(archive)
    # What a link would have led elsewhere stays inside: the link was never made.
    assert files == dict.fromkeys(("A.java", "G.java", "link/D.java"), b"class A { }")
    assert [(one.path, one.kind) for one in problems] == [
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


def test_the_last_of_a_name_counts_and_leaves_its_other_name_alone(tmp_path: Path) -> None:
    archive = tmp_path / "a.tar"
    with tarfile.open(archive, "w") as tar:
        add(tar, "A.java", b"first")
        add(tar, "B.java", b"", type=tarfile.LNKTYPE, linkname="A.java")
        add(tar, "A.java", b"second")
    assert unpacked(archive)[0] == {"A.java": b"second", "B.java": b"first"}


def test_a_bomb_ends_the_unpacking_and_not_the_build(tmp_path: Path) -> None:
    archive = tmp_path / "a.tar.xz"
    with tarfile.open(archive, "w:xz") as tar:
        add(tar, "A.java")
        add(tar, "B.java", b"\0" * (2 << 20))
        add(tar, "C.java")
    assert archive.stat().st_size < 2000
    files, problems = unpacked(archive)
    assert set(files) == {"A.java"}
    assert [(one.path, one.kind) for one in problems] == [(".", "tar bomb")]


def test_a_file_with_holes_is_as_large_as_it_says(tmp_path: Path) -> None:
    with (tmp_path / "Holes.java").open("wb") as out:
        out.truncate(1 << 30)
    archive = tmp_path / "a.tar"
    subprocess.run(["tar", "--sparse", "-cf", archive, "Holes.java"], cwd=tmp_path, check=True)
    assert archive.stat().st_size < 20_000
    files, problems = unpacked(archive)
    assert files == {}
    assert [one.kind for one in problems] == ["tar bomb"]


def test_a_header_that_asks_for_all_memory(tmp_path: Path) -> None:
    archive = tmp_path / "a.tar"
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, 5 << 20
    archive.write_bytes(header.tobuf() + b"\0" * (6 << 20))
    _, problems = unpacked(archive, 1 << 30)
    assert [one.kind for one in problems] == ["tar bomb"]


def test_more_files_than_anybody_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tarballs, "MOST_FILES", 2)
    archive = tmp_path / "a.tar"
    with tarfile.open(archive, "w") as tar:
        for name in ("A.java", "B.java", "C.java"):
            add(tar, name)
    files, problems = unpacked(archive)
    assert set(files) == {"A.java", "B.java"}
    assert [one.kind for one in problems] == ["tar bomb"]


@pytest.mark.parametrize("packed", ["gz", "bz2", "xz"])
def test_a_cut_off_archive_gives_its_whole_files(tmp_path: Path, packed: str) -> None:
    archive = tmp_path / "a.tar"
    with tarfile.open(archive, f"w:{packed}") as tar:
        add(tar, "A.java")
        add(tar, "B.java", bytes(range(256)) * 2000)
    data = archive.read_bytes()
    archive.write_bytes(data[: len(data) * 2 // 3])
    files, problems = unpacked(archive)
    assert "B.java" not in files
    assert [(one.path, one.kind) for one in problems] == [(".", "unreadable")]


def test_a_header_in_the_middle_that_is_none_is_not_the_end(tmp_path: Path) -> None:
    archive = tmp_path / "a.tar"
    with tarfile.open(archive, "w") as tar:
        add(tar, "A.java")
        add(tar, "B.java")
    data = bytearray(archive.read_bytes())
    data[1024:1100] = b"\xff" * 76
    archive.write_bytes(bytes(data))
    files, problems = unpacked(archive)
    assert set(files) == {"A.java"}
    assert [(one.path, one.kind) for one in problems] == [(".", "unreadable")]


def test_a_header_that_points_back_ends_the_reading(tmp_path: Path) -> None:
    """A negative size once made Python's tarfile read one member for ever (CVE-2025-8194)."""
    archive = tmp_path / "a.tar"
    header = bytearray(tarfile.TarInfo("A.java").tobuf())
    header[124:136] = (-1024).to_bytes(12, "big", signed=True)
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    archive.write_bytes(bytes(header) * 3 + b"\0" * 1024)
    _, problems = unpacked(archive)
    assert [one.kind for one in problems] == ["unreadable"]


@pytest.mark.parametrize("content", [b"", b"hello", b"\x1f\x8b" + b"\0" * 50, b"\0" * 10_000])
def test_what_is_no_archive(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.tar").write_bytes(content)
    files, problems = unpacked(tmp_path / "a.tar")
    assert files == {}
    assert [one.kind for one in problems] in (["unreadable"], [])


@pytest.mark.parametrize("packed", ["", "gz", "xz"])
def test_whatever_bytes_change_nothing_worse_happens(tmp_path: Path, packed: str) -> None:
    content = b"class A { int a; } " * 40
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode=f"w:{packed}") as tar:
        for number in range(4):
            add(tar, f"top/{number}{'n' * 60 * number}/A.java", content)
    random = Random(1)
    outcomes = set()
    for number in range(150):
        data = bytearray(whole.getvalue())
        for _ in range(random.randint(1, 6)):
            data[random.randrange(len(data))] = random.randrange(256)
        file = tmp_path / f"{number}.tar"
        file.write_bytes(data)
        outcomes |= {one.kind for one in unpack(file, tmp_path / f"target{number}", 1 << 20)}
    assert "unreadable" in outcomes


def test_problems_are_listed_with_the_files(tmp_path: Path) -> None:
    archive = tmp_path / "a.tar"
    with tarfile.open(archive, "w") as tar:
        add(tar, "top/A.java")
        add(tar, "top/b.txt", b"", type=tarfile.SYMTYPE, linkname="A.java")
        add(tar, "top/B.java", b"", type=tarfile.SYMTYPE, linkname="A.java")
    (tmp_path / "kept").mkdir()
    note(tmp_path / "kept", unpack(archive, tmp_path / "kept" / FILES))
    root = UnpackedRoot(tmp_path / "kept")
    found = root.entries(lambda path: path.endswith(".java"))
    assert [(one.path, isinstance(one, Entry)) for one in found] == [
        ("A.java", True),
        ("B.java", False),
    ]
    assert root.read("A.java", 100) == b"class A { }"
