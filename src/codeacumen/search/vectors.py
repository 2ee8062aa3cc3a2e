"""Dense vectors of methods or names, and the nearest of them by cosine.

``WordSpace`` computes latent semantic analysis: binary tf-idf (a word counts once, weighted with
its inverse document frequency), then a truncated singular value decomposition, so rows whose words
occur in similar rows get similar vectors. A row is a method or a name. The decomposition uses a
sample of the rows, which bounds its time, and depends on the rows and the seed alone. It runs in
one thread, because floating-point sums depend on their order.

``DenseIndex`` searches such vectors with faiss: exactly if they are few, otherwise approximately,
in the k-means cells nearest to the query. ``find_nearest_cosines`` searches torch tensors on their
own device. The naming models ``models.method_naming.neighbours`` and
``models.neural.networks.spot_cnn`` call this module.
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

# Maximum number of rows in the sample that is decomposed; more rows change the axes little.
DRAWN = 60_000
# Rows that are projected at once, which bounds memory.
_AT_ONCE = 1 << 15
# Power iterations of the randomised decomposition.
_ROUNDS = 4
# Maximum number of vectors of an exact index.
EXACT = 20_000
# Mean number of vectors in a k-means cell, and the number of cells that a query searches.
IN_CELL, CELLS_SEARCHED = 400, 24
# Vectors per cell that k-means is trained on, and its iterations.
_CELL_SAMPLE, _CELL_ROUNDS = 64, 10
# For tensors: rows compared at once; cosines are rounded to 1 / _COSINE_STEPS; a rounded cosine and
# a position below _POSITIONS are packed into 64 bits.
TENSOR_BLOCK = 1 << 14
_COSINE_STEPS, _POSITIONS = 1 << 14, 1 << 32


@dataclass(frozen=True, slots=True)
class Bags:
    """Rows of words; no row repeats a word.

    The words of row ``i`` are ``codes[ends[i]:ends[i + 1]]``, which are indices of ``words``.
    """

    words: list[str]
    codes: Integers
    ends: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ends) - 1


def make_bags(rows: Iterable[Sequence[str]]) -> Bags:
    """Return rows as bags; the caller makes sure that no row repeats a word."""
    positions: dict[str, int] = {}
    codes: list[int] = []
    ends = [0]
    for row in rows:
        codes += [positions.setdefault(word, len(positions)) for word in row]
        ends.append(len(codes))
    return Bags(list(positions), np.array(codes, np.int32), np.array(ends, np.int64))


def join_bags(parts: Sequence[Bags], rare: int) -> Bags:
    """Return the rows of all parts, in order, with the words that ``rare`` rows or more have."""
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
    """Return the positions of the words of all rows, and each row's number of them.

    Words that are not in ``positions`` are left out.
    """
    new_codes = np.array([positions.get(word, -1) for word in part.words] or [-1], np.int32)
    codes = new_codes[part.codes]
    is_known = codes >= 0
    sums = np.concatenate(([0], np.cumsum(is_known)))
    return codes[is_known], np.diff(sums[part.ends])


@dataclass(frozen=True)
class WordSpace:
    """A fitted vector space of words.

    ``rarity`` (words) has the inverse document frequency of each word, ``axes`` (words, dimensions)
    its coordinates.
    """

    words: list[str]
    rarity: Numbers
    axes: Numbers

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {word: position for position, word in enumerate(self.words)}

    def compute_vectors(self, rows: Bags) -> Numbers:
        """Return a unit vector for each row, or zeros if the space knows none of its words."""
        codes, lengths = _recode_words(rows, self._positions)
        return self._project_rows(codes, np.concatenate(([0], np.cumsum(lengths))))

    def compute_own_vectors(self, rows: Bags) -> Numbers:
        """Return the vectors of the rows that the space was fitted on; their codes stay valid."""
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
        """Write the files of the space, whose names begin with ``name``."""
        stored.write_value(name, self.words)
        stored.write_array(f"{name}-rarity", self.rarity)
        stored.write_array(f"{name}-axes", self.axes)

    @classmethod
    def load(cls, stored: StoredIndex, name: str) -> WordSpace:
        """Read the files that ``save`` wrote."""
        return cls(
            stored.load_value(name),
            stored.load_array(f"{name}-rarity"),
            stored.load_array(f"{name}-axes"),
        )


def fit_space(rows: Bags, dimensions: int, seed: int) -> WordSpace:
    """Return a space fitted to rows. With at most ``dimensions`` words, each word is an axis."""
    word_count = len(rows.words)
    rows_with_word = np.bincount(rows.codes, minlength=word_count)
    # scikit-learn's smooth inverse document frequency, as if one more row had every word.
    rarity = (np.log((1 + len(rows)) / (1 + rows_with_word)) + 1).astype(np.float32)
    if word_count <= dimensions:
        return WordSpace(rows.words, rarity, np.eye(word_count, dtype=np.float32))
    return WordSpace(rows.words, rarity, _fit_axes(rows, rarity, dimensions, seed))


def _fit_axes(rows: Bags, rarity: Numbers, dimensions: int, seed: int) -> Numbers:
    """Return the axes (words, dimensions): right singular vectors of a sample of the rows."""
    from sklearn.utils.extmath import randomized_svd
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    sampled = np.sort(np.random.default_rng(seed).permutation(len(rows))[:DRAWN])
    lengths = np.diff(rows.ends)[sampled]
    # ``starts + arange`` are the positions in ``codes`` of all words of the sampled rows.
    starts = np.repeat(rows.ends[sampled] - np.concatenate(([0], np.cumsum(lengths)[:-1])), lengths)
    codes = rows.codes[starts + np.arange(len(starts))]
    weights = _make_tfidf_matrix(codes, np.concatenate(([0], np.cumsum(lengths))), rarity)
    with threadpool_limits(1):
        _, _, components = randomized_svd(
            weights, min(dimensions, len(sampled)), n_iter=_ROUNDS, random_state=seed
        )
    return np.ascontiguousarray(components.T, dtype=np.float32)


def _make_tfidf_matrix(codes: Integers, ends: NDArray[np.int64], rarity: Numbers) -> csr_matrix:
    """Return a sparse matrix (rows, words) of rarities, with rows of unit length."""
    from scipy.sparse import csr_matrix

    values = rarity[codes]
    row = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    lengths = np.sqrt(np.bincount(row, weights=values * values, minlength=len(ends) - 1))
    values = (values / lengths[row]).astype(np.float32)
    return csr_matrix((values, codes, ends), shape=(len(ends) - 1, len(rarity)))


def _normalize_rows(vectors: Numbers) -> Numbers:
    """Return the rows scaled to unit length; almost zero rows become zero."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    # A row that is orthogonal to all axes has only rounding errors.
    unit: Numbers = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 1e-6)
    return unit


