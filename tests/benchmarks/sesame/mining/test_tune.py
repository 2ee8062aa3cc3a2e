"""The search for a vector space. The oracle is to try them all."""

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
    Choices,
    Label,
    Trial,
    read_labels,
    try_space,
    tune,
)

# Similar ones differ in one word or in case; others share a phrase.
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
FEW = Choices(
    alphas=(0.75,), sizes=(0, 2), ngrams=((1, 1), (2, 2)), max_df=(0.9,), variances=(0.0,)
)


def test_precision_and_recall_of_one_space() -> None:
    """Cosines by scikit-learn; one pair is between the bounds and is no answer if it should be
    similar, and wrong if it should not."""
    texts = sorted({text for label in LABELS for text in (label.left, label.right)})
    vectoriser = TfidfVectorizer(lowercase=True, token_pattern=r"\b\w\w+\b", max_df=0.9).fit(texts)
    left, right = (
        vectoriser.transform([getattr(label, side) for label in LABELS])
        for side in ("left", "right")
    )
    cosine = np.asarray(left.multiply(right).sum(axis=1)).ravel()
    found = sum(label.similar and one > 0.8 for label, one in zip(LABELS, cosine, strict=True))
    wrong = sum(not label.similar and one >= 0.2 for label, one in zip(LABELS, cosine, strict=True))
    assert (found, wrong) == (2, 2)
    trial = try_space(Space.parse("tfidf"), LABELS, [])
    assert trial == Trial("tfidf", found, wrong, 3 - found)
    assert (trial.precision, trial.recall) == (1 / 2, 2 / 3)


def test_nothing_found_is_no_precision() -> None:
    nothing = Trial("ppmi", 0, 0, 5)
    assert (nothing.precision, nothing.recall) == (0.0, 0.0)


def every_trial(choices: Choices) -> list[Trial]:
    lists = choices.lists()
    middles = itertools.product(
        *([(place + 0.5) / len(of) for place in range(len(of))] for of in lists)
    )
    return [try_space(choices.space(position), LABELS, []) for position in middles]


@pytest.fixture
def pymoo() -> None:
    pytest.importorskip("pymoo")


@pytest.mark.usefixtures("pymoo")
@pytest.mark.parametrize("seed", [0, 1])
def test_the_swarm_finds_what_trying_all_finds(seed: int) -> None:
    expected = max((trial.precision, trial.recall) for trial in every_trial(FEW))
    assert expected[0] > 0
    tuned = tune(LABELS, choices=FEW, seed=seed, stagnant=10)
    assert (tuned.best.precision, tuned.best.recall) == expected
    spaces = [trial.space for trial in tuned.trials]
    assert len(set(spaces)) == len(spaces)
    assert tuned.history[-1] == tuned.best
    assert tuned.history[-11:] == (tuned.best,) * 11 or expected == (1.0, 1.0)
    assert tuned.asked == 20 * len(tuned.history)
    record = json.loads(json.dumps(tuned.record()))
    assert Space.parse(record["space"]) is not None
    assert record["evaluations"] == len(spaces)
    # The record's space, tried again, is as good as it says.
    assert try_space(Space.parse(record["space"]), LABELS, []) == tuned.best


@pytest.mark.usefixtures("pymoo")
def test_one_seed_is_one_search() -> None:
    one = tune(LABELS, choices=FEW, seed=3, particles=5, stagnant=3)
    # What others do to the random numbers of all must not matter.
    np.random.seed(77)  # noqa: NPY002
    assert tune(LABELS, choices=FEW, seed=3, particles=5, stagnant=3) == one


@pytest.mark.usefixtures("pymoo")
def test_a_space_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    def count(space: Space, labels: object, texts: object) -> Trial:
        tried.append(str(space))
        return Trial(str(space), 0, 1, 1)

    monkeypatch.setattr(module, "try_space", count)
    tuned = tune(LABELS, choices=FEW, particles=10, stagnant=5)
    # The first round, then five in which nothing is better.
    assert tuned.asked == 60
    assert len(tried) == len(set(tried)) == len(tuned.trials) < 60
    assert tuned.best.precision == 0.0


def test_every_point_is_a_space_that_its_text_gives_back() -> None:
    choices = Choices(kinds=("ppmi", "tfidf", "bm25", "counts", "word2vec", "doc2vec"))
    random = np.random.default_rng(0)
    for position in random.random((300, len(choices.lists()))).tolist():
        text = str(choices.space(position))
        assert str(Space.parse(text)) == text
    assert choices.space([0.0] * 7) != choices.space([1.0] * 7)


def test_labels_all_alike_are_told() -> None:
    with pytest.raises(CodeacumenError, match="all labels are equal"):
        tune(LABELS[:3])


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
def test_labels_that_cannot_be_read(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_bytes(content)
    with pytest.raises(CodeacumenError, match=message):
        read_labels(path)
    with pytest.raises(CodeacumenError, match="cannot be read"):
        read_labels(tmp_path / "missing.csv")
