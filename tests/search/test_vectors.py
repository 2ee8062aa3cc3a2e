"""Oracles: scikit-learn's tf-idf for the weights, its singular value decomposition for the
directions, and comparing with all for the searches."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import normalize

from codeacumen.api import CodeacumenError
from codeacumen.search import vectors
from codeacumen.search.store import Stored
from codeacumen.search.vectors import (
    Bags,
    DenseIndex,
    Space,
    fit_space,
    join_bags,
    make_bags,
    nearest_cosines,
    unit_rows,
)

pytest.importorskip("faiss")


def some_rows(many: int, words: int, seed: int = 0) -> list[list[str]]:
    """Rows about several subjects, each with words of its own."""
    draw = np.random.default_rng(seed)
    rows = []
    for _ in range(many):
        subject = draw.integers(6)
        size = draw.integers(2, 9)
        codes = (draw.zipf(1.6, size) + subject * words // 6) % words
        rows.append([f"w{code}" for code in dict.fromkeys(codes.tolist())])
    return rows


def cloud(many: int, dimensions: int, seed: int = 0) -> NDArray[np.float32]:
    draw = np.random.default_rng(seed)
    middles = draw.normal(size=(40, dimensions))
    points = middles[draw.integers(40, size=many)] + 0.4 * draw.normal(size=(many, dimensions))
    return np.asarray(normalize(points), np.float32)


# ---------------------------------------------------------------- the space


def weighed(rows: list[list[str]]) -> Any:
    return TfidfVectorizer(analyzer=lambda row: row, norm="l2").fit_transform(rows)


def test_with_a_direction_for_each_word_it_is_tf_idf() -> None:
    rows = some_rows(200, 50)
    together = join_bags([make_bags(rows)], 1)
    space = fit_space(together, len(together.words), 0)
    expected = weighed(rows).toarray()
    assert np.allclose(space.own_vectors(together), expected, atol=1e-6)
    assert np.allclose(space.vectors(make_bags(rows)), expected, atol=1e-6)


def test_directions_keep_as_much_as_any_can() -> None:
    """None keep more of the rows than those of the exact decomposition; ours are approximate."""
    rows = some_rows(600, 90)
    together = join_bags([make_bags(rows)], 1)
    expected = weighed(rows).toarray()
    exact = TruncatedSVD(12, algorithm="arpack", random_state=0).fit(weighed(rows))

    def lost(axes: NDArray[Any]) -> float:
        return float(np.linalg.norm(expected - expected @ axes @ axes.T))

    axes = fit_space(together, 12, 0).axes
    assert np.allclose(axes.T @ axes, np.eye(12), atol=1e-5)
    assert lost(axes) < 1.005 * lost(exact.components_.T)
    assert lost(np.eye(90)[: expected.shape[1], :12]) > 1.05 * lost(axes)


def test_words_of_few_rows_are_dropped_and_parts_make_no_difference() -> None:
    rows = some_rows(300, 80)
    counts = Counter(word for row in rows for word in row)
    together = join_bags([make_bags(rows[:100]), make_bags([]), make_bags(rows[100:])], 4)
    assert together.words == sorted(word for word, many in counts.items() if many >= 4)
    found = [
        {together.words[code] for code in together.codes[start:stop]}
        for start, stop in zip(together.ends, together.ends[1:], strict=False)
    ]
    assert found == [{word for word in row if counts[word] >= 4} for row in rows]


def test_the_decomposition_is_bounded_and_depends_on_the_seed_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    together = join_bags([make_bags(some_rows(900, 90))], 1)
    monkeypatch.setattr(vectors, "DRAWN", 300)
    first, again, other = (fit_space(together, 8, seed).axes for seed in (0, 0, 1))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    monkeypatch.setattr(vectors, "_AT_ONCE", 7)
    assert fit_space(together, 8, 0).own_vectors(together).shape == (900, 8)


def test_what_is_decomposed_is_drawn_from_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A corpus is in the order of its projects: the last ones count as well."""
    early = [["a", f"a{n % 5}"] for n in range(500)]
    late = [["z", f"z{n % 5}"] for n in range(500)]
    together = join_bags([make_bags([*early, *late])], 1)
    monkeypatch.setattr(vectors, "DRAWN", 200)
    space = fit_space(together, 4, 0)
    assert np.abs(space.axes[space.words.index("z")]).max() > 0.1
    assert np.abs(space.axes[space.words.index("a")]).max() > 0.1


