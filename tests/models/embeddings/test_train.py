"""Tests of training with gensim: runs are reproducible and vectors capture the topics."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from codeacumen.api import CodeacumenError
from codeacumen.models.embeddings.streams import KEYWORD, NAME, Stream
from codeacumen.models.embeddings.train import (
    GENSIM_TECHNIQUES,
    make_gensim_settings,
    train_gensim,
)
from codeacumen.models.embeddings.vectors import Vectors

pytest.importorskip("gensim")


def make_stream(sentences: list[list[str]], keywords: tuple[str, ...] = ("if",)) -> Stream:
    words = sorted({word for sentence in sentences for word in sentence})
    code_by_word = {word: i for i, word in enumerate(words)}
    codes = np.array(
        [code_by_word[word] for sentence in sentences for word in sentence], dtype=np.int32
    )
    offsets = np.concatenate([[0], np.cumsum([len(sentence) for sentence in sentences])])
    kind = np.array([KEYWORD if word in keywords else NAME for word in words], dtype=np.uint8)
    return Stream(
        "0" * 64,
        codes,
        offsets.astype(np.int64),
        words,
        kind,
        np.bincount(codes, minlength=len(words)).astype(np.int64),
        ("toy",),
        {"java": 1},
    )


@pytest.fixture(scope="module")
def topics() -> Stream:
    """Return a stream of two topics whose words never share a sentence."""
    random = np.random.default_rng(0)
    topic_words = [["row", "column", "cell", "table"], ["open", "close", "read", "write"]]
    return make_stream(
        [["if", *random.choice(topic_words[i % 2], 30).tolist()] for i in range(400)]
    )


@pytest.mark.parametrize("kind", GENSIM_TECHNIQUES)
def test_words_of_one_topic_are_similar(kind: str, topics: Stream) -> None:
    settings = make_gensim_settings(
        kind, size=10, epochs=10, buckets=100 if "ft" in kind else None, sample=0
    )
    vectors = train_gensim(kind, topics, settings)
    (same_topic, other_topic) = vectors.similarity([("row", "column"), ("row", "close")])
    assert same_topic is not None
    assert other_topic is not None
    assert same_topic > other_topic + 0.3
    assert "if" not in vectors.row_by_name  # a keyword
    assert (vectors.ngrams is not None) == ("ft" in kind)


@pytest.mark.parametrize("kind", ["w2v-sg", "ft-cbow"])
def test_same_seed_writes_same_bytes(kind: str, topics: Stream, tmp_path: Path) -> None:
    settings = make_gensim_settings(kind, size=10, epochs=2, buckets=100 if "ft" in kind else None)
    for name, seed in (("one", 0), ("two", 0), ("other", 1)):
        seed_settings = make_gensim_settings(
            kind, size=10, epochs=2, buckets=settings.buckets, seed=seed
        )
        train_gensim(kind, topics, seed_settings).save(tmp_path / name)
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()
    first_vectors, other_vectors = (Vectors.load(tmp_path / name) for name in ("one", "other"))
    assert not np.array_equal(first_vectors.matrix, other_vectors.matrix)


def test_names_are_sorted_by_descending_count(topics: Stream) -> None:
    vectors = train_gensim("w2v-cbow", topics, make_gensim_settings("w2v-cbow", size=5, epochs=1))
    assert vectors.counts == sorted(vectors.counts, reverse=True)
    for name, count in zip(vectors.names, vectors.counts, strict=True):
        assert count == topics.count[topics.words.index(name)]


def test_metadata_describes_training(topics: Stream) -> None:
    vectors = train_gensim(
        "ft-cbow", topics, make_gensim_settings("ft-cbow", size=5, epochs=1, buckets=50), threads=2
    )
    assert vectors.metadata["reproducible"] is False
    assert vectors.metadata["settings"]["epochs"] == 1
    assert vectors.metadata["ngrams"] == {"shortest": 3, "longest": 6, "buckets": 50}
    assert vectors.metadata["data"]["tokens"] == topics.token_count


def test_progress_reports_all_epochs_and_completion(topics: Stream) -> None:
    reports: list[tuple[str, int, int]] = []
    settings = make_gensim_settings("w2v-cbow", size=5, epochs=3)
    train_gensim("w2v-cbow", topics, settings, progress=lambda *report: reports.append(report))
    assert {stage for stage, _, _ in reports} >= {"epoch 1 of 3", "epoch 3 of 3"}
    assert all(done <= total for _, done, total in reports)
    assert reports[-1] == ("trained", 1, 1)


def test_too_few_tokens_are_reported() -> None:
    with pytest.raises(CodeacumenError, match="no name occurs"):
        train_gensim("w2v-sg", make_stream([["a", "b"]]), make_gensim_settings("w2v-sg"))


def test_keyword_and_name_with_same_spelling_are_two_words() -> None:
    base_stream = make_stream([["in", "x", "y"] * 10])
    ambiguous_stream = Stream(
        base_stream.sha256,
        np.array([0, 1, 2, 1] * 10, dtype=np.int32),
        np.array([0, 40], dtype=np.int64),
        ["in", "in", "x"],
        np.array([KEYWORD, NAME, NAME], dtype=np.uint8),
        np.array([10, 20, 10]),
        ("toy",),
        {},
    )
    vectors = train_gensim(
        "w2v-cbow", ambiguous_stream, make_gensim_settings("w2v-cbow", size=5, epochs=1)
    )
    assert dict(zip(vectors.names, vectors.counts, strict=True)) == {"in": 20, "x": 10}
