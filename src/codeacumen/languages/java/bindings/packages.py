"""Kernels that resolve names of types, packages and imports, and names declared elsewhere.

See JLS 6.5. Where no rule separates packages, types and variables, the naming conventions do:
packages and variables begin with a lower-case letter, types with a capital, constants consist of
capitals.

Other kernels resolve method references and the constants after ``case`` (JLS 15.13, 14.11.1),
which are members of a type that is known only after the types of expressions. Called by
``bindings.names``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from codeacumen.languages.java.bindings.hierarchy import Members
from codeacumen.languages.java.bindings.types import Imports
from codeacumen.languages.kernel import kernel

(
    OTHER,
    IDENTIFIER,
    DOTTED,
    SCOPED,
    PACKAGE,
    IMPORT,
    STATIC,
    ASTERISK,
    ANNOTATION,
    FIELD_ACCESS,
    CALL,
    REFERENCE,
) = range(12)
CODES = {
    "identifier": IDENTIFIER,
    "scoped_identifier": DOTTED,
    "scoped_type_identifier": SCOPED,
    "package_declaration": PACKAGE,
    "module_declaration": PACKAGE,
    "requires_module_directive": PACKAGE,
    "exports_module_directive": PACKAGE,
    "opens_module_directive": PACKAGE,
    "import_declaration": IMPORT,
    "static": STATIC,
    "asterisk": ASTERISK,
    "annotation": ANNOTATION,
    "field_access": FIELD_ACCESS,
    "method_invocation": CALL,
    "method_reference": REFERENCE,
}

# As in scopes, hierarchy and types: a kernel uses constants of its own file only.
QUALIFIER, SELECTED, CALLED, REFERRED, ELEMENT, IN_DOTTED, CASE, TYPE_USE = range(14, 22)
R_UNKNOWN, R_PACKAGE, R_TYPE, R_TYPE_VARIABLE, R_METHOD, R_FIELD, R_CONSTANT = range(7)
R_ELEMENT = 14
NOTHING, READS = 0, 2
FIELDS, METHODS, TYPES = 0, 1, 2
IS_CONSTANT = 2
FILE, EXTRA = 16, 32
# Flags that imports give a word: first word of a package, a type, a static member.
BEGINS, IS_TYPE, IS_STATIC = 1, 2, 4


class Source(NamedTuple):
    code: Any
    parent: Any
    stop: Any
    word: Any
    start: Any
    end: Any
    text: Any


class Named(NamedTuple):
    """Columns that the kernels read and complete.

    ``name`` has the name node of each type, ``value`` the type of each node, ``role`` and
    ``declaration`` have one value per name.
    """

    members: Members
    imports: Imports
    words: int
    name: Any
    type_of: Any
    value: Any
    role: Any
    declaration: Any


@kernel
def type_and_package_names(
    tree: Source, named: Named, idents: Any, use: Any, used: Any, var: int
) -> Any:
    """Set roles and declarations of names of types and packages; return the import flags by word.

    ``used`` holds the indices of these names, ``var`` is the value of the word ``var``, which is
    no type.
    """
    hints = np.zeros(named.words, np.uint8)
    whole, static, every = -1, False, False
    for k in used:
        i = idents[k]
        if use[k] == TYPE_USE:
            if named.value[i] == 0:
                named.value[i] = 256 * (FILE + len(named.name) + tree.word[i])
            if named.value[i] != var:
                _as_type(tree, named, k, i)
                p = tree.parent[i]
                scope = tree.code[p] == SCOPED and (
                    i == p + 1 or tree.code[tree.parent[p]] == SCOPED
                )
                if scope and named.declaration[k] < 0 and _small(tree, i):
                    named.role[k] = R_PACKAGE
        elif use[k] == IN_DOTTED:
            first = whole < 0 or i >= tree.stop[whole]
            if first:
                whole, static, every = _whole(tree, i)
            context = tree.code[tree.parent[whole]]
            last = tree.stop[whole] == tree.stop[i]
            if context == PACKAGE:
                named.role[k] = R_PACKAGE
            elif context == IMPORT:
                _imported(tree, named, k, i, last, static, every)
                if last and not every:
                    hints[tree.word[i]] |= IS_STATIC if static else IS_TYPE
            else:
                _part(tree, named, k, i, whole)
            if first and not last and context in (PACKAGE, IMPORT):
                hints[tree.word[i]] |= BEGINS
        else:
            _element(tree, named, k, i)
    return hints


@kernel
def _small(tree: Source, i: int) -> bool:
    first = tree.text[tree.start[i]]
    return bool(97 <= first <= 122 or first == 95 or first == 36)


@kernel
def _capitalised(tree: Source, i: int) -> bool:
    """Return whether a name is spelt like a type: first a capital, then some lower-case letter."""
    if _small(tree, i):
        return False
    for at in range(tree.start[i] + 1, tree.end[i]):  # noqa: SIM110
        if 97 <= tree.text[at] <= 122:
            return True
    return False


@kernel
def _acronym(tree: Source, i: int) -> bool:
    """Return whether a name is a short acronym.

    In the JDK ``URL`` and ``VM`` are types; constants are longer or have underscores.
    """
    if _small(tree, i) or tree.end[i] - tree.start[i] > 5:
        return False
    for at in range(tree.start[i], tree.end[i]):  # noqa: SIM110
        if tree.text[at] == 95:
            return False
    return True


@kernel
def _find(named: Named, t: int, space: int, word: int) -> int:
    keys = named.members.key
    key = (3 * t + space) * named.words + word
    at = np.searchsorted(keys, key)
    return int(at) if at < len(keys) and keys[at] == key else -1


@kernel
def _as_type(tree: Source, named: Named, k: int, i: int) -> None:
    """Record that a name refers to the type in its value."""
    base = (named.value[i] >> 8) - FILE
    variables = len(named.name) + named.words + EXTRA
    named.role[k] = R_TYPE
    if 0 <= base < len(named.name):
        named.declaration[k] = named.name[base]
    elif variables <= base < variables + len(tree.code):
        named.role[k] = R_TYPE_VARIABLE
        named.declaration[k] = base - variables


@kernel
def _element(tree: Source, named: Named, k: int, i: int) -> None:
    """Resolve the element of an annotation to the method of that name in the annotation's type."""
    named.role[k] = R_ELEMENT
    annotation = tree.parent[tree.parent[tree.parent[i]]]
    if annotation >= 0 and tree.code[annotation] == ANNOTATION:
        base = (named.value[annotation + 2] >> 8) - FILE  # after the @
        m = _find(named, base, METHODS, tree.word[i]) if 0 <= base < len(named.name) else -1
        if m >= 0:
            named.declaration[k] = named.members.name[m]


