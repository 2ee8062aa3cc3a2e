"""Identifiers of a Java file, and the declaration that each of them refers to.

This module builds the tables that translate the grammar's symbols and fields into the codes of the
kernels, and runs the kernels of this folder in order. Used through ``JavaFile``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.java import load_grammar
from codeacumen.languages.java.bindings import calls as _calls
from codeacumen.languages.java.bindings import hierarchy as _hierarchy
from codeacumen.languages.java.bindings import members as _members
from codeacumen.languages.java.bindings import packages as _packages
from codeacumen.languages.java.bindings import patterns as _patterns
from codeacumen.languages.java.bindings import scopes as _scopes
from codeacumen.languages.java.bindings import types as _types
from codeacumen.languages.java.syntax.declarations import NONE, Declarations
from codeacumen.languages.java.syntax.grammar import field_number, find_symbols, symbol_mask
from codeacumen.languages.syntax import Column, Syntax, number_texts


@dataclass(frozen=True, slots=True)
class Identifiers:
    """Identifiers of a file, in source order.

    ``node`` holds their nodes and ``word`` the index of their text in ``words``. ``word_of`` has
    this index for each node of the file (-1: no identifier).
    """

    node: Column
    word: Column
    words: tuple[str, ...]
    word_of: Column


def collect_names(syntax: Syntax) -> Identifiers:
    """Return the identifiers of a file."""
    is_name = symbol_mask("identifier", "type_identifier")[syntax.kind]
    node: NDArray[np.int32] = np.flatnonzero(is_name).astype(np.int32)
    word, texts = number_texts(syntax, node)
    word_of = np.full(len(syntax), -1, dtype=np.int32)
    word_of[node] = word
    words = tuple(text.decode("utf-8", errors="replace") for text in texts)
    return Identifiers(node, word, words, word_of)


# Codes by symbol or by field of the grammar.
Table = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class KernelCodes:
    """A kernel's code for each symbol of the grammar, and whether its walk stops at the symbol."""

    code: Table
    event: NDArray[np.bool_]

    def event_nodes(self, kind: NDArray[np.uint16]) -> Column:
        """Return the nodes at which the kernel's walk stops; ``kind`` has each node's symbol."""
        nodes: Column = np.flatnonzero(self.event[kind]).astype(np.int32)
        return nodes


def build_codes(names: Mapping[str, int], events: Collection[int] = ()) -> KernelCodes:
    """Return the codes of all symbols, tokens included; 0 for symbols without one.

    ``names`` maps names of symbols to codes, ``events`` are the codes at which the walk stops.
    Raises ValueError if the grammar lacks a name.
    """
    grammar = load_grammar()
    code_of_symbol = np.zeros(1 << 16, dtype=np.uint8)
    used: set[str] = set()
    for symbol in range(grammar.node_kind_count):
        name = grammar.node_kind_for_id(symbol) or ""
        if name in names:
            code_of_symbol[symbol] = names[name]
            used.add(name)
    if used != set(names):
        raise ValueError(f"the grammar has no {', '.join(sorted(set(names) - used))}")
    return KernelCodes(code_of_symbol, np.isin(code_of_symbol, list(events)))


def build_field_codes(names: Mapping[str, int]) -> Table:
    """Return the codes of all fields of the grammar; 0 for fields that ``names`` lacks."""
    code_of_field = np.zeros(1 << 8, dtype=np.uint8)
    for name, code in names.items():
        code_of_field[field_number(name)] = code
    return code_of_field


def build_use_codes(uses: Mapping[tuple[str, str], int]) -> Table:
    """Return the use of a name for each symbol of its parent and each field in the parent.

    In ``uses`` an empty field means a child without a field. The last row of the result is for
    parents that are no symbols of the grammar: errors.
    """
    grammar = load_grammar()
    use_of_symbol = np.zeros((grammar.node_kind_count + 1, grammar.field_count + 1), dtype=np.uint8)
    for (parent, name), use in uses.items():
        for symbol in find_symbols(parent):
            use_of_symbol[symbol, field_number(name) if name else 0] = use
    return use_of_symbol


# Roles of local variables in the wide sense.
LOCALS = (
    "local",
    "parameter",
    "lambda parameter",
    "catch parameter",
    "pattern variable",
    "resource",
)
ROLES = (
    "unknown",
    "package",
    "type",
    "type variable",
    "method",
    "field",
    "enum constant",
    *LOCALS,
    "label",
    "annotation element",
)
ROLE = {name: code for code, name in enumerate(ROLES)}

