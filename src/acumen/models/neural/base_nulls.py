"""What is known of null at the names of a method: what calls give back, and what variables hold.

A variable holds what may have been written to it last (reaching definitions, those of the graph
view): null itself, or what a call gives. Where the branch of a condition that asks for the variable
is around it, it is guarded. Nobody decides here whether anything is dereferenced: that is left to
the network.
"""

from __future__ import annotations

from collections.abc import Mapping

from acumen.lang.java.file import JavaFile
from acumen.lang.java.grammar import field, name_of
from acumen.lang.java.returned import alternatives, parts, word
from acumen.views.graph.edges import EDGES, file_edges, original

# By numbers that trained networks keep: new ones go to the end. What a call gives back:
GIVES = ("", "null", "other", "passed", "name")
# and of what a variable holds the most telling: null as it is written, or given by such a call, or
# what a call gives of which nothing is known, such as one into a library.
HOLDS = ("holds null", "holds null given", "holds null passed", "holds what is given")
MARKS = (*GIVES, *HOLDS, *(f"{one}, guarded" for one in HOLDS))
# Where null may be that nobody asked for yet.
SUSPECT = frozenset(map(MARKS.index, ("null", "passed", *HOLDS[:3])))
_GIVEN = {GIVES.index("null"): 1, GIVES.index("passed"): 2, GIVES.index(""): 3}
_LAST_WRITE, *_GUARDS = (EDGES.index(kind) for kind in ("LW", "GB", "GN"))
_VALUE = {"variable_declarator": "value", "assignment_expression": "right"}


def held(file: JavaFile, place: int, gives: Mapping[str, int]) -> dict[int, int]:
    """For nodes of the syntax at which a method's variables are read, the mark of what they may
    hold, where that may be null. ``gives``: what methods of a name give back, by numbers of
    GIVES."""
    if b"=" not in file.source:
        return {}
    rows = file_edges(file.once(original) or file, [place])
    kinds = rows[:, 0]
    guarded = {node for kind in _GUARDS for node in rows[kinds == kind, 1].tolist()}
    written: dict[int, int] = {}
    found: dict[int, int] = {}
    for node, write in rows[kinds == _LAST_WRITE, 1:].tolist():
        if _is_written(file, node):
            continue
        if write not in written:
            written[write] = _of_write(file, write, gives)
        if written[write] < len(HOLDS):
            found[node] = min(found.get(node, len(HOLDS)), written[write])
    shift = len(GIVES)
    return {node: shift + which + len(HOLDS) * (node in guarded) for node, which in found.items()}


def _is_written(file: JavaFile, name: int) -> bool:
    """Whether a value is put in where the name stands, and none is read."""
    syntax = file.syntax
    above = int(syntax.parent[name])
    is_left = syntax.field[name] == field("left")
    return bool(is_left and word(syntax, above, "operator") == "=")


def _of_write(file: JavaFile, name: int, gives: Mapping[str, int]) -> int:
    """Which of HOLDS a variable does after it was written, where its name stands; their number if
    none."""
    syntax = file.syntax
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
