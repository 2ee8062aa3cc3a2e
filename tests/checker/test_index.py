"""The index: only what changed is read again, and neither a kill nor damage harms it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from checker.projects import ACCOUNT, Check, commit, write
from codeacumen.checker import index as checker_index
from codeacumen.checker.check import CheckRequest, Report, check
from codeacumen.checker.index import FILE, KEPT, LEARNED, Index, packed, unpacked
from codeacumen.checker.reading import Methods, as_plain, content_key, from_plain, methods_of
from codeacumen.checker.settings import Settings
from codeacumen.checker.told import as_json
from codeacumen.languages.java import parse_java
from codeacumen.languages.java.syntax import file as java_file
from codeacumen.languages.syntax import Syntax
from corpora import shared_engine


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Paths of the files that are parsed."""
    found: list[str] = []

    def counted(path: str, data: bytes) -> Methods:
        found.append(path)
        return methods_of(path, data)

    monkeypatch.setattr(checker_index, "methods_of", counted)
    return found


def test_only_what_changed_is_parsed(project: Path, run: Check, reads: list[str]) -> None:
    write(project, {f"src/C{i}.java": f"class C{i} {{ void getC{i}() {{}} }}" for i in range(9)})
    first = as_json(run(project))
    assert len(reads) == 10
    reads.clear()
    assert as_json(run(project)) == first
    assert reads == []
    write(project, {"src/C3.java": "class C3 { void getNew() {} }"})
    run(project)
    assert reads == ["src/C3.java"]
    # The same content under another path has other facts.
    reads.clear()
    write(project, {"src/D3.java": "class C3 { void getNew() {} }"})
    assert {one.path for one in run(project).reported if one.name == "getNew"} == {
        "src/C3.java",
        "src/D3.java",
    }
    assert reads == ["src/D3.java"]


