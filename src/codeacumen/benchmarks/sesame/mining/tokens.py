"""Measure methods' bodies for SeSaMe's filters and for toksim, many methods at once.

toksim compares two bodies by the kinds of their tokens, as JDT's scanner does. All identifiers are
one kind, and so are all strings, all integers, …; each keyword and each operator is its own kind.
``int`` and the other primitive types are identifiers, as every other type is; ``void`` is not. Two
``>`` that close generics are one ``>>``, because a scanner has no grammar. toksim is one minus the
Levenshtein distance divided by the length of the longer body, so 1 for bodies of equal shape.

The size of a method is the number of nodes of Eclipse's JDT (``org.eclipse.jdt.core.dom``, at the
language level Java 8), whose tree differs from that of our grammar (tree-sitter). The kind and the
parent of each of our nodes determine how many JDT nodes it stands for: none for a list of
arguments, two for a type's name (the type and the name), none for the parentheses of an ``if``, one
for those in an expression. Differences remain in three cases: a chain ``a + b + c`` is one infix
expression for JDT and two here, which cannot matter where small methods are dropped, because an
infix operator saves its method; a JavaDoc comment within a body is one node for JDT, none here; and
JDT at level 8 rejects newer Java.

Texts are parsed together, each as the only member of a class: one parse and a few passes over
arrays serve hundreds of methods. Where one of them is not Java, each is parsed separately, so that
it affects no other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.java import load_grammar, parse_java
from codeacumen.languages.java.syntax.declarations import NONE, find_declarations
from codeacumen.languages.java.syntax.file import parse_snippets
from codeacumen.languages.java.syntax.grammar import field_number, symbol_mask
from codeacumen.languages.java.syntax.tokens import CODE, KINDS, JavaTokens, tokenize_java
from codeacumen.languages.syntax import ERROR, Syntax, make_symbol_mask

# Number of JDT nodes of each node.
Weights = NDArray[np.int32]

# Kinds of nodes that save a small method from SeSaMe's filter.
INFIX = ("binary_expression", "ternary_expression")

# Kinds without a JDT node: groups, and tokens that are part of their parent.
_KINDS_WITHOUT_NODE = (
    "program",
    "argument_list",
    "type_arguments",
    "dimensions",
    "formal_parameters",
    "inferred_parameters",
    "modifiers",
    "annotation_argument_list",
    "switch_block",
    "switch_block_statement_group",
    "switch_rule",
    "finally_clause",
    "resource_specification",
    "class_body",
    "interface_body",
    "enum_body",
    "enum_body_declarations",
    "superclass",
    "super_interfaces",
    "extends_interfaces",
    "type_list",
    "throws",
    "type_parameters",
    "type_bound",
    "annotation_type_body",
    "super",
    "line_comment",
    "block_comment",
    "string_fragment",
    "multiline_string_fragment",
    "escape_sequence",
    "string_interpolation",
    "catch_type",
    "resource",
    "asterisk",
)
# Kinds with a second JDT node: an array's type, a declared variable, an initializer's block.
_KINDS_WITH_TWO_NODES = (
    "array_creation_expression",
    "enhanced_for_statement",
    "static_initializer",
)
_TYPE_NAMES = ("type_identifier", "scoped_type_identifier")
_BEFORE_PARENTHESES = (
    "if_statement",
    "while_statement",
    "do_statement",
    "switch_expression",
    "synchronized_statement",
)
_CLASSES = ("class_declaration", "interface_declaration", "enum_declaration", "record_declaration")
_BLOCKS = ("block", "constructor_body", "switch_block_statement_group")


def count_jdt_nodes(syntax: Syntax) -> Weights:
    """Return the number of JDT nodes that each node of a syntax tree stands for."""
    # Indexing copies, so the counts can be changed in place.
    node_counts = _count_by_kind()[syntax.kind]
    if not len(node_counts):
        return node_counts
    kind, parent = syntax.kind, np.maximum(syntax.parent, 0)
    parent_kind = kind[parent]
    first = np.append(kind[1:], np.uint16(0))  # the kind of a node's first child, if it has one

    named = symbol_mask(*_TYPE_NAMES)[kind]
    # A type's name adds the type around it. Exceptions: a name after a type with arguments is a
    # qualified type itself, and a type parameter's name is only a name.
    typed = named & ~symbol_mask("scoped_type_identifier", "type_parameter")[parent_kind]
    typed &= ~(symbol_mask("scoped_type_identifier")[kind] & symbol_mask("generic_type")[first])
    node_counts[typed] += 1

    parentheses = (
        symbol_mask("parenthesized_expression")[kind]
        & symbol_mask(*_BEFORE_PARENTHESES)[parent_kind]
    )
    node_counts[parentheses] = 0
    # No JDT node: the this of Outer.this, and the this that calls a constructor.
    this = symbol_mask("this")[kind]
    node_counts[this & symbol_mask("field_access")[parent_kind] & (syntax.child_index > 0)] = 0
    node_counts[this & symbol_mask("explicit_constructor_invocation")[parent_kind]] = 0
    # A lambda's parameter without a type is a declaration and a name.
    single = symbol_mask("lambda_expression")[parent_kind] & (
        syntax.field == field_number("parameters")
    )
    inferred = symbol_mask("inferred_parameters")[parent_kind] | single
    node_counts[symbol_mask("identifier")[kind] & inferred] += 1
    # One for each [] of a type, each keyword among modifiers, each empty statement.
    node_counts[_mask_sign("[")[kind] & symbol_mask("dimensions")[parent_kind]] = 1
    node_counts[~_mask_named_kinds()[kind] & symbol_mask("modifiers")[parent_kind]] = 1
    body_fields = ("body", "consequence", "alternative")
    body = np.isin(syntax.field, [field_number(name) for name in body_fields])
    node_counts[_mask_sign(";")[kind] & (symbol_mask(*_BLOCKS)[parent_kind] | body)] = 1
    node_counts[
        symbol_mask("class_body")[kind]
        & symbol_mask("object_creation_expression", "enum_constant")[parent_kind]
    ] = 1
    node_counts[symbol_mask(*_CLASSES)[kind] & symbol_mask(*_BLOCKS)[parent_kind]] += 1
    # A bare block among members is an initializer with a block.
    node_counts[
        symbol_mask("block")[kind]
        & symbol_mask("class_body", "enum_body_declarations")[parent_kind]
    ] += 1
    # A try's resource: none beside its name if it is only named, two if it is declared there.
    node_counts[
        symbol_mask("resource")[kind] & ~symbol_mask("identifier", "field_access", "this")[first]
    ] = 2
    node_counts[
        symbol_mask("variable_declarator")[kind] & symbol_mask("spread_parameter")[parent_kind]
    ] = 0
    # Names that are types: the one before ::new, and the intersection type of a cast.
    constructor_references = np.flatnonzero(
        _mask_sign("new")[kind] & symbol_mask("method_reference")[parent_kind]
    )
    node_counts[
        parent[constructor_references][
            symbol_mask("identifier")[first[parent[constructor_references]]]
        ]
    ] += 1
    cast = np.flatnonzero(_mask_sign("&")[kind] & symbol_mask("cast_expression")[parent_kind])
    node_counts[np.unique(parent[cast])] += 1
    several = np.flatnonzero(_mask_sign("|")[kind] & symbol_mask("catch_type")[parent_kind])
    node_counts[np.unique(parent[several])] = 1
    return node_counts


@lru_cache(maxsize=1)
def _count_by_kind() -> Weights:
    """Return the node count by kind alone: one for each named kind, with exceptions."""
    node_counts = _mask_named_kinds().astype(np.int32)
    node_counts[symbol_mask(*_KINDS_WITHOUT_NODE)] = 0
    node_counts[symbol_mask(*_KINDS_WITH_TWO_NODES)] = 2
    node_counts[ERROR] = 0
    return node_counts


@lru_cache(maxsize=1)
def _mask_named_kinds() -> NDArray[np.bool_]:
    """Return, by symbol, whether it is a named kind, not a sign or keyword; size 1 << 16."""
    grammar = load_grammar()
    is_named = np.zeros(1 << 16, dtype=np.bool_)
    for symbol in range(grammar.node_kind_count):
        is_named[symbol] = grammar.node_kind_is_named(symbol)
    return is_named


@cache
def _mask_sign(sign: str) -> NDArray[np.bool_]:
    """Return the mask of the anonymous symbol with this spelling."""
    grammar = load_grammar()
    return make_symbol_mask(
        symbol
        for symbol in range(grammar.node_kind_count)
        if grammar.node_kind_for_id(symbol) == sign and not grammar.node_kind_is_named(symbol)
    )


# Bytes of source to parse together.
BATCH_BYTES = 1 << 18
# Depth of a method that is parsed as the member of a class: below the file, the class, its body.
_METHOD_DEPTH = 3

# A kind that JDT's scanner has and javac's lacks; far above javac's, which may grow.
TEXT_BLOCK = 254
PRIMITIVES = ("BOOLEAN", "BYTE", "CHAR", "DOUBLE", "FLOAT", "INT", "LONG", "SHORT")


@dataclass(frozen=True, slots=True)
class Body:
    """Measures of a method's body.

    ``nodes`` is the number of JDT nodes, with the block itself; ``infix``: the body has an infix
    operator or a conditional expression; ``throws``: it consists of one throw statement; ``kinds``
    has the kind of each token, one byte each, braces included. A missing body has 0 nodes.
    """

    nodes: int
    infix: bool
    throws: bool
    kinds: bytes


# Measures of a missing body, also of a text that is not Java.
NOTHING = Body(0, False, False, b"")


def measure_bodies(texts: Sequence[str]) -> Iterator[Body]:
    """Yield the body of each method, given its source from its first modifier to its last brace."""
    sources = [text.encode("utf-8", "surrogatepass") for text in texts]
    first = size = 0
    for index, source in enumerate(sources):
        if size and size + len(source) > BATCH_BYTES:
            yield from _measure_together(sources[first:index])
            first, size = index, 0
        size += len(source)
    if first < len(sources):
        yield from _measure_together(sources[first:])


def _measure_together(sources: Sequence[bytes]) -> list[Body]:
    return [
        body
        for file, starts, _ in parse_snippets(sources, leading_newline=True)
        for body in _find_bodies(file.syntax, starts)
    ]


def _find_bodies(syntax: Syntax, starts: NDArray[np.int64]) -> list[Body]:
    """Return the body of each text's first method with a body; ``starts`` are the texts' offsets.

    A text without such a method has the body ``NOTHING``.
    """
    blocks = np.flatnonzero(
        symbol_mask("block")[syntax.kind]
        & (syntax.field == field_number("body"))
        & symbol_mask("method_declaration")[syntax.kind[np.maximum(syntax.parent, 0)]]
        & (syntax.depth == _METHOD_DEPTH + 1)
    )
    owner = np.searchsorted(starts, syntax.start[blocks], side="right") - 1
    owners, first = np.unique(owner, return_index=True)
    bodies = [NOTHING] * len(starts)
    for owner_index, body in zip(
        owners.tolist(), _measure_blocks(syntax, blocks[first]), strict=True
    ):
        bodies[owner_index] = body
    return bodies


def _measure_blocks(syntax: Syntax, blocks: NDArray[np.intp]) -> list[Body]:
    """Return the measures of some blocks, none of which lies in another."""
    stops = syntax.stop[blocks]
    nodes = _sum_within(count_jdt_nodes(syntax), blocks, stops)
    infix = _sum_within(symbol_mask(*INFIX)[syntax.kind], blocks, stops) > 0
    # Statements are the block's direct children, except comments; "- 2" excludes the braces.
    statement = ~symbol_mask("line_comment", "block_comment")[syntax.kind]
    statement &= np.isin(syntax.parent, blocks)
    thrown = _sum_within(statement & symbol_mask("throw_statement")[syntax.kind], blocks, stops)
    count = _sum_within(statement, blocks, stops) - 2
    throws = (thrown == 1) & (count == 1)
    block_tokens = tokenize_java(syntax)
    kinds = classify_tokens(block_tokens)
    low = np.searchsorted(block_tokens.start, syntax.start[blocks], side="left").tolist()
    high = np.searchsorted(block_tokens.start, syntax.end[blocks], side="left").tolist()
    measures = zip(nodes.tolist(), infix.tolist(), throws.tolist(), low, high, strict=True)
    return [
        Body(node_count, has_infix, does_throw, kinds[a:b].tobytes())
        for node_count, has_infix, does_throw, a, b in measures
    ]


def _sum_within(
    values: NDArray[np.int32] | NDArray[np.bool_], first: NDArray[np.intp], stop: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Return the sums of the values of the nodes from each ``first`` to its ``stop``, exclusive.

    ``values`` has one value per node of the file.
    """
    total = np.zeros(len(values) + 1, dtype=np.int64)
    np.cumsum(values, out=total[1:])
    sums: NDArray[np.int64] = total[stop] - total[first]
    return sums


