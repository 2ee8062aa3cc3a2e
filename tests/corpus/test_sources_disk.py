"""Tests of folders and zips: files are listed in order, and anything else is a problem."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import shutil
import stat
import subprocess
import zipfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeacumen.api import CodeacumenError
from codeacumen.corpus.reading import Problem
from codeacumen.corpus.sources import Entry, Project, find_projects
from codeacumen.corpus.sources import archive as archive_module
from codeacumen.corpus.sources.paths import path_from_bytes, path_to_bytes

JAVA = (".java",)


def load_project(path: Path, largest: int = 1000) -> Project:
    (only_project,) = find_projects([str(path)], path.parent / "cache", largest=largest)
    return only_project


def list_outcomes(path: Path, largest: int = 1000) -> list[tuple[str, str]]:
    """Return pairs of path and "read" or the kind of problem."""
    source = load_project(path, largest)
    outcomes = []
    for entry in source.list_entries(JAVA):
        result = source.read_file(entry.path) if isinstance(entry, Entry) else entry
        outcomes.append((entry.path, result.kind if isinstance(result, Problem) else "read"))
    return outcomes


def write_files(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


# --------------------------------------------------------------------------------------
# Folders.
# --------------------------------------------------------------------------------------


def test_files_are_sorted_by_path(tmp_path: Path) -> None:
    names = ("b/Z.java", "b/A.java", "a/X.java", "C.java", "b/notes.txt", "a.java", "a-b/D.java")
    write_files(tmp_path / "root", dict.fromkeys(names, "class A { }"))
    assert [path for path, _ in list_outcomes(tmp_path / "root")] == [
        "C.java",
        "a-b/D.java",
        "a.java",
        "a/X.java",
        "b/A.java",
        "b/Z.java",
    ]


def test_folder_zip_and_jar_have_equal_contents(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write_files(
        root, {"b/Ü.java": "class Ü { }", "a/B.java": "class B { }", "a.java": "class a { }"}
    )
    with zipfile.ZipFile(tmp_path / "root.zip", "w") as archive:
        for file in root.rglob("*.java"):
            archive.write(file, file.relative_to(root))
    paths = [root, tmp_path / "root.zip"]
    if shutil.which("jar"):
        subprocess.run(["jar", "cf", "root.jar", "-C", "root", "."], cwd=tmp_path, check=True)
        paths.append(tmp_path / "root.jar")
    contents = []
    for path in paths:
        source = load_project(path)
        contents.append(
            [(entry.path, source.read_file(entry.path)) for entry in source.list_entries(JAVA)]
        )
    assert contents[0] == [
        ("a.java", b"class a { }"),
        ("a/B.java", b"class B { }"),
        ("b/Ü.java", "class Ü { }".encode()),
    ]
    assert all(content == contents[0] for content in contents)


def test_unsafe_links_are_problems(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write_files(root, {"A.java": "class A { }"})
    (tmp_path / "Secret.java").write_text("class Secret { }")
    (root / "Inside.java").symlink_to(root / "A.java")
    (root / "Out.java").symlink_to(tmp_path / "Secret.java")
    (root / "Nowhere.java").symlink_to(root / "Gone.java")
    (root / "Circle.java").symlink_to(root / "Circle.java")
    (root / "loop").symlink_to(root, target_is_directory=True)
    (root / "loop.java").symlink_to(root, target_is_directory=True)
    os.mkfifo(root / "Pipe.java")
    assert list_outcomes(root) == [
        ("A.java", "read"),
        ("Circle.java", "unreadable"),
        ("Inside.java", "read"),
        ("Nowhere.java", "unreadable"),
        ("Out.java", "link"),
        ("Pipe.java", "unreadable"),
        ("loop", "link"),
        ("loop.java", "link"),
    ]


def test_links_to_folders_are_reported(tmp_path: Path) -> None:
    root, other = tmp_path / "root", tmp_path / "other"
    write_files(root, {"src/A.java": "class A { }", "LICENSE": "none"})
    write_files(other, {"B.java": "class B { }"})
    links = {"aside": other, "src/up": root, "src/me": root / "src", ".git": other, "docs": other}
    for name, target in links.items():
        (root / name).symlink_to(target, target_is_directory=True)
    (root / "link.txt").symlink_to(root / "link.txt")
    # A recipe's excluded links are no problem; links to included paths are.
    (tmp_path / "r.toml").write_text(
        "[[project]]\nsource = 'root'\nexclude = ['docs', 'src/me']\n"
        "[[project]]\nname = 'part'\nsource = 'root'\ninclude = ['src/**', 'aside/*.java']\n"
    )
    root_project, part_project = find_projects([str(tmp_path / "r.toml")], tmp_path)
    problem_by_path = {
        entry.path: entry
        for entry in root_project.list_entries((".java",))
        if isinstance(entry, Problem)
    }
    assert set(problem_by_path) == {"aside", "src/up"}
    for problem in problem_by_path.values():
        assert problem.kind == "link"
        assert problem.message == "the link leads to a folder; such links are not followed"
    assert [entry.path for entry in part_project.list_entries((".java",))] == [
        "aside",
        "src/A.java",
        "src/me",
        "src/up",
    ]
    assert [licence_file.path for licence_file in root_project.list_licence_files()] == ["LICENSE"]


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("../Secret.java", "link"),
        ("Out.java", "link"),
        ("Pipe.java", "unreadable"),
        ("Gone.java", "unreadable"),
        ("a\0b.java", "unreadable"),
        (".", "unreadable"),
    ],
)
def test_reading_an_unlisted_path_is_a_problem(tmp_path: Path, path: str, kind: str) -> None:
    root = tmp_path / "root"
    write_files(root, {"A.java": "class A { }"})
    (tmp_path / "Secret.java").write_text("class Secret { }")
    (root / "Out.java").symlink_to(tmp_path / "Secret.java")
    os.mkfifo(root / "Pipe.java")
    result = load_project(root).read_file(path)
    assert isinstance(result, Problem)
    assert (result.path, result.kind) == (path, kind)


def test_a_large_file_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "A.java").write_bytes(b" " * 1001)
    assert list_outcomes(tmp_path / "root") == [("A.java", "too large")]
    assert isinstance(load_project(tmp_path / "root").read_file("A.java"), Problem)


def test_names_that_are_not_utf8_survive(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    for raw in ("größe.java".encode("latin-1"), "größe.java".encode(), b"\xef\xbf\xbd.java"):
        with open(os.path.join(os.fsencode(root), raw), "wb") as out:  # noqa: PTH118, PTH123
            out.write(raw)
    source = load_project(root)
    paths = [entry.path for entry in source.list_entries(JAVA)]
    assert paths == ["größe.java", "gr�F6�DFe.java", "�EF�BF�BD.java"]
    for path in paths:
        path.encode("utf-8")
        assert source.read_file(path) == path_to_bytes(path)


@given(st.binary())
def test_text_of_a_name_restores_its_bytes(raw: bytes) -> None:
    text = path_from_bytes(raw)
    text.encode("utf-8")
    assert path_to_bytes(text) == raw


@given(st.text())
def test_a_utf8_name_is_its_own_text(name: str) -> None:
    if "\ufffd" not in name:
        try:
            raw = name.encode("utf-8")
        except UnicodeEncodeError:
            return
        assert path_from_bytes(raw) == name


def test_version_control_folders_are_skipped(tmp_path: Path) -> None:
    write_files(
        tmp_path / "root", {"A.java": "", ".git/refs/heads/fix.java": "0123", ".svn/B.java": ""}
    )
    assert [path for path, _ in list_outcomes(tmp_path / "root")] == ["A.java"]


def test_unreadable_folder_does_not_affect_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "root"
    write_files(root, {"A.java": "", "locked/B.java": "", "open/C.java": ""})
    scandir = os.scandir

    # Root may read everything, so a mode of 000 has no effect if tests run as root.
    def refuse_locked(path: str) -> object:
        if Path(path).name == "locked":
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse_locked)
    assert [entry.path for entry in load_project(root).list_entries(JAVA)] == [
        "A.java",
        "locked",
        "open/C.java",
    ]
    assert load_project(root).list_entries(JAVA)[1] == Problem(
        "locked", "unreadable", "a folder: Permission denied"
    )


def test_deep_folders_do_not_recurse(tmp_path: Path) -> None:
    root = tmp_path / "root"
    deep = root / "/".join(["d"] * 1100)
    # os.makedirs itself would recurse.
    root.mkdir()
    working_dir = os.getcwd()  # noqa: PTH109
    try:
        os.chdir(root)
        for _ in range(1100):
            os.mkdir("d")  # noqa: PTH102
            os.chdir("d")
        Path("A.java").write_text("class A { }")
    finally:
        os.chdir(working_dir)
    assert list_outcomes(root) == [(f"{deep.relative_to(root)}/A.java", "read")]
    subprocess.run(["rm", "-rf", str(root)], check=True)


def test_stamp_is_the_modification_time(tmp_path: Path) -> None:
    write_files(tmp_path / "root", {"A.java": "class A { }"})
    os.utime(tmp_path / "root" / "A.java", ns=(5, 7))
    assert load_project(tmp_path / "root").list_entries(JAVA) == [Entry("A.java", 11, "7")]


# --------------------------------------------------------------------------------------
# Zips.
# --------------------------------------------------------------------------------------


def test_zip_slips_and_bombs_are_problems(tmp_path: Path) -> None:
    file = tmp_path / "sources.jar"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/A.java", "class A { }")
        archive.writestr("../../etc/B.java", "class B { }")
        archive.writestr("/C.java", "class C { }")
        archive.writestr("..\\D.java", "class D { }")
        archive.writestr("E.java", b"\0" * 5_000_000)
        archive.writestr("F.java", os.urandom(2000))
        archive.writestr("readme.txt", "no source")
    assert dict(list_outcomes(file)) == {
        "a/A.java": "read",
        "../../etc/B.java": "zip slip",
        "/C.java": "zip slip",
        "../D.java": "zip slip",
        "E.java": "zip bomb",
        "F.java": "too large",
    }


def test_damaged_member_does_not_affect_others(tmp_path: Path) -> None:
    file = tmp_path / "sources.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("A.java", "class A { int a; } " * 20)
        archive.writestr("B.java", "class B { }")
    data = bytearray(file.read_bytes())
    data[45:60] = b"\xff" * 15  # inside the first member's content
    file.write_bytes(bytes(data))
    assert list_outcomes(file) == [("A.java", "unreadable"), ("B.java", "read")]


def test_member_longer_than_declared_is_a_problem(tmp_path: Path) -> None:
    """The declared size is in the central directory, which may be wrong."""
    file = tmp_path / "sources.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("A.java", b"class A { } " * 1000)
    data = file.read_bytes()
    declared = (12_000).to_bytes(4, "little")
    assert data.count(declared) == 2
    file.write_bytes(data.replace(declared, (500).to_bytes(4, "little")))
    assert [kind for _, kind in list_outcomes(file)] == ["unreadable"]


def test_overlapping_members_are_a_bomb(tmp_path: Path) -> None:
    """Each compression ratio is harmless, but shared bytes could unpack to any size."""
    file = tmp_path / "sources.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("A.java", os.urandom(400))
        first = archive.getinfo("A.java")
        for name in ("B.java", "C.java"):
            other = zipfile.ZipInfo(name)
            other.header_offset = first.header_offset
            other.CRC, other.compress_size = first.CRC, first.compress_size
            other.file_size, other.compress_type = first.file_size, first.compress_type
            archive.filelist.append(other)
    assert list_outcomes(file) == [
        ("A.java", "zip bomb"),
        ("B.java", "zip bomb"),
        ("C.java", "zip bomb"),
    ]


def test_total_size_of_an_archive_is_limited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "sources.zip"
    with zipfile.ZipFile(file, "w") as archive:
        for name in ("C.java", "A.java", "B.java"):
            archive.writestr(name, " " * 600)
    monkeypatch.setattr(archive_module, "LARGEST_TOTAL", 1500)
    assert list_outcomes(file) == [("A.java", "read"), ("B.java", "read"), ("C.java", "zip bomb")]


def test_encrypted_linked_and_duplicate_members_are_problems(tmp_path: Path) -> None:
    file = tmp_path / "sources.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("A.java", "first")
        link = zipfile.ZipInfo("Link.java")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "A.java")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("A.java", "second")
        archive.writestr("Locked.java", "class L { }")
        archive.getinfo("Locked.java").flag_bits |= 1
    assert list_outcomes(file) == [
        ("A.java", "read"),
        ("A.java", "duplicate"),
        ("Link.java", "link"),
        ("Locked.java", "unreadable"),
    ]
    # As after unpacking, the last member of a name wins.
    assert load_project(file).read_file("A.java") == b"second"


def test_names_of_unknown_encoding_are_decoded(tmp_path: Path) -> None:
    """Info-ZIP and others write the file system's bytes without the UTF-8 flag."""
    file = tmp_path / "sources.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("greXXe.java", "class A { }")
        archive.writestr("latinX.java", "class B { }")
        archive.writestr("ß.java", "class C { }")  # with the flag
    data = file.read_bytes()
    data = data.replace(b"greXXe", "grüe".encode() + b"e")
    file.write_bytes(data.replace(b"latinX", b"latin\xfc"))
    assert [path for path, _ in list_outcomes(file)] == ["grüee.java", "latin�FC.java", "ß.java"]
    if shutil.which("unzip"):  # an oracle that is not Python's own zipfile
        unzipped = subprocess.run(["unzip", "-p", file, "gr*"], capture_output=True, check=True)
        assert load_project(file).read_file("grüee.java") == unzipped.stdout


