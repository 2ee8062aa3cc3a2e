"""Scopes and bindings: which declaration each identifier of a file means."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from acumen.lang.java import _calls, _hierarchy, _members, _patterns, _scopes, _types
from acumen.lang.java._tables import Table, field_table, kind_table, use_table
from acumen.lang.java.declarations import NONE, Declarations
from acumen.lang.java.grammar import symbols
from acumen.lang.java.names import Names
from acumen.lang.syntax import Column, Syntax

ROLES = (
    "unknown", "package", "type", "type variable", "method", "field", "enum constant",
    "local", "parameter", "lambda parameter", "catch parameter", "pattern variable", "resource",
    "label", "annotation element",
)  # fmt: skip
ROLE = {name: code for code, name in enumerate(ROLES)}

NOTHING, DECLARES, READS, WRITES, UPDATES = range(5)


@dataclass(frozen=True, slots=True)
class Bindings:
    """One value for each identifier of the file, in source order (``Names.node``).

    ``role``: what it denotes (``ROLES``). ``declaration``: the identifier node of its declaration
    in this file, itself for a declaration, -1 when it is declared elsewhere or not certain.
    ``symbol``: the same number for all occurrences of one thing, declared here or not.
    ``access``: what is done to a variable; UPDATES is ``x++`` and ``x += 1``.
    """

    node: Column
    role: NDArray[np.uint8]
    declaration: Column
    symbol: Column
    access: NDArray[np.uint8]


_VARIABLES = np.isin(
    np.arange(256),
    (
        _scopes.VARIABLE, _scopes.PARAMETER, _scopes.CATCH, _scopes.LOOP, _scopes.RESOURCE,
        _scopes.PATTERN,
    ),
)  # fmt: skip


class _Tables(NamedTuple):
    hierarchy: Table
    types: Table
    types_events: NDArray[np.bool_]
    scopes: Table
    scopes_events: NDArray[np.bool_]
    members: Table
    members_events: NDArray[np.bool_]
    calls: Table
    flow: Table
    flow_fields: Table
    uses: Table
    type_identifier: int
    import_: int
    package: int


@lru_cache(maxsize=1)
def _tables() -> _Tables:
    types, scopes = kind_table(_types.CODES), kind_table(_scopes.CODES)
    members = kind_table(_members.CODES)
    (type_identifier,) = symbols("type_identifier")
    (import_,), (package,) = symbols("import_declaration"), symbols("package_declaration")
    return _Tables(
        hierarchy=kind_table(_hierarchy.CODES),
        types=types,
        types_events=np.isin(types, _types.EVENTS),
        scopes=scopes,
        scopes_events=np.isin(scopes, _scopes.EVENTS),
        members=members,
        members_events=np.isin(members, _members.EVENTS),
        calls=kind_table(_calls.CODES),
        flow=kind_table(_patterns.CODES),
        flow_fields=field_table(_patterns.FIELDS),
        uses=use_table(_scopes.USES),
        type_identifier=type_identifier,
        import_=import_,
        package=package,
    )


def bindings(syntax: Syntax, declared: Declarations, names: Names) -> Bindings:
    tables = _tables()
    words, count = len(names.words), len(names.node)
    parent, child, stop = syntax.parent, syntax.child, syntax.stop
    use = _uses(syntax, names, tables)
    nodes = np.array([one.node for one in declared.types], dtype=np.int32)
    tree = _hierarchy.Tree(tables.hierarchy[syntax.kind], parent, stop, names.word_of)
    types, members = _hierarchy.collect(tree, names.node, nodes, words)
    offsets, ancestors, open_, type_of = _hierarchy.hierarchy(tree, types, members, words)
    spelt = _hierarchy.Tree(tables.types[syntax.kind], parent, stop, names.word_of)
    events = np.flatnonzero(tables.types_events[syntax.kind]).astype(np.int32)
    package = _package(syntax, names, tables)
    value = np.zeros(len(syntax), dtype=np.int64)
    imports = _types.own_imports(
        spelt, types, members, type_of, np.flatnonzero(syntax.kind == tables.import_).astype(np.int32),
        package, words, value,
    )  # fmt: skip
    _types.type_names(
        spelt, types, members, type_of, offsets, ancestors, events, words,
        count + len(imports.by_name) + 1, imports.tops, imports.by_name, value, package,
    )  # fmt: skip
    variables = names.node[_VARIABLES[use]]
    signatures = _types.declared_types(spelt, members, words, variables, value)
    late = _late(syntax, names, use, tables)
    code = tables.scopes[syntax.kind]
    events = np.flatnonzero(tables.scopes_events[syntax.kind]).astype(np.int32)
    role, declaration, access = _scopes.simple_names(
        _scopes.Tree(code, parent, child, stop, names.word_of),
        _scopes.Types(nodes, types.begin, offsets, ancestors),
        members, imports, late, events, names.node, use, words,
    )  # fmt: skip
    known, of_object = _known(names, declared)
    code = tables.members[syntax.kind]
    events = np.flatnonzero(tables.members_events[syntax.kind]).astype(np.int32)
    facts = _members.Facts(
        members, signatures, imports, package, known, of_object, words, value,
        np.zeros(len(syntax), dtype=np.uint8), role, declaration, access,
    )  # fmt: skip
    calls = _members.qualified_names(
        _members.Tree(
            code, parent, child, stop, names.word_of, syntax.start, syntax.end,
            np.frombuffer(syntax.source or b" ", dtype=np.uint8),
        ),
        facts,
        _members.Types(nodes, types.name, types.begin, offsets, ancestors, open_, type_of),
        events, names.node, use, int(np.count_nonzero(use == _scopes.CALLED)),
    )  # fmt: skip
    found, doubt = _calls.choose(
        _calls.Tree(tables.calls[syntax.kind], stop, names.word_of),
        _calls.Facts(members, signatures, known, of_object, words, value),
        _calls.Types(offsets, ancestors, open_),
        calls, names.node,
    )  # fmt: skip
    declaration[calls.place] = found
    global DOUBT
    DOUBT = np.zeros(count, dtype=np.uint8)
    DOUBT[calls.place] = doubt
    symbol = _scopes.symbols_of(role, declaration, names.word, len(syntax), words)
    return Bindings(names.node, role, declaration, symbol, access)


# Types that the language knows, as _members and _calls expect them; boxes as primitive types.
_KNOWN = (
    "var", "String", "Class", "Object", "", "Boolean", "Byte", "Short", "Character", "Integer",
    "Long", "Float", "Double", "Number", "CharSequence", "Cloneable", "Serializable",
    "Comparable", "Constable", "ConstantDesc",
)  # fmt: skip
_OF_OBJECT = (
    "clone", "equals", "finalize", "getClass", "hashCode", "notify", "notifyAll", "toString",
    "wait",
)  # fmt: skip


def _known(names: Names, declared: Declarations) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Bases of the types that the language knows: such a type is declared elsewhere, unless this
    file is the one; those that do not occur get places after the last word. And which words are
    methods that every object has."""
    place = dict(zip(names.words, range(len(names.words)), strict=True))
    first, missing = _types.FILE + len(declared.types), len(place)
    bases = [first + place.get(word, missing + n) for n, word in enumerate(_KNOWN)]
    for t, one in enumerate(declared.types):
        if one.owner == NONE and one.name in _KNOWN:
            bases[_KNOWN.index(one.name)] = _types.FILE + t
    of_object = np.zeros(len(place), dtype=np.bool_)
    of_object[[place[word] for word in _OF_OBJECT if word in place]] = True
    return np.array(bases, dtype=np.int64), of_object


