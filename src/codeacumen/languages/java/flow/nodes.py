"""Input and output of the flow kernel.

``classify_nodes`` returns the kernel's code of each syntax node, also where the node's kind alone
does not determine the code. ``assemble_graph`` turns the kernel's instructions into a graph: points
in the order of evaluation, edges by source. ``flow/graph.py`` calls both.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.java import load_grammar
from codeacumen.languages.java.bindings.names import LOCALS, ROLE
from codeacumen.languages.java.flow import kernel as flow
from codeacumen.languages.java.flow.tables import make_tables
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import find_symbols, symbol_name
from codeacumen.languages.kernel import kernel
from codeacumen.languages.syntax import Column

# Operations and edges as in ``flow/kernel.py`` (a test compares them): a kernel uses only its own
# file's constants.
EXIT, RAISE, BRANCH, JOIN, SET, JUMP, ARC, HUB, HALTS = 1, 2, 5, 6, 13, 14, 15, 16, 1
NEXT, EXCEPTION = 0, 3


@kernel
def assemble_graph(rows: Any, starts: Any, labels: int) -> Any:
    """Return points (node, event), the first point of each unit, edges' offsets, targets and kinds.

    ``rows`` are the instructions (op, a, b, c), whose operations ``flow/kernel.py`` describes:
    those below SET make a point, SET places a label, ARC adds an edge, HUB adds one to a label if
    no earlier instruction leads there. ``starts`` are the first row of each unit and the number
    of all rows, ``labels`` the number of labels. Each point falls through to the next one, unless
    it halts or branches or a jump follows. A jump directly after a label becomes a JOIN point. A
    label that was never set (``continue`` with a target that is not a loop) is the exit."""
    count = len(rows)
    points = np.empty((count, 2), dtype=np.int32)
    # Source, target and kind; a target below 0 is the label -1 - target, replaced at the end. A row
    # adds at most two edges: the one that falls through to its point, and one to a label.
    edges = np.empty((2 * count, 3), dtype=np.int32)
    label_point = np.full(labels, -1, dtype=np.int32)
    is_label_used = np.zeros(labels, dtype=np.bool_)
    point_of_row = np.empty(count, dtype=np.int32)
    first = np.empty(len(starts), dtype=np.int32)
    point_count, edge_count, unit = 0, 0, 0
    open_point, at_label = -1, False
    for at in range(count):
        while unit < len(starts) - 1 and starts[unit] == at:
            first[unit] = point_count
            unit += 1
        op, a, b, c = rows[at]
        source, target, how = -1, 0, NEXT
        if op < SET or (op == JUMP and at_label):
            points[point_count, 0] = a if op < SET else points[point_count - 1, 0]
            points[point_count, 1] = op if op < SET else JOIN
            point_of_row[at] = point_count
            if open_point >= 0:
                edges[edge_count, 0] = open_point
                edges[edge_count, 1] = point_count
                edges[edge_count, 2] = NEXT
                edge_count += 1
            open_point, at_label = point_count, False
            point_count += 1
        if op < SET:
            if b >= 0:
                source, target, how = point_count - 1, b, EXCEPTION
            if c == HALTS or op in (EXIT, RAISE, BRANCH):
                open_point = -1
        elif op == SET:
            label_point[a] = point_count
            at_label = True
        elif op == JUMP:
            source, target = open_point, a
            open_point = -1
        elif op == ARC:
            source, target, how = point_of_row[a], b, c
        elif op == HUB and not is_label_used[a]:
            source, target, how = point_of_row[b], a, EXCEPTION
        if source >= 0:
            is_label_used[target] = True
            edges[edge_count, 0] = source
            edges[edge_count, 1] = -1 - target
            edges[edge_count, 2] = how
            edge_count += 1
    first[len(starts) - 1] = point_count
    offsets = np.zeros(point_count + 1, dtype=np.int32)
    for at in range(edge_count):
        offsets[edges[at, 0] + 1] += 1
    for at in range(point_count):
        offsets[at + 1] += offsets[at]
    # Counting sort by source: ``filled`` holds the next free position of each source's edges.
    filled = offsets[:-1].copy()
    target_of = np.empty(edge_count, dtype=np.int32)
    how_of = np.empty(edge_count, dtype=np.uint8)
    for at in range(edge_count):
        source, target = edges[at, 0], edges[at, 1]
        if target < 0:
            target = label_point[-1 - target]
            if target < 0:
                # The last two points of a unit are EXIT and RAISE.
                target = first[np.searchsorted(first, source, side="right")] - 2
        target_of[filled[source]] = target
        how_of[filled[source]] = edges[at, 2]
        filled[source] += 1
    kept_count = _prune_edges(first, offsets, target_of, how_of)
    return (
        points[:point_count].copy(),
        first,
        offsets,
        target_of[:kept_count].copy(),
        how_of[:kept_count].copy(),
    )


@kernel
def _prune_edges(first: Any, offsets: Any, target: Any, how: Any) -> int:
    """Remove edges from unreachable to reachable points in place, moving the others to the front,
    and return the number of edges left.

    A point is reachable if a path leads to it from the first point of its unit."""
    count = len(offsets) - 1
    is_reached = np.zeros(count, dtype=np.bool_)
    stack = np.empty(count + 1, dtype=np.int32)
    for unit in range(len(first) - 1):
        stack[0], top = first[unit], 1
        is_reached[first[unit]] = True
        while top > 0:
            top -= 1
            point = stack[top]
            for edge in range(offsets[point], offsets[point + 1]):
                if not is_reached[target[edge]]:
                    is_reached[target[edge]] = True
                    stack[top] = target[edge]
                    top += 1
    kept_count = 0
    for point in range(count):
        low, high = offsets[point], offsets[point + 1]
        offsets[point] = kept_count
        for edge in range(low, high):
            if is_reached[point] or not is_reached[target[edge]]:
                target[kept_count], how[kept_count] = target[edge], how[edge]
                kept_count += 1
    offsets[count] = kept_count
    return kept_count


# Names of the constants of ``flow/kernel.py`` that the kernels here take as arguments, in this
# order: codes of nodes, selectors of children (PLACES), flags of a switch or a label (TRAITS).
# ANSWER is a switch expression; the grammar parses a switch statement as one, too. LOUD is a label
# whose evaluation has events.
CODES = (
    "OTHER",
    "SKIP",
    "IDENT",
    "NAME",
    "TRUE",
    "FALSE",
    "ALWAYS",
    "NEVER",
    "CONCAT",
    "INSTANCEOF",
    "LAMBDA",
    "DECLARED",
    "INITIALISED",
    "RESOURCE",
    "CONSTANT",
    "FORMAL",
    "SPREAD",
    "INFERRED",
    "BINDING",
    "PATTERN",
    "GROUP",
    "LABEL",
    "GUARD",
    "DEFAULT",
    "NULL",
    "CATCH",
    "FINALLY",
    "ANSWER",
    "SWITCH",
    "BLOCK",
    "LOCAL",
    "LABELED",
    "DO",
    "IF",
    "WHILE",
    "FOR",
    "FOREACH",
)
PLACES = (
    "IN_ALTERNATIVE",
    "IN_BODY",
    "IN_CONSEQUENCE",
    "IN_NAME",
    "IN_OPERATOR",
    "IN_PARAMETERS",
    "IN_TYPE",
    "IN_VALUE",
    "IN_CATCH",
    "IN_FINALLY",
    "IN_GUARD",
)
TRAITS = ("HAS_DEFAULT", "HAS_GUARD", "MUST_MATCH", "LOUD")


@kernel
def refine_codes(
    kind: Any, parent: Any, code: Any, field: Any, operators: Any, codes: Any, places: Any
) -> None:
    """Refine ``code`` and ``field`` in place: by operator (expressions), by initial value
    (declarations), by position (names that are bound or read; switch statements or expressions).

    ``kind`` holds the grammar's symbols, ``operators`` the code by symbol of an operator; ``codes``
    and ``places`` are the constants CODES and PLACES."""
    (
        other,
        skip,
        ident,
        name,
        _,
        _,
        _,
        _,
        _,
        instanceof,
        lambda_,
        declared,
        initialised,
        resource,
        constant,
        formal,
        spread,
        inferred,
        binding,
        _,
        group,
        _,
        guard,
        _,
        _,
        catch,
        finally_,
        answer,
        switch,
        block,
        _,
        labeled,
        do,
        if_,
        while_,
        for_,
        foreach,
    ) = codes
    (
        in_alternative,
        in_body,
        in_consequence,
        in_name,
        in_operator,
        in_parameters,
        _,
        in_value,
        in_catch,
        in_finally,
        in_guard,
    ) = places
    count = len(kind)
    for at in range(count):
        node_code, field_code, parent_node = code[at], field[at], parent[at]
        if field_code == in_operator:
            operator_code = operators[kind[at]]
            if operator_code > 0:
                code[parent_node] = operator_code
        elif field_code == in_value and code[parent_node] == declared:
            code[parent_node] = initialised
        if node_code == catch:
            field[at] = in_catch
        elif node_code == finally_:
            field[at] = in_finally
        elif node_code == guard:
            field[at] = in_guard
        elif node_code == declared and code[parent_node] == spread:  # T... name
            code[at] = formal
        # A resource without a name is an expression, as in ``try (reader)``.
        elif node_code == resource and (
            at + 1 == count or not _has_child(field, parent, at, in_name)
        ):
            code[at] = other
    for at in range(count):
        node_code, field_code = code[at], field[at]
        parent_code = code[parent[at]]
        if node_code == ident:
            is_binding = parent_code in (inferred, binding) or (
                parent_code == lambda_ and field_code == in_parameters
            )
            if is_binding or (field_code == in_name and parent_code in (formal, instanceof)):
                code[at] = name
            elif field_code == in_name and parent_code == constant:
                code[at] = skip
        elif node_code == answer:
            is_in_statement = parent_code in (if_, while_, for_, foreach, do)
            if parent_code in (block, group, labeled) or (
                is_in_statement and field_code in (in_body, in_consequence, in_alternative)
            ):
                code[at] = switch


@kernel
def _has_child(field: Any, parent: Any, node: int, field_code: int) -> bool:
    """Return whether a node has a child in a field.

    The search visits all its descendants: the nodes up to the first one with a smaller parent."""
    at = node + 1
    while at < len(field) and parent[at] >= node:
        if parent[at] == node and field[at] == field_code:
            return True
        at += 1
    return False


@kernel
def compute_traits(
    kind: Any,
    parent: Any,
    word: Any,
    code: Any,
    field: Any,
    variable: Any,
    local: Any,
    primitive: Any,
    boxed: Any,
    final: int,
    default: int,
    codes: Any,
    places: Any,
    bits: Any,
) -> Any:
    """Return the column TRAIT: flags of switches and their labels; for a read 1 if it may throw.

    A read of a primitive never throws; a read of a value that may be unboxed may always throw; any
    other read only as an operand of ``+``, which may convert the value to a string. Names of
    constant booleans become ALWAYS and NEVER in ``code``.

    ``word`` and ``variable`` are the word and the variable's symbol of each node (-1: none);
    ``local`` is a mask over variables, ``primitive`` over the grammar's symbols, ``boxed`` over
    words; ``final`` is the symbol of that keyword, ``default`` the number of that word."""
    (
        _,
        _,
        ident,
        _,
        true,
        false,
        always,
        never,
        concat,
        instanceof,
        _,
        declared,
        initialised,
        resource,
        _,
        formal,
        _,
        _,
        _,
        pattern,
        _,
        label,
        guard,
        default_,
        null,
        _,
        _,
        _,
        _,
        _,
        local_,
        _,
        _,
        _,
        _,
        _,
        foreach,
    ) = codes
    _, _, _, in_name, _, _, in_type, in_value, _, _, _ = places
    has_default, has_guard, must_match, loud = bits
    count = len(kind)
    trait = np.zeros(count, dtype=np.uint8)
    # Risk of a read (0: never throws, 1: in a sum, 2: always may): by declaration, then by symbol.
    type_risk = np.ones(count, dtype=np.uint8)
    risk = np.full(len(local), 2, dtype=np.uint8)
    constant_code = np.zeros(len(local), dtype=np.uint8)
    for at in range(count):
        node_code, field_code, parent_node = code[at], field[at], parent[at]
        parent_code = code[parent_node]
        if field_code == in_type:
            if primitive[kind[at]]:
                type_risk[parent_node] = 0
            elif word[at] >= 0 and boxed[word[at]]:
                type_risk[parent_node] = 2
        elif field_code == in_name and variable[at] >= 0 and local[variable[at]]:
            declaring_node = (
                parent[parent_node] if parent_code in (declared, initialised) else parent_node
            )
            if code[declaring_node] in (local_, formal, foreach, resource, instanceof):
                risk[variable[at]] = type_risk[declaring_node]
        elif field_code == in_value and node_code in (true, false) and parent_code == initialised:
            # Modifiers come first, and are few. The declarator's first child is its name.
            for other in range(parent[parent_node], min(parent_node, parent[parent_node] + 64)):
                if kind[other] == final and variable[parent_node + 1] >= 0:
                    constant_code[variable[parent_node + 1]] = (
                        always if node_code == true else never
                    )
        if parent_code == label:
            bit = 0
            if node_code == guard:
                bit = has_guard
            elif node_code == pattern:
                # A switch with patterns or null must be exhaustive (JLS 14.11.1.1).
                bit = must_match | loud
            elif node_code == null:
                bit = must_match
            elif node_code == default_ or (node_code == ident and word[at] == default):
                bit = has_default
            elif node_code == ident and variable[at] >= 0 and local[variable[at]]:
                bit = loud
            trait[parent_node] |= bit
            # The ancestors of a label: its group or rule, the block, the switch.
            trait[parent[parent[parent[parent_node]]]] |= bit
    for at in range(count):
        if code[at] == ident and variable[at] >= 0:
            is_in_sum = code[parent[at]] == concat
            trait[at] = 1 if risk[variable[at]] > (0 if is_in_sum else 1) else 0
            if constant_code[variable[at]] > 0:
                code[at] = constant_code[variable[at]]
    return trait


VARIABLES = (*LOCALS, "field", "enum constant")
# Types whose values are unboxed, and ``var``, whose type may be one of them.
_BOXES = frozenset(
    (
        "Boolean",
        "Byte",
        "Character",
        "Double",
        "Float",
        "Integer",
        "Long",
        "Short",
        "var",
    )
)
# Masks over the roles of names.
_VARIABLE = np.isin(np.arange(256), [ROLE[name] for name in VARIABLES])
_LOCAL = np.isin(np.arange(256), [ROLE[name] for name in LOCALS])
_CODES, _PLACES, _TRAITS = (
    tuple(int(getattr(flow, name)) for name in names) for names in (CODES, PLACES, TRAITS)
)


class FlowNodes(NamedTuple):
    """Columns of a file's nodes for the flow kernel.

    ``code`` and ``field`` are the kernel's numbers; ``variable`` is the symbol of a variable's
    name, -1 elsewhere; ``columns`` has a row for each node and is what the kernel reads (one
    integer type, because numba compiles a kernel for each type). ``local`` is a mask over symbols,
    true for local variables and parameters."""

    code: NDArray[np.uint8]
    field: NDArray[np.uint8]
    variable: Column
    columns: NDArray[np.int64]
    local: NDArray[np.bool_]


def classify_nodes(file: JavaFile) -> FlowNodes:
    """Return the columns of a file's nodes that the flow kernel reads."""
    syntax, names, bindings = file.syntax, file.names, file.bindings
    kinds, fields, operators = make_tables()
    code, field, parent = kinds[syntax.kind], fields[syntax.field], syntax.parent
    variable = np.full(len(syntax), -1, dtype=np.int32)
    rows = _VARIABLE[bindings.role]
    variable[bindings.node[rows]] = bindings.symbol[rows]
    count = int(bindings.symbol.max()) + 1 if len(bindings.symbol) else 0
    # One element more, so that symbol -1 reads the last one, which is False.
    local = np.zeros(count + 1, dtype=np.bool_)
    local[bindings.symbol[_LOCAL[bindings.role]]] = True
    boxed = np.zeros(len(names.words) + 1, dtype=np.bool_)
    boxed[[names.words.index(word) for word in _BOXES.intersection(names.words)]] = True
    # In ``case null, default`` the grammar parses ``default`` as a name. No node has the word -2.
    default = names.words.index("default") if "default" in names.words else -2
    primitive, final = _find_special_symbols()
    refine_codes(syntax.kind, parent, code, field, operators, _CODES, _PLACES)
    trait = compute_traits(
        syntax.kind,
        parent,
        names.word_of,
        code,
        field,
        variable,
        local,
        primitive,
        boxed,
        final,
        default,
        _CODES,
        _PLACES,
        _TRAITS,
    )
    columns = np.empty((len(syntax), int(flow.COLUMNS)), dtype=np.int64)
    for place, column in (
        (flow.CODE, code),
        (flow.FIELD_CODE, field),
        (flow.STOP, syntax.stop),
        (flow.PARENT_NODE, parent),
        (flow.SYMBOL, variable),
        (flow.TRAIT, trait),
        (flow.WORD_ID, names.word_of),
    ):
        columns[:, place] = column
    return FlowNodes(code, field, variable, columns, local)


@lru_cache(maxsize=1)
def _find_special_symbols() -> tuple[NDArray[np.bool_], int]:
    """Return a mask over the grammar's symbols of primitive types, and the symbol of ``final``."""
    primitive = np.zeros(1 << 16, dtype=np.bool_)
    primitive[list(find_symbols("integral_type", "floating_point_type", "boolean_type"))] = True
    final = next(
        symbol for symbol in range(load_grammar().node_kind_count) if symbol_name(symbol) == "final"
    )
    return primitive, final
