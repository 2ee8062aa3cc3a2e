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
MOST = 16


@dataclass(frozen=True, slots=True)
class Facts:
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
    title: int
    property: int
    parameter_name: int
    callee: tuple[int, ...]
    target: tuple[int, ...]
    value: tuple[int, ...]


def facts(language: str, source: bytes) -> Facts:
    """Return the names of a source file and where they go."""
    if language == "java":
        from codeacumen.languages.java import parse_java as parse
    else:
        from codeacumen.languages.javascript import parse_javascript as parse
    syntax, grammar = parse(source), _grammar(language)
    kind, field, parent = syntax.kind, syntax.field, syntax.parent
    # The root has no parent (-1), and must not get the last node's kind by indexing.
    above = kind[np.maximum(parent, 0)].copy()
    above[parent < 0] = SYMBOLS - 2

    names = np.flatnonzero(grammar.name[kind])
    speaks = np.full(len(kind), -1, dtype=np.int32)
    speaks[names] = np.arange(len(names), dtype=np.int32)
    _pass_up(speaks, parent, grammar.member[above] & (field == grammar.property))
    _pass_up(speaks, parent, grammar.parameter[above] & (field == grammar.parameter_name))
    for _ in range(2):  # in a.B<C> the name is two levels down
        _pass_up(speaks, parent, grammar.typed[above] & (grammar.name | grammar.typed)[kind])
    callee = np.full_like(speaks, -1)
    inner = np.flatnonzero(grammar.call[above] & np.isin(field, grammar.callee))
    callee[parent[inner]] = speaks[inner]
    calls = grammar.call[kind]
    speaks[calls] = callee[calls]

    target, value = np.full_like(speaks, -1), np.full_like(speaks, -1)
    for found, fields in ((target, grammar.target), (value, grammar.value)):
        inner = np.flatnonzero(grammar.assignment[above] & np.isin(field, fields))
        found[parent[inner]] = speaks[inner]
    title = np.full_like(speaks, -1)
    inner = np.flatnonzero(grammar.function[above] & (field == grammar.title))
    title[parent[inner]] = speaks[inner]
    # A function without a name has the name of the variable that it is assigned to.
    inner = np.flatnonzero(grammar.function[kind] & (title < 0) & grammar.assignment[above])
    title[inner] = target[parent[inner]]

    both = (target >= 0) & (value >= 0)
    breaks = np.flatnonzero(np.frombuffer(syntax.source, dtype=np.uint8) == ord("\n"))
    element = grammar.named[kind] & ~grammar.comment[kind]
    return Facts(
        syntax,
        names.astype(np.int32),
        np.searchsorted(breaks, syntax.start[names]).astype(np.int32),
        _lists(syntax, speaks, title, grammar.parameters[kind] & grammar.function[above], element),
        _lists(syntax, speaks, callee, grammar.arguments[kind] & grammar.call[above], element),
        np.column_stack([target[both], value[both]]),
        [syntax.text(node) for node in np.flatnonzero(grammar.comment[kind]).tolist()],
    )


def _pass_up(speaks: Column, parent: Column, which: Flags) -> None:
    """Set each node's name to that of its last selected child that has one."""
    inner = np.flatnonzero(which)
    inner = inner[speaks[inner] >= 0]
    speaks[parent[inner]] = speaks[inner]


def _lists(
    syntax: Syntax, speaks: Column, function: Column, is_list: Flags, element: Flags
) -> Column:
    """Return a row per list element: function's name, length of the list, position, name."""
    parent = syntax.parent
    inner = np.flatnonzero((parent >= 0) & is_list[np.maximum(parent, 0)] & element)
    inner = inner[np.argsort(parent[inner], kind="stable")]
    owner = parent[inner]
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    length = np.diff(np.append(first, len(owner)))
    place = np.arange(len(owner)) - np.repeat(first, length)
    arity = np.repeat(length, length)
    whose = function[parent[owner]]
    good = (whose >= 0) & (arity <= MOST)
    return np.column_stack([whose, arity, place, speaks[inner]])[good].astype(np.int32)


@lru_cache(maxsize=2)
def _grammar(language: str) -> _Grammar:
    if language == "java":
        from codeacumen.languages.java import load_grammar as grammar_of
    else:
        from codeacumen.languages.javascript import load_grammar as grammar_of
        from codeacumen.languages.javascript.grammar import IDENTIFIERS
    grammar = grammar_of()

    def among(*names: str) -> Flags:
        return make_symbol_mask(find_grammar_symbols(grammar, names))

    def fields(*names: str) -> tuple[int, ...]:
        return tuple(find_grammar_field(grammar, name) for name in names)

    named = make_symbol_mask(
        i for i in range(grammar.node_kind_count) if grammar.node_kind_is_named(i)
    )
    if language == "java":
        return _Grammar(
            named=named,
            name=among("identifier", "type_identifier"),
            function=among("method_declaration", "constructor_declaration"),
            parameters=among("formal_parameters"),
            parameter=among("formal_parameter"),
            call=among("method_invocation", "object_creation_expression"),
            arguments=among("argument_list"),
            member=among("field_access"),
            typed=among("generic_type", "scoped_type_identifier"),
            assignment=among("assignment_expression", "variable_declarator"),
            comment=among("line_comment", "block_comment"),
            title=find_grammar_field(grammar, "name"),
            property=find_grammar_field(grammar, "field"),
            parameter_name=find_grammar_field(grammar, "name"),
            callee=fields("name", "type"),
            target=fields("left", "name"),
            value=fields("right", "value"),
        )
    return _Grammar(
        named=named,
        name=among(*(name for name in IDENTIFIERS if name != "undefined")),
        function=among(
            "function_declaration",
            "function_expression",
            "generator_function",
            "generator_function_declaration",
            "arrow_function",
            "method_definition",
        ),
        parameters=among("formal_parameters"),
        parameter=among("assignment_pattern"),
        call=among("call_expression", "new_expression"),
        arguments=among("arguments"),
        member=among("member_expression"),
        typed=np.zeros(SYMBOLS, dtype=np.bool_),
        assignment=among("assignment_expression", "variable_declarator", "pair"),
        comment=among("comment"),
        title=find_grammar_field(grammar, "name"),
        property=find_grammar_field(grammar, "property"),
        parameter_name=find_grammar_field(grammar, "left"),
        callee=fields("function", "constructor"),
        target=fields("left", "name", "key"),
        value=fields("right", "value"),
    )