# Accesses to a variable; NOTHING for names that are none.
NOTHING, DECLARES, READS, WRITES, UPDATES = range(5)


@dataclass(frozen=True, slots=True)
class Bindings:
    """Resolved identifiers of a file: one value per identifier, in source order.

    ``node``: the identifier. ``role``: index into ``ROLES``. ``declaration``: the identifier node
    of its declaration in this file, itself for a declaration, -1 when it is declared elsewhere or
    uncertain. ``symbol``: the same number for all occurrences of one entity, declared in this file
    or not. ``access``: the access to a variable; UPDATES stands for ``x++`` and ``x += 1``.

    A constructor's name is a method that declares itself. A record's component is a field; its
    accessor and the parameter of a compact constructor have the same declaration. ``var`` is
    unknown. Where a class with a superclass declared elsewhere stands between a name and its
    declaration in this file, the superclass may declare a nearer one: variables and types keep the
    meaning that this file shows (wrong for 51 of 2.5 million names of the JDK), methods do not.
    """

    node: Column
    role: NDArray[np.uint8]
    declaration: Column
    symbol: Column
    access: NDArray[np.uint8]


def resolve_bindings(syntax: Syntax, declared: Declarations, names: Identifiers) -> Bindings:
    """Return the meaning of each identifier, from the file alone.

    The steps are kernels in files of their own: types and their members, type names, variables,
    and last the names that need the types of expressions.
    """
    tables, kind, idents = _build_tables(), syntax.kind, names.node
    words, parent, stop, word = len(names.words), syntax.parent, syntax.stop, names.word_of
    text = np.frombuffer(syntax.source or b" ", dtype=np.uint8)
    use = _classify_uses(syntax, names, tables)
    known_types, of_object, implicit = _find_known_types(names, declared)
    # The values of var and String, the first two of _KNOWN_TYPES.
    var_type, string_type = 256 * known_types[0], 256 * known_types[1]

    nodes = np.array([type_.node for type_ in declared.types], dtype=np.int32)
    tree = _hierarchy.TypeTree(tables.hierarchy.code[kind], parent, stop, word)
    types, members = _hierarchy.collect_types_and_members(tree, idents, nodes, implicit, words)
    offsets, ancestors, inherits_foreign, type_of = _hierarchy.resolve_ancestors(
        tree, types, members, words
    )

    type_tree = _hierarchy.TypeTree(tables.types.code[kind], parent, stop, word)
    value = np.zeros(len(syntax), dtype=np.int64)
    package = _package_words(syntax, names, tables)
    import_nodes = np.flatnonzero(kind == tables.import_).astype(np.int32)
    imports = _types.resolve_own_imports(
        type_tree, types, members, type_of, import_nodes, package, words, value
    )
    _types.resolve_type_names(
        type_tree,
        types,
        members,
        type_of,
        offsets,
        ancestors,
        tables.types.event_nodes(kind),
        words,
        len(idents) + len(imports.by_name) + 1,
        imports,
        value,
        package,
    )
    signatures = _types.set_declared_types(
        type_tree, members, words, idents[_VARIABLE_USES[use]], value
    )
    literals = np.flatnonzero(tables.literals[kind]).astype(np.int32)
    _types.set_literal_types(type_tree.code, syntax.end, text, known_types, literals, value)

    role, declaration, access = _scopes.resolve_simple_names(
        _scopes.ScopeTree(tables.scopes.code[kind], parent, syntax.child_index, stop, word),
        _scopes.ScopeTypes(nodes, types.begin, offsets, ancestors),
        members,
        imports,
        _collect_late_scopes(syntax, names, use, tables),
        tables.scopes.event_nodes(kind),
        idents,
        use,
        words,
    )
    source = _packages.SourceTree(
        tables.packages[kind], parent, stop, word, syntax.start, syntax.end, text
    )
    named = _packages.NameTables(
        members, imports, words, types.name, type_of, value, role, declaration
    )
    hints = _packages.resolve_type_and_package_names(
        source, named, idents, use, _indices_of(_TYPE_USES, use), var_type
    )

    denotes = np.zeros(len(syntax), dtype=np.uint8)
    calls = _members.resolve_qualified_names(
        _scopes.ScopeTree(tables.members.code[kind], parent, syntax.child_index, stop, word),
        _members.ExpressionFacts(members, words, value, denotes, role, declaration, access),
        signatures,
        imports,
        of_object,
        _members.ResolvedTypes(
            nodes, types.name, types.begin, offsets, ancestors, inherits_foreign, type_of
        ),
        tables.members.event_nodes(kind),
        idents,
        use,
        var_type,
        int(np.count_nonzero(use == _scopes.CALLED)),
    )
    operators = tables.operators
    _calls.set_operator_types(
        operators.code[kind], stop, operators.event_nodes(kind), string_type, value
    )
    declaration[calls.name_index] = _calls.choose_methods(
        _calls.OverloadTree(tables.calls[kind], stop, word),
        _calls.OverloadFacts(members, signatures, known_types, of_object, words, value),
        _calls.AncestorTypes(offsets, ancestors, inherits_foreign),
        calls,
        idents,
    )
    _packages.resolve_references(
        _packages.ReferenceColumns(
            tables.references[kind],
            parent,
            stop,
            word,
            value,
            denotes,
            offsets,
            ancestors,
            members,
            words,
            role,
            declaration,
            access,
        ),
        idents,
        use,
        _indices_of(_REFERENCE_USES, use),
        string_type,
    )
    unresolved = np.flatnonzero((role == 0) & _DOTTED_USES[use]).astype(np.int32)
    _packages.resolve_foreign_names(source, named, idents, use, unresolved, hints, access)
    _packages.resolve_static_imports(idents, use, role, names.word, words)
    symbol = _scopes.number_symbols(role, declaration, names.word, len(syntax), words)
    return Bindings(idents, role, declaration, symbol, access)