def classify_tokens(file_tokens: JavaTokens) -> NDArray[np.uint8]:
    """Return the token kinds of JDT's scanner, with primitive types as identifiers."""
    kinds = _AS_COMPARED[file_tokens.kind]
    for i in np.flatnonzero(kinds == CODE["STRINGLITERAL"]).tolist():
        start = int(file_tokens.start[i])
        if file_tokens.source[start : start + 3] == b'"""':
            kinds[i] = TEXT_BLOCK
    return kinds


# Kind that is compared, by the tokenizer's kind.
_AS_COMPARED = np.arange(256, dtype=np.uint8)
_AS_COMPARED[[CODE[kind] for kind in (*PRIMITIVES, "UNDERSCORE")]] = CODE["IDENTIFIER"]
assert len(KINDS) < TEXT_BLOCK


Floats = NDArray[np.float64]

# Pairs to compare in one call.
_BATCH = 1 << 14


def compute_token_kinds(text: str) -> bytes:
    """Return the kinds of the tokens of a method's body, braces included; one byte per token.

    The text may be a method, or a class around it as SeSaMe prints one: then the first method with
    a body and JavaDoc counts, or else the first with a body. For a text without such a method, the
    kinds are those of all its tokens.
    """
    (body,) = measure_bodies([text])
    if body.nodes:
        return body.kinds
    syntax = parse_java(text.encode("utf-8", "surrogatepass"))
    file_tokens = tokenize_java(syntax)
    codes = classify_tokens(file_tokens)
    methods = [method for method in find_declarations(syntax).methods if method.body != NONE]
    documented = [
        method for method in methods if method.javadoc != NONE and method.kind == "method"
    ]
    for method in (documented or methods)[:1]:
        start, end = int(syntax.start[method.body]), int(syntax.end[method.body])
        codes = codes[(file_tokens.start >= start) & (file_tokens.start < end)]
    return codes.tobytes()


def compute_toksim(left: bytes, right: bytes) -> float:
    """Return the toksim, from 0 to 1, of two bodies' token kinds; it is 1 if both are empty."""
    from rapidfuzz.distance import Levenshtein

    longest = max(len(left), len(right))
    return 1.0 - Levenshtein.distance(left, right) / longest if longest else 1.0


def compute_toksims(
    bodies: Sequence[bytes], left: NDArray[np.int32], right: NDArray[np.int32]
) -> Floats:
    """Return the toksim of each pair of rows of ``bodies``.

    Batches bound the memory beyond the result.
    """
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cpdist

    similarities = np.ones(len(left), dtype=np.float64)
    for first in range(0, len(left), _BATCH):
        left_bodies = [bodies[row] for row in left[first : first + _BATCH].tolist()]
        right_bodies = [bodies[row] for row in right[first : first + _BATCH].tolist()]
        distance = cpdist(left_bodies, right_bodies, scorer=Levenshtein.distance, dtype=np.int32)
        longest = [max(len(a), len(b), 1) for a, b in zip(left_bodies, right_bodies, strict=True)]
        similarities[first : first + _BATCH] = 1.0 - distance / np.array(longest, dtype=np.int64)
    return similarities
