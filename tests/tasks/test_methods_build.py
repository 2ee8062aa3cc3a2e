"""The five tasks, built from the example projects. Labels are checked against the files as they
stand on disk, positions against the original text, Parquet against the JSON lines."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

from acumen.api import AcumenError
from acumen.lang.java.file import JavaFile
from acumen.lang.java.npath import BINS, bin_of, npath
from acumen.lang.java.operators import OPERATORS
from acumen.tasks.methods.build import Recipe, build
from acumen.tasks.methods.masks import MASK, TASKS
from corpora import contents
from support import ROOT

if TYPE_CHECKING:
    from acumen.corpus import Corpus

Rows = dict[str, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def built(examples_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(examples_corpus, tmp_path_factory.mktemp("gluecode") / "out")


def made(corpus: Corpus, out: Path, workers: int = 1, **recipe: Any) -> Path:
    from acumen.corpus.engines.local import LocalEngine

    build(corpus, Recipe(**recipe), out, LocalEngine(workers), {})
    return out


def lines(out: Path, task: str) -> list[str]:
    return (out / f"{task}.jsonl").read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="module")
def rows(built: Path) -> Rows:
    return {task: [json.loads(line) for line in lines(built, task)] for task in TASKS}


def source(row: dict[str, Any]) -> bytes:
    return (ROOT / "examples" / row["project"] / row["path"]).read_bytes()


def test_splits_are_those_of_projects(rows: Rows) -> None:
    for mine in rows.values():
        splits = {(row["project"], row["split"]) for row in mine}
        assert len(splits) == len({project for project, _ in splits})
    assert {row["split"] for row in rows["naming"]} == {"train", "test"}


def test_each_method_once(rows: Rows) -> None:
    for mine in rows.values():
        assert len({row["id"] for row in mine}) == len(mine)


def test_npath_labels_are_balanced_and_right(rows: Rows, examples_corpus: Corpus) -> None:
    for split in ("train", "test"):
        counts = Counter(row["label"] for row in rows["npath"] if row["split"] == split)
        assert set(counts) == set(BINS)
        assert len(set(counts.values())) == 1
    for row in rows["npath"]:
        file = JavaFile(source(row))
        place = examples_corpus.method(row["id"])["place"]
        value = int(npath(file)[file.bodies.index(place)])
        assert (row["value"], row["label"]) == (value, bin_of(value))


def test_operators_are_balanced_and_masked_once(rows: Rows) -> None:
    for split in ("train", "test"):
        counts = Counter(row["label"] for row in rows["operators"] if row["split"] == split)
        assert set(counts) == set(OPERATORS)
        assert len(set(counts.values())) == 1
    for row in rows["operators"]:
        assert row["text"].count(MASK) == 1
        assert_puts_back(row)


def assert_puts_back(row: dict[str, Any]) -> None:
    """With the label in place of the mask, the text is that of the file, at that very place."""
    data, before = source(row), row["text"].partition(MASK)[0].encode()
    start = row["start_byte"]
    assert data[start : row["end_byte"]].decode() == row["label"]
    assert data[start - len(before) :].startswith(row["text"].replace(MASK, row["label"]).encode())


def test_names(rows: Rows, examples_corpus: Corpus) -> None:
    for row in rows["naming"]:
        method = examples_corpus.method(row["id"])
        assert row["label"] == method["name"]
        assert method["kind"] == "method"
        assert "METHOD_NAME" in row["text"]
    short = sum(len(row["label"]) < 4 for row in rows["naming"])
    assert 0 < short <= 0.03 * len(rows["naming"])


def test_completion_hides_one_call(rows: Rows, examples_corpus: Corpus) -> None:
    named = {row["id"] for row in rows["naming"]}
    for row in rows["completion"]:
        assert row["id"] in named
        assert_puts_back(row)
        (call,) = [
            one
            for one in examples_corpus.calls(row["id"])
            if one["start_byte"] == row["start_byte"]
        ]
        assert call["callee"].partition("(")[0].partition("/")[0].endswith(f".{row['label']}")
        assert row["label"] in row["candidates"], "these projects have no libraries"
        assert (row["origin"] == "library") is not call["inside"]


def test_origins_by_hand(rows: Rows) -> None:
    """Counted once by reading the classes that declare the methods."""
    of = {
        (row["path"].rpartition("/")[2], row["line"], row["label"]): row
        for row in rows["completion"]
    }
    seen = Counter(row["origin"] for row in of.values())
    assert set(seen) == {"class", "package", "project", "library"}
    for row in of.values():
        package = row["path"].removeprefix("src/").rpartition("/")[0].replace("/", ".")
        if row["origin"] == "class":
            # Declared in the file itself, or inherited from nobody else.
            assert f" {row['label']}(".encode() in source(row)
        if row["origin"] in ("class", "package") and row["path"].startswith("src/"):
            assert row["receiver"].startswith(package) or row["static"] or row["receiver"]


def test_parquet_holds_the_same(built: Path, rows: Rows) -> None:
    for task in TASKS:
        table = pq.read_table(built / f"{task}.parquet").to_pylist()
        assert [
            {name: row[name] for name in row if row[name] is not None} for row in table
        ] == rows[task]


def test_what_it_says_about_itself(built: Path, rows: Rows) -> None:
    about = json.loads((built / "dataset.json").read_text())
    for task, mine in rows.items():
        counts = Counter(row["split"] for row in mine)
        told = about["counts"]["tasks"][task]
        assert {split: told[split]["instances"] for split in told} == {
            split: counts[split] for split in ("train", "dev", "test")
        }
    assert about["counts"]["tasks"]["naming"]["train"]["wanted"] == 800_000
    assert (built / about["corpus"]["folder"]).resolve().is_dir()


@pytest.mark.parametrize("change", [{"workers": 2}, {}])
def test_same_bytes(
    change: dict[str, int], examples_corpus: Corpus, built: Path, tmp_path: Path
) -> None:
    again = contents(made(examples_corpus, tmp_path / "out", **change))
    about = json.loads(again.pop("dataset.json"))
    first = contents(built)
    assert about["files"] == json.loads(first.pop("dataset.json"))["files"]
    assert again == first


def test_another_seed_draws_others(examples_corpus: Corpus, built: Path, tmp_path: Path) -> None:
    other = made(examples_corpus, tmp_path / "out", seed=1)
    for task in ("npath", "operators", "completion"):
        assert (other / f"{task}.jsonl").read_bytes() != (built / f"{task}.jsonl").read_bytes()


def test_dedup_leaves_no_twin(examples_corpus: Corpus, rows: Rows, tmp_path: Path) -> None:
    assert any(row["twin"] for row in rows["naming"]), "these projects share a few methods"
    out = made(examples_corpus, tmp_path / "out", dedup=True)
    for task in TASKS:
        for line in lines(out, task):
            assert not json.loads(line)["twin"]


def test_a_folder_that_holds_something_else(examples_corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(AcumenError, match="not empty"):
        made(examples_corpus, tmp_path)


def test_an_old_set_is_replaced_only_by_a_whole_one(
    examples_corpus: Corpus, built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = made(examples_corpus, tmp_path / "out")
    before = contents(out)
    import acumen.tasks.methods.build as module

    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "counts_of", fail)
    with pytest.raises(KeyboardInterrupt):
        made(examples_corpus, out, seed=5)
    assert contents(out) == before


def test_an_empty_corpus(tmp_path: Path) -> None:
    from acumen.corpus import Corpus
    from corpora import build_at

    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "A.java").write_text("interface A { void f(); }")
    build_at(tmp_path / "corpus", [str(tmp_path / "src")])
    out = made(Corpus.open(tmp_path / "corpus"), tmp_path / "out")
    assert all((out / f"{task}.jsonl").read_bytes() == b"" for task in TASKS)
