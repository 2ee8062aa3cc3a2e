"""The **ast** view: a method's tree as javac builds it and features-javac draws it.

javac parses Java to trees of several kinds (``Tree.Kind``) with a getter for each part. A tree is
drawn as a node labelled with its kind. Its children are a node for each getter that returns
something, labelled with the getter's name (getReturnType: RETURN_TYPE), and below that node stands
the returned tree. A getter of a plain value is drawn if the value occurs as a token of its own
tree, ignoring case: names, labels, FLAGS, IS_STATIC, PRIMITIVE_TYPE_KIND; MODE of ``A::new``; VALUE
of ``null``, ``true``, ``false``, characters, and numbers in the form in which Java prints them
(``10``, ``10L``, ``0.5``; not ``-10``, ``0x10``, ``1e3``, ``1f``), never of strings. A getter that
returns a single tree of its own label is merged with that tree, and its edge comes last (``late``):
MODIFIERS, BLOCK, VARIABLE, IDENTIFIER. Getters without parts and tokens are not drawn.

Nodes are numbered in drawing order, the parts of a tree in the following order (javac defines none;
the first lines follow the GLUECode paper, the others the order of the source):

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

The trees are those of javac's parser, with these exceptions and decisions:

- Where javac shares a tree (``int a, b``), each variable has its own copy.
- The supertype of an anonymous class is its EXTENDS_CLAUSE. javac's attribution moves it there, and
  calls it IMPLEMENTS_CLAUSE if it is an interface, which syntax alone cannot decide.
- Every string is a literal of its own; javac by default joins ``"a" + "b"``.
- Constants of a case are its EXPRESSIONS, as up to Java 17; LABELS are patterns
  (PATTERN_CASE_LABEL) and a ``default`` after ``null``, by their names in JDK 21.
- A variable named ``_`` has no NAME, and ``_`` alone is an ANY_PATTERN, as in JDK 21.
- Three accidents of the tool are reproduced: a method with brackets after its parameters has no
  NAME (its return type spans it), an enum constant has an INITIALIZER only if it has arguments or
  a body, and a resource declared with ``var`` has MODIFIERS.
- Syntax that does not parse is ERRONEOUS.
- An operation whose operator is masked is a MASK with LEFT_OPERAND and RIGHT_OPERAND, assignments
  too.

``kinds`` assigns a code to each syntax node, ``rules`` lists the parts of each code's tree, and
``plans`` draws the trees.
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
from codeacumen.views.ast.kinds import assign_codes
from codeacumen.views.ast.labels import LABELS
from codeacumen.views.ast.plans import draw_trees
from codeacumen.views.ast.tables import build_tables


@lru_cache(maxsize=1 << 12)
def is_canonical_double(literal: bytes) -> bool:
    """Return True if a double literal is spelled as Java prints it (``0.5``, ``1.0E10``).

    Case is ignored. ``Double.toString`` prints the fewest digits that distinguish the value from
    its neighbours, without an exponent from a thousandth up to ten million."""
    text = literal.decode("ascii", errors="replace").replace("_", "").upper()
    if text[-1] in "FD":
        return False
    try:
        value = float(text)
    except ValueError:
        return False
    return text == format_double(value)


def format_double(value: float) -> str:
    """Format a non-negative double like ``Double.toString``."""
    if value == float("inf"):
        return "INFINITY"
    if value == 0 or 1e-3 <= value < 1e7:
        decimal_text = format(Decimal(repr(value)), "f")
        return decimal_text if "." in decimal_text else f"{decimal_text}.0"
    # Java prints at least two digits: the nearest two where a single one would do.
    two_digits = f"{value:.1e}"
    decimal = Decimal(two_digits if float(two_digits) == value else repr(value))
    _, digits, exponent = decimal.normalize().as_tuple()
    first, *rest = map(str, digits)
    return f"{first}.{''.join(rest) or '0'}E{int(exponent) + len(rest)}"


__all__ = ["LABELS", "Trees", "draw_method_trees", "tree_to_json"]

_STALE = (
    "codeacumen.views.ast: the compiled code is older than codes.py or labels.py;"
    " remove the .nbi files beside it (__pycache__)"
)


@dataclass(frozen=True, slots=True)
class Trees:
    """Concatenated trees: tree i has the nodes from ``offsets[i]`` to ``offsets[i + 1]``.

    ``label`` indexes ``LABELS``; ``parent`` is a node of the same tree, -1 for the root; the edge
    to a ``late`` node comes after those to its siblings; ``node`` is the syntax node (for a getter,
    that of its value, of the list or of its owner).
    """

    offsets: NDArray[np.int64]
    label: NDArray[np.uint8]
    parent: NDArray[np.int32]
    late: NDArray[np.bool_]
    node: NDArray[np.int32]


def draw_method_trees(file: JavaFile, methods: Sequence[int]) -> Trees:
    """Return the trees of methods, which are indices into ``file.declarations.methods``.

    The tree of a nested method is also a part of the outer method's tree."""
    declarations = file.declarations.methods
    roots = np.array([declarations[method].node for method in methods], dtype=np.int32)
    nodes, grammar_tables = _assign_codes(file), build_tables()
    rows, offsets = draw_trees(
        nodes,
        grammar_tables.first,
        grammar_tables.parts,
        grammar_tables.lists,
        roots,
        codes.VERSION,
    )
    if not len(offsets):
        raise RuntimeError(_STALE)
    label, parent, late, node = rows.T
    return Trees(
        offsets,
        label.astype(np.uint8),
        np.ascontiguousarray(parent),
        late.astype(np.bool_),
        np.ascontiguousarray(node),
    )