@pytest.fixture
def parsed_sources(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The sources that the Java parser was called with, in this process."""
    sources: list[bytes] = []

    def parse_and_record(source: bytes) -> Syntax:
        sources.append(source)
        return parse_java(source)

    monkeypatch.setattr(java_file, "parse_java", parse_and_record)
    return sources


@pytest.mark.parametrize("since", ["", "HEAD"])
def test_a_warm_check_parses_only_changed_files(
    project: Path, home: Path, parsed_sources: list[bytes], since: str
) -> None:
    """With a real model: neither learning nor judging parses a file again."""
    names = [f"src/C{i}.java" for i in range(9)]
    commit(project, {name: f"class C{i} {{ }}" for i, name in enumerate(names)})
    request = CheckRequest((project,), Settings(background="none"), since)

    def run_check() -> Report:
        return check(request, home, lambda: shared_engine(1), lambda what, done, total: None)

    changed = b"class C3 { void getNew() {} }"
    if since:
        write(project, {names[4]: "class C4 { void getOther() {} }"})
    first = as_json(run_check())
    # The commit's ten files, and the changed file of the working tree.
    assert len(parsed_sources) == (11 if since else 10)
    parsed_sources.clear()
    assert as_json(run_check()) == first
    assert parsed_sources == []
    write(project, {names[3]: changed})
    run_check()
    assert parsed_sources == [changed]


@pytest.mark.parametrize("how", ["cut", "junk", "empty", "rows"])
def test_damage_is_mended(project: Path, run: Check, home: Path, how: str) -> None:
    first = as_json(run(project))
    (file,) = (home / "checker").glob(f"*/{FILE}")
    for other in file.parent.glob(f"{FILE}-*"):
        other.unlink()
    data = file.read_bytes()
    if how == "rows":
        import sqlite3

        base = sqlite3.connect(file)
        base.execute("UPDATE methods SET data = x'80056e6f'")
        base.commit()
        base.close()
    else:
        file.write_bytes({"cut": data[: len(data) // 2], "junk": b"x" * 9999, "empty": b""}[how])
    assert as_json(run(project)) == first
    assert as_json(run(project)) == first


def test_a_home_that_cannot_be_written(project: Path, run: Check, home: Path) -> None:
    home.mkdir()
    (home / "checker").write_text("a file, where a folder should be")
    assert len(run(project).reported) == 2


def test_another_version_makes_another_index(
    project: Path, run: Check, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from codeacumen.checker import index

    run(project)
    monkeypatch.setattr(index, "version", lambda: "another")
    run(project)
    assert len(reads) == 2


def test_what_is_packed_tells_damage() -> None:
    data = packed(Methods(origin="generated"))
    assert unpacked(data) == Methods(origin="generated")
    for i in range(0, len(data), 7):
        assert unpacked(data[:i] + bytes([data[i] ^ 1]) + data[i + 1 :]) is None
    assert unpacked(b"") is None


def test_plain_and_back() -> None:
    found = methods_of("A.java", ACCOUNT.encode())
    assert len(found.facts) == 3
    assert from_plain(unpacked(packed(as_plain(found)))) == found
    assert from_plain(None) is None
    assert from_plain(((("x",),), (), "written", False, False, None)) is None


def test_few_models_are_kept(tmp_path: Path) -> None:
    index = Index(tmp_path, tmp_path)
    for i in range(KEPT + 3):
        index.keep_learned(f"{i}", {"number": i})
        os.utime(index.folder, ns=(i, i))
    assert index.learned(f"{KEPT + 2}") == {"number": KEPT + 2}
    assert len(list(index.folder.glob(f"{LEARNED}*"))) == KEPT
    assert index.learned("never") is None
    index.keep_learned("lambda", lambda: 1)  # what cannot be kept is no reason to fail
    assert index.learned("lambda") is None
    index.close()


def test_what_is_gone_is_dropped(tmp_path: Path) -> None:
    index = Index(tmp_path, tmp_path)
    data = packed(as_plain(Methods()))
    index.keep([(f"{i}.java", "x", data) for i in range(2000)])
    index.prune([("1.java", "x")])
    assert set(index.methods([(f"{i}.java", "x") for i in range(2000)])) == {"1.java"}
    index.close()


def test_content_is_named_as_git_names_it() -> None:
    import pygit2

    for data in (b"", b"a\n", ACCOUNT.encode()):
        assert content_key(data) == str(pygit2.hash(data))


_SCRIPT = """
import sys
from pathlib import Path
from codeacumen.checker import index
from codeacumen.checker.reading import as_plain, methods_of, content_key
from codeacumen.checker.index import Index, packed
kept = Index(Path(sys.argv[1]), Path(sys.argv[2]))
number = 0
while True:
    if number == 40:
        print("ready", flush=True)
    rows = []
    for _ in range(20):
        source = f"class C{number} {{ void getC() {{}} }}".encode()
        path = f"C{number}.java"
        rows.append((path, content_key(source), packed(as_plain(methods_of(path, source)))))
        number += 1
    kept.keep(rows)
    kept.keep_learned(str(number % 3), list(range(100_000)))
"""


@pytest.mark.thorough
def test_killed_while_it_is_written(tmp_path: Path) -> None:
    known = 0
    # The later only where a machine is so busy that nothing had been written by then.
    for wait in (0.0, 0.05, 0.13, 0.5, 2.0, 8.0):
        if known and wait > 0.13:
            break
        writer = subprocess.Popen(
            [sys.executable, "-c", _SCRIPT, str(tmp_path), str(tmp_path)], stdout=subprocess.PIPE
        )
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"ready\n"
        time.sleep(wait)
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
        index = Index(tmp_path, tmp_path)
        files = []
        for i in range(20_000):
            source = f"class C{i} {{ void getC() {{}} }}".encode()
            files.append((f"C{i}.java", content_key(source)))
        found = index.methods(files)
        # What is there is whole; batches are there or not.
        assert len(found) % 20 == 0
        assert len(found) >= known
        assert all(one.facts[0].name == "getC" for one in found.values())
        known = len(found)
        for key in "012":
            model = index.learned(key)
            assert model is None or len(model) == 100_000
        index.close()
    assert known