@kernel
def _whole(tree: Source, i: int) -> Any:
    """Return the dotted name that begins with a name, and two flags of an import.

    The flags are: the import is static, the import is on demand.
    """
    whole = i
    while tree.code[tree.parent[whole]] == DOTTED:
        whole = tree.parent[whole]
    context = tree.parent[whole]
    static, every = False, False
    if tree.code[context] == IMPORT:
        for at in range(context + 1, tree.stop[context]):
            static = static or tree.code[at] == STATIC
            every = every or tree.code[at] == ASTERISK
    return whole, static, every


@kernel
def _part(tree: Source, named: Named, k: int, i: int, whole: int) -> None:
    """Resolve a part of an annotation's name or of a module's service.

    It is a type of this file, a member type of one, or a name from elsewhere.
    """
    p, word = tree.parent[i], tree.word[i]
    first, last = tree.start[whole] == tree.start[i], tree.stop[whole] == tree.stop[i]
    if not first and named.value[p + 1] > 0:
        base = (named.value[p + 1] >> 8) - FILE
        m = _find(named, base, TYPES, word) if 0 <= base < len(named.name) else -1
        if m >= 0:
            named.value[i] = 256 * (FILE + named.type_of[named.members.name[m]])
    if named.value[i] == 0 and (last or not _small(tree, i)):
        named.value[i] = 256 * (FILE + len(named.name) + word)
    if named.value[i] > 0:
        _as_type(tree, named, k, i)
    else:
        named.role[k] = R_PACKAGE
    if not first:
        named.value[p] = named.value[i]


