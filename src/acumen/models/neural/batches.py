"""Which examples are learned from together, and in which order.

Examples of like length share a batch, so that little is padding; which do, and when, is drawn by
seed and epoch alone. Learning goes in rounds: after each there is a look at dev and a checkpoint,
and a training that is killed goes on from the last of them to the same weights.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Batches that are drawn together and sorted by length among themselves.
_POOL = 50


def drawn(lengths: NDArray[np.int64], size: int, seed: int, epoch: int) -> list[NDArray[np.int64]]:
    """The batches of an epoch. Every example is in one of them."""
    draw = np.random.default_rng([seed, epoch])
    order = draw.permutation(len(lengths))
    found: list[NDArray[np.int64]] = []
    for start in range(0, len(order), _POOL * size):
        pool = order[start : start + _POOL * size]
        pool = pool[np.argsort(lengths[pool], kind="stable")]
        found += [pool[at : at + size] for at in range(0, len(pool), size)]
    return [found[at] for at in draw.permutation(len(found))]


def by_length(lengths: NDArray[np.int64], size: int) -> list[NDArray[np.int64]]:
    """Batches to be answered: of like length, and always the same."""
    order = np.argsort(lengths, kind="stable").astype(np.int64)
    return [order[at : at + size] for at in range(0, len(order), size)]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A batch that a data loader is to make: what is drawn in it hangs on nothing but this."""

    rows: NDArray[np.int64]
    seed: tuple[int, ...] = ()


class Rounds:
    """A sampler whose passes are rounds of so many batches, 0 for an epoch's; they follow each
    other through epoch after epoch. Lightning calls ``set_epoch`` with the number of the round.
    ``times``: how often each example is in an epoch."""

    def __init__(
        self, lengths: NDArray[np.int64], size: int, seed: int, batches: int, epochs: int,
        times: NDArray[np.int64] | None = None,
    ) -> None:  # fmt: skip
        rows = np.arange(len(lengths))
        self.rows = rows if times is None else np.repeat(rows, times)
        self.lengths, self.size, self.seed = lengths[self.rows], size, seed
        self.in_epoch = -(-len(self.rows) // size)
        self.total = self.in_epoch * epochs
        self.batches = min(batches, self.total) if batches else self.in_epoch
        self.rounds = -(-self.total // self.batches)
        self.round = 0

    def set_epoch(self, number: int) -> None:
        self.round = number

    def __len__(self) -> int:
        return max(0, min(self.batches, self.total - self.round * self.batches))

    def __iter__(self) -> Iterator[Wanted]:
        start = self.round * self.batches
        known, found = -1, []
        for number in range(start, start + len(self)):
            epoch, at = divmod(number, self.in_epoch)
            if epoch != known:
                known, found = epoch, drawn(self.lengths, self.size, self.seed, epoch)
            yield Wanted(self.rows[found[at]], (self.seed, epoch, at))
