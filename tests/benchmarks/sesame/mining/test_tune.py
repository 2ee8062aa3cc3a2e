"""Tests of the search for a vector space. Oracle: exhaustive search."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from codeacumen.api import CodeacumenError
from codeacumen.benchmarks.sesame.mining import tune as module
from codeacumen.benchmarks.sesame.mining.spaces import Space
from codeacumen.benchmarks.sesame.mining.tune import (
    Label,
    SearchChoices,
    Trial,
    read_labels,
    try_space,
    tune_space,
)

# Similar texts differ in one word or in case; other pairs share a phrase.
LABELS = [
    Label(
        "Returns the number of words in the list", "returns the number of words in the list", True
    ),
    Label(
        "adds one element at the end of this queue",
        "Adds one element at the end of this list",
        True,
    ),
    Label(
        "closes the stream and all that it holds", "shuts the reader and all that it holds", True
    ),
    Label("returns the number of words in the list", "returns the number of edges", False),
    Label("adds one element at the end of this queue", "removes the end of this queue", False),
    Label("closes the stream and all that it holds", "true if the stream is open", False),
]
FEW = SearchChoices(
    alphas=(0.75,), sizes=(0, 2), ngrams=((1, 1), (2, 2)), max_df=(0.9,), variances=(0.0,)
)


def test_precision_and_recall_of_one_space() -> None:
    """Cosines are computed with scikit-learn. A pair between the bounds counts as unanswered if it
    is similar, and as wrong if it is not."""
    texts = sorted({text for label in LABELS for text in (label.left, label.right)})
    vectoriser = TfidfVectorizer(lowercase=True, token_pattern=r"\b\w\w+\b", max_df=0.9).fit(texts)
    left, right = (
        vectoriser.transform([getattr(label, side) for label in LABELS])
        for side in ("left", "right")
    )
    cosine = np.asarray(left.multiply(right).sum(axis=1)).ravel()
    found_count = sum(
        label.similar and similarity > 0.8 for label, similarity in zip(LABELS, cosine, strict=True)
    )
    wrong_count = sum(
        not label.similar and similarity >= 0.2
        for label, similarity in zip(LABELS, cosine, strict=True)
    )
    assert (found_count, wrong_count) == (2, 2)
    trial = try_space(Space.parse("tfidf"), LABELS, [])
    assert trial == Trial("tfidf", found_count, wrong_count, 3 - found_count)
    assert (trial.precision, trial.recall) == (1 / 2, 2 / 3)


def test_precision_is_zero_if_nothing_is_found() -> None:
    nothing = Trial("ppmi", 0, 0, 5)
    assert (nothing.precision, nothing.recall) == (0.0, 0.0)


def try_all_spaces(choices: SearchChoices) -> list[Trial]:
    lists = choices.list_options()
    middles = itertools.product(
        *([(index + 0.5) / len(options) for index in range(len(options))] for options in lists)
    )
    return [try_space(choices.make_space(position), LABELS, []) for position in middles]


@pytest.fixture
def pymoo() -> None:
    pytest.importorskip("pymoo")


@pytest.mark.usefixtures("pymoo")
@pytest.mark.parametrize("seed", [0, 1])
def test_particle_swarm_finds_the_best_space(seed: int) -> None:
    expected = max((trial.precision, trial.recall) for trial in try_all_spaces(FEW))
    assert expected[0] > 0
    tuned = tune_space(LABELS, choices=FEW, seed=seed, stagnant=10)
    assert (tuned.best.precision, tuned.best.recall) == expected
    spaces = [trial.space for trial in tuned.trials]
    assert len(set(spaces)) == len(spaces)
    assert tuned.history[-1] == tuned.best
    assert tuned.history[-11:] == (tuned.best,) * 11 or expected == (1.0, 1.0)
    assert tuned.visited == 20 * len(tuned.history)
    record = json.loads(json.dumps(tuned.to_json()))
    assert Space.parse(record["space"]) is not None
    assert record["evaluations"] == len(spaces)
    # The recorded space has the recorded result.
    assert try_space(Space.parse(record["space"]), LABELS, []) == tuned.best


@pytest.mark.usefixtures("pymoo")
def test_search_depends_only_on_the_seed() -> None:
    tuned = tune_space(LABELS, choices=FEW, seed=3, particles=5, stagnant=3)
    # The global random state must not matter.
    np.random.seed(77)  # noqa: NPY002
    assert tune_space(LABELS, choices=FEW, seed=3, particles=5, stagnant=3) == tuned


@pytest.mark.usefixtures("pymoo")
def test_a_space_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    def count_trial(space: Space, labels: object, texts: object) -> Trial:
        tried.append(str(space))
        return Trial(str(space), 0, 1, 1)

    monkeypatch.setattr(module, "try_space", count_trial)
    tuned = tune_space(LABELS, choices=FEW, particles=10, stagnant=5)
    # The first round, and five rounds without improvement.
    assert tuned.visited == 60
    assert len(tried) == len(set(tried)) == len(tuned.trials) < 60
    assert tuned.best.precision == 0.0


def test_space_of_every_position_survives_parsing() -> None:
    choices = SearchChoices(kinds=("ppmi", "tfidf", "bm25", "counts", "word2vec", "doc2vec"))
    random = np.random.default_rng(0)
    for position in random.random((300, len(choices.list_options()))).tolist():
        text = str(choices.make_space(position))
        assert str(Space.parse(text)) == text
    assert choices.make_space([0.0] * 7) != choices.make_space([1.0] * 7)


def test_equal_labels_are_rejected() -> None:
    with pytest.raises(CodeacumenError, match="all labels are equal"):
        tune_space(LABELS[:3])


def test_labels_of_texts(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text('similar,left,right,by\n1,"a, b",c,me\n0,d,"e\nf",me\n')
    assert read_labels(path) == [Label("a, b", "c", True), Label("d", "e\nf", False)]


def test_labels_of_methods(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("left_id,right_id,similar\nm1,m2,1\n")
    assert read_labels(path, {"m1": "adds", "m2": "puts"}) == [Label("adds", "puts", True)]
    with pytest.raises(CodeacumenError, match=r"labels.csv, line 2: no method has the id 'm2'"):
        read_labels(path, {"m1": "adds"})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"left,right\na,b\n", "its columns are left, right"),
        (b"", "its columns are none"),
        (b"left,right,similar\na,b,2\n", "line 2: similar is '2'"),
        (b"left,right,similar\na,b,1\na,b\n", "line 3: similar is None"),
        (b"left,right,similar\n\xff,b,1\n", "cannot be read"),
    ],
)
def test_malformed_labels_are_rejected(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_bytes(content)
    with pytest.raises(CodeacumenError, match=message):
        read_labels(path)
    with pytest.raises(CodeacumenError, match="cannot be read"):
        read_labels(tmp_path / "missing.csv")
