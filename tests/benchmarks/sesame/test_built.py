"""Pairs by construction, from a corpus to scores."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from codeacumen.api import Answer, CodeacumenError, Pair
from codeacumen.benchmarks.sesame import BUILT_PAIRS, list_tasks
from codeacumen.benchmarks.sesame.build import build
from codeacumen.corpus import Corpus
from codeacumen.datasets.built import BuiltDataset, read_built
from codeacumen.datasets.variants.build import build as build_variants
from codeacumen.datasets.variants.make import Recipe
from codeacumen.runs.scoring import Settings, score
from codeacumen.transforms.variants import KINDS
from codeacumen.views.masking.levels import LEVELS
from corpora import build_at, contents, shared_engine

RECIPE = Recipe(tuple(KINDS), split="all", certify="none", most=12)


@pytest.fixture(scope="module")
def folder(examples_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("similar") / "similar"
    build(examples_corpus, RECIPE, out, shared_engine(2))
    return out


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return list(read_built(folder).rows(BUILT_PAIRS))


def test_each_variant_has_its_pair_and_another(
    folder: Path, examples_corpus: Corpus, tmp_path: Path
) -> None:
    """The oracle are the variants themselves, made as for robustness."""
    build_variants(examples_corpus, RECIPE, tmp_path / "r", shared_engine(2))
    lines = {
        name: (tmp_path / "r" / f"{name}.jsonl").read_text().splitlines()
        for name in ("originals", "variants")
    }
    originals = {row["id"]: row for row in map(json.loads, lines["originals"])}
    variants = {row["id"]: row for row in map(json.loads, lines["variants"])}
    by_text = {(row["text"], row["kind"]): originals[row["method"]] for row in variants.values()}
    rows = rows_of(folder)
    alike = [row for row in rows if row["label"] == 1]
    others = [row for row in rows if row["label"] == 0]
    assert {row["id"] for row in alike} == set(variants)
    assert [f"{row['id']}/unrelated" for row in alike] == [row["id"] for row in others]
    for one, other in zip(alike, others, strict=True):
        variant = variants[one["id"]]
        original = originals[variant["method"]]
        assert (one["left"], one["right"]) == (original["text"], variant["text"])
        assert one["tags"][0] == other["tags"][0] == variant["kind"]
        assert one["cluster"] == other["cluster"] == original["id"]
        assert other["left"] == original["text"]
        theirs = by_text[other["right"], variant["kind"]]
        assert (theirs["project"], theirs["path"]) != (original["project"], original["path"])
        assert theirs["name"] != original["name"]
    assert Counter(row["tags"][0] for row in alike).keys() == set(KINDS)


def test_the_same_bytes_whatever_the_workers(
    folder: Path, examples_corpus: Corpus, tmp_path: Path
) -> None:
    build(examples_corpus, RECIPE, tmp_path / "again", shared_engine(1))
    assert contents(tmp_path / "again") == contents(folder)


def test_it_is_asked_and_scored(folder: Path) -> None:
    built = read_built(folder)
    made = {task.name: task() for task in list_tasks(built)}
    assert list(made) == [f"similarity/{level}" for level in LEVELS]
    whole = made["similarity/whole"]
    instances = whole.instances()
    assert whole.card.slices == tuple(KINDS)
    assert isinstance(instances[0].input, Pair)
    assert "METHOD_NAME" in instances[0].input.left
    bare = made["similarity/bare"].instances()
    assert [one.id for one in bare] == [one.id for one in instances]
    assert "METHOD_NAME" not in bare[0].input.left  # type: ignore[union-attr]
    # Where names are masked, a renamed variable is no change, unless something else had its name.
    same = [
        one.input.left == one.input.right  # type: ignore[union-attr]
        for one in bare
        if "rename" in one.tags and one.truth == 1
    ]
    assert sum(same) > 0.8 * len(same) > 10
    answers = {one.id: Answer(one.id, float(one.truth)) for one in instances}
    scores, unreadable = score(whole, instances, answers, Settings(resamples=20))
    assert not unreadable
    assert {one.value for one in scores} == {1.0}
    assert {one.slice for one in scores} == {"", *KINDS}


def test_a_corpus_of_one_file_has_no_unrelated_methods(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "A.java").write_text(
        "class A { int f(int a) { int b = a; return b; } int g(int c) { int d = c; return d; } }"
    )
    build_at(tmp_path / "corpus", [str(source)])
    recipe = Recipe(("rename",), split="all", certify="none")
    with pytest.raises(CodeacumenError, match="unrelated"):
        build(Corpus.open(tmp_path / "corpus"), recipe, tmp_path / "out", shared_engine(1))


def test_a_folder_of_somebody_else_is_left_alone(examples_corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(CodeacumenError, match="not empty"):
        build(examples_corpus, RECIPE, tmp_path, shared_engine(1))


def test_pairs_that_were_changed_are_refused(folder: Path, tmp_path: Path) -> None:
    for name, data in contents(folder).items():
        (tmp_path / name).write_bytes(data)
    with (tmp_path / BUILT_PAIRS).open("a") as stream:
        stream.write("{}\n")
    built: BuiltDataset = read_built(tmp_path)
    factory, *_ = list_tasks(built)
    with pytest.raises(CodeacumenError, match="missing or damaged"):
        factory().instances()
