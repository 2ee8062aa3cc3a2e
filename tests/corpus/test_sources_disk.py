"""Folders and zips: every file in one order, whatever else lies there becomes a problem."""

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
from codeacumen.corpus.sources import Entry, Project, projects
from codeacumen.corpus.sources import archive as archive_module
from codeacumen.corpus.sources.paths import as_bytes, as_text

JAVA = (".java",)


def project(place: Path, largest: int = 1000) -> Project:
    (found,) = projects([str(place)], place.parent / "cache", largest=largest)
    return found


def listed(place: Path, largest: int = 1000) -> list[tuple[str, str]]:
    """Path and what became of it, read at once."""
    source = project(place, largest)
    found = []
    for one in source.entries(JAVA):
        read = source.read(one.path) if isinstance(one, Entry) else one
        found.append((one.path, read.kind if isinstance(read, Problem) else "read"))
    return found


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


# --------------------------------------------------------------------------------------
# Folders.
# --------------------------------------------------------------------------------------


def test_a_folder_in_the_order_of_paths(tmp_path: Path) -> None:
    names = ("b/Z.java", "b/A.java", "a/X.java", "C.java", "b/notes.txt", "a.java", "a-b/D.java")
    write(tmp_path / "root", dict.fromkeys(names, "class A { }"))
    assert [path for path, _ in listed(tmp_path / "root")] == [
        "C.java",
        "a-b/D.java",
        "a.java",
        "a/X.java",
        "b/A.java",
        "b/Z.java",
    ]


