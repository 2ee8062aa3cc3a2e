"""Control flow and data flow inside Java bodies: successors of points and reaching definitions.

A **unit** is a body that runs by itself: of a method, a constructor, a lambda, an initialiser, a
field with a value, an enum constant. A lambda and the members of a local or anonymous class are
units of their own, not part of the enclosing body: they run later, or never, or often. Therefore
the first use of a captured variable inside one has no predecessor.

A unit's **points** are its events in the order of evaluation (JLS 15.7): statements, accesses to
variables, operations that may throw, branches. They are the nodes of the control flow graph. A
``finally`` block is copied for each way out of its ``try`` (as in javac's own code), so several
points may belong to one node of the syntax. A local variable is new each time its declaration runs:
earlier accesses do not count.
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
from codeacumen.languages.java.flow.nodes import (
    VARIABLES,
    FlowNodes,
    assemble_graph,
    classify_nodes,
)
from codeacumen.languages.java.flow.reaching import (
    DEFINES,
    NOTHING_BEFORE,
    QUERIES,
    pair_reaching_points,
)
from codeacumen.languages.java.flow.tables import compile_recipes
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.syntax import Column

__all__ = [
    "BIND",
    "BRANCH",
    "DECLARE",
    "DEFINES",
    "ENTRY",
    "EVENTS",
    "EXCEPTION",
    "EXIT",
    "HANDLER",
    "JOIN",
    "NEXT",
    "NOTHING_BEFORE",
    "OPERATES",
    "QUERIES",
    "RAISE",
    "READ",
    "STATEMENT",
    "TARGET",
    "VARIABLES",
    "WHEN_FALSE",
    "WHEN_TRUE",
    "WRITE",
    "Flow",
    "build_flow",
    "find_outermost_methods",
]

# Names of the events of points, by number.
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
# The largest number of search steps per point of a body (see ``Flow.find_reaching_points``).
_BUDGET = 500


@dataclass(frozen=True)
class Flow:
    """Units, points and edges of a file's bodies; points are numbered through the whole file.

    ``unit`` is the syntax node of each unit, in source order; its points are ``[first[u],
    first[u + 1])``, the first of them the entry, the last two the normal and the exceptional exit.
    ``node`` and ``event`` (EVENTS) describe a point: DECLARE declares a variable without a value,
    BIND with one; ``x += 1`` is a READ and later a WRITE of the same node; OPERATES may throw;
    BRANCH is a condition or the head of a switch; JOIN only joins paths; HANDLER collects the
    exceptions of a try. ``variable`` is the variable's symbol (``Bindings.symbol``), -1 where there
    is none; only plain names count, never ``this.x``. The edges of point p are ``[offsets[p],
    offsets[p + 1])`` in ``target`` and ``how`` (NEXT, WHEN_TRUE, WHEN_FALSE, EXCEPTION). ``local``
    is a mask over symbols, true for local variables and parameters.
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
        """Index of each point's unit."""
        return np.repeat(np.arange(len(self.unit), dtype=np.int32), np.diff(self.first))

    @cached_property
    def last_use(self) -> NDArray[np.int32]:
        """Array (pairs, 2): a point that reads or writes a local variable, and a point that may
        have declared, read or written it last before, or NOTHING_BEFORE."""
        return self.find_reaching_points(_LAST_USE[self.event])

    @cached_property
    def last_write(self) -> NDArray[np.int32]:
        """Reaching definitions, an array (pairs, 2): a point that reads or writes a local variable,
        and a possible last write before it, or NOTHING_BEFORE. A declaration without a value counts
        as a write."""
        return self.find_reaching_points(_LAST_WRITE[self.event])

    def find_reaching_points(self, roles: NDArray[np.uint8]) -> NDArray[np.int32]:
        """Return an array (pairs, 2) of a point that QUERIES a local variable and a point that
        DEFINES it and may be the last to do so on a path to the query, or NOTHING_BEFORE.

        ``roles`` holds the flags QUERIES and DEFINES of each point. The pairs of a body that takes
        more than 500 steps per point are incomplete; in java.base none takes 20."""
        capacity = 2 * len(self.node) + 64
        while True:
            pairs, is_complete = pair_reaching_points(
                self.variable,
                roles,
                self.local,
                self.first,
                self.offsets,
                self.target,
                capacity,
                _BUDGET,
            )
            if is_complete:
                return cast("NDArray[np.int32]", pairs)
            capacity *= 4


def _make_event_roles(queries: tuple[int, ...], definitions: tuple[int, ...]) -> NDArray[np.uint8]:
    """Return the flags QUERIES and DEFINES of each event, indexed by the event's number."""
    roles = np.zeros(len(EVENTS), dtype=np.uint8)
    roles[list(queries)] |= QUERIES
    roles[list(definitions)] |= DEFINES
    return roles


_LAST_USE = _make_event_roles((READ, WRITE), (DECLARE, BIND, READ, WRITE))
_LAST_WRITE = _make_event_roles((READ, WRITE), (DECLARE, BIND, WRITE))


