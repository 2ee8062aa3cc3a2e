"""What is learned about names: the regression against scipy's and scikit-learn's, the same bytes
whatever the number of workers, files that are damaged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.special import log_softmax
from sklearn.linear_model import LogisticRegression

from acumen.api import AcumenError
from acumen.corpus import Corpus
from acumen.models.naming import _background_kernel as kernel
from acumen.models.naming.background import Background, log_probabilities, read_background
from acumen.models.naming.facts import Facts, facts_of_text
from acumen.models.naming.learn import Settings, is_set_aside, kept_of, learn
from acumen.models.naming.traits import sort_of, traits, words
from corpora import shared_engine

SMALL = Settings(methods=8, projects=2, rare=3, names=2, seed=6)


def facts(code: str) -> Facts:
    found = facts_of_text(code)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def background(examples_corpus: Corpus) -> Background:
    return learn([examples_corpus], SMALL, shared_engine(1))


def test_traits_do_not_know_the_name() -> None:
    code = "int NAME(int n) { return n < 2 ? 1 : n * NAME(n - 1); }"
    one, other = (facts(code.replace("NAME", name)) for name in ("factorial", "getTotal"))
    assert traits(one) == traits(other)
    assert not any("factorial" in trait for trait in traits(one))


def test_sorts_of_types() -> None:
    asked = ("void", "boolean", "Long", "String", "int[]", "Set", "T", "Node", "Tree")
    assert [sort_of(one, "Tree") for one in asked] == [
        "void", "boolean", "number", "string", "array", "collection", "any", "type", "own",
    ]  # fmt: skip


def test_what_is_set_aside() -> None:
    assert is_set_aside("src/test/java/A.java")
    assert is_set_aside("examples/A.java")
    assert not is_set_aside("src/main/java/A.java")


def test_probabilities_are_those_of_scipy() -> None:
    draw = np.random.default_rng(3)
    weights = draw.normal(size=(40, 7)).astype(np.float32)
    rows = [draw.choice(40, size=size, replace=False) for size in (0, 1, 5, 12)]
    sums = np.array([weights[row].sum(axis=0) for row in rows])
    for temperature in (1.0, 1.7):
        found = log_probabilities([row.tolist() for row in rows], weights, temperature)
        np.testing.assert_allclose(found, log_softmax(sums / temperature, axis=1), atol=1e-5)


def test_the_regression_is_as_good_as_that_of_scikit_learn() -> None:
    """Not the same optimiser, so not the same weights; but as likely a fit on rows it has not
    seen."""
    draw = np.random.default_rng(0)
    truth = draw.normal(size=(60, 5)) * 1.5
    shown = draw.random((6000, 60)) < 0.1
    odds = shown @ truth + draw.gumbel(size=(6000, 5))
    labels = odds.argmax(axis=1).astype(np.int32)
    rows = [np.flatnonzero(row) for row in shown]
    offsets = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    flat = np.concatenate(rows).astype(np.int32)
    weights = np.zeros((60, 5), np.float32)
    seen = np.zeros_like(weights)
    losses = [
        kernel.learn(offsets, flat, labels, draw.permutation(5000), weights, seen, 0.1)
        for _ in range(8)
    ]
    assert losses == sorted(losses, reverse=True)
    ours = log_probabilities([row.tolist() for row in rows[5000:]], weights)
    theirs = LogisticRegression(max_iter=500).fit(shown[:5000], labels[:5000])
    their_loss = -np.log(theirs.predict_proba(shown[5000:])[np.arange(1000), labels[5000:]]).mean()
    our_loss = -ours[np.arange(1000), labels[5000:]].mean()
    assert our_loss < 1.1 * their_loss


def test_getters_and_setters_are_told_apart(background: Background) -> None:
    asked = [
        facts("String getTitle() { return title; }"),
        facts("void setTitle(String title) { this.title = title; }"),
    ]
    rows = background.log_probabilities(asked)
    for one, row in zip(asked, rows, strict=True):
        # The examples' own way: accessors are called like their fields.
        own = background.place(one, one.name)
        assert row[own] < 0
        assert np.exp(row).sum() == pytest.approx(1, abs=1e-4)
    assert background.title(background.place(asked[0], "title")) == "<returned>"
    assert background.title(background.place(asked[0], "nonsense")) == "<other>"


def test_the_same_bytes_whatever_the_number_of_workers(
    background: Background, examples_corpus: Corpus
) -> None:
    again = learn([examples_corpus], SMALL, shared_engine(2))
    assert again.to_bytes() == background.to_bytes()


def test_projects_that_are_kept_are_not_learned_from(
    background: Background, examples_corpus: Corpus
) -> None:
    projects = sorted(examples_corpus.manifest.projects)
    kept = kept_of(projects, SMALL.seed)
    assert 0 < len(kept) < len(projects)
    assert background.about["kept"] == sorted(kept)
    assert all(len(kept_of(projects, seed)) >= 1 for seed in range(20))
    assert background.combination


def test_it_is_read_as_it_was_written(background: Background, tmp_path: Path) -> None:
    path = tmp_path / "background.npz"
    path.write_bytes(background.to_bytes())
    again = read_background(path)
    assert (again.verbs, again.traits, again.names) == (
        background.verbs, background.traits, background.names,
    )  # fmt: skip
    np.testing.assert_allclose(again.weights, np.clip(background.weights, -8, 8), atol=1 / 31)
    assert again.to_bytes() == background.to_bytes()


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 no archive", b"\x93NUMPY"])
def test_a_damaged_file_is_told(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "background.npz"
    path.write_bytes(data)
    with pytest.raises(AcumenError, match="no background of names"):
        read_background(path)
    with pytest.raises(AcumenError, match="cannot be read"):
        read_background(tmp_path / "absent.npz")


def test_too_little_to_learn_from(examples_corpus: Corpus) -> None:
    with pytest.raises(AcumenError, match="too few methods"):
        learn([examples_corpus], Settings(projects=9), shared_engine(1))


def test_words_of_a_name() -> None:
    assert words("toHTMLString_x") == ("to", "html", "string", "x")
