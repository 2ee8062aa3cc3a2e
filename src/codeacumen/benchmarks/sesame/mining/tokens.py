"""Measure methods' bodies for SeSaMe's filters and for toksim, many methods at once.

toksim compares two bodies by the kinds of their tokens. All identifiers are one kind, and so are
all strings, all integers, …; each keyword and each operator is its own kind. ``int`` and the other
primitive types are identifiers, as every other type is; ``void`` is not. Two ``>`` that close
generics are one ``>>``, because a scanner has no grammar. toksim is one minus the Levenshtein
distance divided by the length of the longer body, so 1 for bodies of equal shape.

The size of a method is the number of nodes of Eclipse's JDT (``org.eclipse.jdt.core.dom``, level
8), whose tree differs from that of our grammar. The kind and the parent of each of our nodes
determine how many JDT nodes it stands for: none for a list of arguments, two for a type's name (the
type and the name), none for the parentheses of an ``if``, one for those in an expression.
Differences remain in three cases: a chain ``a + b + c`` is one infix expression for JDT and two
here, which cannot matter where small methods are dropped, because an infix operator saves its
method; a JavaDoc comment within a body is one node for JDT, none here; and JDT's level 8 rejects
newer Java.

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

from codeacumen.languages.java import language, parse_java
from codeacumen.languages.java.syntax.declarations import NONE, declarations
from codeacumen.languages.java.syntax.file import parse_snippets
from codeacumen.languages.java.syntax.grammar import among, field
from codeacumen.languages.java.syntax.tokens import CODE, KINDS, Tokens, tokens
from codeacumen.languages.syntax import ERROR, Syntax, mask_of

Weights = NDArray[np.int32]

INFIX = ("binary_expression", "ternary_expression")

# Kinds without a JDT node: groups, and words that are part of their parent.
_NONE = (
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
_TWO = (
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


def jdt_nodes(syntax: Syntax) -> Weights:
    """Return how many JDT nodes each of our nodes stands for."""
    found = _by_kind()[syntax.kind]
    if not len(found):
        return found
    kind, parent = syntax.kind, np.maximum(syntax.parent, 0)
    mother = kind[parent]
    first = np.append(kind[1:], np.uint16(0))  # the kind of a node's first child, if it has one

    named = among(*_TYPE_NAMES)[kind]
    # A type's name adds the type around it. Exceptions: a name after a type with arguments is a
    # qualified type itself, and a type parameter's name is only a name.
    typed = named & ~among("scoped_type_identifier", "type_parameter")[mother]
    typed &= ~(among("scoped_type_identifier")[kind] & among("generic_type")[first])
    found[typed] += 1

    parentheses = among("parenthesized_expression")[kind] & among(*_BEFORE_PARENTHESES)[mother]
    found[parentheses] = 0
    # Outer.this, and the this or super that calls a constructor.
    this = among("this")[kind]
    found[this & among("field_access")[mother] & (syntax.child > 0)] = 0
    found[this & among("explicit_constructor_invocation")[mother]] = 0
    # A lambda's parameter without a type is a declaration and a name.
    single = among("lambda_expression")[mother] & (syntax.field == field("parameters"))
    inferred = among("inferred_parameters")[mother] | single
    found[among("identifier")[kind] & inferred] += 1
    # One for each [] of a type, each keyword among modifiers, each empty statement.
    found[_sign("[")[kind] & among("dimensions")[mother]] = 1
    found[~_named()[kind] & among("modifiers")[mother]] = 1
    body_fields = ("body", "consequence", "alternative")
    body = np.isin(syntax.field, [field(name) for name in body_fields])
    found[_sign(";")[kind] & (among(*_BLOCKS)[mother] | body)] = 1
    found[
        among("class_body")[kind] & among("object_creation_expression", "enum_constant")[mother]
    ] = 1
    found[among(*_CLASSES)[kind] & among(*_BLOCKS)[mother]] += 1
    # A bare block among members is an initializer with a block.
    found[among("block")[kind] & among("class_body", "enum_body_declarations")[mother]] += 1
    # A try's resource: one node if it is only named, two if it is declared there.
    found[among("resource")[kind] & ~among("identifier", "field_access", "this")[first]] = 2
    found[among("variable_declarator")[kind] & among("spread_parameter")[mother]] = 0
    # Names that are types: the one before ::new, and the intersection type of a cast.
    made = np.flatnonzero(_sign("new")[kind] & among("method_reference")[mother])
    found[parent[made][among("identifier")[first[parent[made]]]]] += 1
    cast = np.flatnonzero(_sign("&")[kind] & among("cast_expression")[mother])
    found[np.unique(parent[cast])] += 1
    several = np.flatnonzero(_sign("|")[kind] & among("catch_type")[mother])
    found[np.unique(parent[several])] = 1
    return found


@lru_cache(maxsize=1)
def _by_kind() -> Weights:
    """Return the node count by kind alone: one for each named kind, with exceptions."""
    found = _named().astype(np.int32)
    found[among(*_NONE)] = 0
    found[among(*_TWO)] = 2
    found[ERROR] = 0
    return found


@lru_cache(maxsize=1)
def _named() -> NDArray[np.bool_]:
    grammar = language()
    found = np.zeros(1 << 16, dtype=np.bool_)
    for symbol in range(grammar.node_kind_count):
        found[symbol] = grammar.node_kind_is_named(symbol)
    return found


@cache
def _sign(sign: str) -> NDArray[np.bool_]:
    """Return the mask of the anonymous symbol with this spelling."""
    grammar = language()
    return mask_of(
        symbol
        for symbol in range(grammar.node_kind_count)
        if grammar.node_kind_for_id(symbol) == sign and not grammar.node_kind_is_named(symbol)
    )


# Bytes of source to parse together.
STRETCH = 1 << 18
_METHOD_DEPTH = 3  # the file, the class, its body

# A kind that JDT's scanner has and javac's lacks; far above javac's, which may grow.
TEXT_BLOCK = 254
PRIMITIVES = ("BOOLEAN", "BYTE", "CHAR", "DOUBLE", "FLOAT", "INT", "LONG", "SHORT")


@dataclass(frozen=True, slots=True)
class Body:
    """Measures of a method's body.

    ``nodes`` counts as JDT does, with the block itself; ``infix``: the body has an infix operator
    or a conditional expression; ``throws``: it consists of one throw statement; ``kinds`` are those
    of its tokens, braces included. A missing body has 0 nodes.
    """

    nodes: int
    infix: bool
    throws: bool
    kinds: bytes


NOTHING = Body(0, False, False, b"")


def bodies(texts: Sequence[str]) -> Iterator[Body]:
    """Yield the body of each method, given its source from its first modifier to its last brace."""
    sources = [text.encode("utf-8", "surrogatepass") for text in texts]
    first = size = 0
    for place, source in enumerate(sources):
        if size and size + len(source) > STRETCH:
            yield from _together(sources[first:place])
            first, size = place, 0
        size += len(source)
    if first < len(sources):
        yield from _together(sources[first:])


def _together(sources: Sequence[bytes]) -> list[Body]:
    return [
        body
        for file, starts, _ in parse_snippets(sources, leading_newline=True)
        for body in _found(file.syntax, starts)
    ]


def _found(syntax: Syntax, starts: NDArray[np.int64]) -> list[Body]:
    """Return one body for each start: that of the first method with a body from there on."""
    held = np.flatnonzero(
        among("block")[syntax.kind]
        & (syntax.field == field("body"))
        & among("method_declaration")[syntax.kind[np.maximum(syntax.parent, 0)]]
        & (syntax.depth == _METHOD_DEPTH + 1)
    )
    owner = np.searchsorted(starts, syntax.start[held], side="right") - 1
    which, first = np.unique(owner, return_index=True)
    found = [NOTHING] * len(starts)
    for place, body in zip(which.tolist(), _read(syntax, held[first]), strict=True):
        found[place] = body
    return found


def _read(syntax: Syntax, blocks: NDArray[np.intp]) -> list[Body]:
    """Return the measures of some blocks, none of which lies in another."""
    stops = syntax.stop[blocks]
    nodes = _within(jdt_nodes(syntax), blocks, stops)
    infix = _within(among(*INFIX)[syntax.kind], blocks, stops) > 0
    # Statements are the block's direct children, except comments; "- 2" removes the braces.
    statement = ~among("line_comment", "block_comment")[syntax.kind]
    statement &= np.isin(syntax.parent, blocks)
    thrown = _within(statement & among("throw_statement")[syntax.kind], blocks, stops)
    count = _within(statement, blocks, stops) - 2
    throws = (thrown == 1) & (count == 1)
    found = tokens(syntax)
    kinds = kinds_of_tokens(found)
    low = np.searchsorted(found.start, syntax.start[blocks], side="left").tolist()
    high = np.searchsorted(found.start, syntax.end[blocks], side="left").tolist()
    told = zip(nodes.tolist(), infix.tolist(), throws.tolist(), low, high, strict=True)
    return [Body(n, i, t, kinds[a:b].tobytes()) for n, i, t, a, b in told]


def _within(
    values: NDArray[np.int32] | NDArray[np.bool_], first: NDArray[np.intp], stop: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Return the sums over the nodes from ``first`` up to ``stop``."""
    total = np.zeros(len(values) + 1, dtype=np.int64)
    np.cumsum(values, out=total[1:])
    sums: NDArray[np.int64] = total[stop] - total[first]
    return sums


