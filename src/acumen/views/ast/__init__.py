"""TODO"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acumen.lang.java.file import JavaFile
from acumen.views.ast import codes
from acumen.views.ast.fractions import is_printed
from acumen.views.ast.kinds import settle
from acumen.views.ast.labels import LABELS
from acumen.views.ast.plans import draw
from acumen.views.ast.tables import tables


@dataclass(frozen=True)
class Trees:
    offsets: NDArray[np.int64]
    label: NDArray[np.uint8]
    parent: NDArray[np.int32]
    late: NDArray[np.bool_]
    node: NDArray[np.int32]


def trees(file: JavaFile, methods: Sequence[int]) -> Trees:
    syntax = file.syntax
    known = tables()
    nodes = np.empty((len(syntax), 9), dtype=np.int32)
    code = known.code[syntax.kind]
    nodes[:, codes.SYMBOL] = code
    nodes[:, codes.FIELD] = known.field[syntax.field]
    nodes[:, codes.STOP] = syntax.stop
    nodes[:, codes.UP] = syntax.parent
    nodes[:, codes.START] = syntax.start
    nodes[:, codes.END] = syntax.end
    nodes[:, codes.CODE] = code
    nodes[:, codes.LABEL] = known.label[code]
    nodes[:, codes.ANNOTATED] = -1
    source = np.frombuffer(file.source, dtype=np.uint8)
    settle(nodes, source, known.operators, known.below)
    for node in np.flatnonzero(code == codes.FLOATING).tolist():
        if is_printed(file.source[syntax.start[node] : syntax.end[node]]):
            nodes[node, codes.CODE] = codes.VALUED
    declared = file.declarations.methods
    roots = np.array([declared[m].node for m in methods], dtype=np.int32)
    drawn, offsets = draw(nodes, known.first, known.parts, known.lists, roots)
    return Trees(
        offsets,
        drawn[:, 0].astype(np.uint8),
        drawn[:, 1].copy(),
        drawn[:, 2].astype(np.bool_),
        drawn[:, 3].copy(),
    )
