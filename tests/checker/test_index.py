"""Tests of the index: only changed files are read again, and kills and damage are survived."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from checker.projects import ACCOUNT, Check, commit_files, write_files
from codeacumen.checker import index as checker_index
from codeacumen.checker.check import CheckRequest, Report, run_check
from codeacumen.checker.formats import format_json
from codeacumen.checker.index import (
    DATABASE_NAME,
    MAX_MODELS,
    MODEL_PREFIX,
    MethodIndex,
    pack_with_digest,
    unpack_verified,
)
from codeacumen.checker.reading import (
    FileMethods,
    hash_content,
    methods_from_tuple,
    methods_to_tuple,
    read_methods,
)
from codeacumen.checker.settings import CheckerSettings
from codeacumen.languages.java import parse_java
from codeacumen.languages.java.syntax import file as java_file
from codeacumen.languages.syntax import Syntax
from corpora import shared_engine


@pytest.fixture
def parsed_paths(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that records the paths of parsed files."""
    paths: list[str] = []

    def parse_and_record(path: str, data: bytes) -> FileMethods:
        paths.append(path)
        return read_methods(path, data)

    monkeypatch.setattr(checker_index, "read_methods", parse_and_record)
    return paths


def test_only_changed_files_are_parsed(project: Path, run: Check, parsed_paths: list[str]) -> None:
    write_files(
        project, {f"src/C{i}.java": f"class C{i} {{ void getC{i}() {{}} }}" for i in range(9)}
    )
    first = format_json(run(project))
    assert len(parsed_paths) == 10
    parsed_paths.clear()
    assert format_json(run(project)) == first
    assert parsed_paths == []
    write_files(project, {"src/C3.java": "class C3 { void getNew() {} }"})
    run(project)
    assert parsed_paths == ["src/C3.java"]
    # The same content under another path has other facts.
    parsed_paths.clear()
    write_files(project, {"src/D3.java": "class C3 { void getNew() {} }"})
    assert {finding.path for finding in run(project).reported if finding.name == "getNew"} == {
        "src/C3.java",
        "src/D3.java",
    }
    assert parsed_paths == ["src/D3.java"]


