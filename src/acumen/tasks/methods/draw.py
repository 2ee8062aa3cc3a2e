"""Which methods are asked what: drawn by lots, split by split, as large as Table 1 of the paper
where the corpus allows it, and balanced where the paper's are.

Pure functions of arrays. In all of them ``lots`` decide who comes first; the smallest does.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acumen.tasks.methods.lots import Lots

# Instances in the paper, by task and split.
SIZES = {
    "npath": {"train": 9_600, "dev": 1_200, "test": 1_200},
    "operators": {"train": 9_600, "dev": 1_200, "test": 1_200},
    "naming": {"train": 800_000, "dev": 100_000, "test": 100_000},
    "completion": {"train": 800_000, "dev": 100_000, "test": 100_000},
    "nulltoken": {"train": 10_000, "dev": 1_000, "test": 1_000},
}


def at_most(most: int) -> dict[str, dict[str, int]]:
    """The paper's sizes, or less: ``most`` to train on, in the paper's proportion to the rest; 0
    for no bound. The lots decide who is first, so what is drawn less is a part of what is drawn
    more.

    >>> at_most(80_000)["naming"], at_most(80_000)["npath"]["train"]
    ({'train': 80000, 'dev': 10000, 'test': 10000}, 9600)
    """
    if not most:
        return {task: dict(sizes) for task, sizes in SIZES.items()}
    bound = {"train": most, "dev": most // 8, "test": most // 8}
    return {
        task: {split: min(size, bound[split]) for split, size in sizes.items()}
        for task, sizes in SIZES.items()
    }


# Names with fewer letters are mostly left out: about 23,000 of a million are of such methods.
SHORTEST, SHORT_SHARE = 4, 0.023
# The share of methods without a warning among those asked for the null token.
NEGATIVES = 0.2
NOBODY = -1

Chosen = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Drawn:
    """``chosen`` are places, in order; ``label`` what was drawn for each of them; ``wanted`` is
    how many there should be, ``missing`` which classes the split has no method of."""

    chosen: Chosen
    label: NDArray[np.int64]
    wanted: int
    missing: tuple[int, ...] = ()


def balanced(label: NDArray[np.int64], lots: Lots, classes: int, size: int) -> Drawn:
    """Equally many of each class; ``label`` is -1 where a method has none. A class that no method
    has is left out: the others would have to go with it."""
    has = label[:, None] == np.arange(classes)
    return one_each(has, lots, size)


def one_each(has: NDArray[np.bool_], lots: Lots, size: int) -> Drawn:
    """The same where a method may have several classes, of which it is asked for one. The rarest
    class draws first, so that the frequent ones do not take what only it needs."""
    counts = has.sum(axis=0)
    order = np.argsort(lots, kind="stable")
    present = [one for one in np.argsort(counts, kind="stable").tolist() if counts[one]]
    missing = tuple(one for one in range(has.shape[1]) if not counts[one])
    each = size // has.shape[1]
    wanted = each * has.shape[1]
    most = min([each, *(int(counts[one]) for one in present)]) if present else 0
    # The largest number that all classes can have; the more are taken, the more they contend.
    each = bisect_left(
        range(1, most + 1), True, key=lambda n: not _all_have(has[order], present, n)
    )
    label = np.full(len(lots), NOBODY, dtype=np.int64)
    label[order] = _taken(has[order], present, each)
    chosen = np.flatnonzero(label != NOBODY)
    return Drawn(chosen, label[chosen], wanted, missing)


def _all_have(has: NDArray[np.bool_], present: Sequence[int], each: int) -> bool:
    taken = _taken(has, present, each)
    return all(int((taken == one).sum()) == each for one in present)


def _taken(has: NDArray[np.bool_], present: Sequence[int], each: int) -> NDArray[np.int64]:
    """The class each method is taken for, -1 for none; methods stand in the order of their lots."""
    taken = np.full(len(has), NOBODY, dtype=np.int64)
    for one in present:
        free = np.flatnonzero(has[:, one] & (taken == NOBODY))
        taken[free[:each]] = one
    return taken


def first(can: NDArray[np.bool_], lots: Lots, size: int) -> Chosen:
    """So many of those that can, in order."""
    places = np.flatnonzero(can)
    found: Chosen = np.sort(places[np.argsort(lots[places], kind="stable")[:size]])
    return found


def names(named: NDArray[np.bool_], letters: NDArray[np.int32], lots: Lots, size: int) -> Drawn:
    """Methods asked for their names; of short ones a few, as in the paper."""
    short = letters < SHORTEST
    few = round(size * SHORT_SHARE)
    long_names = first(named & ~short, lots, size - few)
    share = SHORT_SHARE / (1 - SHORT_SHARE)
    short_names = first(named & short, lots, min(few, round(len(long_names) * share)))
    return plain(np.sort(np.concatenate([long_names, short_names])), size)


def warnings(warned: NDArray[np.bool_], calm: NDArray[np.bool_], lots: Lots, size: int) -> Drawn:
    """Methods with a warning, labelled 1, and a fifth without, labelled 0. ``calm`` are those
    that have none and could be drawn."""
    none = round(size * NEGATIVES)
    positive = first(warned, lots, size - none)
    negative = first(calm, lots, min(none, round(len(positive) * NEGATIVES / (1 - NEGATIVES))))
    chosen = np.sort(np.concatenate([positive, negative]))
    return Drawn(chosen, warned[chosen].astype(np.int64), size)


def plain(chosen: Chosen, wanted: int) -> Drawn:
    return Drawn(chosen, np.zeros(len(chosen), dtype=np.int64), wanted)