def test_a_row_of_unknown_words_has_no_direction() -> None:
    together = join_bags([make_bags([["a", "b"], ["a", "c"], []])], 1)
    space = fit_space(together, 2, 0)
    assert not space.vectors(make_bags([["x"], []])).any()
    assert not space.own_vectors(together)[2].any()
    assert np.allclose(np.linalg.norm(space.vectors(make_bags([["a"], ["a", "x"]])), axis=1), 1)


def test_a_space_is_the_same_from_disk(tmp_path: Path) -> None:
    rows: Bags = join_bags([make_bags(some_rows(200, 60))], 1)
    space = fit_space(rows, 6, 0)
    space.save(Stored(tmp_path), "it")
    loaded = Space.load(Stored(tmp_path), "it")
    assert np.array_equal(loaded.vectors(rows), space.vectors(rows))


# ---------------------------------------------------------------- the index


def test_few_vectors_are_all_compared() -> None:
    points = cloud(500, 16)
    asked = cloud(50, 16, seed=1)
    places, similar = DenseIndex.build(points, 0).nearest(asked, 7)
    every = asked @ points.T
    assert np.array_equal(places, np.argsort(-every, axis=1, kind="stable")[:, :7])
    assert np.allclose(similar, -np.sort(-every, axis=1)[:, :7], atol=1e-5)


def test_of_many_nearly_all_nearest_are_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    points = cloud(6000, 16)
    exact, _ = DenseIndex.build(points, 0).nearest(points[:300], 20)
    monkeypatch.setattr(vectors, "EXACT", 1000)
    monkeypatch.setattr(vectors, "IN_CELL", 60)
    index = DenseIndex.build(points, 0)
    near, _ = index.nearest(points[:300], 20)
    assert type(index.index).__name__ == "IndexIVFFlat"
    shared = [len(set(a) & set(b)) for a, b in zip(exact.tolist(), near.tolist(), strict=True)]
    assert np.mean(shared) > 19
    stored = Stored(tmp_path)
    DenseIndex.build(points, 0).save(stored, "again")
    index.save(stored, "one")
    assert (tmp_path / "one.faiss").read_bytes() == (tmp_path / "again.faiss").read_bytes()
    assert len(DenseIndex.load(stored, "one")) == 6000


def test_where_there_are_no_more_the_place_is_none() -> None:
    places, _ = DenseIndex.build(cloud(3, 4), 0).nearest(cloud(1, 4), 5)
    assert places[0, 3:].tolist() == [-1, -1]


def test_a_damaged_index_is_told(tmp_path: Path) -> None:
    (tmp_path / "x.faiss").write_bytes(b"nothing")
    with pytest.raises(CodeacumenError, match="cannot be read") as raised:
        DenseIndex.load(Stored(tmp_path), "x")
    assert "builds it again" in raised.value.hint


def test_without_faiss_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(CodeacumenError, match="faiss") as raised:
        DenseIndex.build(cloud(3, 4), 0)
    assert "pip install 'codeacumen[names]'" in raised.value.hint


# ---------------------------------------------------------------- tensors


def test_the_nearest_are_those_of_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    from sklearn.neighbors import NearestNeighbors

    monkeypatch.setattr("codeacumen.search.vectors.TENSOR_BLOCK", 37)
    torch.manual_seed(4)
    known, some = torch.randn(200, 3), torch.randn(20, 3)
    places, cosines = nearest_cosines(unit_rows(some), unit_rows(known), 10)
    oracle = NearestNeighbors(n_neighbors=10, metric="cosine", algorithm="brute").fit(known)
    distance, wanted = oracle.kneighbors(some)
    np.testing.assert_allclose(1 - cosines, distance, atol=1e-4)
    # Who is nearer by less than is told apart may come first.
    differ = places.numpy() != wanted
    assert differ.mean() < 0.1
    exact = (unit_rows(some) @ unit_rows(known).T).numpy()
    rows = np.arange(20)[:, None]
    np.testing.assert_allclose(exact[rows, places], exact[rows, wanted], atol=1e-4)


def test_among_equals_the_first_is_nearest() -> None:
    torch = pytest.importorskip("torch")
    known = unit_rows(torch.tensor([[0.0, 1.0], [1.0, 0.1], [2.0, 0.2], [1.0, 0.1], [-1.0, 0.0]]))
    places, cosines = nearest_cosines(unit_rows(torch.tensor([[3.0, 0.3]])), known.half(), 9)
    assert places.tolist() == [[1, 2, 3, 0, 4]]
    assert cosines[0, 0].item() == pytest.approx(1, abs=1e-3)
    assert cosines[0, 4].item() < -0.9
