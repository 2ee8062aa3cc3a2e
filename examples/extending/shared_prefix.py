"""A model: the length of the common prefix of two identifiers, relative to the longer one."""

from collections.abc import Sequence
from itertools import takewhile

import codeacumen
from codeacumen.api import Pair


class SharedPrefix:
    # Number of pairs in a call, at most.
    batch_size = 256

    def __init__(self, ignore_case: bool) -> None:
        self.ignore_case = ignore_case

    def similarity(self, pairs: Sequence[Pair]) -> list[float]:
        return [self._compare(pair.left, pair.right) for pair in pairs]

    def _compare(self, left: str, right: str) -> float:
        if self.ignore_case:
            left, right = left.lower(), right.lower()
        pairs = zip(left, right, strict=False)
        common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        return common / max(len(left), len(right), 1)


@codeacumen.model("shared-prefix")
def make_shared_prefix(ignore_case: bool = True) -> SharedPrefix:
    """Length of the common prefix"""
    return SharedPrefix(ignore_case)
