"""Identifiers of a Java file, and the declaration that each of them refers to.

Builds the tables that translate the grammar's symbols and fields into the codes of the kernels,
and runs the kernels of this folder in order. Used through ``JavaFile``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.java import language
from codeacumen.languages.java.bindings import calls as _calls
from codeacumen.languages.java.bindings import hierarchy as _hierarchy
from codeacumen.languages.java.bindings import members as _members
from codeacumen.languages.java.bindings import packages as _packages
from codeacumen.languages.java.bindings import patterns as _patterns
from codeacumen.languages.java.bindings import scopes as _scopes
from codeacumen.languages.java.bindings import types as _types
from codeacumen.languages.java.syntax.declarations import NONE, Declarations
from codeacumen.languages.java.syntax.grammar import among, field, symbols
from codeacumen.languages.syntax import Column, Syntax, number_texts


@dataclass(frozen=True, slots=True)
class Names:
    """Identifiers of a file, in source order.

    ``node`` holds their nodes and ``word`` the index of their text in ``words``. ``word_of`` has
    this index for each node of the file (-1: no identifier).
    """

    node: Column
    word: Column
    words: tuple[str, ...]
    word_of: Column

    def text(self, node: int) -> str:
        return self.words[int(self.word_of[node])]


def names(syntax: Syntax) -> Names:
    wanted = among("identifier", "type_identifier")[syntax.kind]
    node: NDArray[np.int32] = np.flatnonzero(wanted).astype(np.int32)
    word, texts = number_texts(syntax, node)
    word_of = np.full(len(syntax), -1, dtype=np.int32)
    word_of[node] = word
    words = tuple(text.decode("utf-8", errors="replace") for text in texts)
    return Names(node, word, words, word_of)


Table = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Codes:
    """A kernel's code for each symbol of the grammar, and whether its walk stops at the symbol."""

    code: Table
    event: NDArray[np.bool_]

    def events(self, kind: NDArray[np.uint16]) -> Column:
        found: Column = np.flatnonzero(self.event[kind]).astype(np.int32)
        return found


def codes(names: Mapping[str, int], events: Collection[int] = ()) -> Codes:
    """Return the codes of all symbols, tokens included; 0 for symbols without one."""
    grammar = language()
    found = np.zeros(1 << 16, dtype=np.uint8)
    seen: set[str] = set()
    for symbol in range(grammar.node_kind_count):
        name = grammar.node_kind_for_id(symbol) or ""
        if name in names:
            found[symbol] = names[name]
            seen.add(name)
    if seen != set(names):
        raise ValueError(f"the grammar has no {', '.join(sorted(set(names) - seen))}")
    return Codes(found, np.isin(found, list(events)))


def field_codes(names: Mapping[str, int]) -> Table:
    found = np.zeros(1 << 8, dtype=np.uint8)
    for name, code in names.items():
        found[field(name)] = code
    return found


def use_codes(uses: Mapping[tuple[str, str], int]) -> Table:
    """Return the use of a name for each symbol of its parent and each field in the parent.

    The last row is for parents that are no symbols of the grammar: errors.
    """
    grammar = language()
    found = np.zeros((grammar.node_kind_count + 1, grammar.field_count + 1), dtype=np.uint8)
    for (parent, name), use in uses.items():
        for symbol in symbols(parent):
            found[symbol, field(name) if name else 0] = use
    return found


ROLES = (
    "unknown",
    "package",
    "type",
    "type variable",
    "method",
    "field",
    "enum constant",
    "local",
    "parameter",
    "lambda parameter",
    "catch parameter",
    "pattern variable",
    "resource",
    "label",
    "annotation element",
)
ROLE = {name: code for code, name in enumerate(ROLES)}

NOTHING, DECLARES, READS, WRITES, UPDATES = range(5)


