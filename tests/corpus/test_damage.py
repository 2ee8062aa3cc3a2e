"""Tests of damaged corpora: damage is reported, and the next build repairs it byte by byte."""

from __future__ import annotations

import json
import shutil
from itertools import product
from pathlib import Path

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.corpus import Corpus
from codeacumen.corpus.audit import audit_corpus
from codeacumen.corpus.export import iterate_view_values
from corpora import EXAMPLES, build_corpus_at, read_files
from support import take_every


@pytest.fixture
def damaged(examples_corpus: Corpus, tmp_path: Path) -> Path:
    """Return the folder of a copy of the examples' corpus, for tests to damage."""
    return Path(shutil.copytree(examples_corpus.folder, tmp_path / "corpus"))


def find_file(folder: Path, pattern: str) -> Path:
    return sorted(folder.glob(pattern))[0]


def flip_middle_byte(file: Path) -> None:
    """Flip one bit of the byte in the middle of a file."""
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


PATTERNS = [
    "shards/library.*/methods.parquet",
    "shards/library.*/files.parquet",
    "shards/quill.*/tokens.parquet",
    "shards/quill.*/problems.parquet",
    "calls/tramway.*/*.parquet",
    "calls/tramway.*/*.sets",
    "index/high.npy",
    "index/first.npy",
    "projects.parquet",
    "numbers.parquet",
    "dispatch.parquet",
]


@pytest.mark.parametrize(
    ("pattern", "damage"),
    # The sample has each file and each kind of damage.
    take_every(list(product(PATTERNS, ("missing", "changed", "cut off", "empty"))), every=3),
)
def test_damaged_file_is_reported_and_repaired(
    examples_corpus: Corpus, damaged: Path, pattern: str, damage: str
) -> None:
    file = find_file(damaged, pattern)
    if damage == "missing":
        file.unlink()
    elif damage == "changed":
        flip_middle_byte(file)
    else:
        file.write_bytes(file.read_bytes()[: 100 if damage == "cut off" else 0])
    report = audit_corpus(Corpus.open(damaged))
    name = str(file.relative_to(damaged))
    assert not report["intact"]
    assert (report["missing"], report["changed"]) == (
        ((name,), ()) if damage == "missing" else ((), (name,))
    )
    build_corpus_at(damaged, EXAMPLES)
    assert read_files(damaged) == read_files(examples_corpus.folder)
    assert audit_corpus(Corpus.open(damaged))["intact"]


def test_only_damaged_shards_are_rebuilt(damaged: Path) -> None:
    shutil.rmtree(find_file(damaged, "shards/library.*"))
    flip_middle_byte(find_file(damaged, "shards/tramway.*/ast.parquet"))
    summary = build_corpus_at(damaged, EXAMPLES)
    files = [len(list(Path(EXAMPLES[index]).rglob("*.java"))) for index in (0, 2)]
    assert (summary.parsed, summary.reused, summary.shards) == (sum(files), 2, 4)


def test_rows_of_a_damaged_shard_are_not_reused(tmp_path: Path) -> None:
    sources = Path(shutil.copytree(EXAMPLES[1], tmp_path / "quill"))
    build_corpus_at(tmp_path / "corpus", [str(sources)])
    # This table is not needed to list the files of the shard.
    flip_middle_byte(find_file(tmp_path / "corpus", "shards/quill.*/methods.parquet"))
    (sources / "New.java").write_text("class New { void fresh() { } }")
    summary = build_corpus_at(tmp_path / "corpus", [str(sources)])
    assert summary.parsed == len(list(sources.rglob("*.java")))
    build_corpus_at(tmp_path / "fresh", [str(sources)])
    assert read_files(tmp_path / "corpus") == read_files(tmp_path / "fresh")


def test_unknown_table_in_a_shard_is_removed(examples_corpus: Corpus, damaged: Path) -> None:
    shard = find_file(damaged, "shards/library.*")
    shutil.copyfile(shard / "types.parquet", shard / "more.parquet")
    build_corpus_at(damaged, EXAMPLES)
    assert read_files(damaged) == read_files(examples_corpus.folder)


