"""Correction of false casts: ``a * (b) + c * d`` is a sum, not a cast of ``+c`` to ``b``.

Before ``+`` and ``-``, a cast must be to a primitive type (JLS 15.16), but the grammar accepts any
name. This module parses the operators around such a cast again, by precedence. Such casts are rare,
so it is plain Python.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from codeacumen.views.ast import codes as c
from codeacumen.views.ast.labels import LABEL

_PRECEDENCE = (
    ("CONDITIONAL_OR",),
    ("CONDITIONAL_AND",),
    ("OR",),
    ("XOR",),
    ("AND",),
    ("EQUAL_TO", "NOT_EQUAL_TO"),
    ("LESS_THAN", "GREATER_THAN", "LESS_THAN_EQUAL", "GREATER_THAN_EQUAL"),
    ("LEFT_SHIFT", "RIGHT_SHIFT", "UNSIGNED_RIGHT_SHIFT"),
    ("PLUS", "MINUS"),
    ("MULTIPLY", "DIVIDE", "REMAINDER"),
)
_BINDS = {LABEL[name]: place for place, names in enumerate(_PRECEDENCE) for name in names}
_SIGNS = {ord("+"): LABEL["PLUS"], ord("-"): LABEL["MINUS"]}
_LEFT, _RIGHT = c.FIELDS.index("left"), c.FIELDS.index("right")


def undo_casts(nodes: NDArray[np.int32], source: bytes) -> None:
    """Set the operands of operations where the grammar parsed a name as the type of a cast."""
    signed = (nodes[:, c.SYMBOL] == c.UNARY) & (nodes[:, c.FIELD] == c.F_VALUE)
    signs: dict[int, int] = {}
    for sign in np.flatnonzero(signed).tolist():
        cast = int(nodes[sign, c.UP])
        if source[nodes[sign, c.START]] in _SIGNS and _is_to_name(nodes, cast):
            signs[cast] = sign
    # Climb from each false cast to the outermost sign, cast or operation around it. Outer casts
    # come first, so no node is visited twice.
    root_of: dict[int, int] = {}
    for cast in signs:
        chain = [cast]
        while chain[-1] not in root_of:
            up = int(nodes[chain[-1], c.UP])
            if nodes[up, c.SYMBOL] not in (c.UNARY, c.CAST, c.OPERATION):
                break
            chain.append(up)
        root_of |= dict.fromkeys(chain, root_of.get(chain[-1], chain[-1]))
    for root in sorted(set(root_of.values())):
        _Operations(nodes, source, signs, root_of.keys()).put_together(root)


def _in_field(nodes: NDArray[np.int32], node: int, number: int) -> list[int]:
    """Return the children in a field, by the field's number."""
    found: list[int] = []
    at, stop = node + 1, nodes[node, c.STOP]
    while at < stop:
        if nodes[at, c.FIELD] == number:
            found.append(at)
        at = int(nodes[at, c.STOP])
    return found


def _is_to_name(nodes: NDArray[np.int32], cast: int) -> bool:
    """Return whether a node is a cast to a single name."""
    types = _in_field(nodes, cast, c.F_TYPE)
    names = (c.IDENTIFIER, c.SCOPED_TYPE)
    return nodes[cast, c.SYMBOL] == c.CAST and len(types) == 1 and nodes[types[0], c.CODE] in names


@dataclass
class _Operations:
    """Operator-precedence parser (shunting-yard) for the operations around a false cast.

    ``operations`` are complete: code, label, left and right operand. An operand is a node, or
    ``~i`` for operation i.
    """

    nodes: NDArray[np.int32]
    source: bytes
    signs: dict[int, int]
    around: Set[int]
    made: list[tuple[int, int, int, int]] = field(default_factory=list)
    operands: list[int] = field(default_factory=list)
    operators: list[int] = field(default_factory=list)

    def put_together(self, root: int) -> None:
        """Write the operations below a root to the nodes; leave broken syntax as it is."""
        used = self._read(root)
        if len(self.made) != len(used) or len(self.operands) != 1:
            return  # broken syntax
        for cast in used & self.signs.keys():
            self.nodes[self.signs[cast], c.CODE] = c.PARENTHESIZED_NAME
        # The last operation is the whole expression, and the tree around it refers to the root.
        places = [*sorted(used - {root}), root]
        for place, (code, label, left, right) in zip(places, self.made, strict=True):
            self.nodes[place, c.CODE], self.nodes[place, c.LABEL] = code, label
            self.nodes[place, c.LEFT] = left if left >= 0 else places[~left]
            self.nodes[place, c.RIGHT] = right if right >= 0 else places[~right]

    def _read(self, root: int) -> set[int]:
        """Parse all operators below the root; return the nodes that are operations."""
        nodes = self.nodes
        used: set[int] = set()
        before: list[int] = []
        pending = [root]  # nodes, and operators as ~label
        while pending:
            one = pending.pop()
            if one < 0:
                self._bind(_BINDS.get(~one, -1))
                self.operators.append(~one)
            elif one in self.signs:
                used.add(one)
                self.operands.append(self.signs[one])
                while before:
                    self._wrap(before.pop())
                label = _SIGNS[self.source[nodes[self.signs[one], c.START]]]
                pending += [*_in_field(nodes, self.signs[one], c.F_OPERAND), ~label]
            elif nodes[one, c.SYMBOL] == c.OPERATION:
                used.add(one)
                left, right = _in_field(nodes, one, _LEFT), _in_field(nodes, one, _RIGHT)
                pending += [*right, ~int(nodes[one, c.LABEL]), *left]
            elif one in self.around:
                used.add(one)
                before.append(one)
                number = c.F_OPERAND if nodes[one, c.SYMBOL] == c.UNARY else c.F_VALUE
                pending += _in_field(nodes, one, number)
            else:
                self.operands.append(one)
        self._bind(-1)
        return used

    def _bind(self, least: int) -> None:
        """Reduce the operators on the stack that have at least this precedence."""
        while self.operators and _BINDS.get(self.operators[-1], -1) >= least:
            if len(self.operands) < 2:
                return
            right, left = self.operands.pop(), self.operands.pop()
            self._make(c.OPERATION_ON, self.operators.pop(), left, right)

    def _wrap(self, node: int) -> None:
        """Apply a sign or a cast to the last operand."""
        types = _in_field(self.nodes, node, c.F_TYPE)
        code = c.CAST_ON if types else c.UNARY_ON
        label = int(self.nodes[node, c.LABEL])
        self._make(code, label, types[0] if types else node, self.operands.pop())

    def _make(self, code: int, label: int, left: int, right: int) -> None:
        """Add an operation, which becomes an operand of the next one."""
        self.made.append((code, label, left, right))
        self.operands.append(~(len(self.made) - 1))
