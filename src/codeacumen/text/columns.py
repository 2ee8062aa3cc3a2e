"""Columns of lists in flat arrays, which hold the views and features of many methods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Ragged:
    """Lists of different lengths, one after the other.

    List i is ``values[offsets[i]:offsets[i + 1]]``, so there is one offset more than lists. With
    ``words``, the values are positions in ``words`` and the elements of the lists are words.
    """

    values: NDArray[Any]
    offsets: NDArray[np.int64]
    words: tuple[str, ...] | None = None

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, i: int) -> list[Any]:
        values = self.values[self.offsets[i] : self.offsets[i + 1]].tolist()
        return values if self.words is None else [self.words[code] for code in values]


def take_slices(values: NDArray[Any], starts: NDArray[Any], stops: NDArray[Any]) -> Ragged:
    """Return the slices ``values[starts[i]:stops[i]]``, which may overlap, as lists."""
    lengths = stops.astype(np.int64) - starts
    offsets = np.zeros(len(starts) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    inside = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths)
    return Ragged(values[inside + np.repeat(starts, lengths)], offsets)
