"""Control flow and data flow inside Java bodies: who may follow whom, which write a read may see.

A **unit** is a body that runs by itself: of a method, a constructor, a lambda, an initialiser, a
field with a value, an enum constant. A lambda and the members of a local or anonymous class are
units of their own, not part of the body they stand in: they run later, or never, or often. So the
first use of a captured variable inside one has nothing before it.

A unit's **points** are what happens in it, in the order of evaluation (JLS 15.7): statements,
accesses to variables, operations that may throw, branches. A ``finally`` block is there once for
each way out of its ``try`` (as in javac's own code), so several points may stand for one node of
the syntax. A local variable begins at its declaration, each time anew: nothing before it counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.java.flow import kernel as kernel
from codeacumen.languages.java.flow.kernel import (
    BIND,
    BRANCH,
    DECLARE,
    ENTRY,
    EXCEPTION,
    EXIT,
    HANDLER,
    JOIN,
    NEXT,
    OPERATES,
    RAISE,
    READ,
    STATEMENT,
    TARGET,
    WHEN_FALSE,
    WHEN_TRUE,
    WRITE,
)
from codeacumen.languages.java.flow.nodes import VARIABLES, Nodes, assemble, nodes
from codeacumen.languages.java.flow.reaching import ANSWERS, ASKS, NOTHING_BEFORE, reach
from codeacumen.languages.java.flow.tables import recipes
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.syntax import Column

__all__ = [
    "ANSWERS",
    "ASKS",
    "BIND",
    "BRANCH",
    "DECLARE",
    "ENTRY",
    "EVENTS",
    "EXCEPTION",
    "EXIT",
    "HANDLER",
    "JOIN",
    "NEXT",
    "NOTHING_BEFORE",
    "OPERATES",
    "RAISE",
    "READ",
    "STATEMENT",
    "TARGET",
    "VARIABLES",
    "WHEN_FALSE",
    "WHEN_TRUE",
    "WRITE",
    "Flow",
    "flow",
    "outermost",
]

EVENTS = (
    "entry",
    "exit",
    "raise",
    "statement",
    "operates",
    "branch",
    "join",
    "handler",
    "target",
    "declare",
    "bind",
    "read",
    "write",
)
# A body may cost this much work for each of its points (see ``Flow.reach``).
_BUDGET = 500


@dataclass(frozen=True)
class Flow:
    """Units, points and edges of a file's bodies; all numbers of points are of the whole file.

    ``unit`` is the syntax node of each unit, in source order; its points are ``[first[u],
    first[u + 1])``, the first of them the entry, the last two the normal exit and the way out of
    exceptions. ``node`` and ``event`` (EVENTS) tell what happens at a point: DECLARE brings a
    variable to life without a value, BIND with one; ``x += 1`` is a READ and later a WRITE of the
    same node. ``variable`` is the variable's symbol, -1 where there is none; only plain names
    count, never ``this.x``. Edges leave point p at places ``[offsets[p], offsets[p + 1])`` of
    ``target`` and ``how`` (NEXT, WHEN_TRUE, WHEN_FALSE, EXCEPTION). ``local`` tells of a symbol
    whether it is a local variable or a parameter.
    """

    unit: Column
    first: Column
    node: Column
    event: NDArray[np.uint8]
    variable: Column
    offsets: Column
    target: Column
    how: NDArray[np.uint8]
    local: NDArray[np.bool_]

    @cached_property
    def unit_of(self) -> Column:
        """For each point the place of its unit."""
        return np.repeat(np.arange(len(self.unit), dtype=np.int32), np.diff(self.first))

    @cached_property
    def last_use(self) -> NDArray[np.int32]:
        """Rows of a point at which a local variable is read or written, and a point at which it
        may have been declared, read or written last before that, or NOTHING_BEFORE."""
        return self.reach(_LAST_USE[self.event])

    @cached_property
    def last_write(self) -> NDArray[np.int32]:
        """The same for the last write: reaching definitions. A declaration without a value
        stands for the write that is missing."""
        return self.reach(_LAST_WRITE[self.event])

    def reach(self, does: NDArray[np.uint8]) -> NDArray[np.int32]:
        """Rows of a point that ASKS and one that may be the last to ANSWER for the same local
        variable on a path to it; ``does`` tells of each point what it does. The rest of a body
        that costs more work than 500 steps a point is left out; in java.base none needs 20."""
        room = 2 * len(self.node) + 64
        while True:
            found, done = reach(
                self.variable,
                does,
                self.local,
                self.first,
                self.offsets,
                self.target,
                room,
                _BUDGET,
            )
            if done:
                return cast("NDArray[np.int32]", found)
            room *= 4


def _does(asks: tuple[int, ...], answers: tuple[int, ...]) -> NDArray[np.uint8]:
    """What points do, by event."""
    found = np.zeros(len(EVENTS), dtype=np.uint8)
    found[list(asks)] |= ASKS
    found[list(answers)] |= ANSWERS
    return found


_LAST_USE = _does((READ, WRITE), (DECLARE, BIND, READ, WRITE))
_LAST_WRITE = _does((READ, WRITE), (DECLARE, BIND, WRITE))


def flow(file: JavaFile, methods: Sequence[int] | None = None, checker: bool = False) -> Flow:
    """The flow of methods (places in ``declarations.methods``; all with a body if not given) and
    of every unit inside them.

    An exception may leave any operation that could throw one, for each handler around it: calls,
    dereferences, array accesses, casts, divisions, uses of values that may have to be unboxed;
    not errors of the machine, which may come at any time. Conditions that are ``true`` or
    ``false`` as written are not left the other way. With ``checker``, the graph is that of the
    Checker Framework where it differs: constants are not folded, and the target of an assignment
    is named (TARGET) before the right side is evaluated."""
    tree = file.once(nodes)
    units = _units(file, tree, file.bodies if methods is None else methods)
    starts = np.zeros(len(units) + 1, dtype=np.int64)
    size = int((file.syntax.stop[units] - units).sum()) if len(units) else 0
    room = size + 64
    while True:
        made = _store(room, limit=4 * size + 1024)
        kernel.lower(tree.columns, made, recipes(checker), units.astype(np.int64), starts)
        if not made[kernel.FULL]:
            break
        room *= 2
    rows = made[kernel.HEADER : kernel.HEADER + 4 * made[kernel.ROWS]].reshape(-1, 4)
    points, first, offsets, target, how = assemble(rows, starts, int(made[kernel.LABELS]))
    node = points[:, 0].copy()
    event = points[:, 1].astype(np.uint8)
    variable = np.where(event >= TARGET, tree.variable[node], -1)
    return Flow(units, first, node, event, variable, offsets, target, how, tree.local)


def outermost(file: JavaFile, methods: Sequence[int]) -> Column:
    """Those of the methods that are not inside another one of them, as nodes."""
    declared = file.declarations.methods
    nodes = np.array(sorted(declared[place].node for place in methods), dtype=np.int32)
    if not len(nodes):
        return nodes
    ends = np.maximum.accumulate(file.syntax.stop[nodes])
    outer: Column = nodes[np.concatenate([[True], nodes[1:] >= ends[:-1]])]
    return outer


def _units(file: JavaFile, tree: Nodes, methods: Sequence[int]) -> Column:
    """What runs by itself in the outermost of the methods."""
    outer = outermost(file, methods)
    if not len(outer):
        return outer
    stop, parent, code = file.syntax.stop, file.syntax.parent, tree.code
    found = np.flatnonzero(_UNITS[code])
    within = np.searchsorted(outer, found, side="right") - 1
    found = found[(within >= 0) & (found < stop[outer[within]])]
    # A method must have a body; a block that runs by itself stands in a class.
    bodies = parent[np.flatnonzero(tree.field == kernel.IN_BODY)]
    bodied = np.zeros(len(code), dtype=np.bool_)
    bodied[bodies] = True
    method, block = code[found] == kernel.METHOD, code[found] == kernel.BLOCK
    alone = (~method | bodied[found]) & (~block | (code[parent[found]] == kernel.CLASS_BODY))
    units: Column = found[alone].astype(np.int32)
    return units


_UNITS = np.zeros(256, dtype=np.bool_)
_UNITS[
    [kernel.METHOD, kernel.LAMBDA, kernel.STATIC_BLOCK, kernel.FIELD, kernel.CONSTANT, kernel.BLOCK]
] = True


def _store(room: int, limit: int) -> NDArray[np.int64]:
    """What the kernel writes into; grown until it suffices."""
    rooms = (room, room // 4 + 64, room // 2 + 64, room // 8 + 64)
    begins = np.cumsum([kernel.HEADER, *(a * b for a, b in zip(rooms, kernel.WIDTHS, strict=True))])
    made = np.empty(begins[-1], dtype=np.int64)
    made[: kernel.HEADER] = 0
    made[kernel.ROOM : kernel.ROOM + 4] = rooms
    made[kernel.BASE : kernel.BASE + 4] = begins[:4]
    made[kernel.LIMIT] = limit
    made[kernel.SLOTS + kernel.NONE] = -1
    events = kernel.SLOTS + kernel.EVENTS
    made[events : kernel.HEADER] = np.arange(kernel.HEADER - events)
    return made
