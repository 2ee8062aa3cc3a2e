"""What each node of a file is to control flow, in the kernel's numbers.

What each node is to control flow, where its kind alone does not tell.

Instructions assembled to a graph: points numbered in their order, edges by their source.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.java import language
from codeacumen.languages.java.bindings.names import ROLE
from codeacumen.languages.java.flow import kernel as flow
from codeacumen.languages.java.flow.tables import tables
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import name_of, symbols
from codeacumen.languages.kernel import kernel
from codeacumen.languages.syntax import Column

# Events and instructions as in ``_flow_kernel`` (a test compares them).
EXIT, RAISE, BRANCH, JOIN, SET, JUMP, ARC, HUB, HALTS = 1, 2, 5, 6, 13, 14, 15, 16, 1
NEXT, EXCEPTION = 0, 3


@kernel
def assemble(rows: Any, starts: Any, labels: int) -> Any:
    """Points (node, event), the first point of each unit, edges' offsets, targets and kinds.

    Each point falls through to the next one, unless it halts or branches or a jump follows.
    A jump from a place where only a label stands becomes a point that does nothing. A label that
    was never set (``continue`` to what is no loop) is the exit."""
    count = len(rows)
    points = np.empty((count, 2), dtype=np.int32)
    edges = np.empty((2 * count, 3), dtype=np.int32)
    place = np.full(labels, -1, dtype=np.int32)
    used = np.zeros(labels, dtype=np.bool_)
    of_row = np.empty(count, dtype=np.int32)
    first = np.empty(len(starts), dtype=np.int32)
    made, linked, unit = 0, 0, 0
    open_, bound = -1, False
    for at in range(count):
        while unit < len(starts) - 1 and starts[unit] == at:
            first[unit] = made
            unit += 1
        op, a, b, c = rows[at]
        source, target, how = -1, 0, NEXT
        if op < SET or (op == JUMP and bound):
            points[made, 0] = a if op < SET else points[made - 1, 0]
            points[made, 1] = op if op < SET else JOIN
            of_row[at] = made
            if open_ >= 0:
                edges[linked, 0] = open_
                edges[linked, 1] = made
                edges[linked, 2] = NEXT
                linked += 1
            open_, bound = made, False
            made += 1
        if op < SET:
            if b >= 0:
                source, target, how = made - 1, b, EXCEPTION
            if c == HALTS or op in (EXIT, RAISE, BRANCH):
                open_ = -1
        elif op == SET:
            place[a] = made
            bound = True
        elif op == JUMP:
            source, target = open_, a
            open_ = -1
        elif op == ARC:
            source, target, how = of_row[a], b, c
        elif op == HUB and not used[a]:
            source, target, how = of_row[b], a, EXCEPTION
        if source >= 0:
            used[target] = True
            edges[linked, 0] = source
            edges[linked, 1] = -1 - target
            edges[linked, 2] = how
            linked += 1
    first[len(starts) - 1] = made
    offsets = np.zeros(made + 1, dtype=np.int32)
    for at in range(linked):
        offsets[edges[at, 0] + 1] += 1
    for at in range(made):
        offsets[at + 1] += offsets[at]
    filled = offsets[:-1].copy()
    target_of = np.empty(linked, dtype=np.int32)
    how_of = np.empty(linked, dtype=np.uint8)
    for at in range(linked):
        source, target = edges[at, 0], edges[at, 1]
        if target < 0:
            target = place[-1 - target]
            if target < 0:
                target = first[np.searchsorted(first, source, side="right")] - 2
        target_of[filled[source]] = target
        how_of[filled[source]] = edges[at, 2]
        filled[source] += 1
    kept = _prune(first, offsets, target_of, how_of)
    return points[:made].copy(), first, offsets, target_of[:kept].copy(), how_of[:kept].copy()


@kernel
def _prune(first: Any, offsets: Any, target: Any, how: Any) -> int:
    """Drops the edges by which what is never reached would lead back into what is."""
    count = len(offsets) - 1
    reached = np.zeros(count, dtype=np.bool_)
    stack = np.empty(count + 1, dtype=np.int32)
    for unit in range(len(first) - 1):
        stack[0], top = first[unit], 1
        reached[first[unit]] = True
        while top > 0:
            top -= 1
            point = stack[top]
            for edge in range(offsets[point], offsets[point + 1]):
                if not reached[target[edge]]:
                    reached[target[edge]] = True
                    stack[top] = target[edge]
                    top += 1
    kept = 0
    for point in range(count):
        low, high = offsets[point], offsets[point + 1]
        offsets[point] = kept
        for edge in range(low, high):
            if reached[point] or not reached[target[edge]]:
                target[kept], how[kept] = target[edge], how[edge]
                kept += 1
    offsets[count] = kept
    return kept


# The numbers of ``_flow_kernel`` that are needed here, by name: they are given, not built in.
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
def by_parts(
    kind: Any, parent: Any, code: Any, place: Any, operators: Any, codes: Any, places: Any
) -> None:
    """Operators tell what an expression is, an initial value what a declaration is; names that
    come with a value are told from those that are read, statements from expressions."""
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
        what, where, above = code[at], place[at], parent[at]
        if where == in_operator:
            made = operators[kind[at]]
            if made > 0:
                code[above] = made
        elif where == in_value and code[above] == declared:
            code[above] = initialised
        if what == catch:
            place[at] = in_catch
        elif what == finally_:
            place[at] = in_finally
        elif what == guard:
            place[at] = in_guard
        elif what == declared and code[above] == spread:  # T... name
            code[at] = formal
        elif what == resource and (at + 1 == count or not _has(place, parent, at, in_name)):
            code[at] = other
    for at in range(count):
        what, where = code[at], place[at]
        over = code[parent[at]]
        if what == ident:
            alone = over in (inferred, binding) or (over == lambda_ and where == in_parameters)
            if alone or (where == in_name and over in (formal, instanceof)):
                code[at] = name
            elif where == in_name and over == constant:
                code[at] = skip
        elif what == answer:
            inside = over in (if_, while_, for_, foreach, do)
            if over in (block, group, labeled) or (
                inside and where in (in_body, in_consequence, in_alternative)
            ):
                code[at] = switch


@kernel
def _has(place: Any, parent: Any, node: int, wanted: int) -> bool:
    """Whether a node has a child in a field; looks at the nodes just below it."""
    at = node + 1
    while at < len(place) and parent[at] >= node:
        if parent[at] == node and place[at] == wanted:
            return True
        at += 1
    return False


@kernel
def traits(
    kind: Any,
    parent: Any,
    word: Any,
    code: Any,
    place: Any,
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
    """What is known of switches and their labels; and of each read whether it may throw: of a
    primitive value never, of what may be unboxed always, of the rest only in a sum, which may
    print it. Names of constants become ALWAYS and NEVER on the way."""
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
    # How risky a read is: by the type that is declared, then by symbol.
    typed = np.ones(count, dtype=np.uint8)
    risk = np.full(len(local), 2, dtype=np.uint8)
    decides = np.zeros(len(local), dtype=np.uint8)
    for at in range(count):
        what, where, above = code[at], place[at], parent[at]
        over = code[above]
        if where == in_type:
            if primitive[kind[at]]:
                typed[above] = 0
            elif word[at] >= 0 and boxed[word[at]]:
                typed[above] = 2
        elif where == in_name and variable[at] >= 0 and local[variable[at]]:
            declares = parent[above] if over in (declared, initialised) else above
            if code[declares] in (local_, formal, foreach, resource, instanceof):
                risk[variable[at]] = typed[declares]
        elif where == in_value and what in (true, false) and over == initialised:
            # Modifiers come first, and are few.
            for other in range(parent[above], min(above, parent[above] + 64)):
                if kind[other] == final and variable[above + 1] >= 0:
                    decides[variable[above + 1]] = always if what == true else never
        if over == label:
            bit = 0
            if what == guard:
                bit = has_guard
            elif what == pattern:
                # What knows patterns or null must be exhaustive.
                bit = must_match | loud
            elif what == null:
                bit = must_match
            elif what == default_ or (what == ident and word[at] == default):
                bit = has_default
            elif what == ident and variable[at] >= 0 and local[variable[at]]:
                bit = loud
            trait[above] |= bit
            trait[parent[parent[parent[above]]]] |= bit
    for at in range(count):
        if code[at] == ident and variable[at] >= 0:
            sum_ = code[parent[at]] == concat
            trait[at] = 1 if risk[variable[at]] > (0 if sum_ else 1) else 0
            if decides[variable[at]] > 0:
                code[at] = decides[variable[at]]
    return trait


LOCALS = (
    "local",
    "parameter",
    "lambda parameter",
    "catch parameter",
    "pattern variable",
    "resource",
)
VARIABLES = (*LOCALS, "field", "enum constant")
# Types whose values are unboxed, and ``var``, which may stand for one.
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
_VARIABLE = np.isin(np.arange(256), [ROLE[name] for name in VARIABLES])
_LOCAL = np.isin(np.arange(256), [ROLE[name] for name in LOCALS])
_CODES, _PLACES, _TRAITS = (
    tuple(int(getattr(flow, name)) for name in names) for names in (CODES, PLACES, TRAITS)
)


class Nodes(NamedTuple):
    """``code`` and ``field`` in the kernel's numbers; ``variable`` is the symbol of a variable's
    name, -1 elsewhere; ``columns`` is what the kernel reads, a row for each node (numbers of one
    size, because a kernel is compiled for each that it meets). ``local`` tells of each symbol
    whether it is a local variable or parameter."""

    code: NDArray[np.uint8]
    field: NDArray[np.uint8]
    variable: Column
    columns: NDArray[np.int64]
    local: NDArray[np.bool_]


def nodes(file: JavaFile) -> Nodes:
    syntax, names, bound = file.syntax, file.names, file.bindings
    kinds, fields, operators = tables()
    code, field, parent = kinds[syntax.kind], fields[syntax.field], syntax.parent
    variable = np.full(len(syntax), -1, dtype=np.int32)
    rows = _VARIABLE[bound.role]
    variable[bound.node[rows]] = bound.symbol[rows]
    count = int(bound.symbol.max()) + 1 if len(bound.symbol) else 0
    # One more, so that a symbol of -1 asks the last, which is none.
    local = np.zeros(count + 1, dtype=np.bool_)
    local[bound.symbol[_LOCAL[bound.role]]] = True
    boxed = np.zeros(len(names.words) + 1, dtype=np.bool_)
    boxed[[names.words.index(word) for word in _BOXES.intersection(names.words)]] = True
    # The grammar takes it for a name in: case null, default.
    default = names.words.index("default") if "default" in names.words else -2
    primitive, final = _symbols()
    by_parts(syntax.kind, parent, code, field, operators, _CODES, _PLACES)
    trait = traits(
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
        (flow.IN, field),
        (flow.STOPS, syntax.stop),
        (flow.ABOVE, parent),
        (flow.SYMBOL, variable),
        (flow.TRAIT, trait),
        (flow.SPELT, names.word_of),
    ):
        columns[:, place] = column
    return Nodes(code, field, variable, columns, local)


@lru_cache(maxsize=1)
def _symbols() -> tuple[NDArray[np.bool_], int]:
    """The grammar's symbols of primitive types, and of the word ``final``."""
    primitive = np.zeros(1 << 16, dtype=np.bool_)
    primitive[list(symbols("integral_type", "floating_point_type", "boolean_type"))] = True
    final = next(
        symbol for symbol in range(language().node_kind_count) if name_of(symbol) == "final"
    )
    return primitive, final
