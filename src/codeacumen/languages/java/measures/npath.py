"""NPath complexity: how many ways there are through a method (Nejmeh 1988), as PMD counts them.

PMD has had three definitions, and all three are here; ``docs/npath.md`` tells how they differ.
"""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from codeacumen.api import CodeacumenError
from codeacumen.languages.java.measures import (
    npath_paths as _npath_paths,
)
from codeacumen.languages.java.measures import (
    npath_tables as _npath_tables,
)
from codeacumen.languages.java.measures.npath_tables import jumps, nodes
from codeacumen.languages.java.syntax.file import JavaFile

Counts = NDArray[np.int64]

RULES = ("pmd6", "pmd7", "pmd7.14")
# The largest number of PMD 6, and of PMD 7.14. PMD 7.0 to 7.13 have no largest one: for us it is
# the same as that of PMD 7.14.
MOST = {"pmd6": 2**31 - 1, "pmd7": 2**63 - 1, "pmd7.14": 2**63 - 1}

# The twelve classes of GLUECode, by the largest value of each.
_LAST = np.array([1, 2, 3, 4, 6, 8, 10, 15, 20, 30, 50, 100])
BINS = (
    "1",
    "2",
    "3",
    "4",
    "5-6",
    "7-8",
    "9-10",
    "11-15",
    "16-20",
    "21-30",
    "31-50",
    "51-100",
)
NO_BIN = -1


def npath(file: JavaFile, rules: str = "pmd6") -> Counts:
    """The value of each of ``file.bodies``. A body that stands in another one has its own value,
    and is also a part of the other as far as the rules say so. Values saturate at ``MOST``."""
    if rules not in RULES:
        raise CodeacumenError(f"there are no rules called {rules!r}", f"choose {', '.join(RULES)}")
    declared = file.declarations.methods
    bodies = np.array([declared[place].body for place in file.bodies], dtype=np.int64)
    if not len(bodies):
        return bodies
    if rules == "pmd7.14":
        return _by_paths(file, bodies)
    tree = nodes(file.syntax, _npath_tables)
    values = _npath_tables.products(tuple(tree), rules == "pmd7", MOST[rules])
    return cast("Counts", values[bodies])


def _by_paths(file: JavaFile, bodies: Counts) -> Counts:
    tree = nodes(file.syntax, _npath_paths)
    columns = (*tree, file.syntax.parent, *jumps(file))
    deepest = int(file.syntax.depth.max())
    values = _npath_paths.paths(columns, bodies, deepest, MOST["pmd7.14"])
    return cast("Counts", values)


def bins_of(values: Counts) -> NDArray[np.int8]:
    """The places in ``BINS`` of values; NO_BIN where a value has none."""
    places = np.searchsorted(_LAST, values).astype(np.int8)
    places[(values < 1) | (values > _LAST[-1])] = NO_BIN
    return places
