"""How many nodes Eclipse's JDT has for a piece of Java: SeSaMe's measure of a method's size.

JDT's tree (``org.eclipse.jdt.core.dom``, level 8) is not that of our grammar. Each of our nodes
stands for as many of JDT's as its kind and its place tell: a list of arguments for none, a type's
name for two (the type and the name), the parentheses of an ``if`` for none, those in an expression
for one. What is still counted otherwise: a chain ``a + b + c``, one infix expression for JDT, two
here, which cannot matter where small methods are dropped, for an infix operator saves its method;
a JavaDoc comment within a body, one for JDT, none here; and Java that JDT's level 8 cannot read.
"""

from __future__ import annotations

from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from acumen.lang.grammar import mask_of
from acumen.lang.java import language
from acumen.lang.java.grammar import among, field
from acumen.lang.syntax import ERROR, Syntax

Weights = NDArray[np.int32]

INFIX = ("binary_expression", "ternary_expression")

# Groups that JDT has no node for, and words that are part of their parent.
_NONE = (
    "program", "argument_list", "type_arguments", "dimensions", "formal_parameters",
    "inferred_parameters", "modifiers", "annotation_argument_list", "switch_block",
    "switch_block_statement_group", "switch_rule", "finally_clause", "resource_specification",
    "class_body", "interface_body", "enum_body", "enum_body_declarations", "superclass",
    "super_interfaces", "extends_interfaces", "type_list", "throws", "type_parameters",
    "type_bound", "annotation_type_body", "super", "line_comment", "block_comment",
    "string_fragment", "multiline_string_fragment", "escape_sequence", "string_interpolation",
    "catch_type", "resource", "asterisk",
)  # fmt: skip
# The second is a type of its own, a declared variable, the statement that declares a class.
_TWO = (
    "array_creation_expression", "enhanced_for_statement", "static_initializer",
)  # fmt: skip
_TYPE_NAMES = ("type_identifier", "scoped_type_identifier")
_BEFORE_PARENTHESES = (
    "if_statement", "while_statement", "do_statement", "switch_expression",
    "synchronized_statement",
)  # fmt: skip
_CLASSES = ("class_declaration", "interface_declaration", "enum_declaration", "record_declaration")
_BLOCKS = ("block", "constructor_body", "switch_block_statement_group")


def jdt_nodes(syntax: Syntax) -> Weights:
    """How many of JDT's nodes each of ours stands for."""
    found = _by_kind()[syntax.kind]
    if not len(found):
        return found
    kind, parent = syntax.kind, np.maximum(syntax.parent, 0)
    mother = kind[parent]
    first = np.append(kind[1:], np.uint16(0))  # the kind of a node's first child, if it has any

    named = among(*_TYPE_NAMES)[kind]
    # The type around its name; a name after a type with arguments makes a qualified type itself,
    # and a type parameter is called so, not typed.
    typed = named & ~among("scoped_type_identifier", "type_parameter")[mother]
    typed &= ~(among("scoped_type_identifier")[kind] & among("generic_type")[first])
    found[typed] += 1

    parentheses = among("parenthesized_expression")[kind] & among(*_BEFORE_PARENTHESES)[mother]
    found[parentheses] = 0
    # Outer.this, and the this or super that calls a constructor.
    this = among("this")[kind]
    found[this & among("field_access")[mother] & (syntax.child > 0)] = 0
    found[this & among("explicit_constructor_invocation")[mother]] = 0
    # A parameter whose type is not written.
    single = among("lambda_expression")[mother] & (syntax.field == field("parameters"))
    inferred = among("inferred_parameters")[mother] | single
    found[among("identifier")[kind] & inferred] += 1
    # One for each [] of a type, each keyword among modifiers, each empty statement.
    found[_sign("[")[kind] & among("dimensions")[mother]] = 1
    found[~_named()[kind] & among("modifiers")[mother]] = 1
    places = ("body", "consequence", "alternative")
    body = np.isin(syntax.field, [field(name) for name in places])
    found[_sign(";")[kind] & (among(*_BLOCKS)[mother] | body)] = 1
    found[
        among("class_body")[kind] & among("object_creation_expression", "enum_constant")[mother]
    ] = 1
    found[among(*_CLASSES)[kind] & among(*_BLOCKS)[mother]] += 1
    # A bare block among members is an initializer with a block.
    found[among("block")[kind] & among("class_body", "enum_body_declarations")[mother]] += 1
    # What a try opens: declared there, or only named.
    found[among("resource")[kind] & ~among("identifier", "field_access", "this")[first]] = 2
    found[among("variable_declarator")[kind] & among("spread_parameter")[mother]] = 0
    # Names that are types: of what Type::new makes; and all the types of a cast, one of their own.
    made = np.flatnonzero(_sign("new")[kind] & among("method_reference")[mother])
    found[parent[made][among("identifier")[first[parent[made]]]]] += 1
    cast = np.flatnonzero(_sign("&")[kind] & among("cast_expression")[mother])
    found[np.unique(parent[cast])] += 1
    several = np.flatnonzero(_sign("|")[kind] & among("catch_type")[mother])
    found[np.unique(parent[several])] = 1
    return found


@lru_cache(maxsize=1)
def _by_kind() -> Weights:
    """What the kind alone tells: one for each node with a name."""
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
    """The symbol that is spelt so and has no name."""
    grammar = language()
    return mask_of(
        symbol
        for symbol in range(grammar.node_kind_count)
        if grammar.node_kind_for_id(symbol) == sign and not grammar.node_kind_is_named(symbol)
    )