def test_killed_repair_is_completed(examples_corpus: Corpus, damaged: Path) -> None:
    find_file(damaged, "calls/library.*/*.parquet").unlink()
    manifest = damaged / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "complete": False}))
    flip_middle_byte(find_file(damaged, "shards/quill.*/graph.parquet"))
    build_corpus_at(damaged, EXAMPLES)
    assert read_files(damaged) == read_files(examples_corpus.folder)


# ------------------------------------------------------------------ without a manifest


def test_corpus_without_manifest_is_rebuilt(examples_corpus: Corpus, damaged: Path) -> None:
    (damaged / "manifest.json").unlink()
    (damaged / "manifest.json.123.part").write_text("{")
    # Without hashes, existing files cannot be trusted.
    flip_middle_byte(find_file(damaged, "shards/library.*/methods.parquet"))
    with pytest.raises(CodeacumenError, match=r"manifest\.json is missing") as caught:
        Corpus.open(damaged)
    assert "codeacumen corpus build" in caught.value.hint
    assert build_corpus_at(damaged, EXAMPLES).parsed == 113
    assert read_files(damaged) == read_files(examples_corpus.folder)


@pytest.mark.parametrize(
    "name", ["letter.txt", "data.parquet", "index/page.html", "shards/a/b.csv", "calls"]
)
def test_files_of_other_programs_are_never_changed(damaged: Path, name: str) -> None:
    (damaged / "manifest.json").unlink()
    if name == "calls":
        shutil.rmtree(damaged / name)
    (damaged / name).parent.mkdir(parents=True, exist_ok=True)
    (damaged / name).write_text("mine")
    before = read_files(damaged)
    with pytest.raises(CodeacumenError, match="is not empty and holds no corpus"):
        build_corpus_at(damaged, EXAMPLES)
    assert read_files(damaged) == before


def test_damaged_manifest_is_reported(damaged: Path) -> None:
    (damaged / "manifest.json").write_text("{")
    for open_or_build in (Corpus.open, lambda folder: build_corpus_at(folder, EXAMPLES)):
        with pytest.raises(CodeacumenError, match=r"manifest\.json is damaged") as caught:
            open_or_build(damaged)
        assert "delete it and run the same `codeacumen corpus build` again" in caught.value.hint


# ------------------------------------------------------------------ reading


def read_corpus(corpus: Corpus, kind: str, table: str) -> object:
    method = "b19c7d53-56f2-539b-92b0-8335d14a9a9e"
    return {
        "query": lambda: corpus.query(f"select count(*) from {table}"),
        "method": lambda: corpus.method(method),
        "view": lambda: corpus.view(method, "tokens"),
        "compat": lambda: corpus.view(method, "ast", "features-javac"),
        "calls": lambda: corpus.calls(method),
        "callers": lambda: corpus.callers(method),
        "export": lambda: list(iterate_view_values(corpus, "tokens")),
    }[kind]()


@pytest.mark.parametrize("damage", ["missing", "cut off"])
@pytest.mark.parametrize(
    ("pattern", "kinds"),
    [
        ("shards/tramway.*/methods.parquet", ["query", "method", "view", "callers", "export"]),
        ("shards/tramway.*/tokens.parquet", ["query", "view", "export"]),
        ("shards/tramway.*/files.parquet", ["query", "compat"]),
        ("calls/tramway.*/*.parquet", ["query", "calls"]),
        ("index/high.npy", ["method", "view"]),
        ("index/callers.npy", ["callers"]),
        ("numbers.parquet", ["query", "calls"]),
    ],
)
def test_reading_a_damaged_corpus_names_the_file(
    damaged: Path, pattern: str, kinds: list[str], damage: str
) -> None:
    file = find_file(damaged, pattern)
    data = file.read_bytes()[:100]
    file.unlink()
    if damage != "missing":
        file.write_bytes(data)
    name = str(file.relative_to(damaged))
    for kind in kinds:
        with pytest.raises(CodeacumenError) as caught:
            read_corpus(Corpus.open(damaged), kind, "calls" if "calls" in pattern else file.stem)
        assert name in str(caught.value), kind
        assert f"codeacumen corpus audit {damaged}" in caught.value.hint
        assert "codeacumen corpus build" in caught.value.hint
