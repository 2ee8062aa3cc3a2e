"""Tests of the five tasks, built from the example projects.

Labels are checked against the files on disk, positions against the original text, and Parquet
files against the JSON lines.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from codeacumen.api import CodeacumenError
from codeacumen.benchmarks.gluecode.build import GluecodeRecipe, build_dataset
from codeacumen.benchmarks.gluecode.masks import MASK
from codeacumen.benchmarks.gluecode.specs import SPECS
from codeacumen.corpus import Corpus
from codeacumen.languages.java.measures.npath import BINS, compute_npath
from codeacumen.languages.java.measures.operators import OPERATORS
from codeacumen.languages.java.syntax.file import JavaFile
from corpora import build_corpus_at, read_files, shared_engine
from npath_reference import bin_of
from support import ROOT

Rows = dict[str, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def built(examples_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_into(examples_corpus, tmp_path_factory.mktemp("gluecode") / "out")


def build_into(corpus: Corpus, out: Path, workers: int = 1, **recipe: Any) -> Path:
    build_dataset(corpus, GluecodeRecipe(**recipe), out, shared_engine(workers), {})
    return out


def read_lines(out: Path, task: str) -> list[str]:
    return (out / f"{task}.jsonl").read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="module")
def rows(built: Path) -> Rows:
    return {task: [json.loads(line) for line in read_lines(built, task)] for task in SPECS}


def read_source(row: dict[str, Any]) -> bytes:
    return (ROOT / "examples" / row["project"] / row["path"]).read_bytes()


def test_each_project_is_in_one_split(rows: Rows) -> None:
    for task_rows in rows.values():
        splits = {(row["project"], row["split"]) for row in task_rows}
        assert len(splits) == len({project for project, _ in splits})
    assert {row["split"] for row in rows["naming"]} == {"train", "dev", "test"}


def test_each_method_occurs_once_per_task(rows: Rows) -> None:
    for task_rows in rows.values():
        assert len({row["id"] for row in task_rows}) == len(task_rows)


def test_npath_labels_are_balanced_and_right(rows: Rows, examples_corpus: Corpus) -> None:
    for split in ("train", "test"):
        counts = Counter(row["label"] for row in rows["npath"] if row["split"] == split)
        assert set(counts) == set(BINS)
        assert len(set(counts.values())) == 1
    for row in rows["npath"]:
        file = JavaFile(read_source(row))
        method_index = examples_corpus.method(row["id"])["place"]
        value = int(compute_npath(file)[file.bodies.index(method_index)])
        assert (row["value"], row["label"]) == (value, bin_of(value))


def test_operators_are_balanced_and_masked_once(rows: Rows) -> None:
    for split in ("train", "test"):
        counts = Counter(row["label"] for row in rows["operators"] if row["split"] == split)
        assert set(counts) == set(OPERATORS)
        assert len(set(counts.values())) == 1
    for row in rows["operators"]:
        assert row["text"].count(MASK) == 1
        assert_label_restores_source(row)


def assert_label_restores_source(row: dict[str, Any]) -> None:
    """Assert that the text with the label for the mask equals the file at this position."""
    data, before = read_source(row), row["text"].partition(MASK)[0].encode()
    start = row["start_byte"]
    assert data[start : row["end_byte"]].decode() == row["label"]
    assert data[start - len(before) :].startswith(row["text"].replace(MASK, row["label"]).encode())


def test_naming_labels_are_method_names(rows: Rows, examples_corpus: Corpus) -> None:
    for row in rows["naming"]:
        method = examples_corpus.method(row["id"])
        assert row["label"] == method["name"]
        assert method["kind"] == "method"
        assert "METHOD_NAME" in row["text"]
    short_count = sum(len(row["label"]) < 4 for row in rows["naming"])
    assert 0 < short_count <= 0.03 * len(rows["naming"])


def test_completion_hides_one_call(rows: Rows, examples_corpus: Corpus) -> None:
    naming_ids = {row["id"] for row in rows["naming"]}
    for row in rows["completion"]:
        assert row["id"] in naming_ids
        assert_label_restores_source(row)
        (call,) = [
            call_row
            for call_row in examples_corpus.calls(row["id"])
            if call_row["start_byte"] == row["start_byte"]
        ]
        assert call["callee"].partition("(")[0].partition("/")[0].endswith(f".{row['label']}")
        assert row["label"] in row["candidates"], "these projects have no libraries"
        assert (row["origin"] == "library") is not call["inside"]


# Each method has one call. The comment beside it names the origin of the callee's declaration, by
# the rules of Java for method invocations (JLS 15.12).
ORIGINS_BY_HAND = {
    "shop/Till.java": """
        package shop;
        import static shop.parts.Scale.weighed;
        import java.util.ArrayList;
        import shop.parts.Crate;
        import shopping.Cart;
        class Till extends Desk {
            private int total() { return 0; }
            @Override public String toString() { return ""; }
            int ownOne() { return total(); } // class
            int recursive() { return recursive(); } // class
            int ofAnotherObject(Till other) { return other.total(); } // class
            String overridden() { return toString(); } // class
            int lambdaHere() { Sum sum = () -> total(); return 0; } // class
            int inherited() { return drawers(); } // package
            int ofSuper() { return super.drawers(); } // package
            int ofBesides(Clerk clerk) { return clerk.greeting(); } // package
            int ofInterface(Sum sum) { return sum.made(); } // package
            int ofNested(Slot slot) { return slot.coins(); } // package
            int inheritedTwice() { return height(); } // project
            int imported() { return weighed(); } // project
            int ofPackageBelow(Crate crate) { return crate.bottles(); } // project
            int ofLikePackage(Cart cart) { return cart.wheels(); } // project
            int ofString(String word) { return word.length(); } // library
            int ofObject() { return hashCode(); } // library
            int notOverridden(Till other) { return other.hashCode(); } // library
            int throughLibrary(Runnable clerk) { clerk.run(); return 0; } // library
            int inheritedFromLibrary(Pile pile) { return pile.size(); } // library
            class Slot {
                int coins() { return 0; }
                int ofAround() { return total(); } // class
                int ofOwn() { return coins(); } // class
                int ofAroundInherited() { return drawers(); } // package
                class Lock {
                    int ofFarAround() { return total(); } // class
                }
            }
            static class Pile extends ArrayList<String> {
                int ofNeighbour(Slot slot) { return slot.coins(); } // package
            }
        }
        interface Sum { int made(); }
    """,
    "shop/Desk.java": """
        package shop;
        class Desk extends shop.parts.Board { int drawers() { return 2; } }
    """,
    "shop/Clerk.java": """
        package shop;
        class Clerk implements Runnable {
            int greeting() { return 1; }
            public void run() { }
            void ownThatLibraryKnows() { run(); } // class
        }
        class Clerks {
            int ofShorterName(Clerk clerk) { return clerk.greeting(); } // package
        }
        class shopping { }
    """,
    "shop/parts/Board.java": """
        package shop.parts;
        public class Board { public int height() { return 7; } }
    """,
    "shop/parts/Scale.java": """
        package shop.parts;
        public class Scale { public static int weighed() { return 3; } }
    """,
    "shop/parts/Crate.java": """
        package shop.parts;
        public class Crate {
            public int bottles() { return 12; }
            int ofStaticBesides() { return Scale.weighed(); } // package
        }
    """,
    "shopping/Cart.java": """
        package shopping;
        public class Cart { public int wheels() { return 4; } }
    """,
    "Loose.java": """
        class Loose {
            int nothing() { return 0; }
            int ofPackage(shop.parts.Crate crate) { return crate.bottles(); } // project
            int unnamedPackage(Other other) { return other.something(); } // package
            int ownOfUnnamed() { return nothing(); } // class
        }
        class Other { int something() { return 1; } }
    """,
}


def test_origins_of_calls_follow_the_java_rules(tmp_path: Path) -> None:
    for path, text in ORIGINS_BY_HAND.items():
        file = tmp_path / "src" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    build_corpus_at(tmp_path / "corpus", [str(tmp_path / "src")])
    out = build_into(Corpus.open(tmp_path / "corpus"), tmp_path / "out")
    origin_by_line, expected_by_line = {}, {}
    for path, text in ORIGINS_BY_HAND.items():
        for line, code in enumerate(text.splitlines(), 1):
            if "//" in code:
                expected_by_line[path, line] = code.split()[-1]
    for row in map(json.loads, read_lines(out, "completion")):
        origin_by_line[row["path"], row["line"]] = row["origin"]
    assert origin_by_line == expected_by_line


def test_parquet_equals_json_lines(built: Path, rows: Rows) -> None:
    for task in SPECS:
        table = pq.read_table(built / f"{task}.parquet").to_pylist()
        assert [
            {name: row[name] for name in row if row[name] is not None} for row in table
        ] == rows[task]


def test_dataset_json_reports_counts_and_corpus(built: Path, rows: Rows) -> None:
    about = json.loads((built / "dataset.json").read_text())
    for task, task_rows in rows.items():
        counts = Counter(row["split"] for row in task_rows)
        task_counts = about["counts"]["tasks"][task]
        assert {split: task_counts[split]["instances"] for split in task_counts} == {
            split: counts[split] for split in ("train", "dev", "test")
        }
    assert about["counts"]["tasks"]["naming"]["train"]["wanted"] == 800_000
    assert (built / about["corpus"]["folder"]).resolve().is_dir()


@pytest.mark.parametrize("change", [{"workers": 2}, {}])
def test_output_is_deterministic(
    change: dict[str, int], examples_corpus: Corpus, built: Path, tmp_path: Path
) -> None:
    again = read_files(build_into(examples_corpus, tmp_path / "out", **change))
    about = json.loads(again.pop("dataset.json"))
    first = read_files(built)
    assert about["files"] == json.loads(first.pop("dataset.json"))["files"]
    assert again == first


def test_another_seed_samples_other_instances(
    examples_corpus: Corpus, built: Path, tmp_path: Path
) -> None:
    other = build_into(examples_corpus, tmp_path / "out", seed=1)
    for task in ("npath", "operators", "completion"):
        assert (other / f"{task}.jsonl").read_bytes() != (built / f"{task}.jsonl").read_bytes()


def test_dedup_removes_near_duplicates(examples_corpus: Corpus, rows: Rows, tmp_path: Path) -> None:
    assert any(row["near_duplicate"] for row in rows["naming"]), (
        "these projects share a few methods"
    )
    out = build_into(examples_corpus, tmp_path / "out", dedup=True)
    for task in SPECS:
        for line in read_lines(out, task):
            assert not json.loads(line)["near_duplicate"]


def test_folder_with_other_files_is_rejected(examples_corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(CodeacumenError, match="not empty"):
        build_into(examples_corpus, tmp_path)


def test_interrupted_build_keeps_the_old_data_set(
    examples_corpus: Corpus, built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = build_into(examples_corpus, tmp_path / "out")
    before = read_files(out)
    import codeacumen.benchmarks.gluecode.build as module

    def interrupt_build(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "compute_counts", interrupt_build)
    with pytest.raises(KeyboardInterrupt):
        build_into(examples_corpus, out, seed=5)
    assert read_files(out) == before


def test_corpus_without_instances_builds_empty_files(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "A.java").write_text("interface A { void f(); }")
    build_corpus_at(tmp_path / "corpus", [str(tmp_path / "src")])
    out = build_into(Corpus.open(tmp_path / "corpus"), tmp_path / "out")
    assert all((out / f"{task}.jsonl").read_bytes() == b"" for task in SPECS)