@pytest.fixture
def parsed_sources(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Return a list that records the sources that the Java parser parses in this process."""
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
    """With a real model, neither learning nor judging parses an unchanged file again."""
    names = [f"src/C{i}.java" for i in range(9)]
    commit_files(project, {name: f"class C{i} {{ }}" for i, name in enumerate(names)})
    request = CheckRequest((project,), CheckerSettings(background="none"), since)

    def check_again() -> Report:
        return run_check(request, home, lambda: shared_engine(1), lambda stage, done, total: None)

    changed = b"class C3 { void getNew() {} }"
    if since:
        write_files(project, {names[4]: "class C4 { void getOther() {} }"})
    first = format_json(check_again())
    # The commit's ten files, and the changed file of the working tree.
    assert len(parsed_sources) == (11 if since else 10)
    parsed_sources.clear()
    assert format_json(check_again()) == first
    assert parsed_sources == []
    write_files(project, {names[3]: changed})
    check_again()
    assert parsed_sources == [changed]


@pytest.mark.parametrize("damage", ["cut", "junk", "empty", "rows"])
def test_damaged_index_is_repaired(project: Path, run: Check, home: Path, damage: str) -> None:
    first = format_json(run(project))
    (file,) = (home / "checker").glob(f"*/{DATABASE_NAME}")
    for other in file.parent.glob(f"{DATABASE_NAME}-*"):
        other.unlink()
    data = file.read_bytes()
    if damage == "rows":
        import sqlite3

        base = sqlite3.connect(file)
        base.execute("UPDATE methods SET data = x'80056e6f'")
        base.commit()
        base.close()
    else:
        file.write_bytes({"cut": data[: len(data) // 2], "junk": b"x" * 9999, "empty": b""}[damage])
    assert format_json(run(project)) == first
    assert format_json(run(project)) == first


def test_check_works_with_an_unwritable_home(project: Path, run: Check, home: Path) -> None:
    home.mkdir()
    (home / "checker").write_text("a file, where a folder should be")
    assert len(run(project).reported) == 2


def test_new_version_makes_a_new_index(
    project: Path, run: Check, parsed_paths: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from codeacumen.checker import index

    run(project)
    monkeypatch.setattr(index, "compute_index_version", lambda: "another")
    run(project)
    assert len(parsed_paths) == 2


def test_packed_data_detects_damage() -> None:
    data = pack_with_digest(FileMethods(origin="generated"))
    assert unpack_verified(data) == FileMethods(origin="generated")
    for i in range(0, len(data), 7):
        assert unpack_verified(data[:i] + bytes([data[i] ^ 1]) + data[i + 1 :]) is None
    assert unpack_verified(b"") is None


def test_methods_survive_the_plain_form() -> None:
    methods = read_methods("A.java", ACCOUNT.encode())
    assert len(methods.facts) == 3
    assert (
        methods_from_tuple(unpack_verified(pack_with_digest(methods_to_tuple(methods)))) == methods
    )
    assert methods_from_tuple(None) is None
    assert methods_from_tuple(((("x",),), (), "written", False, False, None)) is None


def test_number_of_stored_models_is_limited(tmp_path: Path) -> None:
    index = MethodIndex(tmp_path, tmp_path)
    for i in range(MAX_MODELS + 3):
        index.store_model(f"{i}", {"number": i})
        os.utime(index.folder, ns=(i, i))
    assert index.load_model(f"{MAX_MODELS + 2}") == {"number": MAX_MODELS + 2}
    assert len(list(index.folder.glob(f"{MODEL_PREFIX}*"))) == MAX_MODELS
    assert index.load_model("never") is None
    index.store_model("lambda", lambda: 1)  # a model that cannot be stored is no error
    assert index.load_model("lambda") is None
    index.close()


def test_prune_removes_missing_files(tmp_path: Path) -> None:
    index = MethodIndex(tmp_path, tmp_path)
    data = pack_with_digest(methods_to_tuple(FileMethods()))
    index.store_methods([(f"{i}.java", "x", data) for i in range(2000)])
    index.drop_other_files([("1.java", "x")])
    assert set(index.load_methods([(f"{i}.java", "x") for i in range(2000)])) == {"1.java"}
    index.close()


def test_content_key_equals_the_hash_of_git() -> None:
    import pygit2

    for data in (b"", b"a\n", ACCOUNT.encode()):
        assert hash_content(data) == str(pygit2.hash(data))


_SCRIPT = """
import sys
from pathlib import Path
from codeacumen.checker import index
from codeacumen.checker.reading import methods_to_tuple, read_methods, hash_content
from codeacumen.checker.index import MethodIndex, pack_with_digest
index = MethodIndex(Path(sys.argv[1]), Path(sys.argv[2]))
number = 0
while True:
    if number == 40:
        print("ready", flush=True)
    rows = []
    for _ in range(20):
        source = f"class C{number} {{ void getC() {{}} }}".encode()
        path = f"C{number}.java"
        packed = pack_with_digest(methods_to_tuple(read_methods(path, source)))
        rows.append((path, hash_content(source), packed))
        number += 1
    index.store_methods(rows)
    index.store_model(str(number % 3), list(range(100_000)))
"""


@pytest.mark.thorough
def test_index_survives_a_killed_writer(tmp_path: Path) -> None:
    stored_count = 0
    # Longer waits are needed only if a busy machine has written nothing by then.
    for wait in (0.0, 0.05, 0.13, 0.5, 2.0, 8.0):
        if stored_count and wait > 0.13:
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
        index = MethodIndex(tmp_path, tmp_path)
        files = []
        for i in range(20_000):
            source = f"class C{i} {{ void getC() {{}} }}".encode()
            files.append((f"C{i}.java", hash_content(source)))
        methods_by_path = index.load_methods(files)
        # Batches are stored completely or not at all.
        assert len(methods_by_path) % 20 == 0
        assert len(methods_by_path) >= stored_count
        assert all(methods.facts[0].name == "getC" for methods in methods_by_path.values())
        stored_count = len(methods_by_path)
        for key in "012":
            model = index.load_model(key)
            assert model is None or len(model) == 100_000
        index.close()
    assert stored_count
