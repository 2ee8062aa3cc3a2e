"""A space of methods, or of names: what each is made of, weighed by rarity, in few dimensions.

TF-IDF, each word counted once; then the directions in which the rows differ most (a truncated
singular value decomposition): what stands beside the same things comes near each other, though
they share no word. The decomposition is of a drawn part of the rows, which bounds its time, and
depends on nothing but rows and seed. It runs in one thread: sums in another order are other sums.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Numbers = NDArray[np.float32]
Integers = NDArray[np.int32]

# Rows that are decomposed at most; more change the directions little.
DRAWN = 60_000
# Rows that become dense at once.
_AT_ONCE = 1 << 15
_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Bags:
    """Rows of words: the words of row ``i`` are ``codes[ends[i]:ends[i + 1]]``, places in
    ``words``, each once."""

    words: list[str]
    codes: Integers
    ends: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ends) - 1


def bags(rows: Iterable[Sequence[str]]) -> Bags:
    places: dict[str, int] = {}
    codes: list[int] = []
    ends = [0]
    for row in rows:
        codes += [places.setdefault(word, len(places)) for word in row]
        ends.append(len(codes))
    return Bags(list(places), np.array(codes, np.int32), np.array(ends, np.int64))


def joined(parts: Sequence[Bags], rare: int) -> Bags:
    """All rows, in order, with the words that at least ``rare`` of them have, sorted."""
    counts: Counter[str] = Counter()
    for part in parts:
        having = np.bincount(part.codes, minlength=len(part.words)).tolist()
        counts.update(dict(zip(part.words, having, strict=True)))
    words = sorted(word for word, count in counts.items() if count >= rare)
    places = {word: place for place, word in enumerate(words)}
    codes, lengths = [np.zeros(0, np.int32)], [np.zeros(1, np.int64)]
    for part in parts:
        found, many = _known(part, places)
        codes.append(found)
        lengths.append(many)
    return Bags(words, np.concatenate(codes), np.cumsum(np.concatenate(lengths)))


def _known(part: Bags, places: dict[str, int]) -> tuple[Integers, NDArray[np.int64]]:
    """The codes of the words that have a place, and how many each row has."""
    here = np.array([places.get(word, -1) for word in part.words] or [-1], np.int32)
    codes = here[part.codes]
    there = codes >= 0
    sums = np.concatenate(([0], np.cumsum(there)))
    return codes[there], np.diff(sums[part.ends])


@dataclass(frozen=True)
class Space:
    """``axes`` has a row for each word."""

    words: list[str]
    rarity: Numbers
    axes: Numbers

    @cached_property
    def _places(self) -> dict[str, int]:
        return {word: place for place, word in enumerate(self.words)}

    def vectors(self, rows: Bags) -> Numbers:
        """A vector of length 1 for each row; of length 0 where no word is known."""
        codes, many = _known(rows, self._places)
        return self._placed(codes, np.concatenate(([0], np.cumsum(many))))

    def own_vectors(self, rows: Bags) -> Numbers:
        """Of the rows the space was made of: their codes are its own."""
        return self._placed(rows.codes, rows.ends)

    def _placed(self, codes: Integers, ends: NDArray[np.int64]) -> Numbers:
        found = np.zeros((len(ends) - 1, self.axes.shape[1]), np.float32)
        for start in range(0, len(found), _AT_ONCE):
            stop = min(len(found), start + _AT_ONCE)
            part = slice(int(ends[start]), int(ends[stop]))
            weighed = _matrix(codes[part], ends[start : stop + 1] - ends[start], self.rarity)
            found[start:stop] = weighed @ self.axes
        return _unit(found)

    # ---------------------------------------------------------------- on disk

    def save(self, folder: Path, name: str) -> None:
        (folder / f"{name}.json").write_text(json.dumps(self.words), encoding="utf-8")
        np.save(folder / f"{name}-rarity.npy", self.rarity)
        np.save(folder / f"{name}-axes.npy", self.axes)

    @classmethod
    def load(cls, folder: Path, name: str) -> Space:
        return cls(
            json.loads((folder / f"{name}.json").read_text(encoding="utf-8")),
            np.load(folder / f"{name}-rarity.npy"),
            np.load(folder / f"{name}-axes.npy"),
        )


def made_of(rows: Bags, dimensions: int, seed: int) -> Space:
    """The space of these rows. With fewer words than dimensions each word is a direction."""
    many = len(rows.words)
    having = np.bincount(rows.codes, minlength=many)
    # scikit-learn's smooth idf: as if one more row had every word.
    rarity = (np.log((1 + len(rows)) / (1 + having)) + 1).astype(np.float32)
    if many <= dimensions:
        return Space(rows.words, rarity, np.eye(many, dtype=np.float32))
    return Space(rows.words, rarity, _axes(rows, rarity, dimensions, seed))


def _axes(rows: Bags, rarity: Numbers, dimensions: int, seed: int) -> Numbers:
    from sklearn.utils.extmath import randomized_svd
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    drawn = np.sort(np.random.default_rng(seed).permutation(len(rows))[:DRAWN])
    lengths = np.diff(rows.ends)[drawn]
    starts = np.repeat(rows.ends[drawn] - np.concatenate(([0], np.cumsum(lengths)[:-1])), lengths)
    codes = rows.codes[starts + np.arange(len(starts))]
    weighed = _matrix(codes, np.concatenate(([0], np.cumsum(lengths))), rarity)
    with threadpool_limits(1):
        _, _, found = randomized_svd(
            weighed, min(dimensions, len(drawn)), n_iter=_ROUNDS, random_state=seed
        )
    return np.ascontiguousarray(found.T, dtype=np.float32)


def _matrix(codes: Integers, ends: NDArray[np.int64], rarity: Numbers) -> csr_matrix:
    """Rows of rarities, each of length 1."""
    from scipy.sparse import csr_matrix

    values = rarity[codes]
    row = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    lengths = np.sqrt(np.bincount(row, weights=values * values, minlength=len(ends) - 1))
    values = (values / lengths[row]).astype(np.float32)
    return csr_matrix((values, codes, ends), shape=(len(ends) - 1, len(rarity)))


def _unit(vectors: Numbers) -> Numbers:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    # What is left of a row that lies across all directions is rounding.
    found: Numbers = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 1e-6)
    return found
