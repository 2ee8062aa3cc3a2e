"""All identifiers of a JavaScript file with their role: function, variable or property.

The roles are those of IdBench (section II-A). They depend on the syntax alone, so they also exist
in incomplete files. Each identifier also has a place, a finer class, for other boundaries:

=============== ======== ==================================================================
place           role     the identifier ``x`` in
=============== ======== ==================================================================
function        function ``function x() {}``, also as an expression; ``let x = () => {}``,
                         ``a.x = function () {}``, ``{x: function () {}}``, ``{x = () => {}}``
                         of a class: it gives the function its name
method          function ``{x() {}}``, ``class {x() {}}``; ``constructor`` too
call            function ``x()``, ``x?.()``, the tag in ``x`…` ``, the decorator ``@x``
method call     function ``a.x()``. IdBench's counts have it so: ``bindBuffer``, always called
                         as ``gl.bindBuffer()``, is 869 times a function, never a property
class           function ``class x {}``, ``let x = class {}``, ``class A extends x {}``
construction    function ``new x()``, ``new a.x()``
component       function ``<x.y>``'s ``y``, and ``<X>``: a capital makes a JSX tag a call
variable        variable whatever is not listed: declared, read or written, destructured
                         (``[x] = a``, ``{y: x} = a``), the object in ``x.a``
parameter       variable ``function (x, [x], {a: x}, ...x) {}``, ``x => 1``, ``catch (x) {}``
shorthand       variable ``{x}``, in a literal or a pattern: property too, but it must be a
                         variable of that name
import          variable ``import x from 'a'``, ``import * as x``, ``import {x}``, ``{a as x}``
label           variable ``x: for (;;) break x``
member          property ``a.x``, ``a?.x``, ``a.#x``, wherever it is not called
key             property ``{x: 1}``, ``{x: a} = b``, ``class {x = 1}``, ``with {x: 'json'}``
accessor        property ``{get x() {}}``, ``class {set x(a) {}}``: used like a property
module name     property ``import {x as a}``, ``export {a as x}``, ``export * as x``, and all
                         names in ``export {x} from 'a'``
jsx name        property ``<x>`` (an element of HTML), ``<a x={1}>``, ``<x:y>``
=============== ======== ==================================================================

Parentheses change nothing: ``(x)()`` is a call. Not identifiers: keys in quotes, ``default`` in
``import {default as a}``, ``target`` and ``meta`` in ``new.target`` and ``import.meta``.
``undefined`` is one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.javascript import load_grammar
from codeacumen.languages.javascript.tokens import (
    IDENTIFIERS,
    field_number,
    find_symbols,
    name_value,
    symbol_mask,
)
from codeacumen.languages.kernel import kernel
from codeacumen.languages.syntax import Column, Syntax, number_texts

ROLES = ("function", "variable", "property")
ROLE = {role: code for code, role in enumerate(ROLES)}

_PLACES_OF = {
    "function": (
        "function",
        "method",
        "call",
        "method call",
        "class",
        "construction",
        "component",
    ),
    "variable": ("variable", "parameter", "shorthand", "import", "label"),
    "property": ("member", "key", "accessor", "module name", "jsx name"),
}
PLACES = tuple(place for places in _PLACES_OF.values() for place in places)
PLACE = {place: code for code, place in enumerate(PLACES)}
ROLE_OF_PLACE = np.array(
    [ROLE[role] for role, places in _PLACES_OF.items() for _ in places], dtype=np.uint8
)

_FUNCTIONS = ("function_expression", "generator_function", "arrow_function")
# The place of an identifier by its parent and the field in it ("": any field).
_BY_PARENT = {
    ("function_declaration", "name"): "function",
    ("function_expression", "name"): "function",
    ("generator_function_declaration", "name"): "function",
    ("generator_function", "name"): "function",
    ("method_definition", "name"): "method",
    ("call_expression", "function"): "call",
    ("decorator", ""): "call",
    ("class_declaration", "name"): "class",
    ("class", "name"): "class",
    ("class_heritage", ""): "class",
    ("new_expression", "constructor"): "construction",
    ("jsx_opening_element", "name"): "component",
    ("jsx_closing_element", "name"): "component",
    ("jsx_self_closing_element", "name"): "component",
    ("import_clause", ""): "import",
    ("namespace_import", ""): "import",
    ("import_specifier", "alias"): "import",
    ("import_specifier", "name"): "import",
    ("namespace_export", ""): "module name",
    ("export_specifier", "alias"): "module name",
    ("member_expression", "property"): "member",
    ("pair", "key"): "key",
    ("pair_pattern", "key"): "key",
    ("field_definition", "property"): "key",
    ("jsx_attribute", ""): "jsx name",
    ("jsx_namespace_name", ""): "jsx name",
}
# The place of the last name of a.b.x, by the place that _BY_PARENT has for the whole expression;
# "member" for all other places.
_MEMBER_AS = {
    "call": "method call",
    "construction": "construction",
    "class": "class",
    "component": "component",
}
_PATTERNS = (
    "object_pattern",
    "array_pattern",
    "rest_pattern",
    "pair_pattern",
    "assignment_pattern",
    "object_assignment_pattern",
)
# Codes of ``_function_names``; then the parents and fields of values that are named by their
# parent.
_FUNCTION, _CLASS = 1, 2
_NAMES_ITS_VALUE = (
    ("variable_declarator", "value"),
    ("assignment_expression", "right"),
    ("pair", "value"),
    ("field_definition", "value"),
)


@dataclass(frozen=True, slots=True)
class Identifiers:
    """Columns of the identifiers in source order.

    ``node`` is the node of the syntax, ``role`` an index into ROLES, ``place`` an index into
    PLACES, and ``word`` the index of the text in ``words``.
    """

    node: Column
    role: NDArray[np.uint8]
    place: NDArray[np.uint8]
    word: Column
    words: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.node)

    def text(self, i: int) -> str:
        return self.words[int(self.word[i])]


# Upper bounds of the grammar's symbols and fields; tree-sitter's error symbol is clipped to the
# last.
_SYMBOLS, _FIELDS = 1 << 10, 1 << 6


@dataclass(frozen=True)
class _Tables:
    """Lookup tables of ``_classify_identifiers``.

    ``identifier`` and ``accessor_word`` are indexed by symbol, ``place`` and ``names_its_value`` by
    the parent's symbol and the field, ``member_as`` by place.
    """

    identifier: NDArray[np.bool_]
    place: NDArray[np.uint8]
    names_its_value: NDArray[np.bool_]
    member_as: NDArray[np.uint8]
    accessor_word: NDArray[np.bool_]


@lru_cache(maxsize=1)
def _make_tables() -> _Tables:
    """Return the lookup tables for the installed grammar."""
    place = np.full((_SYMBOLS, _FIELDS), PLACE["variable"], dtype=np.uint8)
    for (parent, name), place_name in _BY_PARENT.items():
        for symbol in find_symbols(parent):
            place[symbol, field_number(name) if name else slice(None)] = PLACE[place_name]
    names_its_value = np.zeros((_SYMBOLS, _FIELDS), dtype=np.bool_)
    for parent, name in _NAMES_ITS_VALUE:
        names_its_value[list(find_symbols(parent)), field_number(name)] = True
    member_as = np.full(len(PLACES), PLACE["member"], dtype=np.uint8)
    for outer, inner in _MEMBER_AS.items():
        member_as[PLACE[outer]] = PLACE[inner]
    accessor_word = np.zeros(1 << 16, dtype=np.bool_)
    for symbol in range(load_grammar().node_kind_count):
        accessor_word[symbol] = load_grammar().node_kind_for_id(symbol) in (
            "get",
            "set",
            "static get",
        )
    return _Tables(symbol_mask(*IDENTIFIERS), place, names_its_value, member_as, accessor_word)


def find_identifiers(syntax: Syntax) -> Identifiers:
    """Return all identifiers of a file with their roles and places."""
    node = np.flatnonzero(_make_tables().identifier[syntax.kind]).astype(np.int32)
    place = _classify_identifiers(syntax, node)
    is_identifier = _is_not_await(syntax, node, place)
    node, place = node[is_identifier], place[is_identifier]
    word, texts = number_texts(syntax, node)
    words = tuple(name_value(text.decode("utf-8", errors="replace")) for text in texts)
    return Identifiers(node, ROLE_OF_PLACE[place], place, word, words)


def _is_not_await(syntax: Syntax, node: Column, place: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return a mask that is False for ``await`` in ``await (0, f)()``.

    The grammar may parse the operator as a function.
    """
    word = b"await"
    is_identifier = np.ones(len(node), dtype=np.bool_)
    likely = (place == PLACE["call"]) & (syntax.end[node] - syntax.start[node] == len(word))
    for i in np.flatnonzero(likely).tolist():
        is_identifier[i] = not syntax.source.startswith(word, syntax.start[node[i]])
    return is_identifier


