"""A corpus that is damaged: it is told, and the next build repairs it, to the byte."""

from __future__ import annotations

import json
import shutil
from itertools import product
from pathlib import Path

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.corpus import Corpus
from codeacumen.corpus.audit import audit
from codeacumen.corpus.export import export
from corpora import EXAMPLES, build_at, contents
from support import some


@pytest.fixture
def damaged(examples_corpus: Corpus, tmp_path: Path) -> Path:
    """A copy of the examples' corpus, to be damaged."""
    return Path(shutil.copytree(examples_corpus.folder, tmp_path / "corpus"))


def one_file(folder: Path, pattern: str) -> Path:
    return sorted(folder.glob(pattern))[0]


def flip(file: Path) -> None:
    """One byte in the middle is another."""
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
    ("pattern", "how"),
    # Each file and each damage is among those that are tried.
    some(list(product(PATTERNS, ("missing", "changed", "cut off", "empty"))), every=3),
)
def test_what_is_damaged_is_named_and_repaired(
    examples_corpus: Corpus, damaged: Path, pattern: str, how: str
) -> None:
    file = one_file(damaged, pattern)
    if how == "missing":
        file.unlink()
    elif how == "changed":
        flip(file)
    else:
        file.write_bytes(file.read_bytes()[: 100 if how == "cut off" else 0])
    found = audit(Corpus.open(damaged))
    name = str(file.relative_to(damaged))
    assert not found["whole"]
    assert (found["missing"], found["changed"]) == (
        ((name,), ()) if how == "missing" else ((), (name,))
    )
    build_at(damaged, EXAMPLES)
    assert contents(damaged) == contents(examples_corpus.folder)
    assert audit(Corpus.open(damaged))["whole"]


def test_only_the_damaged_shard_is_made_anew(damaged: Path) -> None:
    shutil.rmtree(one_file(damaged, "shards/library.*"))
    flip(one_file(damaged, "shards/tramway.*/ast.parquet"))
    summary = build_at(damaged, EXAMPLES)
    files = [len(list(Path(EXAMPLES[at]).rglob("*.java"))) for at in (0, 2)]
    assert (summary.parsed, summary.reused, summary.shards) == (sum(files), 2, 4)


def test_rows_of_a_damaged_shard_are_not_taken_over(tmp_path: Path) -> None:
    sources = Path(shutil.copytree(EXAMPLES[1], tmp_path / "quill"))
    build_at(tmp_path / "corpus", [str(sources)])
    # Of a table that is not needed to know which files are in it.
    flip(one_file(tmp_path / "corpus", "shards/quill.*/methods.parquet"))
    (sources / "New.java").write_text("class New { void fresh() { } }")
    summary = build_at(tmp_path / "corpus", [str(sources)])
    assert summary.parsed == len(list(sources.rglob("*.java")))
    build_at(tmp_path / "fresh", [str(sources)])
    assert contents(tmp_path / "corpus") == contents(tmp_path / "fresh")


def test_a_table_that_nobody_knows_is_no_part_of_a_shard(
    examples_corpus: Corpus, damaged: Path
) -> None:
    shard = one_file(damaged, "shards/library.*")
    shutil.copyfile(shard / "types.parquet", shard / "more.parquet")
    build_at(damaged, EXAMPLES)
    assert contents(damaged) == contents(examples_corpus.folder)


def test_after_a_kill_in_mid_repair(examples_corpus: Corpus, damaged: Path) -> None:
    one_file(damaged, "calls/library.*/*.parquet").unlink()
    manifest = damaged / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "complete": False}))
    flip(one_file(damaged, "shards/quill.*/graph.parquet"))
    build_at(damaged, EXAMPLES)
    assert contents(damaged) == contents(examples_corpus.folder)


# ------------------------------------------------------------------ without a manifest


def test_without_a_manifest_all_is_made_anew(examples_corpus: Corpus, damaged: Path) -> None:
    (damaged / "manifest.json").unlink()
    (damaged / "manifest.json.123.part").write_text("{")
    # No hash is known any more: what is there cannot be trusted.
    flip(one_file(damaged, "shards/library.*/methods.parquet"))
    with pytest.raises(CodeacumenError, match=r"manifest\.json is missing") as caught:
        Corpus.open(damaged)
    assert "codeacumen corpus build" in caught.value.hint
    assert build_at(damaged, EXAMPLES).parsed == 113
    assert contents(damaged) == contents(examples_corpus.folder)


@pytest.mark.parametrize(
    "name", ["letter.txt", "data.parquet", "index/page.html", "shards/a/b.csv", "calls"]
)
def test_what_is_somebody_elses_is_never_touched(damaged: Path, name: str) -> None:
    (damaged / "manifest.json").unlink()
    if name == "calls":
        shutil.rmtree(damaged / name)
    (damaged / name).parent.mkdir(parents=True, exist_ok=True)
    (damaged / name).write_text("mine")
    before = contents(damaged)
    with pytest.raises(CodeacumenError, match="is not empty and holds no corpus"):
        build_at(damaged, EXAMPLES)
    assert contents(damaged) == before


def test_a_manifest_that_is_damaged(damaged: Path) -> None:
    (damaged / "manifest.json").write_text("{")
    for attempt in (Corpus.open, lambda folder: build_at(folder, EXAMPLES)):
        with pytest.raises(CodeacumenError, match=r"manifest\.json is damaged") as caught:
            attempt(damaged)
        assert "delete it and run the same `codeacumen corpus build` again" in caught.value.hint


# ------------------------------------------------------------------ reading


def reads(corpus: Corpus, kind: str, table: str) -> object:
    method = "b19c7d53-56f2-539b-92b0-8335d14a9a9e"
    return {
        "query": lambda: corpus.query(f"select count(*) from {table}"),
        "method": lambda: corpus.method(method),
        "view": lambda: corpus.view(method, "tokens"),
        "compat": lambda: corpus.view(method, "ast", "features-javac"),
        "calls": lambda: corpus.calls(method),
        "callers": lambda: corpus.callers(method),
        "export": lambda: list(export(corpus, "tokens")),
    }[kind]()


@pytest.mark.parametrize("how", ["missing", "cut off"])
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
def test_who_reads_is_told_what_is_missing(
    damaged: Path, pattern: str, kinds: list[str], how: str
) -> None:
    file = one_file(damaged, pattern)
    data = file.read_bytes()[:100]
    file.unlink()
    if how != "missing":
        file.write_bytes(data)
    name = str(file.relative_to(damaged))
    for kind in kinds:
        with pytest.raises(CodeacumenError) as caught:
            reads(Corpus.open(damaged), kind, "calls" if "calls" in pattern else file.stem)
        assert name in str(caught.value), kind
        assert f"codeacumen corpus audit {damaged}" in caught.value.hint
        assert "codeacumen corpus build" in caught.value.hint
