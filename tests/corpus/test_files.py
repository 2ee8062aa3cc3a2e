from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from acumen.api import AcumenError
from acumen.corpus.files import files_of
from acumen.corpus.reading import Problem

JAVA = (".java",)


def listed(source: Path, largest: int = 1000) -> list[tuple[str, str]]:
    """Path and what became of it."""
    return [
        (found.path, found.kind) if isinstance(found, Problem) else (found[0], "read")
        for found in files_of(source, JAVA, largest)
    ]


def test_a_folder_in_the_order_of_names(tmp_path: Path) -> None:
    for name in ("b/Z.java", "b/A.java", "a/X.java", "C.java", "b/notes.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("class A { }")
    assert [path for path, _ in listed(tmp_path)] == [
        "C.java", "a/X.java", "b/A.java", "b/Z.java",
    ]  # fmt: skip


def test_links_in_a_circle_out_of_the_folder_and_to_nowhere(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "Secret.java").write_text("class Secret { }")
    (root / "A.java").write_text("class A { }")
    (root / "Inside.java").symlink_to(root / "A.java")
    (root / "Out.java").symlink_to(tmp_path / "Secret.java")
    (root / "Nowhere.java").symlink_to(root / "Gone.java")
    (root / "Circle.java").symlink_to(root / "Circle.java")
    (root / "loop").symlink_to(root, target_is_directory=True)
    os.mkfifo(root / "Pipe.java")
    assert listed(root) == [
        ("A.java", "read"),
        ("Circle.java", "unreadable"),
        ("Inside.java", "read"),
        ("Nowhere.java", "unreadable"),
        ("Out.java", "link"),
        ("Pipe.java", "unreadable"),
    ]


def test_a_large_file_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "A.java").write_bytes(b" " * 1001)
    assert listed(tmp_path) == [("A.java", "too large")]


def test_an_archive_with_names_that_lead_out_and_a_bomb(tmp_path: Path) -> None:
    file = tmp_path / "sources.jar"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/A.java", "class A { }")
        archive.writestr("../../etc/B.java", "class B { }")
        archive.writestr("/C.java", "class C { }")
        archive.writestr("..\\D.java", "class D { }")
        archive.writestr("E.java", b"\0" * 5_000_000)
        archive.writestr("F.java", os.urandom(2000))
        archive.writestr("readme.txt", "no source")
    assert dict(listed(file)) == {
        "a/A.java": "read",
        "../../etc/B.java": "zip slip",
        "/C.java": "zip slip",
        "..\\D.java": "zip slip",
        "E.java": "zip bomb",
        "F.java": "too large",
    }


def test_a_damaged_member_costs_itself_only(tmp_path: Path) -> None:
    file = tmp_path / "sources.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("A.java", "class A { int a; } " * 20)
        archive.writestr("B.java", "class B { }")
    data = bytearray(file.read_bytes())
    data[45:60] = b"\xff" * 15  # inside the first member's content
    file.write_bytes(bytes(data))
    assert listed(file) == [("A.java", "unreadable"), ("B.java", "read")]


def test_what_is_no_source_at_all_is_told_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("hello")
    with pytest.raises(AcumenError, match="neither a folder nor a zip"):
        files_of(tmp_path / "text", JAVA)
    with pytest.raises(AcumenError, match="no such folder"):
        files_of(tmp_path / "absent", JAVA)
