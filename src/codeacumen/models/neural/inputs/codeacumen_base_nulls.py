"""Marks of codeacumen-base about null: the results of calls, and the values of variables.

``inputs.codeacumen_base`` adds the mark of each name to its token. The value of a variable comes
from its reaching definitions (edges LW of the graph view): null itself, or the result of a call. A
variable is guarded after a comparison with null, and inside a branch whose condition reads it
(edges GB and GN). ``views.graph`` defines these edges. The marks do not say which dereference is a
defect; they are facts that a reader would look up.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import field_number, symbol_mask, symbol_name
from codeacumen.languages.java.syntax.returned_expressions import (
    children_in_fields,
    field_text,
    list_result_expressions,
)
from codeacumen.languages.syntax import Syntax
from codeacumen.views.graph.edges import EDGES, file_edges, unmasked_file

# Trained networks contain the indices of these names, so a change needs a new training.
# Results of a called method: "" is unknown, "passed" the result of another call, "name" a variable
# (see ``benchmarks.gluecode.owner_summary``).
RETURN_KINDS = ("", "null", "other", "passed", "name")
# Values of a variable, the most informative first: the literal null, the result of a call that
# returns null, of one that returns another call's result, and of one whose result is unknown (a
# library's).
VALUE_KINDS = ("holds null", "holds returned null", "holds passed null", "holds returned value")
GUARDED, DEREFERENCED = ", guarded", ", dereferenced"
# The marks of a call are the first: the index in RETURN_KINDS of its result, plus the length of
# RETURN_KINDS if the result is dereferenced. Those of a variable follow. The mark 0, "", is no
# mark.
MARKS = (
    *RETURN_KINDS,
    *(f"{result}{DEREFERENCED}" for result in RETURN_KINDS),
    *map("".join, product(VALUE_KINDS, ("", GUARDED), ("", DEREFERENCED))),
)
# Marks of values that may be null and are not guarded.
SUSPECT_MARKS = frozenset(
    MARKS.index(f"{value}{suffix}")
    for value, suffix in product(("null", "passed", *VALUE_KINDS[:3]), ("", DEREFERENCED))
)
_NUMBER_OF_MARK = {mark: number for number, mark in enumerate(MARKS)}
# Index in VALUE_KINDS of a variable that holds the result of a call; other results have no mark.
_VALUE_OF_RETURN = {
    RETURN_KINDS.index("null"): 1,
    RETURN_KINDS.index("passed"): 2,
    RETURN_KINDS.index(""): 3,
}
# Kinds of edges: from a variable to where it may have been written last, and to the conditions
# around it that must have been true (GB) or false (GN).
_LAST_WRITE, *_GUARDS = (EDGES.index(kind) for kind in ("LW", "GB", "GN"))
# Kinds of nodes that write a variable, and the field of the value.
_VALUE_FIELD = {"variable_declarator": "value", "assignment_expression": "right"}
# Kinds of nodes that dereference an operand, and the field of the operand.
_OPERAND_FIELD = {
    "method_invocation": "object",
    "field_access": "object",
    "array_access": "array",
    "enhanced_for_statement": "value",
}
# Kinds of nodes around an expression that do not change its value.
_WRAPPERS = frozenset(("parenthesized_expression", "cast_expression"))


def find_null_marks(
    file: JavaFile, method: int, return_numbers: Mapping[str, int]
) -> dict[int, int]:
    """Return the marks of the names of a method's calls and variables, by syntax node.

    A mark is an index of ``MARKS``; a name that is missing has the mark 0. ``method`` is the index
    of the method in the file, and ``return_numbers`` is the result of
    ``codeacumen_base.number_returns``.
    """
    return {
        **_mark_calls(file, method, return_numbers),
        **_mark_variables(file, method, return_numbers),
    }


def _mark_calls(file: JavaFile, method: int, return_numbers: Mapping[str, int]) -> dict[int, int]:
    """Return the marks other than 0 of the names of a method's calls."""
    syntax, marks = file.syntax, {}
    for call in _find_nodes(file, method, "method_invocation"):
        for name in children_in_fields(syntax, call, "name")[:1]:
            offset = len(RETURN_KINDS) if _is_dereferenced(syntax, call) else 0
            marks[name] = return_numbers.get(syntax.text(name), 0) + offset
    return {name: mark for name, mark in marks.items() if mark}