def build_flow(file: JavaFile, methods: Sequence[int] | None = None, checker: bool = False) -> Flow:
    """Return the flow of methods (indices into ``declarations.methods``; by default all that have
    a body) and of every unit inside them.

    Each operation that may throw has an edge to each handler around it: calls, dereferences, array
    accesses, casts, divisions, uses of values that may be unboxed. Errors of the virtual machine,
    possible anywhere, have none. A condition that is literally ``true`` or ``false`` has one
    successor. With ``checker``, the graph follows the Checker Framework where it differs: constants
    are not folded, and the target of an assignment gets a point (TARGET) before the right side is
    evaluated."""
    tree = file.compute_once(classify_nodes)
    units = _find_units(file, tree, file.bodies if methods is None else methods)
    starts = np.zeros(len(units) + 1, dtype=np.int64)
    # The number of nodes in all units; nodes of nested units count several times.
    size = int((file.syntax.stop[units] - units).sum()) if len(units) else 0
    capacity = size + 64
    while True:
        program = _allocate_program(capacity, limit=4 * size + 1024)
        kernel.lower_units(
            tree.columns, program, compile_recipes(checker), units.astype(np.int64), starts
        )
        if not program[kernel.IS_FULL]:
            break
        capacity *= 2
    rows = program[kernel.HEADER : kernel.HEADER + 4 * program[kernel.ROWS]].reshape(-1, 4)
    points, first, offsets, target, how = assemble_graph(rows, starts, int(program[kernel.LABELS]))
    node = points[:, 0].copy()
    event = points[:, 1].astype(np.uint8)
    # The events from TARGET on are those of variables.
    variable = np.where(event >= TARGET, tree.variable[node], -1)
    return Flow(units, first, node, event, variable, offsets, target, how, tree.local)


def find_outermost_methods(file: JavaFile, methods: Sequence[int]) -> Column:
    """Return the nodes, in source order, of those methods that are not inside another of the given
    methods (indices into ``declarations.methods``)."""
    declared = file.declarations.methods
    nodes = np.array(sorted(declared[place].node for place in methods), dtype=np.int32)
    if not len(nodes):
        return nodes
    ends = np.maximum.accumulate(file.syntax.stop[nodes])
    outer: Column = nodes[np.concatenate([[True], nodes[1:] >= ends[:-1]])]
    return outer


def _find_units(file: JavaFile, tree: FlowNodes, methods: Sequence[int]) -> Column:
    """Return the nodes of all units in the outermost of the methods, in source order."""
    outer = find_outermost_methods(file, methods)
    if not len(outer):
        return outer
    stop, parent, code = file.syntax.stop, file.syntax.parent, tree.code
    candidates = np.flatnonzero(_UNITS[code])
    # The last of the outermost methods that begins at or before each candidate.
    within = np.searchsorted(outer, candidates, side="right") - 1
    candidates = candidates[(within >= 0) & (candidates < stop[outer[within]])]
    # A method needs a body; a block is a unit only as an initialiser in a class body.
    nodes_with_body = parent[np.flatnonzero(tree.field == kernel.IN_BODY)]
    has_body = np.zeros(len(code), dtype=np.bool_)
    has_body[nodes_with_body] = True
    method, block = code[candidates] == kernel.METHOD, code[candidates] == kernel.BLOCK
    is_unit = (~method | has_body[candidates]) & (
        ~block | (code[parent[candidates]] == kernel.CLASS_BODY)
    )
    units: Column = candidates[is_unit].astype(np.int32)
    return units


# Mask over codes: nodes that may be units (``_find_units`` excludes some of them).
_UNITS = np.zeros(256, dtype=np.bool_)
_UNITS[
    [kernel.METHOD, kernel.LAMBDA, kernel.STATIC_BLOCK, kernel.FIELD, kernel.CONSTANT, kernel.BLOCK]
] = True


def _allocate_program(capacity: int, limit: int) -> NDArray[np.int64]:
    """Return the array that the kernel writes to, with its header filled (``flow/kernel.py``).

    ``capacity`` is the number of instructions; the other tables are smaller, and callers double it
    until the program fits. Beyond ``limit`` instructions no finally block is copied again."""
    capacities = (capacity, capacity // 4 + 64, capacity // 2 + 64, capacity // 8 + 64)
    begins = np.cumsum(
        [kernel.HEADER, *(a * b for a, b in zip(capacities, kernel.WIDTHS, strict=True))]
    )
    program = np.empty(begins[-1], dtype=np.int64)
    program[: kernel.HEADER] = 0
    program[kernel.CAPACITY : kernel.CAPACITY + 4] = capacities
    program[kernel.BASE : kernel.BASE + 4] = begins[:4]
    program[kernel.LIMIT] = limit
    program[kernel.SLOTS + kernel.NONE] = -1
    # The slot of an event holds its number, so that steps read labels and events in the same way.
    events = kernel.SLOTS + kernel.EVENTS
    program[events : kernel.HEADER] = np.arange(kernel.HEADER - events)
    return program
