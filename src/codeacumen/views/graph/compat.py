"""The graph of the tool features-javac, for comparison with published data.

Differences from our default:

- LU, LW and LL lead from the earlier occurrence to the later one.
- LU and LW exist only in methods that are direct members of a class that is not nested, and not in
  lambdas. They follow the Checker Framework's control flow: the target of an assignment comes
  before the right side, and conditions are never constant. For LU a declaration does not count,
  except a parameter's; for LW it counts if it has a value, except in a catch clause or a pattern.
  ``+=`` on a String writes nothing (the Checker Framework has no assignment there).
- ``this`` and ``super`` are variables, one each for every class, but never local ones.
- CF: from each variable on the left of ``=``, index variables too; not of compound assignments,
  and not of assignments inside another assignment or an initial value.
- RT is empty.
- FA: arguments beyond the number of parameters have no edge.
- GB, GN: of ``if`` only, for all variables of a branch, from their nodes in the tree, to the
  condition with its parentheses.
- The method's name is hidden only at its declaration.

The two still differ in exceptions: here every exception of a call may reach every ``catch``; the
tool follows the types of the exceptions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.java.bindings.names import ROLE
from codeacumen.languages.java.flow.graph import (
    ANSWERS,
    ASKS,
    BIND,
    READ,
    TARGET,
    WRITE,
    Flow,
    flow,
    outermost,
)
from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import among, field, symbols
from codeacumen.languages.syntax import Column, Syntax
from codeacumen.text.columns import Ragged
from codeacumen.views.ast import Trees
from codeacumen.views.graph._edges_kernel import CF, GB, GN, LL, LU, LW
from codeacumen.views.graph.edges import (
    Graphs,
    argument_edges,
    child,
    declarations,
    distinct,
    numbered,
    original,
    variable_names,
    variables_in,
)

Row = tuple[int, int, int]


def compatible(file: JavaFile, methods: Sequence[int], trees: Trees) -> Graphs:
    """Return the graphs that features-javac builds of methods with these trees."""
    edges = compatible_edges(file.once(original) or file, methods)
    graphs = numbered(file, methods, trees, edges, from_tree=(GB, GN))
    declared = [graphs.own[i][:1] for i in range(len(methods))]
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in declared], dtype=np.int64)])
    tokens = np.array([token for row in declared for token in row], dtype=np.int32)
    return Graphs(graphs.edges, Ragged(tokens, offsets))


def compatible_edges(file: JavaFile, methods: Sequence[int]) -> NDArray[np.int64]:
    """Return distinct rows (kind, source, target) between syntax nodes.

    They cover the whole file, except that LU, LW and FA cover only the methods."""
    names = _names(file)
    used = np.where(declarations(file), -1, names)
    rows = [
        *_lexical(names),
        *_computed(file.syntax, used),
        *_guarded(file.syntax, used),
        *_flowing(file, methods),
    ]
    found = np.array(rows, dtype=np.int64).reshape(-1, 3)
    arguments = argument_edges(file, used, outermost(file, methods), spread=False)
    return distinct(np.concatenate([found, arguments]), len(file.syntax))


def _names(file: JavaFile) -> Column:
    """Return the variable's symbol at each node that names one, this and super included."""
    syntax, names = file.syntax, variable_names(file).copy()
    types = {one.node: place for place, one in enumerate(file.declarations.types)}
    free = int(file.bindings.symbol.max()) + 1 if len(file.bindings.symbol) else 0
    qualified = among("field_access", "method_invocation")
    for node in np.flatnonzero(among("this", "super")[syntax.kind]).tolist():
        above = int(syntax.parent[node])
        plain = syntax.field[node] == field("object") or not qualified[syntax.kind[above]]
        constructs = int(syntax.kind[above]) in symbols("explicit_constructor_invocation")
        second = int(syntax.kind[above]) in symbols("method_reference") and syntax.child[node] > 0
        type_ = int(syntax.kind[above]) in symbols("receiver_parameter", "wildcard")
        if not plain or constructs or second or type_:
            continue
        while above >= 0 and above not in types:
            above = int(syntax.parent[above])
        is_this = int(syntax.kind[node]) in symbols("this")
        names[node] = free + 2 * types.get(above, -1) + 2 + is_this
    return names