def _package(syntax: Syntax, names: Names, tables: _Tables) -> Column:
    """The words of the file's package."""
    nodes = np.flatnonzero(syntax.kind == tables.package)
    if not len(nodes):
        return np.empty(0, dtype=np.int32)
    words = names.word_of[nodes[0] : syntax.stop[nodes[0]]]
    return words[words >= 0]


def _uses(syntax: Syntax, names: Names, tables: _Tables) -> Table:
    """How each name stands where it stands."""
    mothers = syntax.parent[names.node]
    kinds = syntax.kind[mothers]
    known = np.minimum(kinds, len(tables.uses) - 1)  # an ERROR's symbol is the last there is
    use: Table = tables.uses[known, syntax.field[names.node]]
    use[kinds >= len(tables.uses)] = _scopes.EXPRESSION
    of_type = syntax.kind[names.node] == tables.type_identifier
    use[of_type] = np.where(
        np.isin(kinds[of_type], list(symbols("type_parameter"))),
        _scopes.TYPE_VARIABLE, _scopes.TYPE_USE,
    )  # fmt: skip
    return use


def _late(syntax: Syntax, names: Names, use: Table, tables: _Tables) -> _scopes.Late:
    loops, variables = names.node[use == _scopes.LOOP], names.node[use == _scopes.PATTERN]
    if not len(loops) and not len(variables):
        none = np.empty(0, dtype=np.int32)
        return _scopes.Late(none, none, none)
    first, last, name = _patterns.late_scopes(
        tables.flow[syntax.kind], tables.flow_fields[syntax.field], syntax.parent, syntax.stop,
        names.word_of, loops, variables,
    )  # fmt: skip
    order = np.lexsort((-last, first))
    return _scopes.Late(first[order], last[order], name[order])
