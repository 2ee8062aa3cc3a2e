"""Tests of all-pairs similarity. Oracle: scikit-learn's dense cosine_similarity."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.metrics.pairwise import cosine_similarity

from codeacumen.api import CodeacumenError
from codeacumen.benchmarks.sesame.mining.counts import normalize_rows
from codeacumen.benchmarks.sesame.mining.pairs import StoredPairs, iterate_blocks, write_pairs
from codeacumen.benchmarks.sesame.mining.spaces import Space
from support import SHARED

QUICK = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@st.composite
def matrices(draw: st.DrawFn) -> Any:
    """Draw matrices with few distinct values, some empty rows, and few or many columns."""
    rows, columns = draw(st.integers(0, 150)), draw(st.sampled_from([1, 3, 20]))
    share = draw(st.sampled_from([0.05, 0.4, 1.0]))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values = random.choice([0.5, 1.0, 2.0, 7.25], size=(rows, columns))
    return np.where(random.random((rows, columns)) < share, values, 0.0)


def compute_pairs_densely(matrix: Any, minimum: float) -> dict[tuple[int, int], float]:
    if not len(matrix):
        return {}
    cosine = cosine_similarity(matrix)
    left, right = np.nonzero(np.triu(cosine, 1) > minimum)
    return {(i, j): cosine[i, j] for i, j in zip(left.tolist(), right.tolist(), strict=True)}


def collect_pairs(pair_blocks: Any) -> dict[tuple[int, int], float]:
    """Return the similarity by pair; assert that pairs are sorted and unique."""
    triples = [
        triple
        for block in pair_blocks
        for triple in zip(*(column.tolist() for column in block), strict=True)
    ]
    positions = [(left, right) for left, right, _ in triples]
    assert positions == sorted(set(positions))
    return {(left, right): value for left, right, value in triples}


@QUICK
@given(matrices(), st.sampled_from([1, 7, 1000]), st.sampled_from([1, 2, 4]))
def test_sparse_pairs_equal_the_dense_computation(
    matrix: Any, max_cells: int, workers: int
) -> None:
    pairs = collect_pairs(
        iterate_blocks(normalize_rows(csr_matrix(matrix)), most_pairs=max_cells, workers=workers)
    )
    assert pairs == pytest.approx(compute_pairs_densely(matrix, 0.0), abs=1e-6)


@QUICK
@given(matrices(), st.sampled_from([0.2123, 0.7071]), st.booleans(), st.sampled_from([1, 300]))
def test_bound_keeps_pairs_above_it(
    matrix: Any, minimum: float, dense: bool, max_cells: int
) -> None:
    # Cosines within rounding error of the bound may fall on either side.
    certain, possible = (
        compute_pairs_densely(matrix, minimum + 1e-6),
        compute_pairs_densely(matrix, minimum - 1e-6),
    )
    rows = normalize_rows(matrix) if dense else normalize_rows(csr_matrix(matrix))
    pairs = collect_pairs(iterate_blocks(rows, min_cosine=minimum, most_pairs=max_cells, workers=2))
    assert certain.keys() <= pairs.keys() <= possible.keys()
    assert pairs == pytest.approx({pair: possible[pair] for pair in pairs}, abs=1e-6)


def test_dense_rows_need_a_bound() -> None:
    with pytest.raises(CodeacumenError, match="dense") as raised:
        list(iterate_blocks(np.eye(3)))
    assert "min_cosine=0.5" in raised.value.hint


@pytest.mark.parametrize("dense", [False, True])
def test_file_does_not_depend_on_the_number_of_workers(
    dense: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Make row groups of the file end in the middle of blocks.
    monkeypatch.setattr("codeacumen.benchmarks.sesame.mining.pairs._GROUP", 1000)
    random = np.random.default_rng(0)
    matrix = np.where(random.random((400, 30)) < 0.3, random.random((400, 30)), 0.0)
    rows = normalize_rows(matrix) if dense else normalize_rows(csr_matrix(matrix))
    files = []
    for workers in (1, 2, 4):
        files.append(tmp_path / f"{workers}.parquet")
        write_pairs(rows, files[-1], min_cosine=0.1, workers=workers, most_pairs=2500)
    assert len({file.read_bytes() for file in files}) == 1
    assert sorted(tmp_path.iterdir()) == files


@pytest.fixture
def comments() -> list[str]:
    path = SHARED / "sesame" / "methods.jsonl"
    if not path.is_file():
        pytest.skip(f"SeSaMe's methods are not in {path.parent}")
    with path.open() as lines:
        return [json.loads(line)[side] for line in lines for side in ("first", "second")][:300]


def test_pairs_of_real_texts_survive_a_round_trip(comments: list[str], tmp_path: Path) -> None:
    rows = Space().fit(comments).vectors
    path = tmp_path / "deep" / "pairs.parquet"
    steps: list[tuple[int, int]] = []
    summary = write_pairs(
        rows,
        path,
        workers=2,
        notes={"space": "ppmi"},
        step=lambda stage, done, total: steps.append((done, total)),
    )
    cosine = np.triu(cosine_similarity(rows), 1)
    pairs = StoredPairs.open(path)
    assert (summary.rows, summary.pairs) == (300, np.count_nonzero(cosine > 0))
    assert steps[-1] == (300, 300)
    assert (pairs.rows, len(pairs), pairs.notes) == (300, summary.pairs, {"space": "ppmi"})
    left, right = np.nonzero(cosine > 0)
    assert np.array_equal(pairs.left, left)
    assert np.array_equal(pairs.right, right)
    assert pairs.similar == pytest.approx(cosine[left, right], abs=1e-6)


@QUICK
@given(matrix=matrices(), data=st.data())
def test_lookup_of_similarities_and_neighbours(
    matrix: Any, data: st.DataObject, tmp_path: Path
) -> None:
    path = tmp_path / "pairs.parquet"
    write_pairs(normalize_rows(csr_matrix(matrix)), path, min_cosine=0.1)
    pairs = StoredPairs.open(path)
    total = len(matrix)
    expected_matrix = np.eye(total, dtype=np.float32)
    expected_matrix[pairs.left, pairs.right] = pairs.similar
    expected_matrix[pairs.right, pairs.left] = pairs.similar
    sampled_rows = data.draw(st.lists(st.integers(0, total - 1), max_size=30)) if total else []
    assert np.array_equal(
        pairs.look_up_similarity(sampled_rows, sampled_rows[::-1]),
        expected_matrix[sampled_rows, sampled_rows[::-1]],
    )
    for row in sampled_rows:
        assert np.array_equal(pairs.look_up_similarity(row, np.arange(total)), expected_matrix[row])
        others, similar = pairs.list_neighbours(row)
        expected = np.flatnonzero(expected_matrix[row] * (np.arange(total) != row))
        assert np.array_equal(others, expected)
        assert np.array_equal(similar, expected_matrix[row, expected])
    if sampled_rows:
        square = pairs.look_up_similarity(np.array(sampled_rows)[:, None], np.array(sampled_rows))
        assert np.array_equal(square, expected_matrix[np.ix_(sampled_rows, sampled_rows)])
    with pytest.raises(IndexError):
        pairs.look_up_similarity(0, total)


def test_interrupted_write_leaves_no_file(tmp_path: Path) -> None:
    class StoppedError(Exception):
        pass

    def raise_stopped(stage: str, done: int, total: int) -> None:
        raise StoppedError

    with pytest.raises(StoppedError):
        write_pairs(
            normalize_rows(csr_matrix(np.ones((50, 2)))),
            tmp_path / "pairs.parquet",
            step=raise_stopped,
        )
    assert list(tmp_path.iterdir()) == []


def test_missing_or_foreign_file_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match="no file of pairs at"):
        StoredPairs.open(tmp_path / "missing")
    (tmp_path / "other").write_bytes(b"PAR1 or not")
    with pytest.raises(CodeacumenError, match="is not a file of pairs"):
        StoredPairs.open(tmp_path / "other")
