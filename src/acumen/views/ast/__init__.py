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
from acumen.views.ast.kinds import Kinds, Tree, settle
from acumen.views.ast.labels import LABELS
from acumen.views.ast.plans import Shape, draw
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
    code = known.code[syntax.kind]
    field = known.field[syntax.field]
    source = np.frombuffer(file.source, dtype=np.uint8)
    tree = Tree(code, field, syntax.stop, syntax.parent, syntax.start, syntax.end, source)
    kinds = Kinds(code.copy(), known.label[code], np.full(len(code), -1, dtype=np.int32))
    settle(tree, kinds, known.operator, known.below)
    for node in np.flatnonzero(code == codes.FLOATING).tolist():
        if is_printed(file.source[syntax.start[node] : syntax.end[node]]):
            kinds.code[node] = codes.VALUED
    shape = Shape(kinds.code, kinds.label, kinds.annotated, field, syntax.stop, syntax.parent)
    declared = file.declarations.methods
    roots = np.array([declared[m].node for m in methods], dtype=np.int32)
    drawn, offsets = draw(shape, known.rules, roots, len(code))
    return Trees(offsets, drawn[:, 0].astype(np.uint8), drawn[:, 1].copy(), drawn[:, 2].astype(np.bool_), drawn[:, 3].copy())
