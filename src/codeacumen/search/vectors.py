"""Dense vectors of methods or names, and the nearest of them by cosine.

``Space``: TF-IDF, each word counted once, then a truncated singular value decomposition (latent
semantic analysis), so that rows with words that occur beside the same others come near each other.
The decomposition is of a sample of the rows, which bounds its time, and depends on rows and seed
alone. It runs in one thread: another order of summation gives other sums.

``DenseIndex`` searches such vectors with faiss: all of them if they are few, else only the k-means
cells nearest to the query (approximate). ``nearest_cosines`` searches tensors where they are.
"""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from codeacumen.api import CodeacumenError
from codeacumen.search.store import StoredIndex, damaged_index_error

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix
    from torch import Tensor

Numbers = NDArray[np.float32]
Integers = NDArray[np.int32]

# At most so many rows are decomposed; more change the directions little.
DRAWN = 60_000
# Rows that become dense at once.
_AT_ONCE = 1 << 15
_ROUNDS = 4
# Up to so many vectors are all compared with a query.
EXACT = 20_000
# Vectors of a k-means cell on average, and how many cells a query looks into.
IN_CELL, CELLS_SEARCHED = 400, 24
# The cells are learned from so many vectors each, in so many rounds.
_CELL_SAMPLE, _CELL_ROUNDS = 64, 10
# Tensors: rows compared at once, steps of a cosine, and room for a position below each step.
TENSOR_BLOCK = 1 << 14
_COSINE_STEPS, _POSITIONS = 1 << 14, 1 << 32


@dataclass(frozen=True, slots=True)
class Bags:
    """Rows of words: those of row ``i`` are ``codes[ends[i]:ends[i + 1]]``, positions in ``words``,
    each once."""

    words: list[str]
    codes: Integers
    ends: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ends) - 1


def make_bags(rows: Iterable[Sequence[str]]) -> Bags:
    positions: dict[str, int] = {}
    codes: list[int] = []
    ends = [0]
    for row in rows:
        codes += [positions.setdefault(word, len(positions)) for word in row]
        ends.append(len(codes))
    return Bags(list(positions), np.array(codes, np.int32), np.array(ends, np.int64))


def join_bags(parts: Sequence[Bags], rare: int) -> Bags:
    """All rows, in order, with the words that at least ``rare`` of them have, sorted."""
    counts: Counter[str] = Counter()
    for part in parts:
        rows_with_word = np.bincount(part.codes, minlength=len(part.words)).tolist()
        counts.update(dict(zip(part.words, rows_with_word, strict=True)))
    words = sorted(word for word, count in counts.items() if count >= rare)
    positions = {word: position for position, word in enumerate(words)}
    recoded = [_recode_words(part, positions) for part in parts]
    codes = np.concatenate([np.zeros(0, np.int32), *(codes for codes, _ in recoded)])
    lengths = np.concatenate([np.zeros(1, np.int64), *(lengths for _, lengths in recoded)])
    return Bags(words, codes, np.cumsum(lengths))


def _recode_words(part: Bags, positions: dict[str, int]) -> tuple[Integers, NDArray[np.int64]]:
    """The codes of the words that have a position, and how many of them each row has."""
    new_codes = np.array([positions.get(word, -1) for word in part.words] or [-1], np.int32)
    codes = new_codes[part.codes]
    is_known = codes >= 0
    sums = np.concatenate(([0], np.cumsum(is_known)))
    return codes[is_known], np.diff(sums[part.ends])


@dataclass(frozen=True)
class WordSpace:
    """``axes`` has a row for each word."""

    words: list[str]
    rarity: Numbers
    axes: Numbers

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {word: position for position, word in enumerate(self.words)}

    def compute_vectors(self, rows: Bags) -> Numbers:
        """A vector of length 1 for each row; of length 0 where no word is known."""
        codes, lengths = _recode_words(rows, self._positions)
        return self._project_rows(codes, np.concatenate(([0], np.cumsum(lengths))))

    def compute_own_vectors(self, rows: Bags) -> Numbers:
        """The vectors of the rows that the space was fitted on: their codes are its own."""
        return self._project_rows(rows.codes, rows.ends)

    def _project_rows(self, codes: Integers, ends: NDArray[np.int64]) -> Numbers:
        vectors = np.zeros((len(ends) - 1, self.axes.shape[1]), np.float32)
        for start in range(0, len(vectors), _AT_ONCE):
            stop = min(len(vectors), start + _AT_ONCE)
            part = slice(int(ends[start]), int(ends[stop]))
            weights = _make_tfidf_matrix(
                codes[part], ends[start : stop + 1] - ends[start], self.rarity
            )
            vectors[start:stop] = weights @ self.axes
        return _normalize_rows(vectors)

    def save(self, stored: StoredIndex, name: str) -> None:
        stored.write_value(name, self.words)
        stored.write_array(f"{name}-rarity", self.rarity)
        stored.write_array(f"{name}-axes", self.axes)

    @classmethod
    def load(cls, stored: StoredIndex, name: str) -> WordSpace:
        return cls(
            stored.load_value(name),
            stored.load_array(f"{name}-rarity"),
            stored.load_array(f"{name}-axes"),
        )


def fit_space(rows: Bags, dimensions: int, seed: int) -> WordSpace:
    """The space of these rows. With fewer words than dimensions each word is a direction."""
    word_count = len(rows.words)
    rows_with_word = np.bincount(rows.codes, minlength=word_count)
    # scikit-learn's smooth idf: as if one more row had every word.
    rarity = (np.log((1 + len(rows)) / (1 + rows_with_word)) + 1).astype(np.float32)
    if word_count <= dimensions:
        return WordSpace(rows.words, rarity, np.eye(word_count, dtype=np.float32))
    return WordSpace(rows.words, rarity, _fit_axes(rows, rarity, dimensions, seed))