def _assign_codes(file: JavaFile) -> NDArray[np.int32]:
    """Return the syntax nodes of a file as rows with the columns of ``codes``, codes assigned."""
    syntax, grammar_tables = file.syntax, build_tables()
    code = grammar_tables.code[syntax.kind]
    nodes = np.empty((len(syntax), codes.COLUMNS), dtype=np.int32)
    nodes[:, codes.SYMBOL] = code
    nodes[:, codes.FIELD] = grammar_tables.field[syntax.field]
    nodes[:, codes.STOP] = syntax.stop
    nodes[:, codes.UP] = syntax.parent
    nodes[:, codes.START] = syntax.start
    nodes[:, codes.END] = syntax.end
    nodes[:, codes.CODE] = code
    nodes[:, codes.LABEL] = grammar_tables.label[code]
    nodes[:, codes.ANNOTATED :] = -1
    source = np.frombuffer(file.source, dtype=np.uint8)
    if not assign_codes(
        nodes, source, grammar_tables.operators, grammar_tables.below, codes.VERSION
    ):
        raise RuntimeError(_STALE)
    for node in np.flatnonzero(code == codes.FLOATING).tolist():
        if is_canonical_double(file.source[syntax.start[node] : syntax.end[node]]):
            nodes[node, codes.CODE] = codes.VALUED
    undo_casts(nodes, file.source)
    return nodes


def tree_to_json(label: Sequence[int], parent: Sequence[int], late: Sequence[bool]) -> Json:
    """Return a tree in the published format: its labels and its edges ``[parent, child]``.

    Edges are sorted by parent, then in drawing order with late ones last."""
    parents = np.asarray(parent)
    order = np.lexsort((np.asarray(late), parents))
    edges = np.column_stack((parents[order], order))
    return {
        "ast_labels": [LABELS[code] for code in label],
        "ast_edges": edges[edges[:, 0] >= 0].tolist(),
    }


def trees_of_bodies(file: JavaFile) -> Trees:
    """Return the trees of all methods that have a body; for ``JavaFile.compute_once``."""
    return draw_method_trees(file, file.bodies)


class TreeTable:
    """Tree of each method.

    ``label`` indexes ``codeacumen.views.ast.LABELS``; ``parent`` is a node of the same tree; the
    edge to a ``late`` node comes after those to its siblings."""

    name = "ast"

    def columns(self, file: JavaFile, seeds: NDArray[np.uint64]) -> Mapping[str, Ragged]:
        trees = file.compute_once(trees_of_bodies)
        return {
            name: Ragged(getattr(trees, name), trees.offsets)
            for name in ("label", "parent", "late")
        }


# ``codeacumen.api.views.View`` describes the methods of the view; ``place`` is the method's index
# in its file.
@view("ast", summary="the tree javac builds, with the names of its parts")
class TreeView:
    name = "ast"
    tables = (TreeTable(),)
    compats: Mapping[str, str] = MappingProxyType(
        {"features-javac": "the same: our order is the canonical one"}
    )

    def value(self, method: Mapping[str, Any], rows: Mapping[str, Mapping[str, Any]]) -> Json:
        row = rows["ast"]
        return tree_to_json(row["label"], row["parent"], row["late"])

    def compatible(self, compat: str, file: JavaFile, place: int) -> Json:
        trees = draw_method_trees(file, [place])
        return tree_to_json(trees.label.tolist(), trees.parent.tolist(), trees.late.tolist())