class _GrammarTables(NamedTuple):
    """Tables from the grammar's symbols and fields to the codes of the kernels.

    ``literals`` and ``signs`` mask the symbols of literals and of ``+`` and ``-``; the integers at
    the end are single symbols.
    """

    hierarchy: KernelCodes
    types: KernelCodes
    literals: NDArray[np.bool_]
    scopes: KernelCodes
    members: KernelCodes
    operators: KernelCodes
    packages: Table
    calls: Table
    references: Table
    patterns: Table
    patterns_fields: Table
    uses: Table
    signs: NDArray[np.bool_]
    type_identifier: int
    type_parameter: int
    import_: int
    package: int
    cast: int
    unary: int


@lru_cache(maxsize=1)
def _build_tables() -> _GrammarTables:
    """Build the tables once per process."""
    types = build_codes(_types.CODES, _types.EVENTS)
    single_symbols = (
        "type_identifier",
        "type_parameter",
        "import_declaration",
        "package_declaration",
        "cast_expression",
        "unary_expression",
    )
    return _GrammarTables(
        build_codes(_hierarchy.CODES),
        types,
        np.isin(types.code, _types.LITERALS),
        build_codes(_scopes.CODES, _scopes.EVENTS),
        build_codes(_members.CODES, _members.EVENTS),
        build_codes(_calls.OPERATOR_CODES, _calls.EVENTS),
        build_codes(_packages.CODES).code,
        build_codes(_calls.CODES).code,
        build_codes(_packages.REFERENCE_CODES).code,
        build_codes(_patterns.CODES).code,
        build_field_codes(_patterns.FIELDS),
        build_use_codes(_scopes.USES),
        build_codes({"+": 1, "-": 1}).code > 0,
        *(next(iter(find_symbols(symbol_name))) for symbol_name in single_symbols),
    )


def _uses_mask(*uses: int) -> NDArray[np.bool_]:
    """Return a mask over the codes of ``use`` that selects some of them."""
    return np.isin(np.arange(256), uses)


_VARIABLE_USES = _uses_mask(
    _scopes.VARIABLE,
    _scopes.PARAMETER,
    _scopes.CATCH,
    _scopes.LOOP,
    _scopes.RESOURCE,
    _scopes.PATTERN,
)
_TYPE_USES = _uses_mask(_scopes.TYPE_USE, _scopes.DOTTED, _scopes.ELEMENT)
_REFERENCE_USES = _uses_mask(_scopes.REFERRED, _scopes.CASE)
_DOTTED_USES = _uses_mask(_scopes.QUALIFIER, _scopes.SELECTED, _scopes.REFERRED)


def _indices_of(mask: NDArray[np.bool_], use: Table) -> Column:
    """Return the indices of the names whose use the mask selects."""
    indices: Column = np.flatnonzero(mask[use]).astype(np.int32)
    return indices