def _fit_axes(rows: Bags, rarity: Numbers, dimensions: int, seed: int) -> Numbers:
    from sklearn.utils.extmath import randomized_svd
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    sampled = np.sort(np.random.default_rng(seed).permutation(len(rows))[:DRAWN])
    lengths = np.diff(rows.ends)[sampled]
    starts = np.repeat(rows.ends[sampled] - np.concatenate(([0], np.cumsum(lengths)[:-1])), lengths)
    codes = rows.codes[starts + np.arange(len(starts))]
    weights = _make_tfidf_matrix(codes, np.concatenate(([0], np.cumsum(lengths))), rarity)
    with threadpool_limits(1):
        _, _, components = randomized_svd(
            weights, min(dimensions, len(sampled)), n_iter=_ROUNDS, random_state=seed
        )
    return np.ascontiguousarray(components.T, dtype=np.float32)


def _make_tfidf_matrix(codes: Integers, ends: NDArray[np.int64], rarity: Numbers) -> csr_matrix:
    """Rows of rarities, each of length 1."""
    from scipy.sparse import csr_matrix

    values = rarity[codes]
    row = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    lengths = np.sqrt(np.bincount(row, weights=values * values, minlength=len(ends) - 1))
    values = (values / lengths[row]).astype(np.float32)
    return csr_matrix((values, codes, ends), shape=(len(ends) - 1, len(rarity)))


def _normalize_rows(vectors: Numbers) -> Numbers:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    # A row that is orthogonal to all directions leaves only rounding errors.
    unit: Numbers = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 1e-6)
    return unit


# --------------------------------------------------------------------------------------
# Search
# --------------------------------------------------------------------------------------


def load_faiss() -> Any:
    try:
        return importlib.import_module("faiss")
    except ImportError as error:
        raise CodeacumenError(
            f"to find neighbours, faiss is needed ({error})", "pip install 'codeacumen[names]'"
        ) from error


@contextmanager
def _faiss_in_one_thread() -> Iterator[Any]:
    library = load_faiss()
    before = library.omp_get_max_threads()
    library.omp_set_num_threads(1)
    try:
        yield library
    finally:
        library.omp_set_num_threads(before)


class DenseIndex:
    """Unit vectors, so that the inner product is the cosine. faiss decides the order of equal
    cosines; it depends on the vectors alone."""

    def __init__(self, index: Any) -> None:
        self.index = index

    @classmethod
    def from_vectors(cls, vectors: Numbers, seed: int) -> DenseIndex:
        """One thread and a fixed seed: equal vectors make an equal index."""
        vector_count, dimensions = vectors.shape
        with _faiss_in_one_thread() as library:
            flat = library.IndexFlatIP(dimensions)
            if vector_count <= EXACT:
                flat.add(vectors)
                return cls(flat)
            cells = vector_count // IN_CELL
            index = library.IndexIVFFlat(flat, dimensions, cells, library.METRIC_INNER_PRODUCT)
            index.cp.seed, index.cp.niter = seed, _CELL_ROUNDS
            index.cp.max_points_per_centroid = _CELL_SAMPLE
            index.train(vectors)
            index.add(vectors)
        return cls(index)

    def __len__(self) -> int:
        return int(self.index.ntotal)

    def find_nearest(self, queries: Numbers, k: int) -> tuple[NDArray[np.int64], Numbers]:
        """Positions and cosines of the nearest vectors, (queries, k), nearest first; the position
        is -1 where there are no more."""
        with _faiss_in_one_thread() as library:
            parameters = None
            if isinstance(self.index, library.IndexIVF):
                # Enough cells to hold k vectors.
                cells = max(CELLS_SEARCHED, 2 * k // IN_CELL)
                parameters = library.SearchParametersIVF(nprobe=cells)
            vectors = np.ascontiguousarray(queries, np.float32)
            cosines, positions = self.index.search(vectors, k, params=parameters)
        return positions, cosines

    def save(self, stored: StoredIndex, name: str) -> None:
        load_faiss().write_index(self.index, str(stored.folder / f"{name}.faiss"))

    @classmethod
    def load(cls, stored: StoredIndex, name: str) -> DenseIndex:
        library = load_faiss()
        try:
            return cls(library.read_index(str(stored.folder / f"{name}.faiss")))
        except RuntimeError as error:
            raise damaged_index_error(stored.folder, f"{name}.faiss") from error


def unit_rows(vectors: Tensor) -> Tensor:
    from torch.nn import functional

    return functional.normalize(vectors.float(), dim=1)


def find_nearest_cosines(queries: Tensor, vectors: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """Positions of the k nearest of the ``known`` unit vectors, (queries, k), and their cosines;
    fewer where fewer are known. Cosines are rounded to steps, because their last digits depend on
    the other queries of a batch; among equal ones the lower position comes first."""
    import torch

    best = queries.new_zeros(len(queries), 0, dtype=torch.int64)
    for start in range(0, len(vectors), TENSOR_BLOCK):
        # Half precision leaves vectors slightly longer or shorter than one.
        block = unit_rows(vectors[start : start + TENSOR_BLOCK])
        steps = ((queries @ block.T) * _COSINE_STEPS).round().to(torch.int64)
        position = torch.arange(start, start + len(block), device=queries.device)
        best = torch.cat([best, steps * _POSITIONS + (_POSITIONS - 1 - position)], 1)
        best = best.topk(min(k, best.shape[1]), dim=1).values
    steps = torch.div(best, _POSITIONS, rounding_mode="floor")
    return _POSITIONS - 1 - (best - steps * _POSITIONS), steps.to(queries.dtype) / _COSINE_STEPS
