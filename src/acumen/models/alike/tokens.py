"""Token similarity as SeSaMe has it: the kinds of the tokens of two bodies, edit distance."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from acumen.api import Pair
from acumen.models.alike.bags import places_of
from acumen.models.alike.code import KEPT, ONLY
from acumen.similar.tokens import kinds, toksims


class TokenSimilarity:
    """1 − edit distance / length of the longer."""

    batch_size = 1024
    only = ONLY

    def __init__(self) -> None:
        self.kinds = lru_cache(maxsize=KEPT)(kinds)

    def similarity(self, pairs: Sequence[Pair]) -> list[float]:
        left, right, texts = places_of(pairs)
        bodies = [self.kinds(text) for text in texts]
        found: list[float] = toksims(bodies, left.astype(np.int32), right.astype(np.int32)).tolist()
        return found