# Types known to the language, in the order that types and calls expect; the boxes in the order of
# the primitive types, after an empty name because the primitive types are numbered from 1.
_KNOWN_TYPES = (
    "var",
    "String",
    "Class",
    "Object",
    "",
    "Boolean",
    "Byte",
    "Short",
    "Character",
    "Integer",
    "Long",
    "Float",
    "Double",
    "Number",
    "CharSequence",
    "Cloneable",
    "Serializable",
    "Comparable",
    "Constable",
    "ConstantDesc",
    "Enum",
    "Record",
)
# Methods of java.lang.Object, which every type inherits.
_OBJECT_METHODS = (
    "clone",
    "equals",
    "finalize",
    "getClass",
    "hashCode",
    "notify",
    "notifyAll",
    "toString",
    "wait",
)


def _find_known_types(
    names: Identifiers, declared: Declarations
) -> tuple[NDArray[np.int64], NDArray[np.bool_], Column]:
    """Return the bases of the types known to the language, and the words of implicit methods.

    These types are declared elsewhere unless the file itself declares them; types that the file
    does not mention get numbers after the last word. The second array marks the words that are
    methods of ``Object``, the third holds the words of the implicit methods of enums (-1: none).
    """
    index_of_word = dict(zip(names.words, range(len(names.words)), strict=True))
    first, missing = _types.FILE + len(declared.types), len(index_of_word)
    bases = [first + index_of_word.get(word, missing + n) for n, word in enumerate(_KNOWN_TYPES)]
    for t, type_ in enumerate(declared.types):
        if type_.owner == NONE and type_.name in _KNOWN_TYPES:
            bases[_KNOWN_TYPES.index(type_.name)] = _types.FILE + t
    of_object = np.zeros(len(index_of_word), dtype=np.bool_)
    of_object[[index_of_word[word] for word in _OBJECT_METHODS if word in index_of_word]] = True
    implicit = np.array(
        [index_of_word.get("values", -1), index_of_word.get("valueOf", -1)], dtype=np.int32
    )
    return np.array(bases, dtype=np.int64), of_object, implicit


def _package_words(syntax: Syntax, names: Identifiers, tables: _GrammarTables) -> Column:
    """Return the words (numbers) of the file's package, in order; empty for the unnamed package."""
    nodes = np.flatnonzero(syntax.kind == tables.package)
    if not len(nodes):
        return np.empty(0, dtype=np.int32)
    words = names.word_of[nodes[0] : syntax.stop[nodes[0]]]
    return words[words >= 0]


def _classify_uses(syntax: Syntax, names: Identifiers, tables: _GrammarTables) -> Table:
    """Return the syntactic use of each name, in the codes of ``bindings.scopes``."""
    kinds = syntax.kind[syntax.parent[names.node]]
    parent_kinds = np.minimum(kinds, len(tables.uses) - 1)
    use: Table = tables.uses[parent_kinds, syntax.field[names.node]]
    of_type = syntax.kind[names.node] == tables.type_identifier
    use[of_type] = _scopes.TYPE_USE
    use[of_type & (kinds == tables.type_parameter)] = _scopes.TYPE_VARIABLE
    # (x) - y is a subtraction (JLS 15.16), which the grammar parses as a cast.
    casts = np.flatnonzero(of_type & (kinds == tables.cast))
    if len(casts):
        operand = syntax.stop[names.node[casts]] + 1
        inside = operand + 1 < len(syntax)
        operand = np.where(inside, operand, 0)
        signed = (syntax.kind[operand] == tables.unary) & tables.signs[syntax.kind[operand + 1]]
        use[casts[inside & signed]] = _scopes.EXPRESSION
    return use


def _collect_late_scopes(
    syntax: Syntax, names: Identifiers, use: Table, tables: _GrammarTables
) -> _scopes.LateScopes:
    """Return the scopes that begin after their variable's declaration, sorted by first node.

    Of scopes with the same first node, the longest comes first.
    """
    loops, variables = names.node[use == _scopes.LOOP], names.node[use == _scopes.PATTERN]
    if not len(loops) and not len(variables):
        none = np.empty(0, dtype=np.int32)
        return _scopes.LateScopes(none, none, none)
    first, last, name = _patterns.collect_late_scopes(
        tables.patterns[syntax.kind],
        tables.patterns_fields[syntax.field],
        syntax.parent,
        syntax.stop,
        names.word_of,
        loops,
        variables,
    )
    order = np.lexsort((-last, first))
    return _scopes.LateScopes(first[order], last[order], name[order])