def test_a_folder_a_zip_and_a_jar_of_one_content_are_one_project(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(root, {"b/Ü.java": "class Ü { }", "a/B.java": "class B { }", "a.java": "class a { }"})
    with zipfile.ZipFile(tmp_path / "root.zip", "w") as archive:
        for file in root.rglob("*.java"):
            archive.write(file, file.relative_to(root))
    places = [root, tmp_path / "root.zip"]
    if shutil.which("jar"):
        subprocess.run(["jar", "cf", "root.jar", "-C", "root", "."], cwd=tmp_path, check=True)
        places.append(tmp_path / "root.jar")
    contents = []
    for place in places:
        source = project(place)
        contents.append([(one.path, source.read(one.path)) for one in source.entries(JAVA)])
    assert contents[0] == [
        ("a.java", b"class a { }"),
        ("a/B.java", b"class B { }"),
        ("b/Ü.java", "class Ü { }".encode()),
    ]
    assert all(content == contents[0] for content in contents)


def test_links_in_a_circle_out_of_the_folder_and_to_nowhere(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(root, {"A.java": "class A { }"})
    (tmp_path / "Secret.java").write_text("class Secret { }")
    (root / "Inside.java").symlink_to(root / "A.java")
    (root / "Out.java").symlink_to(tmp_path / "Secret.java")
    (root / "Nowhere.java").symlink_to(root / "Gone.java")
    (root / "Circle.java").symlink_to(root / "Circle.java")
    (root / "loop").symlink_to(root, target_is_directory=True)
    (root / "loop.java").symlink_to(root, target_is_directory=True)
    os.mkfifo(root / "Pipe.java")
    assert listed(root) == [
        ("A.java", "read"),
        ("Circle.java", "unreadable"),
        ("Inside.java", "read"),
        ("Nowhere.java", "unreadable"),
        ("Out.java", "link"),
        ("Pipe.java", "unreadable"),
        ("loop", "link"),
        ("loop.java", "link"),
    ]


def test_links_to_folders_are_told_whatever_they_are_called(tmp_path: Path) -> None:
    root, other = tmp_path / "root", tmp_path / "other"
    write(root, {"src/A.java": "class A { }", "LICENSE": "none"})
    write(other, {"B.java": "class B { }"})
    links = {"aside": other, "src/up": root, "src/me": root / "src", ".git": other, "docs": other}
    for name, target in links.items():
        (root / name).symlink_to(target, target_is_directory=True)
    (root / "link.txt").symlink_to(root / "link.txt")
    # What a recipe leaves out was not wanted; what it takes may lie behind the link.
    (tmp_path / "r.toml").write_text(
        "[[project]]\nsource = 'root'\nexclude = ['docs', 'src/me']\n"
        "[[project]]\nname = 'part'\nsource = 'root'\ninclude = ['src/**', 'aside/*.java']\n"
    )
    whole, part = projects([str(tmp_path / "r.toml")], tmp_path)
    found = {one.path: one for one in whole.entries((".java",)) if isinstance(one, Problem)}
    assert set(found) == {"aside", "src/up"}
    for problem in found.values():
        assert problem.kind == "link"
        assert problem.message == "it leads to a folder; folders behind links are not followed"
    assert [one.path for one in part.entries((".java",))] == [
        "aside",
        "src/A.java",
        "src/me",
        "src/up",
    ]
    assert [one.path for one in whole.licences()] == ["LICENSE"]


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
def test_reading_what_was_never_listed(tmp_path: Path, path: str, kind: str) -> None:
    root = tmp_path / "root"
    write(root, {"A.java": "class A { }"})
    (tmp_path / "Secret.java").write_text("class Secret { }")
    (root / "Out.java").symlink_to(tmp_path / "Secret.java")
    os.mkfifo(root / "Pipe.java")
    read = project(root).read(path)
    assert isinstance(read, Problem)
    assert (read.path, read.kind) == (path, kind)


def test_a_large_file_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "A.java").write_bytes(b" " * 1001)
    assert listed(tmp_path / "root") == [("A.java", "too large")]
    assert isinstance(project(tmp_path / "root").read("A.java"), Problem)


def test_names_that_are_no_utf8_survive(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    for raw in ("größe.java".encode("latin-1"), "größe.java".encode(), b"\xef\xbf\xbd.java"):
        with open(os.path.join(os.fsencode(root), raw), "wb") as out:  # noqa: PTH118, PTH123
            out.write(raw)
    source = project(root)
    paths = [one.path for one in source.entries(JAVA)]
    assert paths == ["größe.java", "gr�F6�DFe.java", "�EF�BF�BD.java"]
    for path in paths:
        path.encode("utf-8")
        assert source.read(path) == as_bytes(path)


@given(st.binary())
def test_bytes_of_a_name_come_back_from_its_text(raw: bytes) -> None:
    text = as_text(raw)
    text.encode("utf-8")
    assert as_bytes(text) == raw


@given(st.text())
def test_a_utf8_name_is_its_own_text(name: str) -> None:
    if "\ufffd" not in name:
        try:
            raw = name.encode("utf-8")
        except UnicodeEncodeError:
            return
        assert as_text(raw) == name


def test_what_version_control_keeps_for_itself_is_no_source(tmp_path: Path) -> None:
    write(tmp_path / "root", {"A.java": "", ".git/refs/heads/fix.java": "0123", ".svn/B.java": ""})
    assert [path for path, _ in listed(tmp_path / "root")] == ["A.java"]


def test_a_folder_that_cannot_be_read_costs_itself_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "root"
    write(root, {"A.java": "", "locked/B.java": "", "open/C.java": ""})
    scandir = os.scandir

    # Root may read everything, so that a mode of 000 would show nothing where tests run as root.
    def refuse(path: str) -> object:
        if Path(path).name == "locked":
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert [one.path for one in project(root).entries(JAVA)] == ["A.java", "locked", "open/C.java"]
    assert project(root).entries(JAVA)[1] == Problem(
        "locked", "unreadable", "a folder: Permission denied"
    )


def test_deep_folders_are_no_recursion(tmp_path: Path) -> None:
    root = tmp_path / "root"
    deep = root / "/".join(["d"] * 1100)
    # os.makedirs itself would recurse.
    root.mkdir()
    here = os.getcwd()  # noqa: PTH109
    try:
        os.chdir(root)
        for _ in range(1100):
            os.mkdir("d")  # noqa: PTH102
            os.chdir("d")
        Path("A.java").write_text("class A { }")
    finally:
        os.chdir(here)
    assert listed(root) == [(f"{deep.relative_to(root)}/A.java", "read")]
    subprocess.run(["rm", "-rf", str(root)], check=True)


def test_the_time_of_the_last_change_is_the_stamp(tmp_path: Path) -> None:
    write(tmp_path / "root", {"A.java": "class A { }"})
    os.utime(tmp_path / "root" / "A.java", ns=(5, 7))
    assert project(tmp_path / "root").entries(JAVA) == [Entry("A.java", 11, "7")]


# --------------------------------------------------------------------------------------
# Zips.
# --------------------------------------------------------------------------------------


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
        "../D.java": "zip slip",
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


def test_a_member_that_is_longer_than_it_says(tmp_path: Path) -> None:
    """The declared size lies in the table of contents, which nobody but its writer checks."""
    file = tmp_path / "sources.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("A.java", b"class A { } " * 1000)
    data = file.read_bytes()
    declared = (12_000).to_bytes(4, "little")
    assert data.count(declared) == 2
    file.write_bytes(data.replace(declared, (500).to_bytes(4, "little")))
    assert [kind for _, kind in listed(file)] == ["unreadable"]


def test_members_that_share_their_bytes_are_a_bomb(tmp_path: Path) -> None:
    """Each ratio is innocent; together a few kilobytes would unpack to anything."""
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
    assert listed(file) == [
        ("A.java", "zip bomb"),
        ("B.java", "zip bomb"),
        ("C.java", "zip bomb"),
    ]


def test_an_archive_that_is_too_much_in_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "sources.zip"
    with zipfile.ZipFile(file, "w") as archive:
        for name in ("C.java", "A.java", "B.java"):
            archive.writestr(name, " " * 600)
    monkeypatch.setattr(archive_module, "LARGEST_TOTAL", 1500)
    assert listed(file) == [("A.java", "read"), ("B.java", "read"), ("C.java", "zip bomb")]


def test_an_encrypted_member_a_link_and_a_name_given_twice(tmp_path: Path) -> None:
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
    assert listed(file) == [
        ("A.java", "read"),
        ("A.java", "duplicate"),
        ("Link.java", "link"),
        ("Locked.java", "unreadable"),
    ]
    # As unpacking would leave it.
    assert project(file).read("A.java") == b"second"


def test_names_in_an_archive_whose_encoding_nobody_wrote_down(tmp_path: Path) -> None:
    """Info-ZIP and others write the bytes of the file system and no flag."""
    file = tmp_path / "sources.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("greXXe.java", "class A { }")
        archive.writestr("latinX.java", "class B { }")
        archive.writestr("ß.java", "class C { }")  # with the flag
    data = file.read_bytes()
    data = data.replace(b"greXXe", "grüe".encode() + b"e")
    file.write_bytes(data.replace(b"latinX", b"latin\xfc"))
    assert [path for path, _ in listed(file)] == ["grüee.java", "latin�FC.java", "ß.java"]
    if shutil.which("unzip"):  # an oracle that is not Python's own zipfile
        done = subprocess.run(["unzip", "-p", file, "gr*"], capture_output=True, check=True)
        assert project(file).read("grüee.java") == done.stdout


def test_the_revision_of_an_archive_is_its_hash(tmp_path: Path) -> None:
    file = tmp_path / "sources.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("A.java", "class A { }")
    done = subprocess.run(["sha256sum", file], capture_output=True, text=True, check=True)
    source = project(file)
    assert (source.name, source.source) == ("sources", "sources.zip")
    assert source.revision == done.stdout.split()[0]


def test_an_archive_that_is_damaged_as_a_whole_is_told_before_any_work(tmp_path: Path) -> None:
    file = tmp_path / "sources.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("A.java", "class A { }")
    data = bytearray(file.read_bytes())
    place = data.rindex(b"PK\1\2")
    data[place : place + 4] = b"XXXX"
    file.write_bytes(bytes(data))
    with pytest.raises(CodeacumenError, match="a damaged zip"):
        project(file)


def test_whatever_bytes_change_nothing_worse_happens(tmp_path: Path) -> None:
    whole = tmp_path / "whole.zip"
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(4):
            archive.writestr(f"d{number}/A.java", "class A { int a; } " * 20)
    random = Random(1)
    outcomes = set()
    for number in range(400):
        data = bytearray(whole.read_bytes())
        for _ in range(random.randint(1, 6)):
            data[random.randrange(len(data))] = random.randrange(256)
        # A name of its own each: an archive that stays the same is opened once.
        file = tmp_path / f"{number}.zip"
        file.write_bytes(data)
        try:
            outcomes |= {kind for _, kind in listed(file)}
        except CodeacumenError:
            outcomes.add("refused")
    assert {"read", "unreadable", "refused"} <= outcomes


# --------------------------------------------------------------------------------------
# Other processes.
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_processes_read_one_archive_at_the_same_time(tmp_path: Path, start: str) -> None:
    """A forked process inherits open files, and with them the place in the file: each must have
    its own."""
    file = tmp_path / "sources.zip"
    contents = {f"F{number:03}.java": os.urandom(900) for number in range(60)}
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    source = project(file)
    paths = [one.path for one in source.entries(JAVA)] * 50
    assert len(pickle.dumps(source)) < 1000
    context = multiprocessing.get_context(start)
    with ProcessPoolExecutor(3, mp_context=context) as pool:
        read = list(pool.map(source.read, paths, chunksize=10))
    assert read == [contents[path] for path in paths]
