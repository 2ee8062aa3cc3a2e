"""Training with gensim: the same bytes, real learning."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from codeacumen.api import CodeacumenError
from codeacumen.models.embeddings.streams import KEYWORD, NAME, Stream
from codeacumen.models.embeddings.trained import TECHNIQUES, settings_of, train
from codeacumen.models.embeddings.vectors import Vectors

pytest.importorskip("gensim")


def stream_of(sentences: list[list[str]], keywords: tuple[str, ...] = ("if",)) -> Stream:
    words = sorted({word for sentence in sentences for word in sentence})
    places = {word: i for i, word in enumerate(words)}
    codes = np.array([places[word] for one in sentences for word in one], dtype=np.int32)
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in sentences])])
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
    """Two topics, whose words never meet."""
    random = np.random.default_rng(0)
    topics = [["row", "column", "cell", "table"], ["open", "close", "read", "write"]]
    return stream_of([["if", *random.choice(topics[i % 2], 30).tolist()] for i in range(400)])


@pytest.mark.parametrize("kind", TECHNIQUES)
def test_words_of_one_topic_are_near(kind: str, topics: Stream) -> None:
    settings = settings_of(
        kind, size=10, epochs=10, buckets=100 if "ft" in kind else None, sample=0
    )
    made = train(kind, topics, settings)
    (near, far) = made.similarity([("row", "column"), ("row", "close")])
    assert near is not None
    assert far is not None
    assert near > far + 0.3
    assert "if" not in made.place  # a keyword
    assert (made.ngrams is not None) == ("ft" in kind)


@pytest.mark.parametrize("kind", ["w2v-sg", "ft-cbow"])
def test_the_same_seed_gives_the_same_bytes(kind: str, topics: Stream, tmp_path: Path) -> None:
    settings = settings_of(kind, size=10, epochs=2, buckets=100 if "ft" in kind else None)
    for name, seed in (("one", 0), ("two", 0), ("other", 1)):
        changed = settings_of(kind, size=10, epochs=2, buckets=settings.buckets, seed=seed)
        train(kind, topics, changed).save(tmp_path / name)
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()
    one, other = (Vectors.load(tmp_path / name) for name in ("one", "other"))
    assert not np.array_equal(one.matrix, other.matrix)


def test_names_stand_from_frequent_to_rare(topics: Stream) -> None:
    made = train("w2v-cbow", topics, settings_of("w2v-cbow", size=5, epochs=1))
    assert made.counts == sorted(made.counts, reverse=True)
    for name, count in zip(made.names, made.counts, strict=True):
        assert count == topics.count[topics.words.index(name)]


def test_what_was_done_is_told(topics: Stream) -> None:
    made = train("ft-cbow", topics, settings_of("ft-cbow", size=5, epochs=1, buckets=50), threads=2)
    assert made.metadata["reproducible"] is False
    assert made.metadata["settings"]["epochs"] == 1
    assert made.metadata["ngrams"] == {"shortest": 3, "longest": 6, "buckets": 50}
    assert made.metadata["data"]["tokens"] == topics.tokens


def test_progress_reaches_its_end(topics: Stream) -> None:
    seen: list[tuple[str, int, int]] = []
    settings = settings_of("w2v-cbow", size=5, epochs=3)
    train("w2v-cbow", topics, settings, step=lambda *told: seen.append(told))
    assert {what for what, _, _ in seen} >= {"epoch 1 of 3", "epoch 3 of 3"}
    assert all(done <= total for _, done, total in seen)
    assert seen[-1] == ("trained", 1, 1)


def test_too_little_to_learn_from_is_told() -> None:
    with pytest.raises(CodeacumenError, match="no name occurs"):
        train("w2v-sg", stream_of([["a", "b"]]), settings_of("w2v-sg"))


def test_a_keyword_and_a_name_of_the_same_spelling_are_two_words() -> None:
    both = stream_of([["in", "x", "y"] * 10])
    twice = Stream(
        both.sha256,
        np.array([0, 1, 2, 1] * 10, dtype=np.int32),
        np.array([0, 40], dtype=np.int64),
        ["in", "in", "x"],
        np.array([KEYWORD, NAME, NAME], dtype=np.uint8),
        np.array([10, 20, 10]),
        ("toy",),
        {},
    )
    made = train("w2v-cbow", twice, settings_of("w2v-cbow", size=5, epochs=1))
    assert dict(zip(made.names, made.counts, strict=True)) == {"in": 20, "x": 10}
