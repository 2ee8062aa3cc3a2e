"""Correction of false casts: ``a * (b) + c * d`` is a sum, not a cast of ``+c`` to ``b``.

Before ``+`` and ``-``, a cast must be to a primitive type (JLS 15.16), but the grammar accepts any
name. This module parses the operators around such a cast again, by precedence. Such casts are rare,
so this module is plain Python and not compiled.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from codeacumen.views.ast import codes as c
from codeacumen.views.ast.labels import LABEL

# Binary operators, the weakest first.
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
_PRECEDENCE_BY_LABEL = {
    LABEL[name]: place for place, names in enumerate(_PRECEDENCE) for name in names
}
_SIGNS = {ord("+"): LABEL["PLUS"], ord("-"): LABEL["MINUS"]}
# Numbers of fields of the grammar; ``c.LEFT`` and ``c.RIGHT`` are columns of ``nodes``.
_LEFT, _RIGHT = c.FIELDS.index("left"), c.FIELDS.index("right")


def undo_casts(nodes: NDArray[np.int32], source: bytes) -> None:
    """Correct the operations in ``nodes`` where the grammar read a parenthesized name as a cast.

    ``nodes`` has the columns of ``codes``; the codes, labels and operands change.
    """
    is_candidate = (nodes[:, c.SYMBOL] == c.UNARY) & (nodes[:, c.FIELD] == c.F_VALUE)
    signs: dict[int, int] = {}  # false cast: the sign that is its value
    for sign in np.flatnonzero(is_candidate).tolist():
        cast = int(nodes[sign, c.UP])
        if source[nodes[sign, c.START]] in _SIGNS and _is_cast_to_name(nodes, cast):
            signs[cast] = sign
    # Climb from each false cast to the outermost unary operator, cast or operation around it. Stop
    # at a node with a known root, so no climb repeats another.
    root_of: dict[int, int] = {}
    for cast in signs:
        chain = [cast]
        while chain[-1] not in root_of:
            parent = int(nodes[chain[-1], c.UP])
            if nodes[parent, c.SYMBOL] not in (c.UNARY, c.CAST, c.OPERATION):
                break
            chain.append(parent)
        root_of |= dict.fromkeys(chain, root_of.get(chain[-1], chain[-1]))
    for root in sorted(set(root_of.values())):
        _OperationParser(nodes, source, signs, root_of.keys()).write_operations(root)


def _children_in_field(nodes: NDArray[np.int32], node: int, number: int) -> list[int]:
    """Return the node's children in the field that has this number."""
    children: list[int] = []
    child, stop = node + 1, nodes[node, c.STOP]
    while child < stop:
        if nodes[child, c.FIELD] == number:
            children.append(child)
        child = int(nodes[child, c.STOP])
    return children


def _is_cast_to_name(nodes: NDArray[np.int32], cast: int) -> bool:
    """Return whether a node is a cast to one type that is a simple or qualified name."""
    types = _children_in_field(nodes, cast, c.F_TYPE)
    names = (c.IDENTIFIER, c.SCOPED_TYPE)
    return nodes[cast, c.SYMBOL] == c.CAST and len(types) == 1 and nodes[types[0], c.CODE] in names


@dataclass
class _OperationParser:
    """Operator-precedence parser (shunting-yard) for the operations around a false cast.

    ``signs`` maps each false cast to the sign that is its value; ``around`` has the false casts and
    the nodes around them, up to their roots. ``operands`` and ``operators`` (labels) are the stacks
    of the parser. ``operations`` has the parsed operations: code, label, left and right operand. An
    operand is a node, or ``~i`` for operation i.
    """

    nodes: NDArray[np.int32]
    source: bytes
    signs: dict[int, int]
    around: Set[int]
    operations: list[tuple[int, int, int, int]] = field(default_factory=list)
    operands: list[int] = field(default_factory=list)
    operators: list[int] = field(default_factory=list)

    def write_operations(self, root: int) -> None:
        """Write the operations of the root's expression to the nodes; skip broken syntax."""
        operation_nodes = self._parse_operators(root)
        if len(self.operations) != len(operation_nodes) or len(self.operands) != 1:
            return  # broken syntax
        for cast in operation_nodes & self.signs.keys():
            self.nodes[self.signs[cast], c.CODE] = c.PARENTHESIZED_NAME
        # The last operation is the whole expression, so the root gets it: the tree around the
        # expression refers to the root. The labels and edges of the tree do not depend on which of
        # the other nodes gets which operation.
        nodes = [*sorted(operation_nodes - {root}), root]
        for node, (code, label, left, right) in zip(nodes, self.operations, strict=True):
            self.nodes[node, c.CODE], self.nodes[node, c.LABEL] = code, label
            self.nodes[node, c.LEFT] = left if left >= 0 else nodes[~left]
            self.nodes[node, c.RIGHT] = right if right >= 0 else nodes[~right]

    def _parse_operators(self, root: int) -> set[int]:
        """Parse the operators of the root's expression; return the nodes to write operations to."""
        nodes = self.nodes
        operation_nodes: set[int] = set()
        prefixes: list[int] = []
        pending = [root]  # stack of nodes, and of binary operators as ~label
        while pending:
            item = pending.pop()
            if item < 0:
                self._reduce_operators(_PRECEDENCE_BY_LABEL.get(~item, -1))
                self.operators.append(~item)
            elif item in self.signs:
                operation_nodes.add(item)
                # The sign's node becomes the name in parentheses. Prefixes apply to it alone:
                # ``-(b) + c`` is ``(-(b)) + c``.
                self.operands.append(self.signs[item])
                while prefixes:
                    self._apply_prefix(prefixes.pop())
                label = _SIGNS[self.source[nodes[self.signs[item], c.START]]]
                pending += [*_children_in_field(nodes, self.signs[item], c.F_OPERAND), ~label]
            elif nodes[item, c.SYMBOL] == c.OPERATION:
                operation_nodes.add(item)
                left, right = (
                    _children_in_field(nodes, item, _LEFT),
                    _children_in_field(nodes, item, _RIGHT),
                )
                pending += [*right, ~int(nodes[item, c.LABEL]), *left]
            elif item in self.around:
                operation_nodes.add(item)
                prefixes.append(item)
                number = c.F_OPERAND if nodes[item, c.SYMBOL] == c.UNARY else c.F_VALUE
                pending += _children_in_field(nodes, item, number)
            else:
                self.operands.append(item)
        self._reduce_operators(-1)
        return operation_nodes

    def _reduce_operators(self, min_precedence: int) -> None:
        """Pop operators while they have at least this precedence, and add their operations."""
        while self.operators and _PRECEDENCE_BY_LABEL.get(self.operators[-1], -1) >= min_precedence:
            if len(self.operands) < 2:
                return
            right, left = self.operands.pop(), self.operands.pop()
            self._add_operation(c.OPERATION_ON, self.operators.pop(), left, right)

    def _apply_prefix(self, node: int) -> None:
        """Apply a unary operator or a cast to the last operand."""
        types = _children_in_field(self.nodes, node, c.F_TYPE)
        code = c.CAST_ON if types else c.UNARY_ON
        label = int(self.nodes[node, c.LABEL])
        # The left operand of a cast is its type; that of a unary operator has no meaning.
        self._add_operation(code, label, types[0] if types else node, self.operands.pop())

    def _add_operation(self, code: int, label: int, left: int, right: int) -> None:
        """Add an operation, and push it as an operand for the next one."""
        self.operations.append((code, label, left, right))
        self.operands.append(~(len(self.operations) - 1))
