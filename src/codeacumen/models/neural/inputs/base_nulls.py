"""What is known of null at the names of a method: what calls give back, and what variables hold.

A variable holds what may have been written to it last (reaching definitions, those of the graph
view): null itself, or what a call gives. It is guarded where it was compared with null before, or
where the branch of a condition that asks for it is around. Nobody decides here what is wrong: the
network is told what a reader would look up.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import among, field, name_of
from codeacumen.languages.java.syntax.returned import alternatives, parts, word
from codeacumen.languages.syntax import Syntax
from codeacumen.views.graph.edges import EDGES, file_edges, original

# Trained networks keep the numbers of these: whoever changes them trains anew. What a call gives:
GIVES = ("", "null", "other", "passed", "name")
# and of what a variable holds the most telling: null as it is written, or given by such a call, or
# what a call gives of which nothing is known, such as one into a library.
HOLDS = ("holds null", "holds null given", "holds null passed", "holds what is given")
GUARDED, DEREFERENCED = ", guarded", ", dereferenced"
MARKS = (
    *GIVES,
    *(f"{one}{DEREFERENCED}" for one in GIVES),
    *map("".join, product(HOLDS, ("", GUARDED), ("", DEREFERENCED))),
)
# Where null may be that nobody asked for yet.
SUSPECT = frozenset(
    MARKS.index(f"{one}{how}")
    for one, how in product(("null", "passed", *HOLDS[:3]), ("", DEREFERENCED))
)
_NUMBER = {mark: number for number, mark in enumerate(MARKS)}
_GIVEN = {GIVES.index("null"): 1, GIVES.index("passed"): 2, GIVES.index(""): 3}
_LAST_WRITE, *_GUARDS = (EDGES.index(kind) for kind in ("LW", "GB", "GN"))
_VALUE = {"variable_declarator": "value", "assignment_expression": "right"}
# What is taken apart fails if it is null: by what takes it, in which field.
_TAKEN = {
    "method_invocation": "object",
    "field_access": "object",
    "array_access": "array",
    "enhanced_for_statement": "value",
}
_WRAPPERS = frozenset(("parenthesized_expression", "cast_expression"))


def marks(file: JavaFile, place: int, gives: Mapping[str, int]) -> dict[int, int]:
    """For the nodes of the syntax at which a method's calls and variables are named, what is known
    of null there, by numbers of MARKS. ``gives``: what methods of a name give back, by numbers of
    GIVES."""
    return {**_calls(file, place, gives), **_variables(file, place, gives)}


def _calls(file: JavaFile, place: int, gives: Mapping[str, int]) -> dict[int, int]:
    syntax, found = file.syntax, {}
    for call in _inside(file, place, "method_invocation"):
        for name in parts(syntax, call, "name")[:1]:
            taken = len(GIVES) if _is_dereferenced(syntax, call) else 0
            found[name] = gives.get(syntax.text(name), 0) + taken
    return {name: mark for name, mark in found.items() if mark}


def _variables(file: JavaFile, place: int, gives: Mapping[str, int]) -> dict[int, int]:
    syntax = file.syntax
    if b"=" not in file.source:
        return {}
    rows = file_edges(file.once(original) or file, [place])
    kinds = rows[:, 0]
    guarded = {node for kind in _GUARDS for node in rows[kinds == kind, 1].tolist()}
    written: dict[int, int] = {}
    held: dict[int, int] = {}
    for node, write in rows[kinds == _LAST_WRITE, 1:].tolist():
        if _is_written(syntax, node):
            continue
        if write not in written:
            written[write] = _of_write(syntax, write, gives)
        if written[write] < len(HOLDS):
            held[node] = min(held.get(node, len(HOLDS)), written[write])
    compared = _compared(file, place) if held else {}
    found: dict[int, int] = {}
    for node, which in held.items():
        asked = node in guarded or compared.get(syntax.text(node), node) < node
        taken = _is_dereferenced(syntax, node)
        found[node] = _NUMBER[HOLDS[which] + GUARDED * asked + DEREFERENCED * taken]
    return found


def _inside(file: JavaFile, place: int, kind: str) -> list[int]:
    """The nodes of a kind inside a method."""
    syntax, node = file.syntax, file.declarations.methods[place].node
    found = node + np.flatnonzero(among(kind)[syntax.kind[node : int(syntax.stop[node])]])
    nodes: list[int] = found.tolist()
    return nodes


def _compared(file: JavaFile, place: int) -> dict[str, int]:
    """Names that are compared with null, and the first node at which they are."""
    syntax = file.syntax
    found: dict[str, int] = {}
    for node in _inside(file, place, "binary_expression"):
        if word(syntax, node, "operator") in ("==", "!="):
            sides = parts(syntax, node, "left", "right")
            called = [name_of(int(syntax.kind[one])) for one in sides]
            if "null_literal" in called and "identifier" in called:
                name = sides[called.index("identifier")]
                found.setdefault(syntax.text(name), name)
    return found


def _is_dereferenced(syntax: Syntax, node: int) -> bool:
    """Whether what an expression gives is taken apart: a method of it called, a field read."""
    above = int(syntax.parent[node])
    while name_of(int(syntax.kind[above])) in _WRAPPERS:
        node, above = above, int(syntax.parent[above])
    taken = _TAKEN.get(name_of(int(syntax.kind[above])))
    return taken is not None and bool(syntax.field[node] == field(taken))


def _is_written(syntax: Syntax, name: int) -> bool:
    """Whether a value is put in where the name stands, and none is read."""
    is_left = syntax.field[name] == field("left")
    return bool(is_left and word(syntax, int(syntax.parent[name]), "operator") == "=")


def _of_write(syntax: Syntax, name: int, gives: Mapping[str, int]) -> int:
    """Which of HOLDS a variable does after it was written, where its name stands; their number if
    none."""
    above = int(syntax.parent[name])
    kind, nothing = name_of(int(syntax.kind[above])), len(HOLDS)
    if kind not in _VALUE or word(syntax, above, "operator") not in ("", "="):
        return nothing
    told = nothing
    for value in parts(syntax, above, _VALUE[kind]):
        for node in alternatives(syntax, value):
            what = name_of(int(syntax.kind[node]))
            if what == "null_literal":
                told = 0
            elif what == "method_invocation":
                given = gives.get(word(syntax, node, "name"), 0)
                told = min(told, _GIVEN.get(given, nothing))
    return told
