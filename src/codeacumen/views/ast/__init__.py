"""A method's tree, as javac builds it and features-javac draws it.

javac makes a tree of some kind (``Tree.Kind``) of each piece of syntax, with a getter for each of
its parts. Drawn, a tree is a node labelled with its kind; below it, for each getter that holds
something, a node with the getter's name (getReturnType: RETURN_TYPE), and below that what it
holds. A getter of a plain value is drawn where the value is written as a token of its own tree,
case aside: names, labels, FLAGS, IS_STATIC, PRIMITIVE_TYPE_KIND; MODE of ``A::new``; VALUE of
``null``, ``true``, ``false``, characters, and numbers that are written as they are printed (``10``,
``10L``, ``0.5``; not ``-10``, ``0x10``, ``1e3``, ``1f``), never of strings. A getter with a single
tree of its own label is merged with it, and the edge is added once more, last (``late``):
MODIFIERS, BLOCK, VARIABLE, IDENTIFIER. What has neither parts nor tokens is not drawn.

Nodes are numbered in the order in which they are drawn, the parts of a tree in this order (javac
has none; the first lines are what the GLUECode paper prints, the others what the language writes):

    METHOD                  NAME MODIFIERS TYPE_PARAMETERS RETURN_TYPE RECEIVER_PARAMETER PARAMETERS
                            THROWS BODY DEFAULT_VALUE
    VARIABLE                NAME MODIFIERS TYPE NAME_EXPRESSION INITIALIZER
    MODIFIERS               FLAGS ANNOTATIONS
    METHOD_INVOCATION       TYPE_ARGUMENTS METHOD_SELECT ARGUMENTS
    MEMBER_SELECT           EXPRESSION IDENTIFIER
    NEW_CLASS               ENCLOSING_EXPRESSION TYPE_ARGUMENTS ARGUMENTS IDENTIFIER CLASS_BODY
    TRY                     RESOURCES BLOCK CATCHES FINALLY_BLOCK
    CATCH                   BLOCK PARAMETER
    binary operators        LEFT_OPERAND RIGHT_OPERAND
    IF                      CONDITION THEN_STATEMENT ELSE_STATEMENT
    WHILE_ and DO_WHILE_LOOP    CONDITION STATEMENT
    FOR_LOOP                INITIALIZER CONDITION UPDATE STATEMENT
    ENHANCED_FOR_LOOP       VARIABLE EXPRESSION STATEMENT
    CLASS, ENUM, RECORD, …  MODIFIERS SIMPLE_NAME TYPE_PARAMETERS EXTENDS_CLAUSE IMPLEMENTS_CLAUSE
                            PERMITS_CLAUSE MEMBERS
    ANNOTATION              ANNOTATION_TYPE ARGUMENTS
    ANNOTATED_TYPE          ANNOTATIONS UNDERLYING_TYPE
    TYPE_PARAMETER          ANNOTATIONS NAME BOUNDS
    PARAMETERIZED_TYPE      TYPE TYPE_ARGUMENTS
    NEW_ARRAY               TYPE ANNOTATIONS DIM_ANNOTATIONS DIMENSIONS INITIALIZERS
    LAMBDA_EXPRESSION       PARAMETERS BODY
    MEMBER_REFERENCE        QUALIFIER_EXPRESSION TYPE_ARGUMENTS NAME MODE
    ASSIGNMENT, compound    VARIABLE EXPRESSION
    CONDITIONAL_EXPRESSION  CONDITION TRUE_EXPRESSION FALSE_EXPRESSION
    ARRAY_ACCESS            EXPRESSION INDEX
    TYPE_CAST               TYPE EXPRESSION
    INSTANCE_OF             EXPRESSION, then TYPE or PATTERN
    SWITCH, .._EXPRESSION   EXPRESSION CASES
    CASE                    EXPRESSIONS LABELS GUARD, then STATEMENTS or BODY
    DECONSTRUCTION_PATTERN  DECONSTRUCTOR NESTED_PATTERNS
    BLOCK                   IS_STATIC STATEMENTS
    LABELED_STATEMENT       LABEL STATEMENT
    SYNCHRONIZED            EXPRESSION BLOCK
    ASSERT                  CONDITION DETAIL

The trees are those of javac's parser. What the tool shows beyond it, and where we decide:

- Where javac shares a tree (``int a, b``), each place has its own.
- The supertype of a class without a name is its EXTENDS_CLAUSE. Attribution moves it there, and
  calls it IMPLEMENTS_CLAUSE if it is an interface, which syntax does not tell.
- Every string is a literal of its own; javac by default joins ``"a" + "b"``.
- Constants of a case are its EXPRESSIONS, as up to Java 17; LABELS are patterns
  (PATTERN_CASE_LABEL) and a ``default`` after ``null``, by their names in JDK 21.
- A variable named ``_`` has no NAME, and ``_`` alone is an ANY_PATTERN, as in JDK 21.
- Three accidents are kept: a method with brackets after its parameters has no NAME (its return
  type spans it), an enum constant has an INITIALIZER only if arguments or a body are written, and
  a resource declared with ``var`` has MODIFIERS.
- Syntax that does not parse is ERRONEOUS.
- An operation whose operator is hidden is a MASK with LEFT_OPERAND and RIGHT_OPERAND, assignments
  too.

``kinds`` tells what each node of the syntax is, ``rules`` how each kind is drawn, ``plans`` draws.

Fractions as the virtual machine prints them, to tell whether one is written that way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codeacumen.api import Json
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.registry import view
from codeacumen.text.columns import Ragged
from codeacumen.views.ast import codes
from codeacumen.views.ast.casts import undo_casts
from codeacumen.views.ast.kinds import settle
from codeacumen.views.ast.labels import LABELS
from codeacumen.views.ast.plans import draw
from codeacumen.views.ast.tables import tables


@lru_cache(maxsize=1 << 12)
def is_printed(literal: bytes) -> bool:
    """Whether a literal of type double reads as its value is printed (``0.5``, ``1.0E10``), case
    aside: ``Double.toString`` gives the fewest digits that tell it from its neighbours, and no
    exponent from a thousandth up to ten million."""
    text = literal.decode("ascii", errors="replace").replace("_", "").upper()
    if text[-1] in "FD":
        return False
    try:
        value = float(text)
    except ValueError:
        return False
    return text == printed(value)


def printed(value: float) -> str:
    """A double that is not negative, as ``Double.toString`` gives it."""
    if value == float("inf"):
        return "INFINITY"
    if value == 0 or 1e-3 <= value < 1e7:
        plain = format(Decimal(repr(value)), "f")
        return plain if "." in plain else f"{plain}.0"
    # Two digits are always given: the nearest two, where a single one would do.
    two = f"{value:.1e}"
    decimal = Decimal(two if float(two) == value else repr(value))
    _, digits, exponent = decimal.normalize().as_tuple()
    first, *rest = map(str, digits)
    return f"{first}.{''.join(rest) or '0'}E{int(exponent) + len(rest)}"


__all__ = ["LABELS", "Trees", "shape", "trees"]

_STALE = (
    "codeacumen.views.ast: the compiled code is older than codes.py or labels.py;"
    " remove the .nbi files beside it (__pycache__)"
)


@dataclass(frozen=True, slots=True)
class Trees:
    """Trees one after the other: tree i has the nodes from ``offsets[i]`` to ``offsets[i + 1]``.

    ``label`` numbers ``LABELS``; ``parent`` is a node of the same tree, -1 for its root; ``late``:
    its edge comes after those of its siblings; ``node`` is the node of the syntax it stands for
    (a getter: the one it holds, or the list's, or its owner's).
    """

    offsets: NDArray[np.int64]
    label: NDArray[np.uint8]
    parent: NDArray[np.int32]
    late: NDArray[np.bool_]
    node: NDArray[np.int32]


def trees(file: JavaFile, methods: Sequence[int]) -> Trees:
    """The trees of methods, by their places in ``file.declarations.methods``; a method inside
    another is part of its tree as well."""
    declared = file.declarations.methods
    roots = np.array([declared[place].node for place in methods], dtype=np.int32)
    nodes, known = _settled(file), tables()
    drawn, offsets = draw(nodes, known.first, known.parts, known.lists, roots, codes.VERSION)
    if not len(offsets):
        raise RuntimeError(_STALE)
    label, parent, late, node = drawn.T
    return Trees(
        offsets,
        label.astype(np.uint8),
        np.ascontiguousarray(parent),
        late.astype(np.bool_),
        np.ascontiguousarray(node),
    )


def _settled(file: JavaFile) -> NDArray[np.int32]:
    """The nodes of a file, a row each, with what kind of tree they are."""
    syntax, known = file.syntax, tables()
    code = known.code[syntax.kind]
    nodes = np.empty((len(syntax), codes.COLUMNS), dtype=np.int32)
    nodes[:, codes.SYMBOL] = code
    nodes[:, codes.FIELD] = known.field[syntax.field]
    nodes[:, codes.STOP] = syntax.stop
    nodes[:, codes.UP] = syntax.parent
    nodes[:, codes.START] = syntax.start
    nodes[:, codes.END] = syntax.end
    nodes[:, codes.CODE] = code
    nodes[:, codes.LABEL] = known.label[code]
    nodes[:, codes.ANNOTATED :] = -1
    source = np.frombuffer(file.source, dtype=np.uint8)
    if not settle(nodes, source, known.operators, known.below, codes.VERSION):
        raise RuntimeError(_STALE)
    for node in np.flatnonzero(code == codes.FLOATING).tolist():
        if is_printed(file.source[syntax.start[node] : syntax.end[node]]):
            nodes[node, codes.CODE] = codes.VALUED
    undo_casts(nodes, file.source)
    return nodes


def shape(label: Sequence[int], parent: Sequence[int], late: Sequence[bool]) -> Json:
    """A tree as the published data has it: the labels, and the edges ``[parent, child]`` by
    parent, among those of one parent in order, the late ones last."""
    above = np.asarray(parent)
    order = np.lexsort((np.asarray(late), above))
    edges = np.column_stack((above[order], order))
    return {
        "ast_labels": [LABELS[code] for code in label],
        "ast_edges": edges[edges[:, 0] >= 0].tolist(),
    }


def trees_of(file: JavaFile) -> Trees:
    """The trees of all methods that have a body."""
    return trees(file, file.bodies)


class TreeTable:
    """``label`` numbers ``codeacumen.views.ast.LABELS``; ``parent`` is a node of the same tree;
    ``late``: its edge comes after those of its siblings."""

    name = "ast"

    def columns(self, file: JavaFile, seeds: NDArray[np.uint64]) -> Mapping[str, Ragged]:
        found = file.once(trees_of)
        return {
            name: Ragged(getattr(found, name), found.offsets)
            for name in ("label", "parent", "late")
        }


@view("ast", summary="the tree javac builds, with the names of its parts")
class TreeView:
    name = "ast"
    tables = (TreeTable(),)
    compats: Mapping[str, str] = MappingProxyType(
        {"features-javac": "the same: our order is the one canonical order"}
    )

    def value(self, method: Mapping[str, Any], rows: Mapping[str, Mapping[str, Any]]) -> Json:
        row = rows["ast"]
        return shape(row["label"], row["parent"], row["late"])

    def compatible(self, compat: str, file: JavaFile, place: int) -> Json:
        found = trees(file, [place])
        return shape(found.label.tolist(), found.parent.tolist(), found.late.tolist())