@dataclass(frozen=True, slots=True)
class Bindings:
    """Resolved identifiers of a file: one value per identifier, in source order.

    ``role``: index into ``ROLES``. ``declaration``: the identifier node of its declaration in this
    file, itself for a declaration, -1 when it is declared elsewhere or uncertain. ``symbol``: the
    same number for all occurrences of one entity, declared in this file or not. ``access``: the
    access to a variable; UPDATES stands for ``x++`` and ``x += 1``.

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


def bindings(syntax: Syntax, declared: Declarations, names: Names) -> Bindings:
    """Return the meaning of each identifier, from the file alone.

    The steps are kernels in files of their own: types and their members, type names, variables,
    and last the names that need the types of expressions.
    """
    tables, kind, ident = _tables(), syntax.kind, names.node
    words, parent, stop, word = len(names.words), syntax.parent, syntax.stop, names.word_of
    text = np.frombuffer(syntax.source or b" ", dtype=np.uint8)
    use = _uses(syntax, names, tables)
    known, of_object, implicit = _known(names, declared)
    var, string = 256 * known[0], 256 * known[1]

    nodes = np.array([type_.node for type_ in declared.types], dtype=np.int32)
    tree = _hierarchy.Tree(tables.hierarchy.code[kind], parent, stop, word)
    types, members = _hierarchy.collect(tree, ident, nodes, implicit, words)
    offsets, ancestors, open_, type_of = _hierarchy.hierarchy(tree, types, members, words)

    spelt = _hierarchy.Tree(tables.types.code[kind], parent, stop, word)
    value = np.zeros(len(syntax), dtype=np.int64)
    package = _package(syntax, names, tables)
    found = np.flatnonzero(kind == tables.import_).astype(np.int32)
    imports = _types.own_imports(spelt, types, members, type_of, found, package, words, value)
    _types.type_names(
        spelt,
        types,
        members,
        type_of,
        offsets,
        ancestors,
        tables.types.events(kind),
        words,
        len(ident) + len(imports.by_name) + 1,
        imports,
        value,
        package,
    )
    signatures = _types.declared_types(spelt, members, words, ident[_VARIABLES[use]], value)
    literals = np.flatnonzero(tables.literals[kind]).astype(np.int32)
    _types.literal_types(spelt.code, syntax.end, text, known, literals, value)

    role, declaration, access = _scopes.simple_names(
        _scopes.Tree(tables.scopes.code[kind], parent, syntax.child, stop, word),
        _scopes.Types(nodes, types.begin, offsets, ancestors),
        members,
        imports,
        _late(syntax, names, use, tables),
        tables.scopes.events(kind),
        ident,
        use,
        words,
    )
    source = _packages.Source(
        tables.packages[kind], parent, stop, word, syntax.start, syntax.end, text
    )
    named = _packages.Named(members, imports, words, types.name, type_of, value, role, declaration)
    hints = _packages.type_and_package_names(
        source, named, ident, use, _places(_OF_TYPES, use), var
    )

    denotes = np.zeros(len(syntax), dtype=np.uint8)
    calls = _members.qualified_names(
        _scopes.Tree(tables.members.code[kind], parent, syntax.child, stop, word),
        _members.Facts(members, words, value, denotes, role, declaration, access),
        signatures,
        imports,
        of_object,
        _members.Types(nodes, types.name, types.begin, offsets, ancestors, open_, type_of),
        tables.members.events(kind),
        ident,
        use,
        var,
        int(np.count_nonzero(use == _scopes.CALLED)),
    )
    operators = tables.operators
    _calls.operators(operators.code[kind], stop, operators.events(kind), string, value)
    declaration[calls.place] = _calls.choose(
        _calls.Tree(tables.calls[kind], stop, word),
        _calls.Facts(members, signatures, known, of_object, words, value),
        _calls.Types(offsets, ancestors, open_),
        calls,
        ident,
    )
    _packages.references(
        _packages.Sites(
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
        ident,
        use,
        _places(_REFERENCES, use),
        string,
    )
    left = np.flatnonzero((role == 0) & _DOTS[use]).astype(np.int32)
    _packages.foreign_names(source, named, ident, use, left, hints, access)
    _packages.static_imports(ident, use, role, names.word, words)
    symbol = _scopes.symbols_of(role, declaration, names.word, len(syntax), words)
    return Bindings(ident, role, declaration, symbol, access)


class _Tables(NamedTuple):
    hierarchy: Codes
    types: Codes
    literals: NDArray[np.bool_]
    scopes: Codes
    members: Codes
    operators: Codes
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
def _tables() -> _Tables:
    types = codes(_types.CODES, _types.EVENTS)
    singles = (
        "type_identifier",
        "type_parameter",
        "import_declaration",
        "package_declaration",
        "cast_expression",
        "unary_expression",
    )
    return _Tables(
        codes(_hierarchy.CODES),
        types,
        np.isin(types.code, _types.LITERALS),
        codes(_scopes.CODES, _scopes.EVENTS),
        codes(_members.CODES, _members.EVENTS),
        codes(_calls.OPERATOR_CODES, _calls.EVENTS),
        codes(_packages.CODES).code,
        codes(_calls.CODES).code,
        codes(_packages.REFERENCE_CODES).code,
        codes(_patterns.CODES).code,
        field_codes(_patterns.FIELDS),
        use_codes(_scopes.USES),
        codes({"+": 1, "-": 1}).code > 0,
        *(next(iter(symbols(one))) for one in singles),
    )


def _among(*uses: int) -> NDArray[np.bool_]:
    return np.isin(np.arange(256), uses)


_VARIABLES = _among(
    _scopes.VARIABLE,
    _scopes.PARAMETER,
    _scopes.CATCH,
    _scopes.LOOP,
    _scopes.RESOURCE,
    _scopes.PATTERN,
)
_OF_TYPES = _among(_scopes.TYPE_USE, _scopes.DOTTED, _scopes.ELEMENT)
_REFERENCES = _among(_scopes.REFERRED, _scopes.CASE)
_DOTS = _among(_scopes.QUALIFIER, _scopes.SELECTED, _scopes.REFERRED)


def _places(wanted: NDArray[np.bool_], use: Table) -> Column:
    found: Column = np.flatnonzero(wanted[use]).astype(np.int32)
    return found


# Types known to the language, in the order that members and calls expect; the boxes in the order
# of the primitive types.
_KNOWN = (
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
_OF_OBJECT = (
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


def _known(
    names: Names, declared: Declarations
) -> tuple[NDArray[np.int64], NDArray[np.bool_], Column]:
    """Return the bases of the types known to the language, and the words of implicit methods.

    These types are declared elsewhere unless the file itself declares them; types that do not
    occur get numbers after the last word. The second array marks the words that are methods of
    ``Object``, the third holds the words of the implicit methods of enums (-1: none).
    """
    place = dict(zip(names.words, range(len(names.words)), strict=True))
    first, missing = _types.FILE + len(declared.types), len(place)
    bases = [first + place.get(word, missing + n) for n, word in enumerate(_KNOWN)]
    for t, one in enumerate(declared.types):
        if one.owner == NONE and one.name in _KNOWN:
            bases[_KNOWN.index(one.name)] = _types.FILE + t
    of_object = np.zeros(len(place), dtype=np.bool_)
    of_object[[place[word] for word in _OF_OBJECT if word in place]] = True
    implicit = np.array([place.get("values", -1), place.get("valueOf", -1)], dtype=np.int32)
    return np.array(bases, dtype=np.int64), of_object, implicit


def _package(syntax: Syntax, names: Names, tables: _Tables) -> Column:
    """Return the words of the file's package."""
    nodes = np.flatnonzero(syntax.kind == tables.package)
    if not len(nodes):
        return np.empty(0, dtype=np.int32)
    words = names.word_of[nodes[0] : syntax.stop[nodes[0]]]
    return words[words >= 0]


def _uses(syntax: Syntax, names: Names, tables: _Tables) -> Table:
    """Return the syntactic use of each name."""
    kinds = syntax.kind[syntax.parent[names.node]]
    known = np.minimum(kinds, len(tables.uses) - 1)
    use: Table = tables.uses[known, syntax.field[names.node]]
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


def _late(syntax: Syntax, names: Names, use: Table, tables: _Tables) -> _scopes.Late:
    loops, variables = names.node[use == _scopes.LOOP], names.node[use == _scopes.PATTERN]
    if not len(loops) and not len(variables):
        none = np.empty(0, dtype=np.int32)
        return _scopes.Late(none, none, none)
    first, last, name = _patterns.late_scopes(
        tables.patterns[syntax.kind],
        tables.patterns_fields[syntax.field],
        syntax.parent,
        syntax.stop,
        names.word_of,
        loops,
        variables,
    )
    order = np.lexsort((-last, first))
    return _scopes.Late(first[order], last[order], name[order])