# --------------------------------------------------------------------------------------
# Search
# --------------------------------------------------------------------------------------


def load_faiss() -> Any:
    """Return the module faiss, which is an optional dependency."""
    try:
        return importlib.import_module("faiss")
    except ImportError as error:
        raise CodeacumenError(
            f"the search for neighbours needs faiss ({error})", "pip install 'codeacumen[names]'"
        ) from error


@contextmanager
def _faiss_in_one_thread() -> Iterator[Any]:
    """Yield faiss, limited to one thread so that its results are deterministic."""
    library = load_faiss()
    before = library.omp_get_max_threads()
    library.omp_set_num_threads(1)
    try:
        yield library
    finally:
        library.omp_set_num_threads(before)


class DenseIndex:
    """An index of unit vectors, whose inner product is the cosine.

    faiss decides the order of equal cosines, which depends on the vectors alone.
    """

    def __init__(self, index: Any) -> None:
        self.index = index

    @classmethod
    def from_vectors(cls, vectors: Numbers, seed: int) -> DenseIndex:
        """Build an index; with one thread and a fixed seed, equal vectors give an equal index."""
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
        """Return positions and cosines of the nearest vectors, (queries, k), nearest first.

        The position is -1 where the search finds fewer than ``k``.
        """
        with _faiss_in_one_thread() as library:
            parameters = None
            if isinstance(self.index, library.IndexIVF):
                # Search enough cells to find k vectors.
                cells = max(CELLS_SEARCHED, 2 * k // IN_CELL)
                parameters = library.SearchParametersIVF(nprobe=cells)
            vectors = np.ascontiguousarray(queries, np.float32)
            cosines, positions = self.index.search(vectors, k, params=parameters)
        return positions, cosines

    def save(self, stored: StoredIndex, name: str) -> None:
        """Write the index to the file ``NAME.faiss``."""
        load_faiss().write_index(self.index, str(stored.folder / f"{name}.faiss"))

    @classmethod
    def load(cls, stored: StoredIndex, name: str) -> DenseIndex:
        """Read the file that ``save`` wrote."""
        library = load_faiss()
        try:
            return cls(library.read_index(str(stored.folder / f"{name}.faiss")))
        except RuntimeError as error:
            raise damaged_index_error(stored.folder, f"{name}.faiss") from error


def unit_rows(vectors: Tensor) -> Tensor:
    """Return the rows in 32 bits, scaled to unit length."""
    from torch.nn import functional

    return functional.normalize(vectors.float(), dim=1)


def find_nearest_cosines(queries: Tensor, vectors: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """Return positions and cosines (queries, k) of the nearest vectors, nearest first.

    The queries must have unit length; the vectors are scaled to it here. There are fewer columns if
    there are fewer than ``k`` vectors. Cosines are rounded, because their last digits depend on the
    other queries of a batch; among equal cosines the lower position comes first.
    """
    import torch

    best = queries.new_zeros(len(queries), 0, dtype=torch.int64)
    for start in range(0, len(vectors), TENSOR_BLOCK):
        # Half precision leaves vectors slightly longer or shorter than one.
        block = unit_rows(vectors[start : start + TENSOR_BLOCK])
        steps = ((queries @ block.T) * _COSINE_STEPS).round().to(torch.int64)
        position = torch.arange(start, start + len(block), device=queries.device)
        # Packed into one number, so that ``topk`` sorts by cosine, then by the lower position.
        best = torch.cat([best, steps * _POSITIONS + (_POSITIONS - 1 - position)], 1)
        best = best.topk(min(k, best.shape[1]), dim=1).values
    steps = torch.div(best, _POSITIONS, rounding_mode="floor")
    return _POSITIONS - 1 - (best - steps * _POSITIONS), steps.to(queries.dtype) / _COSINE_STEPS
