"""Twins: methods that are the same, or nearly, as others.

A model that has seen a method's twin in training can answer from memory. Methods of some length are
twins if they share most of their runs of tokens (``corpus/duplicates``), shorter ones only if they
are the same token by token.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from acumen.api import AcumenError
from acumen.corpus import Corpus
from acumen.corpus.audit import tokens_of
from acumen.corpus.duplicates import SHORTEST, near_duplicates
from acumen.lang.columns import Ragged

Families: TypeAlias = NDArray[np.int64]


def families(corpus: Corpus) -> Families:
    """For each method of a corpus the number of its first twin, its own where it has none."""
    if "tokens" not in corpus.stored:
        raise AcumenError(
            f"the corpus in {corpus.folder} was built without the view tokens, by which twins "
            "are found",
            "build it again with --view tokens among its views",
        )
    tokens = tokens_of(corpus)
    found = near_duplicates(tokens).cluster.copy()
    short = np.flatnonzero(np.diff(tokens.offsets) < SHORTEST)
    first: dict[bytes, int] = {}
    for method in short.tolist():
        # A method without a body has no tokens, and no twin.
        key = _run(tokens, method)
        if key:
            found[method] = first.setdefault(key, method)
    return found


def _run(tokens: Ragged, method: int) -> bytes:
    return bytes(tokens.values[tokens.offsets[method] : tokens.offsets[method + 1]].tobytes())


def has_twin_in(
    family: Families, mine: NDArray[np.bool_], others: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Which of ``mine`` have a twin among the ``others``."""
    there = np.unique(family[others])
    found: NDArray[np.bool_] = mine & np.isin(family, there)
    return found
