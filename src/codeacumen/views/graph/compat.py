"""The graph of the tool features-javac, for comparison with published data.

The package describes the kinds of edges, LU to GN. Differences from our default:

- LU, LW and LL lead from the earlier occurrence to the later one.
- LU and LW exist only in methods that are direct members of a class that is not nested, and not in
  lambdas. They follow the Checker Framework's control flow: the target of an assignment comes
  before the right side, and conditions are never constant. For LU a declaration does not count,
  except a parameter's; for LW it counts if it has a value, except in a catch clause or a pattern.
  ``+=`` on a String writes nothing (the Checker Framework has no assignment there).
- ``this`` and ``super`` are variables, one each for every class. They have no LU and LW, which
  exist for local variables only.
- CF: from each variable on the left of ``=``, index variables too; not of compound assignments,
  and not of assignments inside another assignment or an initial value.
- RT is empty.
- FA: arguments beyond the number of parameters have no edge.
- GB, GN: of ``if`` only, for all variables of a branch, from their nodes in the tree instead of
  their tokens, to the condition with its parentheses.
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
    BIND,
    DEFINES,
    QUERIES,
    READ,
    TARGET,
    WRITE,
    Flow,
    build_flow,
    find_outermost_methods,
)
from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import field_number, find_symbols, symbol_mask
from codeacumen.languages.syntax import Column, Syntax
from codeacumen.text.columns import Ragged
from codeacumen.views.ast import Trees
from codeacumen.views.graph.edges import (
    Graphs,
    argument_edges,
    declaration_mask,
    find_child,
    number_edges,
    sort_distinct,
    unmasked_file,
    variable_symbols,
    variables_in,
)
from codeacumen.views.graph.edges_kernel import CF, GB, GN, LL, LU, LW

# Kind, source and target of an edge between syntax nodes.
Row = tuple[int, int, int]


def build_compatible_graphs(file: JavaFile, methods: Sequence[int], trees: Trees) -> Graphs:
    """Return the graphs that features-javac builds of methods with these trees."""
    # If the file is masked, edges come from its unmasked version, which has the same nodes.
    edges = compatible_edges(file.compute_once(unmasked_file) or file, methods)
    graphs = number_edges(file, methods, trees, edges, from_tree=(GB, GN))
    # The first own token is the name at the declaration; calls and references follow.
    own_tokens = [graphs.own_tokens[i][:1] for i in range(len(methods))]
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in own_tokens], dtype=np.int64)])
    tokens = np.array([token for row in own_tokens for token in row], dtype=np.int32)
    return Graphs(graphs.edges, Ragged(tokens, offsets))


def compatible_edges(file: JavaFile, methods: Sequence[int]) -> NDArray[np.int64]:
    """Return distinct rows (kind, source, target) between syntax nodes.

    They cover the whole file, except that LU, LW and FA cover only the methods."""
    names = _variable_symbols(file)
    occurrences = np.where(declaration_mask(file), -1, names)
    rows = [
        *_lexical_edges(names),
        *_computed_edges(file.syntax, occurrences),
        *_guarded_edges(file.syntax, occurrences),
        *_flow_edges(file, methods),
    ]
    edges = np.array(rows, dtype=np.int64).reshape(-1, 3)
    arguments = argument_edges(
        file, occurrences, find_outermost_methods(file, methods), spread=False
    )
    return sort_distinct(np.concatenate([edges, arguments]), len(file.syntax))


def _variable_symbols(file: JavaFile) -> Column:
    """Return the variable's symbol at each node that names one, this and super included."""
    syntax, names = file.syntax, variable_symbols(file).copy()
    types = {declaration.node: index for index, declaration in enumerate(file.declarations.types)}
    first_free = int(file.bindings.symbol.max()) + 1 if len(file.bindings.symbol) else 0
    qualified = symbol_mask("field_access", "method_invocation")
    for node in np.flatnonzero(symbol_mask("this", "super")[syntax.kind]).tolist():
        parent = int(syntax.parent[node])
        # Skip ``Outer.this`` and ``Outer.super.m()``, the calls ``this()`` and ``super()``, a
        # method reference in which something precedes it, a receiver parameter, and ``? super T``.
        is_unqualified = (
            syntax.field[node] == field_number("object") or not qualified[syntax.kind[parent]]
        )
        is_constructor_call = int(syntax.kind[parent]) in find_symbols(
            "explicit_constructor_invocation"
        )
        is_member = (
            int(syntax.kind[parent]) in find_symbols("method_reference")
            and syntax.child_index[node] > 0
        )
        is_in_type = int(syntax.kind[parent]) in find_symbols("receiver_parameter", "wildcard")
        if not is_unqualified or is_constructor_call or is_member or is_in_type:
            continue
        while parent >= 0 and parent not in types:
            parent = int(syntax.parent[parent])
        is_this = int(syntax.kind[node]) in find_symbols("this")
        # Each type has two numbers after those of the file's own symbols, for super and for this;
        # -1 stands for code outside of all types.
        names[node] = first_free + 2 * types.get(parent, -1) + 2 + is_this
    return names


