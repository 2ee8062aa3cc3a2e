"""Contexts of a batch: which of them are seen, and what they share."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from torch import nn

from acumen.lang.columns import Ragged
from acumen.lang.kernel import STEP, mixed
from acumen.models.neural.tensors import filled
from acumen.models.neural.vocabulary import PAD


def chosen_contexts(
    offsets: NDArray[np.int64], most: int, draw: np.random.Generator | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Places of at most ``most`` contexts of each example, and where each example's end: the first
    ones, or drawn ones where there is something to draw by."""
    sizes = np.diff(offsets)
    place = np.arange(int(offsets[-1]))
    if not (sizes > most).any():
        return place, offsets
    if draw is not None:
        large = np.flatnonzero(np.repeat(sizes > most, sizes))
        row = np.repeat(np.flatnonzero(sizes > most), sizes[sizes > most])
        # Shuffled, but every example's among themselves.
        place[large] = large[np.argsort(row + 0.5 * draw.random(len(large)))]
    rank = np.arange(len(place)) - np.repeat(offsets[:-1], sizes)
    ends = np.concatenate([[0], np.cumsum(np.minimum(sizes, most))])
    return place[rank < most], ends


def distinct_rows(
    values: Ragged, sizes: Ragged, used: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
    """Lists, of which ``sizes`` says how long each is, that are used: each different one once, as
    a row with zeros behind; how long they are; and for each list its row."""
    lengths = sizes.values.astype(np.int64)
    ends = np.concatenate([[0], np.cumsum(lengths)])
    wanted = np.zeros(len(lengths), bool)
    wanted[used] = True
    rows = filled(values.values, ends)
    key = lengths.astype(np.uint64)
    for column in rows.T:
        key = mixed(key * STEP + column.astype(np.uint64))
    _, first, place = np.unique(key[wanted], return_index=True, return_inverse=True)
    found = np.flatnonzero(wanted)
    if not np.array_equal(rows[found], rows[found[first]][place]):
        # Two different lists under one key: as good as never. Then each list is its own row.
        first = place = np.arange(len(found))
    row = np.zeros(len(lengths), np.int32)
    row[found] = place
    kept = found[first]
    if not len(kept):
        return np.zeros((1, 1), np.int64), np.zeros(1, np.int64), row
    return rows[kept], lengths[kept], row


def spread(*tables: nn.Embedding | nn.Linear) -> None:
    """First weights of tables of vectors as both papers' code draws them: uniform, of variance
    1 / d. Torch's own, of variance 1, would drive every tanh to its ends."""
    for table in tables:
        bound = math.sqrt(3 / table.weight.shape[1])
        nn.init.uniform_(table.weight, -bound, bound)
        if isinstance(table, nn.Embedding):
            nn.init.zeros_(table.weight[PAD])
