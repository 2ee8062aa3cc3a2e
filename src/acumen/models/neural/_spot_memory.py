"""What Spot remembers of the methods it was taught, and how it finds the nearest of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from acumen.lang.subtokens import spot_words
from acumen.models.naming.spot import RANKS

if TYPE_CHECKING:
    from acumen.models.naming.neighbours import Neighbour

# Methods that are compared at once.
_BLOCK = 1 << 14
# Cosines that differ by less are equal: else who is asked beside would tell who is nearer.
_STEPS = 1 << 14
_PLACES = 1 << 32


@dataclass(frozen=True, slots=True)
class Near:
    """What names are ranked by: of a ``Neighbour`` the part that needs no index of a corpus."""

    name: str
    similarity: float


def ranked(rank: str, near: Sequence[Near]) -> list[str]:
    """The names of the neighbours, the best first."""
    return RANKS[rank](cast("Sequence[Neighbour]", near))


def unit(vectors: Tensor) -> Tensor:
    return functional.normalize(vectors.float(), dim=1)


def nearest(asked: Tensor, known: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """Places of the k nearest of the ``known`` unit vectors, (n, k), and their cosines; among
    equals the first. Fewer where fewer are known."""
    best = asked.new_zeros(len(asked), 0, dtype=torch.int64)
    for start in range(0, len(known), _BLOCK):
        # In half precision a unit vector is a little longer or shorter than one.
        some = unit(known[start : start + _BLOCK])
        cosine = ((asked @ some.T) * _STEPS).round().to(torch.int64)
        place = torch.arange(start, start + len(some), device=asked.device)
        best = torch.cat([best, cosine * _PLACES + (_PLACES - 1 - place)], 1)
        best = best.topk(min(k, best.shape[1]), dim=1).values
    cosine = torch.div(best, _PLACES, rounding_mode="floor")
    return _PLACES - 1 - (best - cosine * _PLACES), cosine.to(asked.dtype) / _STEPS


# --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Names:
    """The names that were seen, as numbers of labels. Those of the same words are one: ``meant``
    has for each label which. ``words`` are these, in order."""

    words: tuple[tuple[str, ...], ...]
    meant: NDArray[np.int64]

    @staticmethod
    def of(labels: Sequence[str]) -> Names:
        places: dict[tuple[str, ...], int] = {}
        meant = [places.setdefault(spot_words(one), len(places)) for one in labels]
        return Names(tuple(places), np.array(meant, np.int64))


def firsts(
    near: Sequence[int], own: tuple[str, ...], names: Names, counts: Sequence[int], most: int
) -> list[str]:
    """The first words of the methods that have the nearest names, but for the ``own``; k counts
    methods, and ``counts`` says how many have each name."""
    found: list[str] = []
    for place in near:
        words = names.words[place]
        if words != own and words and len(found) < most:
            found += [words[0]] * min(counts[place], most - len(found))
    return found
