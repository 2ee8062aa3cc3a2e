"""Tests of FastText's n-grams. The oracle is gensim."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeacumen.models.embeddings.ngrams import compose_vectors, find_buckets

fasttext = pytest.importorskip("gensim.models.fasttext")

NAMES = ["getIndex", "i", "", "é", "日本語x", "x" * 60, "_ß\U0001f600", "a b", "$"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("shortest", "longest"), [(3, 6), (1, 3), (2, 2)])
def test_buckets_equal_those_of_gensim(name: str, shortest: int, longest: int) -> None:
    buckets, offsets = find_buckets([name], 1000, shortest, longest)
    assert offsets.tolist() == [0, len(buckets)]
    assert sorted(buckets.tolist()) == sorted(
        fasttext.ft_ngram_hashes(name, shortest, longest, 1000)
    )


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=12), max_size=5))
def test_buckets_of_any_names(names: list[str]) -> None:
    buckets, offsets = find_buckets(names, 777)
    for i, name in enumerate(names):
        own_buckets = buckets[offsets[i] : offsets[i + 1]].tolist()
        assert sorted(own_buckets) == sorted(fasttext.ft_ngram_hashes(name, 3, 6, 777))


def test_vectors_of_unseen_names_equal_those_of_gensim() -> None:
    model = fasttext.FastText(vector_size=8, min_count=1, bucket=500, seed=1, workers=1)
    sentences = [["alpha", "beta", "gammaDelta"] * 5] * 20
    model.build_vocab(sentences)
    model.train(sentences, total_examples=len(sentences), epochs=2)
    unseen = ["alphabet", "gamma", "etaDel", "日本"]
    ours = compose_vectors(unseen, model.wv.vectors_ngrams, 3, 6)
    theirs = np.array([model.wv.get_vector(name) for name in unseen])
    np.testing.assert_allclose(ours, theirs, atol=1e-6)
