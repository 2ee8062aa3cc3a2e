"""NPath complexity: the number of paths through a method (Nejmeh 1988), as PMD counts them.

PMD has had three definitions, and all three are here; ``docs/npath.md`` describes how they differ.
Called by ``corpus.facts`` and ``corpus.measure``.
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
from codeacumen.languages.java.measures.npath_tables import classify_nodes, find_jumps
from codeacumen.languages.java.syntax.file import JavaFile

Counts = NDArray[np.int64]

# The definitions of PMD 6, of PMD 7.0 to 7.13, and of PMD 7.14 and later.
RULES = ("pmd6", "pmd7", "pmd7.14")
# The value at which each definition saturates. PMD 7.0 to 7.13 have no such value: we use that of
# PMD 7.14.
MOST = {"pmd6": 2**31 - 1, "pmd7": 2**63 - 1, "pmd7.14": 2**63 - 1}

# The twelve classes (bins) of the benchmark GLUECode, by the largest value of each.
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
# Bin of a value below 1 or above 100.
NO_BIN = -1


def compute_npath(file: JavaFile, rules: str = "pmd6") -> Counts:
    """Return the NPath complexity of each of ``file.bodies``, by one of ``RULES``.

    The values are in the order of ``file.bodies``, the methods and constructors with a body.

    A body inside another body (of a local or anonymous class) has a value of its own and, where
    the rules say so, also counts in the outer body. Values saturate at ``MOST``.
    """
    if rules not in RULES:
        raise CodeacumenError(f"unknown NPath rules {rules!r}", f"choose {', '.join(RULES)}")
    methods = file.declarations.methods
    bodies = np.array([methods[place].body for place in file.bodies], dtype=np.int64)
    if not len(bodies):
        return bodies
    if rules == "pmd7.14":
        return _compute_by_paths(file, bodies)
    tree = classify_nodes(file.syntax, _npath_tables)
    values = _npath_tables.compute_products(tuple(tree), rules == "pmd7", MOST[rules])
    return cast("Counts", values[bodies])


def _compute_by_paths(file: JavaFile, bodies: Counts) -> Counts:
    """Return the NPath of each body by the rules of PMD 7.14; ``bodies`` holds their nodes."""
    tree = classify_nodes(file.syntax, _npath_paths)
    columns = (*tree, file.syntax.parent, *find_jumps(file))
    deepest = int(file.syntax.depth.max())
    values = _npath_paths.count_paths(columns, bodies, deepest, MOST["pmd7.14"])
    return cast("Counts", values)


def find_bins(values: Counts) -> NDArray[np.int8]:
    """Return the index in ``BINS`` of each NPath value, NO_BIN where no bin holds the value."""
    places = np.searchsorted(_LAST, values).astype(np.int8)
    places[(values < 1) | (values > _LAST[-1])] = NO_BIN
    return places