@kernel
def _imported(
    tree: Source, named: Named, k: int, i: int, last: bool, static: bool, every: bool
) -> None:
    """Resolve a part of an import: a package, a type, or a static member."""
    word = tree.word[i]
    if named.value[i] > 0:
        _as_type(tree, named, k, i)
    elif last and (static or not every):
        # static_imports decides the role later, from the uses; below, members of this file.
        named.role[k] = R_TYPE if every or not static else R_UNKNOWN
    else:
        named.role[k] = R_PACKAGE if _small(tree, i) else R_TYPE
    if not last or not static or every:
        return
    for n in range(len(named.imports.one_name)):
        if named.imports.one_name[n] == i:
            for space in (METHODS, FIELDS):
                m = _find(named, named.imports.one_of[n], space, word)
                if m >= 0:
                    named.declaration[k] = named.members.name[m]
                    named.role[k] = R_METHOD if space == METHODS else R_FIELD
                    if named.members.flags[m] & IS_CONSTANT:
                        named.role[k] = R_CONSTANT


@kernel
def static_imports(idents: Any, use: Any, role: Any, word: Any, words: int) -> None:
    """Set the roles of static imports by the uses of their names: method, type, or else field."""
    seen = np.zeros(words, np.uint8)
    for k in range(len(idents)):
        if use[k] != IN_DOTTED:
            if role[k] == R_METHOD:
                seen[word[k]] |= 1
            elif role[k] == R_TYPE:
                seen[word[k]] |= 2
    for k in range(len(idents)):
        if use[k] == IN_DOTTED and role[k] == R_UNKNOWN:
            told = seen[word[k]]
            role[k] = R_METHOD if told & 1 else R_TYPE if told & 2 else R_FIELD


@kernel
def foreign_names(
    tree: Source, named: Named, idents: Any, use: Any, left: Any, hints: Any, access: Any
) -> None:
    """Set roles of names before and after dots that this file does not declare (JLS 6.5.2).

    ``left`` holds the indices of these names, in source order.
    """
    denotes = np.zeros(len(tree.code), np.uint8)
    for k in left:
        i = idents[k]
        p, hint = tree.parent[i], hints[tree.word[i]]
        site = p + 1
        if use[k] == SELECTED:
            if denotes[site] == R_PACKAGE:
                role = R_PACKAGE if _small(tree, i) else R_TYPE
            else:
                role = R_TYPE if _capitalised(tree, i) and _before_dot(tree, p) else R_FIELD
            denotes[p] = role
        elif hint & IS_TYPE or (
            not hint & IS_STATIC and (_capitalised(tree, i) or _acronym(tree, i))
        ):
            role = R_TYPE
        elif (
            _small(tree, i)
            and (hint & BEGINS or _type_ahead(tree, i))
            and tree.code[p] == FIELD_ACCESS
        ):
            role = R_PACKAGE
        else:
            role = R_FIELD
        denotes[i], named.role[k] = role, role
        access[k] = NOTHING if role != R_FIELD else READS if use[k] != SELECTED else access[k]


@kernel
def _before_dot(tree: Source, node: int) -> bool:
    up = tree.parent[node]
    if tree.code[up] == REFERENCE:
        return True
    return bool((tree.code[up] == FIELD_ACCESS or tree.code[up] == CALL) and node == up + 1)