def kinds_of_tokens(found: Tokens) -> NDArray[np.uint8]:
    """Return the token kinds of JDT's scanner, with primitive types as identifiers."""
    kinds = _AS_COMPARED[found.kind]
    for i in np.flatnonzero(kinds == CODE["STRINGLITERAL"]).tolist():
        start = int(found.start[i])
        if found.source[start : start + 3] == b'"""':
            kinds[i] = TEXT_BLOCK
    return kinds


_AS_COMPARED = np.arange(256, dtype=np.uint8)
_AS_COMPARED[[CODE[kind] for kind in (*PRIMITIVES, "UNDERSCORE")]] = CODE["IDENTIFIER"]
assert len(KINDS) < TEXT_BLOCK


Floats = NDArray[np.float64]

# Pairs to compare in one call.
_BATCH = 1 << 14


def kinds(text: str) -> bytes:
    """Return the kinds of the tokens of a method's body, braces included; one byte per token.

    The text may be a method, or a class around it as SeSaMe prints one: then the first method with
    a body and JavaDoc counts, or else the first with a body. A text without any contributes all its
    tokens.
    """
    (body,) = bodies([text])
    if body.nodes:
        return body.kinds
    syntax = parse_java(text.encode("utf-8", "surrogatepass"))
    found = tokens(syntax)
    codes = kinds_of_tokens(found)
    methods = [method for method in declarations(syntax).methods if method.body != NONE]
    documented = [
        method for method in methods if method.javadoc != NONE and method.kind == "method"
    ]
    for method in (documented or methods)[:1]:
        start, end = int(syntax.start[method.body]), int(syntax.end[method.body])
        codes = codes[(found.start >= start) & (found.start < end)]
    return codes.tobytes()


def toksim(left: bytes, right: bytes) -> float:
    """Return the token similarity from 0 to 1; two bodies without tokens are equal."""
    from rapidfuzz.distance import Levenshtein

    longest = max(len(left), len(right))
    return 1.0 - Levenshtein.distance(left, right) / longest if longest else 1.0


def toksims(
    bodies: Sequence[bytes], left: NDArray[np.int32], right: NDArray[np.int32], workers: int = 1
) -> Floats:
    """Return toksim of each pair of rows; batches bound the memory beyond the result."""
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cpdist

    found = np.ones(len(left), dtype=np.float64)
    for first in range(0, len(left), _BATCH):
        one = [bodies[row] for row in left[first : first + _BATCH].tolist()]
        other = [bodies[row] for row in right[first : first + _BATCH].tolist()]
        distance = cpdist(one, other, scorer=Levenshtein.distance, dtype=np.int32, workers=workers)
        longest = [max(len(a), len(b), 1) for a, b in zip(one, other, strict=True)]
        found[first : first + _BATCH] = 1.0 - distance / np.array(longest, dtype=np.int64)
    return found
