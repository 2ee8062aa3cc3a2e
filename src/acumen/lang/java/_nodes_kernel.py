"""What each node is to control flow, where its kind alone does not tell."""

from __future__ import annotations

from typing import Any

import numpy as np

from acumen.lang.kernel import kernel

# The numbers of ``_flow_kernel`` that are needed here, by name: they are given, not built in.
CODES = (
    "OTHER", "SKIP", "IDENT", "NAME", "TRUE", "FALSE", "ALWAYS", "NEVER", "CONCAT", "INSTANCEOF",
    "LAMBDA", "DECLARED", "INITIALISED", "RESOURCE", "CONSTANT", "FORMAL", "SPREAD", "INFERRED",
    "BINDING", "PATTERN", "GROUP", "LABEL", "GUARD", "DEFAULT", "NULL", "CATCH", "FINALLY",
    "ANSWER", "SWITCH", "BLOCK", "LOCAL", "LABELED", "DO", "IF", "WHILE", "FOR", "FOREACH",
)  # fmt: skip
PLACES = (
    "IN_ALTERNATIVE", "IN_BODY", "IN_CONSEQUENCE", "IN_NAME", "IN_OPERATOR", "IN_PARAMETERS",
    "IN_TYPE", "IN_VALUE", "IN_CATCH", "IN_FINALLY", "IN_GUARD",
)  # fmt: skip
TRAITS = ("HAS_DEFAULT", "HAS_GUARD", "MUST_MATCH", "LOUD")


@kernel
def by_parts(
    kind: Any, parent: Any, code: Any, place: Any, operators: Any, codes: Any, places: Any
) -> None:
    """Operators tell what an expression is, an initial value what a declaration is; names that
    come with a value are told from those that are read, statements from expressions."""
    (
        other, skip, ident, name, _, _, _, _, _, instanceof, lambda_, declared, initialised,
        resource, constant, formal, spread, inferred, binding, _, group, _, guard, _, _, catch,
        finally_, answer, switch, block, _, labeled, do, if_, while_, for_, foreach,
    ) = codes  # fmt: skip
    (
        in_alternative, in_body, in_consequence, in_name, in_operator, in_parameters, _, in_value,
        in_catch, in_finally, in_guard,
    ) = places  # fmt: skip
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
    kind: Any, parent: Any, word: Any, code: Any, place: Any, variable: Any, local: Any,
    primitive: Any, boxed: Any, final: int, default: int, codes: Any, places: Any, bits: Any,
) -> Any:  # fmt: skip
    """What is known of switches and their labels; and of each read whether it may throw: of a
    primitive value never, of what may be unboxed always, of the rest only in a sum, which may
    print it. Names of constants become ALWAYS and NEVER on the way."""
    (
        _, _, ident, _, true, false, always, never, concat, instanceof, _, declared, initialised,
        resource, _, formal, _, _, _, pattern, _, label, guard, default_, null, _, _, _, _, _,
        local_, _, _, _, _, _, foreach,
    ) = codes  # fmt: skip
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
