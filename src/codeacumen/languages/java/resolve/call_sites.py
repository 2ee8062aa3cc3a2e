"""Call sites of a file: its calls and the expressions that their resolution depends on, as rows.

Meaning of a row by its code; after a semicolon, its children:

=============================  =====================================  ==========================
code                           ``a``                                  ``b``
=============================  =====================================  ==========================
TYPED, a variable              its type                               dimensions after its name
REF, a variable                row of its declaration                 its name
NAME, field, type or package   the name
FIELD, of its child            the name
OUTER, ``X.this``; child: X
CALL; arguments                name                                   byte offset of the name
INVOKE; receiver, arguments    name                                   byte offset of the name
UPCALL, ``X.super.m()``        name; first child: X                   byte offset of the name
NEW; arguments, CLASS          type                                   byte offset of its name
INNER; outer object, as NEW    type                                   byte offset of its name
CONSTRUCT; arguments           1 this, 2 super, +2 if qualified       byte offset of the word
CONSTANT; arguments, CLASS     name of the enum constant              byte offset of the name
REFERENCE, of its child        name, -1 for ``new``                   byte offset of the name
LAMBDA; parameters, body       number of parameters                   sum of BLOCK, GIVES, …
PARAM, of a lambda             its position
DECL; initialiser              type                                   dimensions after the name
VAR; initialiser
EACH; iterable, body           type, -1 for ``var``                   dimensions after the name
TEST, ``instanceof``           type of the variable it declares, -1
ARRAY, ``new T[n]``            type                                   dimensions
CAST, CLASS_OF, TYPE           type
ARGUMENTS, ``<T>m()``          the type arguments
LITERAL                        index in LITERALS
BINARY, UNARY                  PLUS, ARITHMETIC, …
ASSIGN; left, right            1 ``=``, 0 compound
BODY, CLASS, INIT              index of the method, type, field
=============================  =====================================  ==========================

Types and names are indices into ``Sites.texts``. Codes that the table lacks use neither number:
LIST is an array initialiser, UPDATE is ``++`` or ``--``, CONDITION is ``a ? b : c``, and UNKNOWN is
an expression whose type is not determined.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.java import load_grammar
from codeacumen.languages.java.bindings.names import LOCALS, ROLE
from codeacumen.languages.java.resolve.expressions import (
    ARGUMENTS,
    ARITHMETIC,
    BITS,
    BODY,
    CALLS,
    CLASS,
    CONSTRUCT,
    FIELDS,
    INNER,
    INVOKE,
    NODES,
    OF_NAME,
    OF_TYPE,
    OTHER,
    PLUS,
    REF,
    REFERENCE,
    SHIFT,
    TRUTH,
    UPCALL,
    Tree,
    encode_all_expressions,
    encode_expressions,
)
from codeacumen.languages.java.resolve.types import Class, Unit
from codeacumen.languages.java.syntax.declarations import type_text
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import field_number, find_symbols
from codeacumen.languages.java.syntax.lexical import NUMBER_LITERALS
from codeacumen.languages.syntax import Column

# The grammar's kinds of nodes that share a number of ``expressions``, by its name in NODES.
_ALIASES = {
    "literal": (
        *NUMBER_LITERALS, "true", "false", "character_literal", "string_literal", "null_literal",
    ),
    "type": (
        "type_identifier", "scoped_type_identifier", "generic_type", "array_type",
        "integral_type", "floating_point_type", "boolean_type", "void_type", "annotated_type",
        "catch_type",
    ),
    # Nodes that contain no calls.
    "skipped": (
        "modifiers", "annotation", "marker_annotation", "type_parameters", "superclass", "throws",
        "super_interfaces", "extends_interfaces", "permits", "line_comment", "block_comment",
        "package_declaration", "import_declaration", "module_declaration",
    ),
    "block": ("block", "constructor_body", "switch_block"),
    # Statements after which the end of a block may be unreachable.
    "endless": (
        "throw_statement", "while_statement", "do_statement", "for_statement", "try_statement",
        "try_with_resources_statement", "synchronized_statement", "labeled_statement",
        "if_statement",
    ),
}  # fmt: skip
_OPERATORS = {
    "+": PLUS,
    "-": ARITHMETIC,
    "*": ARITHMETIC,
    "/": ARITHMETIC,
    "%": ARITHMETIC,
    "<<": SHIFT,
    ">>": SHIFT,
    ">>>": SHIFT,
    "&": BITS,
    "|": BITS,
    "^": BITS,
    "~": ARITHMETIC,
}
# Indices in ``expressions.LITERALS``; all other literals are 0, int.
_LITERAL_KINDS = {
    "decimal_floating_point_literal": 3,
    "hex_floating_point_literal": 3,
    "true": 5,
    "false": 5,
    "character_literal": 4,
    "string_literal": 6,
    "null_literal": 7,
}
_IS_LOCAL = np.isin(np.arange(256), [ROLE[name] for name in LOCALS])
# Masks over codes of rows: ``a`` is the node of a name or a type; the row is a call. Then masks
# over bytes: suffixes of long and of float literals.
_REFERS_TO_TEXT = np.isin(np.arange(256), (*OF_TYPE, *OF_NAME))
_IS_CALL = np.isin(np.arange(256), list(CALLS))
_IS_SUFFIX = np.stack([np.isin(np.arange(256), list(marks)) for marks in (b"lL", b"fF")])


@lru_cache(maxsize=1)
def _build_lookup_tables() -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]:
    """Return three lookup tables from the grammar's numbers to those of ``expressions``.

    The first two are indexed by symbol: number of the node, kind of the literal or operator. The
    third is indexed by field: number of the field.
    """
    grammar = load_grammar()
    node_codes = {
        alias: code for code, name in enumerate(NODES, 2) for alias in _ALIASES.get(name, (name,))
    }
    code_of_symbol = np.full(1 << 16, OTHER, dtype=np.uint8)
    detail_of_symbol = np.full(1 << 16, TRUTH, dtype=np.uint8)
    for symbol in range(grammar.node_kind_count):
        name = grammar.node_kind_for_id(symbol) or ""
        if grammar.node_kind_is_named(symbol):
            code_of_symbol[symbol] = node_codes.get(name, OTHER)
            detail_of_symbol[symbol] = _LITERAL_KINDS.get(name, 0)
        else:
            code_of_symbol[symbol] = 0
            detail_of_symbol[symbol] = _OPERATORS.get(name, TRUTH)
    code_of_field = np.zeros(grammar.field_count + 1, dtype=np.uint8)
    for code, name in enumerate(FIELDS, 1):
        code_of_field[grammar.field_id_for_name(name) or 0] = code
    return code_of_symbol, detail_of_symbol, code_of_field


class Sites(NamedTuple):
    """Columns of the rows of a file or of a member, and the texts that ``a`` and ``b`` refer to.

    The rows are in pre-order; ``size`` is the number of rows in a row's subtree, the row included.
    The table above explains ``code``, ``a`` and ``b``.
    """

    texts: list[str]
    code: NDArray[np.uint8]
    size: Column
    a: Column
    b: Column


def extract_sites(file: JavaFile) -> Sites:
    """Return the rows on which the calls of a whole file depend."""
    return _replace_nodes_by_texts(file, *encode_expressions(_build_tree(file)))


def find_name_ends(file: JavaFile, sites: Sites) -> Column:
    """Return for each call row the byte offset after the call's name.

    It is -1 for all other rows, and where no token begins at the name.
    """
    ends = np.full(len(sites.code), -1, dtype=np.int32)
    calls = np.flatnonzero(_IS_CALL[sites.code])
    tokens = np.searchsorted(file.tokens.start, sites.b[calls])
    calls, tokens = calls[tokens < len(file.tokens)], tokens[tokens < len(file.tokens)]
    is_at_name = file.tokens.start[tokens] == sites.b[calls]
    ends[calls[is_at_name]] = file.tokens.end[tokens[is_at_name]]
    return ends


def extract_sites_below(file: JavaFile, node: int) -> tuple[Sites, Column]:
    """Return the rows of the member of a type at a node, with a row for every expression in it.

    Also return the row of each of the member's nodes, from ``node`` on; -1 where it has none.
    """
    tree = file.compute_once(_build_tree)
    part = slice(node, int(file.syntax.stop[node]))
    # Make node indices relative to the member.
    parent, stop, declared = (
        np.maximum(column[part] - np.int32(node), np.int32(-1))
        for column in (tree.parent, tree.stop, tree.declared)
    )
    code, size, a, b, row_of = encode_all_expressions(
        Tree(
            tree.kind[part],
            tree.field[part],
            tree.detail[part],
            parent,
            stop,
            tree.start[part],
            tree.end[part],
            tree.is_var[part],
            declared,
            tree.type_at[part],
            tree.method_at[part],
            tree.field_at[part],
        )
    )
    return _replace_nodes_by_texts(file, code, size, a, b, node), row_of


def _replace_nodes_by_texts(
    file: JavaFile, code: NDArray[np.uint8], size: Column, a: Column, b: Column, first_node: int = 0
) -> Sites:
    """Return the rows with indices of texts in place of nodes, which ``a`` and ``b`` count from
    ``first_node``; changes these columns in place."""
    texts: dict[str, int] = {}
    # Read the text of each node once, however many rows refer to it.
    for column, refers_to_text in ((a, _REFERS_TO_TEXT[code]), (b, code == REF)):
        rows = np.flatnonzero(refers_to_text & (column >= 0))
        nodes, inverse = np.unique(column[rows], return_inverse=True)
        text_indices = [
            texts.setdefault(_node_text(file, node + first_node), len(texts))
            for node in nodes.tolist()
        ]
        column[rows] = np.array(text_indices, dtype=np.int32)[inverse]
    return Sites(list(texts), code, size, a, b)


def _build_tree(file: JavaFile) -> Tree:
    """Return the columns of a file's nodes that the kernels of ``expressions`` read."""
    syntax, declarations, bindings = file.syntax, file.declarations, file.bindings
    code_of_symbol, detail_of_symbol, code_of_field = _build_lookup_tables()
    declaration_indices = np.full((3, len(syntax)), -1, dtype=np.int32)
    declaration_indices[0, [type_.node for type_ in declarations.types]] = np.arange(
        len(declarations.types)
    )
    declaration_indices[1, [method.node for method in declarations.methods]] = np.arange(
        len(declarations.methods)
    )
    declaration_indices[2, [field_.node for field_ in declarations.fields]] = np.arange(
        len(declarations.fields)
    )
    is_local = _IS_LOCAL[bindings.role]
    declaration = np.full(len(syntax), -1, dtype=np.int32)
    declaration[bindings.node[is_local]] = bindings.declaration[is_local]
    is_var = np.zeros(len(syntax), dtype=np.bool_)
    if "var" in file.names.words:
        is_var |= file.names.word_of == file.names.words.index("var")
    kind, detail = code_of_symbol[syntax.kind], detail_of_symbol[syntax.kind]
    _add_suffixes(file, np.flatnonzero(kind == NODES.index("literal") + 2), detail)
    return Tree(
        kind,
        code_of_field[syntax.field],
        detail,
        syntax.parent,
        syntax.stop,
        syntax.start,
        syntax.end,
        is_var,
        declaration,
        declaration_indices[0],
        declaration_indices[1],
        declaration_indices[2],
    )