def test_revision_of_an_archive_is_its_hash(tmp_path: Path) -> None:
    file = tmp_path / "sources.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("A.java", "class A { }")
    completed = subprocess.run(["sha256sum", file], capture_output=True, text=True, check=True)
    source = load_project(file)
    assert (source.name, source.source) == ("sources", "sources.zip")
    assert source.revision == completed.stdout.split()[0]


def test_damaged_archive_is_rejected_before_the_build(tmp_path: Path) -> None:
    file = tmp_path / "sources.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("A.java", "class A { }")
    data = bytearray(file.read_bytes())
    offset = data.rindex(b"PK\1\2")
    data[offset : offset + 4] = b"XXXX"
    file.write_bytes(bytes(data))
    with pytest.raises(CodeacumenError, match="a damaged zip"):
        load_project(file)


def test_random_damage_of_an_archive_is_a_problem(tmp_path: Path) -> None:
    original = tmp_path / "whole.zip"
    with zipfile.ZipFile(original, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(4):
            archive.writestr(f"d{number}/A.java", "class A { int a; } " * 20)
    random = Random(1)
    outcomes = set()
    for number in range(400):
        data = bytearray(original.read_bytes())
        for _ in range(random.randint(1, 6)):
            data[random.randrange(len(data))] = random.randrange(256)
        # Each archive needs its own name, because an unchanged path is opened only once.
        file = tmp_path / f"{number}.zip"
        file.write_bytes(data)
        try:
            outcomes |= {kind for _, kind in list_outcomes(file)}
        except CodeacumenError:
            outcomes.add("refused")
    assert {"read", "unreadable", "refused"} <= outcomes


# --------------------------------------------------------------------------------------
# Other processes.
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_processes_read_an_archive_concurrently(tmp_path: Path, start: str) -> None:
    """A forked process inherits open files and their position, so each process must open its
    own."""
    file = tmp_path / "sources.zip"
    contents = {f"F{number:03}.java": os.urandom(900) for number in range(60)}
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    source = load_project(file)
    paths = [entry.path for entry in source.list_entries(JAVA)] * 50
    assert len(pickle.dumps(source)) < 1000
    context = multiprocessing.get_context(start)
    with ProcessPoolExecutor(3, mp_context=context) as pool:
        results = list(pool.map(source.read_file, paths, chunksize=10))
    assert results == [contents[path] for path in paths]