def _lexical(names: Column) -> Iterator[Row]:
    """Yield the LL edges, from the earlier occurrence to the later one."""
    last: dict[int, int] = {}
    for node in np.flatnonzero(names >= 0).tolist():
        symbol = int(names[node])
        if symbol in last:
            yield LL, last[symbol], node
        last[symbol] = node


def _computed(syntax: Syntax, names: Column) -> Iterator[Row]:
    """Yield the CF edges of assignments and declarations."""
    assigns = symbols("assignment_expression")
    done = 0
    wanted = among("assignment_expression", "variable_declarator", "resource")[syntax.kind]
    for node in np.flatnonzero(wanted).tolist():
        if node < done:
            continue
        if int(syntax.kind[node]) in assigns:
            operator = child(syntax, node, "operator")
            if operator < 0 or syntax.text(operator) != "=":
                continue
            left, right = child(syntax, node, "left"), child(syntax, node, "right")
        else:
            left, right = child(syntax, node, "name"), child(syntax, node, "value")
            if left < 0:  # a resource that is an expression
                continue
        done = int(syntax.stop[node])
        if left < 0 or right < 0:
            continue
        assigned = [left] if int(syntax.kind[node]) not in assigns else None
        for written in assigned or variables_in(syntax, names, left):
            for name in variables_in(syntax, names, right):
                yield CF, written, name


def _guarded(syntax: Syntax, names: Column) -> Iterator[Row]:
    """Yield the GB and GN edges of ``if`` statements."""
    for node in np.flatnonzero(among("if_statement")[syntax.kind]).tolist():
        condition = child(syntax, node, "condition")
        for kind, branch in ((GB, "consequence"), (GN, "alternative")):
            inside = child(syntax, node, branch)
            if condition >= 0 and inside >= 0:
                for name in variables_in(syntax, names, inside):
                    yield kind, name, condition


def _flowing(file: JavaFile, methods: Sequence[int]) -> Iterator[Row]:
    """Yield the LU and LW edges of the methods that the tool analyses."""
    declared = file.declarations
    top = [
        place
        for place in methods
        if (owner := declared.methods[place].type) != NONE
        and declared.types[owner].kind == "class"
        and declared.types[owner].owner == NONE
    ]
    if not top:
        return
    found = flow(file, top, checker=True)
    roots = np.isin(found.unit, [declared.methods[place].node for place in top])
    inside = roots[found.unit_of]
    asks = np.isin(found.event, (TARGET, READ)) & inside
    role = np.zeros(len(file.syntax), dtype=np.uint8)
    role[file.bindings.node] = file.bindings.role
    bound = (found.event == BIND) & inside
    parameter = bound & (role[found.node] == ROLE["parameter"])
    valued = bound & ~np.isin(role[found.node], (ROLE["catch parameter"], ROLE["pattern variable"]))
    written = (found.event == WRITE) & inside & ~_string_sums(file, found)
    for kind, answers in ((LU, asks | parameter), (LW, valued | written)):
        does = (asks * ASKS + answers * ANSWERS).astype(np.uint8)
        for point, earlier in found.reach(does).tolist():
            if earlier >= 0:
                yield kind, int(found.node[earlier]), int(found.node[point])


def _string_sums(file: JavaFile, found: Flow) -> NDArray[np.bool_]:
    """Return a mask of the writes by += to variables that are declared as String."""
    syntax, bound = file.syntax, file.bindings
    sums = np.zeros(len(found.node), dtype=np.bool_)
    for point in np.flatnonzero(found.event == WRITE).tolist():
        node = int(found.node[point])
        operator = child(syntax, int(syntax.parent[node]), "operator")
        if operator < 0 or syntax.text(operator) != "+=":
            continue
        name = int(bound.declaration[np.searchsorted(bound.node, node)])
        above = int(syntax.parent[name])
        if int(syntax.kind[above]) in symbols("variable_declarator"):
            above = int(syntax.parent[above])
        type_ = child(syntax, above, "type")
        sums[point] = type_ >= 0 and syntax.text(type_) in ("String", "java.lang.String")
    return sums