def _lexical_edges(names: Column) -> Iterator[Row]:
    """Yield the LL edges, from the earlier occurrence to the later one."""
    last: dict[int, int] = {}
    for node in np.flatnonzero(names >= 0).tolist():
        symbol = int(names[node])
        if symbol in last:
            yield LL, last[symbol], node
        last[symbol] = node


def _computed_edges(syntax: Syntax, names: Column) -> Iterator[Row]:
    """Yield the CF edges of assignments and declarations."""
    assigns = find_symbols("assignment_expression")
    end_of_last = 0
    is_candidate = symbol_mask("assignment_expression", "variable_declarator", "resource")[
        syntax.kind
    ]
    for node in np.flatnonzero(is_candidate).tolist():
        if node < end_of_last:
            continue
        if int(syntax.kind[node]) in assigns:
            operator = find_child(syntax, node, "operator")
            if operator < 0 or syntax.text(operator) != "=":
                continue
            left, right = find_child(syntax, node, "left"), find_child(syntax, node, "right")
        else:
            left, right = find_child(syntax, node, "name"), find_child(syntax, node, "value")
            if left < 0:  # a resource that is an expression
                continue
        end_of_last = int(syntax.stop[node])
        if left < 0 or right < 0:
            continue
        assigned = [left] if int(syntax.kind[node]) not in assigns else None
        for written_variable in assigned or variables_in(syntax, names, left):
            for name in variables_in(syntax, names, right):
                yield CF, written_variable, name


def _guarded_edges(syntax: Syntax, names: Column) -> Iterator[Row]:
    """Yield the GB and GN edges of ``if`` statements."""
    for node in np.flatnonzero(symbol_mask("if_statement")[syntax.kind]).tolist():
        condition = find_child(syntax, node, "condition")
        for kind, branch in ((GB, "consequence"), (GN, "alternative")):
            branch_node = find_child(syntax, node, branch)
            if condition >= 0 and branch_node >= 0:
                for name in variables_in(syntax, names, branch_node):
                    yield kind, name, condition


def _flow_edges(file: JavaFile, methods: Sequence[int]) -> Iterator[Row]:
    """Yield the LU and LW edges of the methods that the tool analyses."""
    declarations = file.declarations
    analysed = [
        method
        for method in methods
        if (owner := declarations.methods[method].type) != NONE
        and declarations.types[owner].kind == "class"
        and declarations.types[owner].owner == NONE
    ]
    if not analysed:
        return
    control_flow = build_flow(file, analysed, checker=True)
    # A unit is a body that runs by itself; lambdas inside the methods are units, too, and left out.
    roots = np.isin(control_flow.unit, [declarations.methods[method].node for method in analysed])
    inside = roots[control_flow.unit_of]
    # Points that ask for an earlier occurrence; the points that answer differ by kind of edge.
    # TARGET is the left side of ``=`` before the right side is evaluated; its WRITE comes after it.
    asks = np.isin(control_flow.event, (TARGET, READ)) & inside
    role = np.zeros(len(file.syntax), dtype=np.uint8)
    role[file.bindings.node] = file.bindings.role
    bound = (control_flow.event == BIND) & inside
    parameter = bound & (role[control_flow.node] == ROLE["parameter"])
    valued = bound & ~np.isin(
        role[control_flow.node], (ROLE["catch parameter"], ROLE["pattern variable"])
    )
    written = (control_flow.event == WRITE) & inside & ~_string_concatenations(file, control_flow)
    for kind, answers in ((LU, asks | parameter), (LW, valued | written)):
        point_roles = (asks * QUERIES + answers * DEFINES).astype(np.uint8)
        for point, earlier in control_flow.find_reaching_points(point_roles).tolist():
            if earlier >= 0:
                yield kind, int(control_flow.node[earlier]), int(control_flow.node[point])


def _string_concatenations(file: JavaFile, control_flow: Flow) -> NDArray[np.bool_]:
    """Return a mask of the writes by += to variables that are declared as String."""
    syntax, bindings = file.syntax, file.bindings
    sums = np.zeros(len(control_flow.node), dtype=np.bool_)
    for point in np.flatnonzero(control_flow.event == WRITE).tolist():
        node = int(control_flow.node[point])
        operator = find_child(syntax, int(syntax.parent[node]), "operator")
        if operator < 0 or syntax.text(operator) != "+=":
            continue
        name = int(bindings.declaration[np.searchsorted(bindings.node, node)])
        parent = int(syntax.parent[name])
        if int(syntax.kind[parent]) in find_symbols("variable_declarator"):
            parent = int(syntax.parent[parent])
        type_ = find_child(syntax, parent, "type")
        sums[point] = type_ >= 0 and syntax.text(type_) in ("String", "java.lang.String")
    return sums
