"""Names of a source file: where they occur, and which name is passed or assigned to which.

An expression is represented by one name: ``x`` by itself, ``a.x`` by ``x``, ``find(y)`` by
``find``. So arguments and assigned values have names, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.syntax import (
    SYMBOLS,
    Column,
    Syntax,
    find_grammar_field,
    find_grammar_symbols,
    make_symbol_mask,
)

Flags = NDArray[np.bool_]
# A call with more arguments is a table of data.
MOST_PARAMETERS = 16


@dataclass(frozen=True, slots=True)
class SyntaxFacts:
    """Names of a file and where they go.

    ``name`` holds the nodes of identifiers in source order, ``line`` their lines. A row of
    ``declared`` is a function's name, its number of parameters, a parameter's position and its
    name; a row of ``called`` is the same for an argument; a row of ``moved`` is the target and the
    value of an assignment. Names are indices of ``name``, or -1 where an expression has none.
    """

    syntax: Syntax
    name: Column
    line: Column
    declared: Column
    called: Column
    moved: Column
    comments: list[str]


@dataclass(frozen=True, slots=True)
class _Grammar:
    named: Flags
    name: Flags
    function: Flags
    parameters: Flags
    parameter: Flags
    call: Flags
    arguments: Flags
    member: Flags
    typed: Flags
    assignment: Flags
    comment: Flags
    function_name: int
    property: int
    parameter_name: int
    callee: tuple[int, ...]
    target: tuple[int, ...]
    value: tuple[int, ...]


def extract_facts(language: str, source: bytes) -> SyntaxFacts:
    """Return the names of a source file and where they go."""
    if language == "java":
        from codeacumen.languages.java import parse_java as parse
    else:
        from codeacumen.languages.javascript import parse_javascript as parse
    syntax, grammar = parse(source), _build_grammar(language)
    kind, field, parent = syntax.kind, syntax.field, syntax.parent
    # The root has no parent (-1), and must not get the last node's kind by indexing.
    parent_kind = kind[np.maximum(parent, 0)].copy()
    parent_kind[parent < 0] = SYMBOLS - 2

    names = np.flatnonzero(grammar.name[kind])
    name_of_node = np.full(len(kind), -1, dtype=np.int32)
    name_of_node[names] = np.arange(len(names), dtype=np.int32)
    _pass_name_to_parent(
        name_of_node, parent, grammar.member[parent_kind] & (field == grammar.property)
    )
    _pass_name_to_parent(
        name_of_node, parent, grammar.parameter[parent_kind] & (field == grammar.parameter_name)
    )
    for _ in range(2):  # in a.B<C> the name is two levels down
        _pass_name_to_parent(
            name_of_node, parent, grammar.typed[parent_kind] & (grammar.name | grammar.typed)[kind]
        )
    callee = np.full_like(name_of_node, -1)
    children = np.flatnonzero(grammar.call[parent_kind] & np.isin(field, grammar.callee))
    callee[parent[children]] = name_of_node[children]
    calls = grammar.call[kind]
    name_of_node[calls] = callee[calls]

    target, value = np.full_like(name_of_node, -1), np.full_like(name_of_node, -1)
    for assigned_name, side_fields in ((target, grammar.target), (value, grammar.value)):
        children = np.flatnonzero(grammar.assignment[parent_kind] & np.isin(field, side_fields))
        assigned_name[parent[children]] = name_of_node[children]
    function_name = np.full_like(name_of_node, -1)
    children = np.flatnonzero(grammar.function[parent_kind] & (field == grammar.function_name))
    function_name[parent[children]] = name_of_node[children]
    # A function without a name has the name of the variable that it is assigned to.
    children = np.flatnonzero(
        grammar.function[kind] & (function_name < 0) & grammar.assignment[parent_kind]
    )
    function_name[children] = target[parent[children]]

    is_complete = (target >= 0) & (value >= 0)
    newline_positions = np.flatnonzero(np.frombuffer(syntax.source, dtype=np.uint8) == ord("\n"))
    is_element = grammar.named[kind] & ~grammar.comment[kind]
    return SyntaxFacts(
        syntax,
        names.astype(np.int32),
        np.searchsorted(newline_positions, syntax.start[names]).astype(np.int32),
        _list_elements(
            syntax,
            name_of_node,
            function_name,
            grammar.parameters[kind] & grammar.function[parent_kind],
            is_element,
        ),
        _list_elements(
            syntax,
            name_of_node,
            callee,
            grammar.arguments[kind] & grammar.call[parent_kind],
            is_element,
        ),
        np.column_stack([target[is_complete], value[is_complete]]),
        [syntax.text(node) for node in np.flatnonzero(grammar.comment[kind]).tolist()],
    )


def _pass_name_to_parent(name_of_node: Column, parent: Column, is_selected: Flags) -> None:
    """Set each node's name to that of its last selected child that has one."""
    children = np.flatnonzero(is_selected)
    children = children[name_of_node[children] >= 0]
    name_of_node[parent[children]] = name_of_node[children]


