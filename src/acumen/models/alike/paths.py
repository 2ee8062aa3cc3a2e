"""Methods by the paths between the leaves of their syntax trees, as code2vec has them.

Each path context is two things: the path alone, and the path with what its two ends are called. So
two methods are alike that do the same to something, more so if it has the same name.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from acumen.lang.kernel import STEP, mixed
from acumen.models.alike.bags import Bag, Bags, bag_of
from acumen.models.alike.code import Code, numbers_of
from acumen.views.paths import paths

# Of a method with more contexts so many are drawn, always the same ones.
MOST = 4000


class PathContexts(Bags):
    def __init__(self, names: bool, length: int, width: int) -> None:
        super().__init__(lambda text: path_bag(text, names, length, width))


def path_bag(text: str, names: bool, length: int, width: int) -> Bag:
    code = Code(text)
    places = [code.method] if code.method >= 0 else []
    found = paths(code.file, places, length=length, width=width, most=MOST)
    path = mixed(found.path.astype(np.uint32).astype(np.uint64) + STEP)
    if not names or not len(path):
        return bag_of(path)
    words: NDArray[np.uint64] = numbers_of(found.name.words or ())[found.name.values]
    ends = mixed(words[found.left] + STEP) * np.uint64(3) + mixed(words[found.right])
    return bag_of(np.concatenate([path, mixed(path ^ ends)]))