def _add_suffixes(file: JavaFile, nodes: NDArray[np.int64], detail: NDArray[np.uint8]) -> None:
    """Correct the kind of literals with a suffix in place: ``1L`` is long (kind 1, not 0) and
    ``1f`` is float (kind 2, not 3)."""
    if not len(nodes):
        return
    source = np.frombuffer(file.source, dtype=np.uint8)
    last = source[np.maximum(file.syntax.end[nodes] - 1, 0)]
    detail[nodes[(detail[nodes] == 0) & _IS_SUFFIX[0, last]]] = 1
    detail[nodes[(detail[nodes] == 3) & _IS_SUFFIX[1, last]]] = 2


def _node_text(file: JavaFile, node: int) -> str:
    """Return the text of a name or a type; for a cast to several types their texts, joined by &.

    Most are single words or need no normalization, which avoids the slower ``type_text``.
    """
    word = int(file.names.word_of[node])
    if word >= 0:
        return file.names.words[word]
    syntax = file.syntax
    if int(syntax.kind[node]) in find_symbols("cast_expression"):
        type_field = field_number("type")
        types = [child for child in syntax.children(node) if syntax.field[child] == type_field]
        return "&".join(type_text(syntax, child) for child in types)
    text = syntax.text(node)
    needs_no_normalization = (
        text.isascii() and text.replace(".", "").replace("<", "").replace(">", "").isalnum()
    )
    return text if needs_no_normalization else type_text(syntax, node)