def _mark_variables(
    file: JavaFile, method: int, return_numbers: Mapping[str, int]
) -> dict[int, int]:
    """Return the marks of a method's variables at the nodes that read them."""
    syntax = file.syntax
    # ``_classify_write`` knows only values of declarations and assignments, which need a "=".
    if b"=" not in file.source:
        return {}
    # Rows (kind of edge, source node, target node).
    rows = file_edges(file.compute_once(unmasked_file) or file, [method])
    kinds = rows[:, 0]
    guarded = {node for kind in _GUARDS for node in rows[kinds == kind, 1].tolist()}
    value_of_write: dict[int, int] = {}
    value_of_node: dict[int, int] = {}
    for node, write in rows[kinds == _LAST_WRITE, 1:].tolist():
        if _is_written(syntax, node):
            continue
        if write not in value_of_write:
            value_of_write[write] = _classify_write(syntax, write, return_numbers)
        if value_of_write[write] < len(VALUE_KINDS):
            value_of_node[node] = min(
                value_of_node.get(node, len(VALUE_KINDS)), value_of_write[write]
            )
    compared = _find_compared_names(file, method) if value_of_node else {}
    marks: dict[int, int] = {}
    for node, value in value_of_node.items():
        # Nodes are numbered in source order, so a smaller number is a comparison before this node.
        is_guarded = node in guarded or compared.get(syntax.text(node), node) < node
        is_dereferenced = _is_dereferenced(syntax, node)
        marks[node] = _NUMBER_OF_MARK[
            VALUE_KINDS[value] + GUARDED * is_guarded + DEREFERENCED * is_dereferenced
        ]
    return marks


def _find_nodes(file: JavaFile, method: int, kind: str) -> list[int]:
    """Return the nodes of a kind inside a method, in source order."""
    syntax, node = file.syntax, file.declarations.methods[method].node
    indices = node + np.flatnonzero(symbol_mask(kind)[syntax.kind[node : int(syntax.stop[node])]])
    nodes: list[int] = indices.tolist()
    return nodes


def _find_compared_names(file: JavaFile, method: int) -> dict[str, int]:
    """Return the names that are compared with null, each with the node of the first comparison."""
    syntax = file.syntax
    first_nodes: dict[str, int] = {}
    for node in _find_nodes(file, method, "binary_expression"):
        if field_text(syntax, node, "operator") in ("==", "!="):
            sides = children_in_fields(syntax, node, "left", "right")
            side_kinds = [symbol_name(int(syntax.kind[side])) for side in sides]
            if "null_literal" in side_kinds and "identifier" in side_kinds:
                name = sides[side_kinds.index("identifier")]
                first_nodes.setdefault(syntax.text(name), name)
    return first_nodes


def _is_dereferenced(syntax: Syntax, node: int) -> bool:
    """Return True if an expression's value is dereferenced, as by a call or a field access."""
    parent = int(syntax.parent[node])
    while symbol_name(int(syntax.kind[parent])) in _WRAPPERS:
        node, parent = parent, int(syntax.parent[parent])
    operand_field = _OPERAND_FIELD.get(symbol_name(int(syntax.kind[parent])))
    return operand_field is not None and bool(syntax.field[node] == field_number(operand_field))


def _is_written(syntax: Syntax, name: int) -> bool:
    """Return True if a name is the target of a plain assignment, which does not read it."""
    is_left = syntax.field[name] == field_number("left")
    return bool(is_left and field_text(syntax, int(syntax.parent[name]), "operator") == "=")


def _classify_write(syntax: Syntax, name: int, return_numbers: Mapping[str, int]) -> int:
    """Return the index in ``VALUE_KINDS`` of the value written to the variable ``name``.

    Return ``len(VALUE_KINDS)`` if the value is none of these kinds.
    """
    parent = int(syntax.parent[name])
    kind, no_value = symbol_name(int(syntax.kind[parent])), len(VALUE_KINDS)
    # A declaration has no operator. The value that ``+=`` writes is not that on its right.
    if kind not in _VALUE_FIELD or field_text(syntax, parent, "operator") not in ("", "="):
        return no_value
    value_kind = no_value
    for value in children_in_fields(syntax, parent, _VALUE_FIELD[kind]):
        for node in list_result_expressions(syntax, value):
            node_kind = symbol_name(int(syntax.kind[node]))
            if node_kind == "null_literal":
                value_kind = 0
            elif node_kind == "method_invocation":
                return_number = return_numbers.get(field_text(syntax, node, "name"), 0)
                value_kind = min(value_kind, _VALUE_OF_RETURN.get(return_number, no_value))
    return value_kind