@kernel
def _type_ahead(tree: Source, i: int) -> bool:
    """Return whether a type's name follows after dots."""
    node, dots = tree.parent[i], 0
    while tree.code[node] == FIELD_ACCESS and tree.stop[i] < tree.stop[node]:
        last = tree.stop[node] - 1
        if tree.code[last] != IDENTIFIER:
            return False
        if not _small(tree, last):
            return dots > 0 or _capitalised(tree, last)
        i, node = node, tree.parent[node]
        dots += 1
    return False


SWITCH, PARENTHESES = 1, 2
REFERENCE_CODES = {"switch_expression": SWITCH, "parenthesized_expression": PARENTHESES}
IS_PRIVATE, IS_SUPER = 1, 3


class Sites(NamedTuple):
    """Columns of nodes, ancestors of types, and roles, declarations and accesses of names."""

    code: Any
    parent: Any
    stop: Any
    word: Any
    value: Any
    denotes: Any
    offsets: Any
    ancestors: Any
    members: Members
    words: int
    role: Any
    declaration: Any
    access: Any


@kernel
def references(sites: Sites, idents: Any, use: Any, places: Any, text: int) -> None:
    """Set roles and declarations of method references and of names after ``case``.

    ``places`` holds the indices of these names, ``text`` is the value of String.
    """
    for k in places:
        i = idents[k]
        if use[k] != REFERRED:
            _case(sites, k, i, text)
        elif i != sites.parent[i] + 1:  # the name after ::
            sites.role[k] = R_METHOD
            site = sites.parent[i] + 1
            t = (sites.value[site] >> 8) - FILE
            if 0 <= t < len(sites.offsets) - 1 and sites.value[site] & 255 == 0:
                own = sites.denotes[site] != IS_SUPER
                m = _member(sites, t, METHODS, sites.word[i], own)
                keys, names = sites.members.key, sites.members.name
                # Only inference could choose among overloads.
                one = m + 1 == len(keys) or keys[m + 1] != keys[m] or names[m + 1] == names[m]
                if m >= 0 and one:
                    sites.declaration[k] = names[m]


@kernel
def _member(sites: Sites, t: int, space: int, word: int, own: bool) -> int:
    """Return the member of a name that a type declares or inherits; -1 if there is none."""
    members, first = sites.members, sites.offsets[t]
    for k in range(first - own, sites.offsets[t + 1]):
        owner = sites.ancestors[k] if k >= first else t
        key = (3 * owner + space) * sites.words + word
        m = np.searchsorted(members.key, key)
        found = m < len(members.key) and members.key[m] == key
        if found and (k < first or not members.flags[m] & IS_PRIVATE or not own):
            return int(m)
    return -1


@kernel
def _case(sites: Sites, k: int, i: int, text: int) -> None:
    """Resolve a name after ``case``.

    In a switch over an enum it is the constant, whatever else has the name.
    """
    switch = sites.parent[i]
    while switch >= 0 and sites.code[switch] != SWITCH:
        switch = sites.parent[switch]
    selector, at = 0, switch + 1
    while switch >= 0 and at < sites.stop[switch]:
        if sites.code[at] == PARENTHESES:
            selector = sites.value[at]
            break
        at = sites.stop[at]
    sites.access[k] = READS
    t, count = (selector >> 8) - FILE, len(sites.offsets) - 1
    if 0 <= t < count:
        m = _member(sites, t, FIELDS, sites.word[i], True)
        sites.declaration[k] = sites.members.name[m] if m >= 0 else -1
        sites.role[k] = R_CONSTANT
    elif t >= count and selector != text:
        sites.declaration[k], sites.role[k] = -1, R_CONSTANT
    elif selector == 0 and sites.role[k] != R_FIELD:
        # A constant in scope belongs to the enum around, which need not be the selector's.
        sites.declaration[k], sites.role[k] = -1, R_CONSTANT
    elif sites.declaration[k] < 0:
        sites.role[k] = R_FIELD