def _list_elements(
    syntax: Syntax,
    name_of_node: Column,
    name_of_function: Column,
    is_list: Flags,
    is_element: Flags,
) -> Column:
    """Return a row per list element: function's name, length of the list, position, name."""
    parent = syntax.parent
    elements = np.flatnonzero((parent >= 0) & is_list[np.maximum(parent, 0)] & is_element)
    elements = elements[np.argsort(parent[elements], kind="stable")]
    owner = parent[elements]
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    length = np.diff(np.append(first, len(owner)))
    position = np.arange(len(owner)) - np.repeat(first, length)
    arity = np.repeat(length, length)
    function_name = name_of_function[parent[owner]]
    is_valid = (function_name >= 0) & (arity <= MOST_PARAMETERS)
    return np.column_stack([function_name, arity, position, name_of_node[elements]])[
        is_valid
    ].astype(np.int32)


@lru_cache(maxsize=2)
def _build_grammar(language: str) -> _Grammar:
    if language == "java":
        from codeacumen.languages.java import load_grammar as grammar_of
    else:
        from codeacumen.languages.javascript import load_grammar as grammar_of
        from codeacumen.languages.javascript.tokens import IDENTIFIERS
    grammar = grammar_of()

    def kind_flags(*names: str) -> Flags:
        return make_symbol_mask(find_grammar_symbols(grammar, names))

    def field_numbers(*names: str) -> tuple[int, ...]:
        return tuple(find_grammar_field(grammar, name) for name in names)

    named = make_symbol_mask(
        i for i in range(grammar.node_kind_count) if grammar.node_kind_is_named(i)
    )
    if language == "java":
        return _Grammar(
            named=named,
            name=kind_flags("identifier", "type_identifier"),
            function=kind_flags("method_declaration", "constructor_declaration"),
            parameters=kind_flags("formal_parameters"),
            parameter=kind_flags("formal_parameter"),
            call=kind_flags("method_invocation", "object_creation_expression"),
            arguments=kind_flags("argument_list"),
            member=kind_flags("field_access"),
            typed=kind_flags("generic_type", "scoped_type_identifier"),
            assignment=kind_flags("assignment_expression", "variable_declarator"),
            comment=kind_flags("line_comment", "block_comment"),
            function_name=find_grammar_field(grammar, "name"),
            property=find_grammar_field(grammar, "field"),
            parameter_name=find_grammar_field(grammar, "name"),
            callee=field_numbers("name", "type"),
            target=field_numbers("left", "name"),
            value=field_numbers("right", "value"),
        )
    return _Grammar(
        named=named,
        name=kind_flags(*(name for name in IDENTIFIERS if name != "undefined")),
        function=kind_flags(
            "function_declaration",
            "function_expression",
            "generator_function",
            "generator_function_declaration",
            "arrow_function",
            "method_definition",
        ),
        parameters=kind_flags("formal_parameters"),
        parameter=kind_flags("assignment_pattern"),
        call=kind_flags("call_expression", "new_expression"),
        arguments=kind_flags("arguments"),
        member=kind_flags("member_expression"),
        typed=np.zeros(SYMBOLS, dtype=np.bool_),
        assignment=kind_flags("assignment_expression", "variable_declarator", "pair"),
        comment=kind_flags("comment"),
        function_name=find_grammar_field(grammar, "name"),
        property=find_grammar_field(grammar, "property"),
        parameter_name=find_grammar_field(grammar, "left"),
        callee=field_numbers("function", "constructor"),
        target=field_numbers("left", "name", "key"),
        value=field_numbers("right", "value"),
    )