class Scope(NamedTuple):
    """The innermost type around code, and the index of its method (-1: none)."""

    cls: Class
    method: int


@dataclass(slots=True)
class Rows:
    """Call sites of a file as lists, which are faster to index one row at a time than arrays.

    The rows are in pre-order, so that ``row + 1`` is the first child of a row with a ``size`` above
    1. ``parent`` is the row above each row (-1: none). The scope of a CLASS or BODY row is its own.
    """

    unit: Unit
    texts: list[str]
    code: list[int]
    size: list[int]
    a: list[int]
    b: list[int]
    parent: list[int] = dataclasses.field(default_factory=list)
    scopes: list[Scope] = dataclasses.field(default_factory=list)

    def text(self, row: int) -> str:
        return self.texts[self.a[row]]

    def children(self, row: int) -> list[int]:
        children = []
        child, stop = row + 1, row + self.size[row]
        while child < stop:
            children.append(child)
            child += self.size[child]
        return children

    def arguments(self, row: int) -> list[int]:
        """Return the argument rows of a call, without receiver, type arguments and class body; a
        method reference has none."""
        arguments = self.children(row)
        code = self.code[row]
        # The first child is the receiver or the outer object; a CONSTRUCT above 2 is qualified.
        if code in (INVOKE, UPCALL, INNER) or (code == CONSTRUCT and self.a[row] > 2):
            del arguments[:1]
        if arguments and self.code[arguments[0]] == ARGUMENTS:
            del arguments[0]
        if arguments and self.code[arguments[-1]] == CLASS:
            del arguments[-1]
        return [] if code == REFERENCE else arguments

    def receiver(self, row: int) -> int:
        """Return the receiver's row, the first child, of a call that has a receiver; -1 if the row
        has no child, in a source with errors."""
        return row + 1 if self.size[row] > 1 else -1

    def type_arguments(self, row: int) -> str:
        """Return the text of a call's explicit type arguments, as in
        ``Collections.<String>emptyList()``; empty if there are none."""
        child = row + 1
        if self.code[row] in (INVOKE, UPCALL) and self.size[row] > 1:
            child += self.size[child]
        if child < row + self.size[row] and self.code[child] == ARGUMENTS:
            return self.text(child)
        return ""

    def anonymous_class_index(self, row: int) -> int:
        """Return the index of the anonymous class that a creation declares, -1 if none."""
        children = self.children(row)
        if children and self.code[children[-1]] == CLASS:
            return self.a[children[-1]]
        return -1

    def list_calls(self) -> list[int]:
        """Return the call rows in evaluation order.

        A call comes after the calls among its receiver and arguments, which keeps the recursion of
        attribution shallow.
        """
        call_rows = [row for row, code in enumerate(self.code) if code in CALLS]
        # By the end of the subtree; of rows with the same end the innermost comes first.
        call_rows.sort(key=lambda row: (row + self.size[row], -row))
        return call_rows


def build_rows(unit: Unit, sites: Sites, outer_scope: Scope | None = None) -> Rows:
    """Return call sites with parents and scopes.

    ``outer_scope`` is the scope around the rows of a part of a file; by default the placeholder,
    which stands for the class of code outside of types.
    """
    code, size, a, b = (column.tolist() for column in sites[1:])
    result = Rows(unit, sites.texts, code, size, a, b)
    count = len(code)
    parent = result.parent = [-1] * count
    default_scope = outer_scope or Scope(unit.placeholder, -1)
    scopes = result.scopes = [default_scope] * count
    # Open rows: end, row and the scope of their children.
    open_rows: list[tuple[int, int, Scope]] = []
    for row in range(count):
        while open_rows and open_rows[-1][0] <= row:
            open_rows.pop()
        scope = default_scope
        if open_rows:
            _, parent[row], scope = open_rows[-1]
        if code[row] == CLASS:
            scope = Scope(unit.classes[a[row]], -1)
        elif code[row] == BODY:
            scope = Scope(unit.methods[a[row]].cls, a[row])
        scopes[row] = scope
        if size[row] > 1:
            open_rows.append((row + size[row], row, scope))
    return result
