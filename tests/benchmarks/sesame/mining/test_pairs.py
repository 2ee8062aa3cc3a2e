"""All pairs. The oracle is scikit-learn's cosine_similarity of everything with everything."""

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
from codeacumen.benchmarks.sesame.mining.counts import unit
from codeacumen.benchmarks.sesame.mining.pairs import Pairs, blocks, write_pairs
from codeacumen.benchmarks.sesame.mining.spaces import vectors
from support import SHARED

QUICK = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@st.composite
def matrices(draw: st.DrawFn) -> Any:
    """Rows of few different values, some of them empty, over few columns or many."""
    rows, columns = draw(st.integers(0, 150)), draw(st.sampled_from([1, 3, 20]))
    share = draw(st.sampled_from([0.05, 0.4, 1.0]))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values = random.choice([0.5, 1.0, 2.0, 7.25], size=(rows, columns))
    return np.where(random.random((rows, columns)) < share, values, 0.0)


def slowly(matrix: Any, least: float) -> dict[tuple[int, int], float]:
    if not len(matrix):
        return {}
    cosine = cosine_similarity(matrix)
    left, right = np.nonzero(np.triu(cosine, 1) > least)
    return {(i, j): cosine[i, j] for i, j in zip(left.tolist(), right.tolist(), strict=True)}


def listed(found: Any) -> dict[tuple[int, int], float]:
    """Also that they stand in order, each once."""
    triples = [
        triple for block in found for triple in zip(*(one.tolist() for one in block), strict=True)
    ]
    places = [(left, right) for left, right, _ in triples]
    assert places == sorted(set(places))
    return {(left, right): value for left, right, value in triples}


@QUICK
@given(matrices(), st.sampled_from([1, 7, 1000]), st.sampled_from([1, 2, 4]))
def test_sparse_pairs_are_all_there_are(matrix: Any, most: int, workers: int) -> None:
    found = listed(blocks(unit(csr_matrix(matrix)), most=most, workers=workers))
    assert found == pytest.approx(slowly(matrix, 0.0), abs=1e-6)


@QUICK
@given(matrices(), st.sampled_from([0.2123, 0.7071]), st.booleans(), st.sampled_from([1, 300]))
def test_a_bound_keeps_what_is_above_it(matrix: Any, least: float, dense: bool, most: int) -> None:
    # Cosines as near to the bound as rounding reaches may fall to either side.
    surely, perhaps = slowly(matrix, least + 1e-6), slowly(matrix, least - 1e-6)
    rows = unit(matrix) if dense else unit(csr_matrix(matrix))
    found = listed(blocks(rows, least=least, most=most, workers=2))
    assert surely.keys() <= found.keys() <= perhaps.keys()
    assert found == pytest.approx({pair: perhaps[pair] for pair in found}, abs=1e-6)


def test_dense_rows_need_a_bound() -> None:
    with pytest.raises(CodeacumenError, match="dense") as raised:
        list(blocks(np.eye(3)))
    assert "least=0.5" in raised.value.hint


@pytest.mark.parametrize("dense", [False, True])
def test_the_same_bytes_whatever_the_workers(
    dense: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Groups of the file end in the middle of stretches.
    monkeypatch.setattr("codeacumen.benchmarks.sesame.mining.pairs._GROUP", 1000)
    random = np.random.default_rng(0)
    matrix = np.where(random.random((400, 30)) < 0.3, random.random((400, 30)), 0.0)
    rows = unit(matrix) if dense else unit(csr_matrix(matrix))
    files = []
    for workers in (1, 2, 4):
        files.append(tmp_path / f"{workers}.parquet")
        write_pairs(rows, files[-1], least=0.1, workers=workers, most=2500)
    assert len({file.read_bytes() for file in files}) == 1
    assert sorted(tmp_path.iterdir()) == files


@pytest.fixture
def comments() -> list[str]:
    path = SHARED / "sesame" / "methods.jsonl"
    if not path.is_file():
        pytest.skip(f"SeSaMe's methods are not in {path.parent}")
    with path.open() as lines:
        return [json.loads(line)[side] for line in lines for side in ("first", "second")][:300]


def test_real_texts_and_back_from_the_file(comments: list[str], tmp_path: Path) -> None:
    rows = vectors(comments)
    path = tmp_path / "deep" / "pairs.parquet"
    steps: list[tuple[int, int]] = []
    written = write_pairs(
        rows,
        path,
        workers=2,
        notes={"space": "ppmi"},
        step=lambda what, done, total: steps.append((done, total)),
    )
    cosine = np.triu(cosine_similarity(rows), 1)
    pairs = Pairs.open(path)
    assert (written.rows, written.pairs) == (300, np.count_nonzero(cosine > 0))
    assert written.with_vector == np.count_nonzero(rows.getnnz(axis=1))
    assert steps[-1] == (300, 300)
    assert (pairs.rows, len(pairs), pairs.notes) == (300, written.pairs, {"space": "ppmi"})
    left, right = np.nonzero(cosine > 0)
    assert np.array_equal(pairs.left, left)
    assert np.array_equal(pairs.right, right)
    assert pairs.similar == pytest.approx(cosine[left, right], abs=1e-6)


@QUICK
@given(matrix=matrices(), data=st.data())
def test_looking_up(matrix: Any, data: st.DataObject, tmp_path: Path) -> None:
    path = tmp_path / "pairs.parquet"
    write_pairs(unit(csr_matrix(matrix)), path, least=0.1)
    pairs = Pairs.open(path)
    total = len(matrix)
    full = np.eye(total, dtype=np.float32)
    full[pairs.left, pairs.right] = pairs.similar
    full[pairs.right, pairs.left] = pairs.similar
    some = data.draw(st.lists(st.integers(0, total - 1), max_size=30)) if total else []
    assert np.array_equal(pairs.sim(some, some[::-1]), full[some, some[::-1]])
    for row in some:
        assert np.array_equal(pairs.sim(row, np.arange(total)), full[row])
        others, similar = pairs.neighbours(row)
        expected = np.flatnonzero(full[row] * (np.arange(total) != row))
        assert np.array_equal(others, expected)
        assert np.array_equal(similar, full[row, expected])
    if some:
        square = pairs.sim(np.array(some)[:, None], np.array(some))
        assert np.array_equal(square, full[np.ix_(some, some)])
    with pytest.raises(IndexError):
        pairs.sim(0, total)


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    class StoppedError(Exception):
        pass

    def stop(what: str, done: int, total: int) -> None:
        raise StoppedError

    with pytest.raises(StoppedError):
        write_pairs(unit(csr_matrix(np.ones((50, 2)))), tmp_path / "pairs.parquet", step=stop)
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_file_of_pairs(tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match="no file of pairs at"):
        Pairs.open(tmp_path / "missing")
    (tmp_path / "other").write_bytes(b"PAR1 or not")
    with pytest.raises(CodeacumenError, match="is not a file of pairs"):
        Pairs.open(tmp_path / "other")
