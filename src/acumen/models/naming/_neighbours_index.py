"""Nearest vectors by cosine, with faiss.

Few vectors are all compared. Many lie in cells (k-means), and only the cells nearest to a question
are looked into: an approximation. One thread and a fixed seed: the same vectors make the same
index.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acumen.api import AcumenError

Numbers = NDArray[np.float32]
Integers = NDArray[np.int64]

# Up to so many vectors are all compared.
EXACT = 20_000
# Vectors of a cell in the mean, and how many cells are looked into.
IN_CELL, LOOKED_INTO = 400, 24
# From how many vectors of each cell the cells are learned, in how many rounds.
_LEARNED_FROM, _ROUNDS = 64, 10


def faiss() -> Any:
    """The library, or what to do to have it."""
    try:
        return importlib.import_module("faiss")
    except ImportError as error:
        raise AcumenError(
            f"to find neighbours, faiss is needed ({error})", "pip install 'acumen[names]'"
        ) from error


@contextmanager
def one_thread() -> Iterator[Any]:
    library = faiss()
    before = library.omp_get_max_threads()
    library.omp_set_num_threads(1)
    try:
        yield library
    finally:
        library.omp_set_num_threads(before)


class Nearest:
    def __init__(self, index: Any) -> None:
        self.index = index

    @classmethod
    def of(cls, vectors: Numbers, seed: int) -> Nearest:
        """Vectors are of length 1, so that their product is the cosine."""
        many, dimensions = vectors.shape
        with one_thread() as library:
            flat = library.IndexFlatIP(dimensions)
            if many <= EXACT:
                flat.add(vectors)
                return cls(flat)
            cells = many // IN_CELL
            index = library.IndexIVFFlat(flat, dimensions, cells, library.METRIC_INNER_PRODUCT)
            index.cp.seed, index.cp.niter = seed, _ROUNDS
            index.cp.max_points_per_centroid = _LEARNED_FROM
            index.train(vectors)
            index.add(vectors)
        return cls(index)

    def __len__(self) -> int:
        return int(self.index.ntotal)

    def search(self, asked: Numbers, k: int) -> tuple[Integers, Numbers]:
        """Places and cosines of the nearest, the nearest first; the place is -1 where there are no
        more."""
        with one_thread() as library:
            settings = None
            if isinstance(self.index, library.IndexIVF):
                # Enough cells for all that are asked for.
                cells = max(LOOKED_INTO, 2 * k // IN_CELL)
                settings = library.SearchParametersIVF(nprobe=cells)
            vectors = np.ascontiguousarray(asked, np.float32)
            similar, places = self.index.search(vectors, k, params=settings)
        return places, similar

    # ---------------------------------------------------------------- on disk

    def save(self, path: Path) -> None:
        faiss().write_index(self.index, str(path))

    @classmethod
    def load(cls, path: Path) -> Nearest:
        library = faiss()
        try:
            return cls(library.read_index(str(path)))
        except RuntimeError as error:
            raise AcumenError(
                f"{path} cannot be read", "delete its folder: it is made again"
            ) from error