def _classify_identifiers(syntax: Syntax, node: Column) -> NDArray[np.uint8]:
    """Return the place of each identifier."""
    tables, parent = _make_tables(), np.maximum(syntax.parent, 0)
    outer = _outside_parentheses(syntax, node)
    place = _place_by_parent(syntax, outer)
    kind = syntax.kind[node]
    shorthand = ("shorthand_property_identifier", "shorthand_property_identifier_pattern")
    place[symbol_mask(*shorthand)[kind]] = PLACE["shorthand"]
    place[symbol_mask("statement_identifier")[kind]] = PLACE["label"]

    component = np.flatnonzero(place == PLACE["component"])
    first = np.frombuffer(syntax.source, dtype=np.uint8)[syntax.start[node[component]]]
    place[component[(first >= ord("a")) & (first <= ord("z"))]] = PLACE["jsx name"]

    named = _function_names(syntax)
    is_member = place == PLACE["member"]
    member_expression = _outside_parentheses(syntax, parent[node[is_member]])
    place[is_member] = tables.member_as[_place_by_parent(syntax, member_expression)]
    outer[is_member] = member_expression
    may_name = np.isin(place, (PLACE["variable"], PLACE["key"], PLACE["member"]))
    name = np.where(may_name, named[parent[outer]], 0)
    place[name == _FUNCTION] = PLACE["function"]
    place[name == _CLASS] = PLACE["class"]

    accessor = np.zeros(len(syntax), dtype=np.bool_)
    accessor[parent[np.flatnonzero(tables.accessor_word[syntax.kind])]] = True
    place[(place == PLACE["method"]) & accessor[parent[node]]] = PLACE["accessor"]

    is_name = syntax.field[node] == field_number("name")
    has_alias = np.zeros(len(syntax), dtype=np.bool_)
    has_alias[parent[np.flatnonzero(syntax.field == field_number("alias"))]] = True
    renamed = (place == PLACE["import"]) & is_name & has_alias[parent[node]]
    has_source = np.zeros(len(syntax), dtype=np.bool_)
    has_source[parent[np.flatnonzero(syntax.field == field_number("source"))]] = True
    exported = symbol_mask("export_specifier")[syntax.kind[parent[node]]]
    # The parents of a specifier: the clause, the statement, which has the field ``source``.
    passed_on = exported & is_name & has_source[parent[parent[parent[node]]]]
    place[renamed | passed_on] = PLACE["module name"]

    parameter = _find_parameters(
        syntax.kind,
        syntax.field,
        parent,
        symbol_mask("formal_parameters"),
        symbol_mask(*_PATTERNS),
        field_number("parameter"),
        field_number("key"),
        field_number("right"),
    )
    place[(place == PLACE["variable"]) & parameter[node]] = PLACE["parameter"]
    return place


