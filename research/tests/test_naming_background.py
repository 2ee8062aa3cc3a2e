"""Tests of learning a background: the regression against scikit-learn, the bytes, the answers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from codeacumen.api import CodeacumenError
from codeacumen.corpus import Corpus
from codeacumen.models.method_naming.background import (
    Background,
    compute_log_probabilities,
    read_background,
)
from codeacumen.models.method_naming.facts import Facts, read_facts_from_text
from corpora import shared_engine
from research.naming_background import kernel as kernel
from research.naming_background.learn import BackgroundSettings, learn_background, select_held_out
from support import ROOT

SMALL = BackgroundSettings(methods=8, projects=2, rare=3, names=2, seed=6)


def read_method_facts(code: str) -> Facts:
    method_facts = read_facts_from_text(code)
    assert method_facts is not None
    return method_facts


@pytest.fixture(scope="module")
def background(examples_corpus: Corpus) -> Background:
    return learn_background([examples_corpus], SMALL, shared_engine(1))


def test_regression_fits_as_well_as_scikit_learn() -> None:
    """The optimisers differ, so compare the loss on held-out rows instead of weights."""
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(60, 5)) * 1.5
    has_trait = rng.random((6000, 60)) < 0.1
    odds = has_trait @ truth + rng.gumbel(size=(6000, 5))
    labels = odds.argmax(axis=1).astype(np.int32)
    rows = [np.flatnonzero(row) for row in has_trait]
    offsets = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    flat = np.concatenate(rows).astype(np.int32)
    weights = np.zeros((60, 5), np.float32)
    squared_gradients = np.zeros_like(weights)
    losses = [
        kernel.run_adagrad_pass(
            offsets, flat, labels, rng.permutation(5000), weights, squared_gradients, 0.1
        )
        for _ in range(8)
    ]
    assert losses == sorted(losses, reverse=True)
    ours = compute_log_probabilities([row.tolist() for row in rows[5000:]], weights)
    theirs = LogisticRegression(max_iter=500).fit(has_trait[:5000], labels[:5000])
    their_loss = -np.log(
        theirs.predict_proba(has_trait[5000:])[np.arange(1000), labels[5000:]]
    ).mean()
    our_loss = -ours[np.arange(1000), labels[5000:]].mean()
    assert our_loss < 1.1 * their_loss


def test_getters_and_setters_have_different_verbs(background: Background) -> None:
    methods = [
        read_method_facts("String getTitle() { return title; }"),
        read_method_facts("void setTitle(String title) { this.title = title; }"),
    ]
    rows = background.compute_log_probabilities(methods)
    for method, row in zip(methods, rows, strict=True):
        # In the examples, accessors are named like their fields.
        own = background.find_column(method, method.name)
        assert row[own] < 0
        assert np.exp(row).sum() == pytest.approx(1, abs=1e-4)
    assert background.get_title(background.find_column(methods[0], "title")) == "<returned>"
    assert background.get_title(background.find_column(methods[0], "nonsense")) == "<other>"


def test_background_does_not_depend_on_workers(
    background: Background, examples_corpus: Corpus
) -> None:
    again = learn_background([examples_corpus], SMALL, shared_engine(2))
    assert again.to_bytes() == background.to_bytes()


def test_held_out_projects_are_not_learned_from(
    background: Background, examples_corpus: Corpus
) -> None:
    projects = sorted(examples_corpus.manifest.projects)
    held_out = select_held_out(projects, SMALL.seed)
    assert 0 < len(held_out) < len(projects)
    assert background.about["kept"] == sorted(held_out)
    assert all(len(select_held_out(projects, seed)) >= 1 for seed in range(20))
    assert background.combination


def test_background_file_round_trip(background: Background, tmp_path: Path) -> None:
    path = tmp_path / "background.npz"
    path.write_bytes(background.to_bytes())
    again = read_background(path)
    assert (again.verbs, again.traits, again.names) == (
        background.verbs,
        background.traits,
        background.names,
    )
    np.testing.assert_allclose(again.weights, np.clip(background.weights, -8, 8), atol=1 / 31)
    assert again.to_bytes() == background.to_bytes()


def test_too_few_methods_are_reported(examples_corpus: Corpus) -> None:
    with pytest.raises(CodeacumenError, match="too few methods"):
        learn_background([examples_corpus], BackgroundSettings(projects=9), shared_engine(1))


def test_the_script_reports_too_little_data(examples_corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "background.npz"
    command = [
        sys.executable,
        "-m",
        "research.naming_background",
        "-j",
        "1",
        "--out",
        path,
        "--corpus",
        examples_corpus.folder,
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 2
    assert "too few methods" in done.stderr
    assert not path.exists()
