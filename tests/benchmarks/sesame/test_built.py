"""Tests of similar pairs built from variants, from corpus to scores."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from codeacumen.api import Answer, CodeacumenError, Pair
from codeacumen.benchmarks.sesame import BUILT_PAIRS, list_tasks
from codeacumen.benchmarks.sesame.build import build_dataset
from codeacumen.corpus import Corpus
from codeacumen.datasets.built import BuiltDataset, read_built
from codeacumen.datasets.variants.build import build_variant_dataset
from codeacumen.datasets.variants.shards import Recipe
from codeacumen.runs.scoring import ScoringSettings, compute_scores
from codeacumen.transforms.variants import KINDS
from codeacumen.views.masking.levels import LEVELS
from corpora import build_corpus_at, read_files, shared_engine

RECIPE = Recipe(tuple(KINDS), split="all", certify="none", most=12)


@pytest.fixture(scope="module")
def folder(examples_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("similar") / "similar"
    build_dataset(examples_corpus, RECIPE, out, shared_engine(2))
    return out


def read_rows(folder: Path) -> list[dict[str, Any]]:
    return list(read_built(folder).read_rows(BUILT_PAIRS))


def test_each_variant_has_a_similar_and_an_unrelated_pair(
    folder: Path, examples_corpus: Corpus, tmp_path: Path
) -> None:
    """The oracle is the set of variants built as for robustness."""
    build_variant_dataset("variants", examples_corpus, RECIPE, tmp_path / "r", shared_engine(2))
    lines = {
        name: (tmp_path / "r" / f"{name}.jsonl").read_text().splitlines()
        for name in ("originals", "variants")
    }
    originals = {row["id"]: row for row in map(json.loads, lines["originals"])}
    variants = {row["id"]: row for row in map(json.loads, lines["variants"])}
    by_text = {(row["text"], row["kind"]): originals[row["method"]] for row in variants.values()}
    rows = read_rows(folder)
    similar_rows = [row for row in rows if row["label"] == 1]
    unrelated_rows = [row for row in rows if row["label"] == 0]
    assert len({row["id"] for row in rows}) == len(rows) == 2 * len(variants)
    # Neither the id nor the position reveals the label.
    assert not {row["id"] for row in rows} & set(variants)
    assert len({row["label"] for row in rows[::2]}) == 2
    for similar_row, unrelated_row, variant in zip(
        similar_rows, unrelated_rows, variants.values(), strict=True
    ):
        original = originals[variant["method"]]
        assert (similar_row["left"], similar_row["right"]) == (original["text"], variant["text"])
        assert similar_row["tags"][0] == unrelated_row["tags"][0] == variant["kind"]
        assert similar_row["cluster"] == unrelated_row["cluster"] == original["id"]
        assert unrelated_row["left"] == original["text"]
        unrelated_original = by_text[unrelated_row["right"], variant["kind"]]
        assert (unrelated_original["project"], unrelated_original["path"]) != (
            original["project"],
            original["path"],
        )
        assert unrelated_original["name"] != original["name"]
    assert Counter(row["tags"][0] for row in similar_rows).keys() == set(KINDS)


def test_output_does_not_depend_on_the_number_of_workers(
    folder: Path, examples_corpus: Corpus, tmp_path: Path
) -> None:
    build_dataset(examples_corpus, RECIPE, tmp_path / "again", shared_engine(1))
    assert read_files(tmp_path / "again") == read_files(folder)


def test_built_tasks_are_scored(folder: Path) -> None:
    built = read_built(folder)
    task_by_name = {task.name: task() for task in list_tasks(built)}
    assert list(task_by_name) == [f"similarity/{level}" for level in LEVELS]
    whole_task = task_by_name["similarity/whole"]
    instances = whole_task.instances()
    assert whole_task.card.slices == tuple(KINDS)
    assert isinstance(instances[0].input, Pair)
    assert "METHOD_NAME" in instances[0].input.left
    bare_instances = task_by_name["similarity/bare"].instances()
    assert [instance.id for instance in bare_instances] == [instance.id for instance in instances]
    assert "METHOD_NAME" not in bare_instances[0].input.left  # type: ignore[union-attr]
    # With masked names, renaming a variable changes nothing, unless the name has other uses.
    is_unchanged = [
        instance.input.left == instance.input.right  # type: ignore[union-attr]
        for instance in bare_instances
        if "rename" in instance.tags and instance.truth == 1
    ]
    assert sum(is_unchanged) > 0.8 * len(is_unchanged) > 10
    answers = {instance.id: Answer(instance.id, float(instance.truth)) for instance in instances}
    scores, unreadable = compute_scores(
        whole_task, instances, answers, ScoringSettings(resamples=20)
    )
    assert not unreadable
    assert {one_score.value for one_score in scores} == {1.0}
    assert {one_score.slice for one_score in scores} == {"", *KINDS}


def test_a_corpus_of_one_file_has_no_unrelated_methods(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "A.java").write_text(
        "class A { int f(int a) { int b = a; return b; } int g(int c) { int d = c; return d; } }"
    )
    build_corpus_at(tmp_path / "corpus", [str(source)])
    recipe = Recipe(("rename",), split="all", certify="none")
    with pytest.raises(CodeacumenError, match="unrelated"):
        build_dataset(Corpus.open(tmp_path / "corpus"), recipe, tmp_path / "out", shared_engine(1))


def test_folder_with_other_files_is_rejected(examples_corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(CodeacumenError, match="not empty"):
        build_dataset(examples_corpus, RECIPE, tmp_path, shared_engine(1))


def test_changed_pairs_are_rejected(folder: Path, tmp_path: Path) -> None:
    for name, data in read_files(folder).items():
        (tmp_path / name).write_bytes(data)
    with (tmp_path / BUILT_PAIRS).open("a") as stream:
        stream.write("{}\n")
    built: BuiltDataset = read_built(tmp_path)
    factory, *_ = list_tasks(built)
    with pytest.raises(CodeacumenError, match="missing or damaged"):
        factory().instances()