def _place_by_parent(syntax: Syntax, node: Column) -> NDArray[np.uint8]:
    """Return each node's place according to its parent and field."""
    parent = syntax.kind[np.maximum(syntax.parent[node], 0)]
    return _make_tables().place[np.minimum(parent, _SYMBOLS - 1), syntax.field[node]]


def _outside_parentheses(syntax: Syntax, node: Column) -> Column:
    """Return for each node the outermost parentheses directly around it, or the node itself."""
    parentheses = symbol_mask("parenthesized_expression")[syntax.kind]
    outer = node.copy()
    climbing = np.arange(len(node))
    while len(climbing):
        parent = syntax.parent[outer[climbing]]
        inside = (parent >= 0) & parentheses[parent]
        climbing = climbing[inside]
        outer[climbing] = parent[inside]
    return outer


def _function_names(syntax: Syntax) -> NDArray[np.uint8]:
    """Return _FUNCTION or _CLASS for each node that names such a value, 0 for other nodes.

    Such a node is the declarator, assignment, pair or field definition around the value.
    ECMAScript 8.4 has the rules for names of functions.
    """
    named = np.zeros(len(syntax), dtype=np.uint8)
    for code, kinds in ((_FUNCTION, _FUNCTIONS), (_CLASS, ("class",))):
        value = np.flatnonzero(symbol_mask(*kinds)[syntax.kind]).astype(np.int32)
        outer = _outside_parentheses(syntax, value)
        parent = np.maximum(syntax.parent[outer], 0)
        kind = np.minimum(syntax.kind[parent], _SYMBOLS - 1)
        named[parent[_make_tables().names_its_value[kind, syntax.field[outer]]]] = code
    return named


@kernel
def _find_parameters(
    kind: NDArray[np.uint16],
    field_: NDArray[np.uint16],
    parents: Column,
    opens: NDArray[np.bool_],
    goes_on: NDArray[np.bool_],
    parameter: int,
    key: int,
    right: int,
) -> NDArray[np.bool_]:
    """Return a mask of the nodes that are a parameter or a part of a parameter's pattern.

    ``opens`` and ``goes_on`` are masks over symbols: of lists of parameters, whose children are
    parameters, and of patterns. ``parameter``, ``key`` and ``right`` are numbers of fields.
    """
    is_parameter = np.zeros(len(kind), dtype=np.bool_)
    for node in range(1, len(kind)):
        parent = parents[node]
        if opens[kind[parent]] or field_[node] == parameter:
            is_parameter[node] = True
        elif is_parameter[parent] and goes_on[kind[parent]]:
            # A key binds no variable, and a default value is an expression.
            is_parameter[node] = field_[node] != key and field_[node] != right
    return is_parameter
