"""Oracles: scikit-learn's tf-idf for the weights, its singular value decomposition for the
directions, and comparison with all vectors for the searches."""

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
from codeacumen.search.store import StoredIndex
from codeacumen.search.vectors import (
    Bags,
    DenseIndex,
    WordSpace,
    find_nearest_cosines,
    fit_space,
    join_bags,
    make_bags,
    unit_rows,
)

pytest.importorskip("faiss")


def make_rows(many: int, words: int, seed: int = 0) -> list[list[str]]:
    """Return rows about several subjects, each of which has words of its own."""
    draw = np.random.default_rng(seed)
    rows = []
    for _ in range(many):
        subject = draw.integers(6)
        size = draw.integers(2, 9)
        codes = (draw.zipf(1.6, size) + subject * words // 6) % words
        rows.append([f"w{code}" for code in dict.fromkeys(codes.tolist())])
    return rows


def make_points(many: int, dimensions: int, seed: int = 0) -> NDArray[np.float32]:
    draw = np.random.default_rng(seed)
    centres = draw.normal(size=(40, dimensions))
    points = centres[draw.integers(40, size=many)] + 0.4 * draw.normal(size=(many, dimensions))
    return np.asarray(normalize(points), np.float32)


# ---------------------------------------------------------------- the space


def compute_tf_idf(rows: list[list[str]]) -> Any:
    return TfidfVectorizer(analyzer=lambda row: row, norm="l2").fit_transform(rows)


def test_space_with_a_direction_per_word_is_tf_idf() -> None:
    rows = make_rows(200, 50)
    together = join_bags([make_bags(rows)], 1)
    space = fit_space(together, len(together.words), 0)
    expected = compute_tf_idf(rows).toarray()
    assert np.allclose(space.compute_own_vectors(together), expected, atol=1e-6)
    assert np.allclose(space.compute_vectors(make_bags(rows)), expected, atol=1e-6)


def test_directions_are_nearly_as_good_as_exact_ones() -> None:
    """No directions keep more of the rows than those of the exact decomposition; ours are
    approximate."""
    rows = make_rows(600, 90)
    together = join_bags([make_bags(rows)], 1)
    expected = compute_tf_idf(rows).toarray()
    exact = TruncatedSVD(12, algorithm="arpack", random_state=0).fit(compute_tf_idf(rows))

    def compute_residual(axes: NDArray[Any]) -> float:
        return float(np.linalg.norm(expected - expected @ axes @ axes.T))

    axes = fit_space(together, 12, 0).axes
    assert np.allclose(axes.T @ axes, np.eye(12), atol=1e-5)
    assert compute_residual(axes) < 1.005 * compute_residual(exact.components_.T)
    assert compute_residual(np.eye(90)[: expected.shape[1], :12]) > 1.05 * compute_residual(axes)


def test_rare_words_are_dropped_and_parts_make_no_difference() -> None:
    rows = make_rows(300, 80)
    counts = Counter(word for row in rows for word in row)
    together = join_bags([make_bags(rows[:100]), make_bags([]), make_bags(rows[100:])], 4)
    assert together.words == sorted(word for word, many in counts.items() if many >= 4)
    words_of_rows = [
        {together.words[code] for code in together.codes[start:stop]}
        for start, stop in zip(together.ends, together.ends[1:], strict=False)
    ]
    assert words_of_rows == [{word for word in row if counts[word] >= 4} for row in rows]


def test_the_decomposition_is_bounded_and_depends_on_the_seed_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    together = join_bags([make_bags(make_rows(900, 90))], 1)
    monkeypatch.setattr(vectors, "DRAWN", 300)
    first, again, other = (fit_space(together, 8, seed).axes for seed in (0, 0, 1))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    monkeypatch.setattr(vectors, "_AT_ONCE", 7)
    assert fit_space(together, 8, 0).compute_own_vectors(together).shape == (900, 8)


def test_decomposition_samples_from_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A corpus is in the order of its projects: the last ones must count too."""
    early = [["a", f"a{n % 5}"] for n in range(500)]
    late = [["z", f"z{n % 5}"] for n in range(500)]
    together = join_bags([make_bags([*early, *late])], 1)
    monkeypatch.setattr(vectors, "DRAWN", 200)
    space = fit_space(together, 4, 0)
    assert np.abs(space.axes[space.words.index("z")]).max() > 0.1
    assert np.abs(space.axes[space.words.index("a")]).max() > 0.1


def test_row_of_unknown_words_is_zero() -> None:
    together = join_bags([make_bags([["a", "b"], ["a", "c"], []])], 1)
    space = fit_space(together, 2, 0)
    assert not space.compute_vectors(make_bags([["x"], []])).any()
    assert not space.compute_own_vectors(together)[2].any()
    assert np.allclose(
        np.linalg.norm(space.compute_vectors(make_bags([["a"], ["a", "x"]])), axis=1), 1
    )


def test_loaded_space_equals_saved_one(tmp_path: Path) -> None:
    rows: Bags = join_bags([make_bags(make_rows(200, 60))], 1)
    space = fit_space(rows, 6, 0)
    space.save(StoredIndex(tmp_path), "it")
    loaded = WordSpace.load(StoredIndex(tmp_path), "it")
    assert np.array_equal(loaded.compute_vectors(rows), space.compute_vectors(rows))


# ---------------------------------------------------------------- the index


def test_small_index_compares_all_vectors() -> None:
    points = make_points(500, 16)
    queries = make_points(50, 16, seed=1)
    places, similar = DenseIndex.from_vectors(points, 0).find_nearest(queries, 7)
    similarities = queries @ points.T
    assert np.array_equal(places, np.argsort(-similarities, axis=1, kind="stable")[:, :7])
    assert np.allclose(similar, -np.sort(-similarities, axis=1)[:, :7], atol=1e-5)


def test_large_index_finds_nearly_all_neighbours(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    points = make_points(6000, 16)
    exact, _ = DenseIndex.from_vectors(points, 0).find_nearest(points[:300], 20)
    monkeypatch.setattr(vectors, "EXACT", 1000)
    monkeypatch.setattr(vectors, "IN_CELL", 60)
    index = DenseIndex.from_vectors(points, 0)
    near, _ = index.find_nearest(points[:300], 20)
    assert type(index.index).__name__ == "IndexIVFFlat"
    shared = [len(set(a) & set(b)) for a, b in zip(exact.tolist(), near.tolist(), strict=True)]
    assert np.mean(shared) > 19
    stored = StoredIndex(tmp_path)
    DenseIndex.from_vectors(points, 0).save(stored, "again")
    index.save(stored, "one")
    assert (tmp_path / "one.faiss").read_bytes() == (tmp_path / "again.faiss").read_bytes()
    assert len(DenseIndex.load(stored, "one")) == 6000


def test_missing_neighbours_have_position_minus_one() -> None:
    places, _ = DenseIndex.from_vectors(make_points(3, 4), 0).find_nearest(make_points(1, 4), 5)
    assert places[0, 3:].tolist() == [-1, -1]


def test_damaged_index_is_reported(tmp_path: Path) -> None:
    (tmp_path / "x.faiss").write_bytes(b"nothing")
    with pytest.raises(CodeacumenError, match="cannot be read") as raised:
        DenseIndex.load(StoredIndex(tmp_path), "x")
    assert "builds it again" in raised.value.hint


def test_missing_faiss_is_reported_with_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(CodeacumenError, match="faiss") as raised:
        DenseIndex.from_vectors(make_points(3, 4), 0)
    assert "pip install 'codeacumen[names]'" in raised.value.hint


# ---------------------------------------------------------------- tensors


def test_nearest_cosines_equal_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    from sklearn.neighbors import NearestNeighbors

    monkeypatch.setattr("codeacumen.search.vectors.TENSOR_BLOCK", 37)
    torch.manual_seed(4)
    vectors_to_search, queries = torch.randn(200, 3), torch.randn(20, 3)
    places, cosines = find_nearest_cosines(unit_rows(queries), unit_rows(vectors_to_search), 10)
    oracle = NearestNeighbors(n_neighbors=10, metric="cosine", algorithm="brute").fit(
        vectors_to_search
    )
    distance, expected = oracle.kneighbors(queries)
    np.testing.assert_allclose(1 - cosines, distance, atol=1e-4)
    # Neighbours whose distances are equal up to rounding may be swapped.
    differ = places.numpy() != expected
    assert differ.mean() < 0.1
    exact = (unit_rows(queries) @ unit_rows(vectors_to_search).T).numpy()
    rows = np.arange(20)[:, None]
    np.testing.assert_allclose(exact[rows, places], exact[rows, expected], atol=1e-4)


def test_first_of_equal_vectors_is_nearest() -> None:
    torch = pytest.importorskip("torch")
    vectors_to_search = unit_rows(
        torch.tensor([[0.0, 1.0], [1.0, 0.1], [2.0, 0.2], [1.0, 0.1], [-1.0, 0.0]])
    )
    places, cosines = find_nearest_cosines(
        unit_rows(torch.tensor([[3.0, 0.3]])), vectors_to_search.half(), 9
    )
    assert places.tolist() == [[1, 2, 3, 0, 4]]
    assert cosines[0, 0].item() == pytest.approx(1, abs=1e-3)
    assert cosines[0, 4].item() < -0.9
