"""Kernels that resolve names of types, packages and imports, and names declared elsewhere.

See JLS 6.5. Where no rule separates packages, types and variables, the naming conventions do:
packages and variables begin with a lower-case letter, types with a capital, constants consist of
capitals.

Other kernels resolve method references and the constants after ``case`` (JLS 15.13, 14.11.1),
which are members of a type that is known only after the types of expressions.
``bindings/__init__.py`` defines the short names. Called by ``bindings.names``.
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
# Import flags of a word: the imports use it as the first word of a package, as a type, or as a
# static member.
BEGINS_PACKAGE, IS_TYPE, IS_STATIC = 1, 2, 4


class SourceTree(NamedTuple):
    """Columns of a syntax, and the bytes of its text.

    ``start`` and ``end`` are the offsets of each node in ``text``.
    """

    code: Any
    parent: Any
    stop: Any
    word: Any
    start: Any
    end: Any
    text: Any


class NameTables(NamedTuple):
    """Columns that the kernels read and complete.

    ``name`` has the name node of each type, ``type_of`` the type that a name node declares,
    ``value`` the type of each node; ``role`` and ``declaration`` have one value per name.
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
def resolve_type_and_package_names(
    tree: SourceTree, named: NameTables, idents: Any, use: Any, indices: Any, var: int
) -> Any:
    """Set roles and declarations of names of types and packages; return the import flags by word.

    ``indices`` are those of the names whose use is a type, a part of a dotted name, or an
    annotation's element. ``var`` is the value of the word ``var``, which is no type.
    """
    hints = np.zeros(named.words, np.uint8)
    # The whole dotted name around the current part, and the flags of its import.
    dotted, is_static, on_demand = -1, False, False
    for k in indices:
        i = idents[k]
        if use[k] == TYPE_USE:
            if named.value[i] == 0:  # a type declared elsewhere has the base of its word
                named.value[i] = 256 * (FILE + len(named.name) + tree.word[i])
            if named.value[i] != var:
                _bind_to_type(tree, named, k, i)
                parent_node = tree.parent[i]
                is_qualifier = tree.code[parent_node] == SCOPED and (
                    i == parent_node + 1 or tree.code[tree.parent[parent_node]] == SCOPED
                )
                if is_qualifier and named.declaration[k] < 0 and _starts_lower_case(tree, i):
                    named.role[k] = R_PACKAGE
        elif use[k] == IN_DOTTED:
            is_first = dotted < 0 or i >= tree.stop[dotted]
            if is_first:
                dotted, is_static, on_demand = _outermost_dotted(tree, i)
            context = tree.code[tree.parent[dotted]]
            is_last = tree.stop[dotted] == tree.stop[i]
            if context == PACKAGE:
                named.role[k] = R_PACKAGE
            elif context == IMPORT:
                _resolve_import_part(tree, named, k, i, is_last, is_static, on_demand)
                if is_last and not on_demand:
                    hints[tree.word[i]] |= IS_STATIC if is_static else IS_TYPE
            else:
                _resolve_part(tree, named, k, i, dotted)
            if is_first and not is_last and context in (PACKAGE, IMPORT):
                hints[tree.word[i]] |= BEGINS_PACKAGE
        else:
            _resolve_element(tree, named, k, i)
    return hints


@kernel
def _starts_lower_case(tree: SourceTree, i: int) -> bool:
    """Return whether a name begins with a lower-case letter, ``_`` or ``$``."""
    first = tree.text[tree.start[i]]
    return bool(97 <= first <= 122 or first == 95 or first == 36)


@kernel
def _is_capitalised(tree: SourceTree, i: int) -> bool:
    """Return whether a name is spelt like a type: first a capital, then some lower-case letter."""
    if _starts_lower_case(tree, i):
        return False
    for at in range(tree.start[i] + 1, tree.end[i]):  # noqa: SIM110
        if 97 <= tree.text[at] <= 122:
            return True
    return False


@kernel
def _is_acronym(tree: SourceTree, i: int) -> bool:
    """Return whether a name is a short acronym: at most five bytes without an underscore.

    In the JDK ``URL`` and ``VM`` are types; constants are longer or have underscores.
    """
    if _starts_lower_case(tree, i) or tree.end[i] - tree.start[i] > 5:
        return False
    for at in range(tree.start[i], tree.end[i]):  # noqa: SIM110
        if tree.text[at] == 95:
            return False
    return True


@kernel
def _find_member(named: NameTables, t: int, namespace: int, word: int) -> int:
    """Return the first member of a name declared in the type itself; -1 if there is none."""
    keys = named.members.key
    key = (3 * t + namespace) * named.words + word
    m = np.searchsorted(keys, key)
    return int(m) if m < len(keys) and keys[m] == key else -1


@kernel
def _bind_to_type(tree: SourceTree, named: NameTables, k: int, i: int) -> None:
    """Record that name ``k`` at node ``i`` refers to the type in the node's value."""
    base = (named.value[i] >> 8) - FILE
    variables = len(named.name) + named.words + EXTRA
    named.role[k] = R_TYPE
    if 0 <= base < len(named.name):
        named.declaration[k] = named.name[base]
    elif variables <= base < variables + len(tree.code):
        named.role[k] = R_TYPE_VARIABLE
        named.declaration[k] = base - variables


@kernel
def _resolve_element(tree: SourceTree, named: NameTables, k: int, i: int) -> None:
    """Resolve the element of an annotation to the method of that name in the annotation's type."""
    named.role[k] = R_ELEMENT
    annotation = tree.parent[tree.parent[tree.parent[i]]]
    if annotation >= 0 and tree.code[annotation] == ANNOTATION:
        base = (named.value[annotation + 2] >> 8) - FILE  # after the @
        m = _find_member(named, base, METHODS, tree.word[i]) if 0 <= base < len(named.name) else -1
        if m >= 0:
            named.declaration[k] = named.members.name[m]


@kernel
def _outermost_dotted(tree: SourceTree, i: int) -> Any:
    """Return the whole dotted name that begins with a name, and two flags of an import.

    The flags are: the import is static, the import is on demand. Both are false elsewhere.
    """
    dotted = i
    while tree.code[tree.parent[dotted]] == DOTTED:
        dotted = tree.parent[dotted]
    context = tree.parent[dotted]
    is_static, on_demand = False, False
    if tree.code[context] == IMPORT:
        for at in range(context + 1, tree.stop[context]):
            is_static = is_static or tree.code[at] == STATIC
            on_demand = on_demand or tree.code[at] == ASTERISK
    return dotted, is_static, on_demand


@kernel
def _resolve_part(tree: SourceTree, named: NameTables, k: int, i: int, dotted: int) -> None:
    """Resolve a part of an annotation's name or of a module's service.

    It is a type of this file, a member type of one, or a name from elsewhere.
    """
    parent_node, word = tree.parent[i], tree.word[i]
    is_first, is_last = tree.start[dotted] == tree.start[i], tree.stop[dotted] == tree.stop[i]
    if not is_first and named.value[parent_node + 1] > 0:
        base = (named.value[parent_node + 1] >> 8) - FILE
        m = _find_member(named, base, TYPES, word) if 0 <= base < len(named.name) else -1
        if m >= 0:
            named.value[i] = 256 * (FILE + named.type_of[named.members.name[m]])
    if named.value[i] == 0 and (is_last or not _starts_lower_case(tree, i)):
        named.value[i] = 256 * (FILE + len(named.name) + word)
    if named.value[i] > 0:
        _bind_to_type(tree, named, k, i)
    else:
        named.role[k] = R_PACKAGE
    if not is_first:
        named.value[parent_node] = named.value[i]


@kernel
def _resolve_import_part(
    tree: SourceTree,
    named: NameTables,
    k: int,
    i: int,
    is_last: bool,
    is_static: bool,
    on_demand: bool,
) -> None:
    """Resolve a part of an import: a package, a type, or a static member."""
    word = tree.word[i]
    if named.value[i] > 0:
        _bind_to_type(tree, named, k, i)
    elif is_last and (is_static or not on_demand):
        # resolve_static_imports decides the role of a static import later, from the uses of the
        # name, unless the loop below finds a member of this file.
        named.role[k] = R_TYPE if on_demand or not is_static else R_UNKNOWN
    else:
        named.role[k] = R_PACKAGE if _starts_lower_case(tree, i) else R_TYPE
    if not is_last or not is_static or on_demand:
        return
    for j in range(len(named.imports.one_name)):
        if named.imports.one_name[j] == i:
            for namespace in (METHODS, FIELDS):
                m = _find_member(named, named.imports.one_of[j], namespace, word)
                if m >= 0:
                    named.declaration[k] = named.members.name[m]
                    named.role[k] = R_METHOD if namespace == METHODS else R_FIELD
                    if named.members.flags[m] & IS_CONSTANT:
                        named.role[k] = R_CONSTANT


@kernel
def resolve_static_imports(idents: Any, use: Any, role: Any, word: Any, words: int) -> None:
    """Set the roles of static imports by the uses of their names: method, type, or else field.

    ``role`` and ``word`` have one value per name. Runs last, when the uses have their roles.
    """
    roles_seen = np.zeros(words, np.uint8)  # flags by word: 1 a method, 2 a type
    for k in range(len(idents)):
        if use[k] != IN_DOTTED:
            if role[k] == R_METHOD:
                roles_seen[word[k]] |= 1
            elif role[k] == R_TYPE:
                roles_seen[word[k]] |= 2
    for k in range(len(idents)):
        if use[k] == IN_DOTTED and role[k] == R_UNKNOWN:
            roles = roles_seen[word[k]]
            role[k] = R_METHOD if roles & 1 else R_TYPE if roles & 2 else R_FIELD


@kernel
def resolve_foreign_names(
    tree: SourceTree,
    named: NameTables,
    idents: Any,
    use: Any,
    indices: Any,
    hints: Any,
    access: Any,
) -> None:
    """Set roles of names before and after dots that this file does not declare (JLS 6.5.2).

    ``indices`` are those of the names that have no role yet, in source order. ``hints`` holds the
    import flags that ``resolve_type_and_package_names`` returned.
    """
    # The role of each node of a dotted expression, 0 if unknown. In bindings.members and in
    # ReferenceColumns, ``denotes`` has other values.
    denotes = np.zeros(len(tree.code), np.uint8)
    for k in indices:
        i = idents[k]
        parent_node, hint = tree.parent[i], hints[tree.word[i]]
        receiver = parent_node + 1
        if use[k] == SELECTED:
            if denotes[receiver] == R_PACKAGE:
                role = R_PACKAGE if _starts_lower_case(tree, i) else R_TYPE
            else:
                role = (
                    R_TYPE
                    if _is_capitalised(tree, i) and _is_before_dot(tree, parent_node)
                    else R_FIELD
                )
            denotes[parent_node] = role
        elif hint & IS_TYPE or (
            not hint & IS_STATIC and (_is_capitalised(tree, i) or _is_acronym(tree, i))
        ):
            role = R_TYPE
        elif (
            _starts_lower_case(tree, i)
            and (hint & BEGINS_PACKAGE or _is_type_ahead(tree, i))
            and tree.code[parent_node] == FIELD_ACCESS
        ):
            role = R_PACKAGE
        else:
            role = R_FIELD
        denotes[i], named.role[k] = role, role
        access[k] = NOTHING if role != R_FIELD else READS if use[k] != SELECTED else access[k]


@kernel
def _is_before_dot(tree: SourceTree, node: int) -> bool:
    """Return whether a node stands before a dot or before ``::``."""
    parent_node = tree.parent[node]
    if tree.code[parent_node] == REFERENCE:
        return True
    return bool(
        (tree.code[parent_node] == FIELD_ACCESS or tree.code[parent_node] == CALL)
        and node == parent_node + 1
    )


@kernel
def _is_type_ahead(tree: SourceTree, i: int) -> bool:
    """Return whether a later part of the dotted expression is spelt like a type.

    ``i`` is the first name, as ``java`` in ``java.util.List.of``.
    """
    node, dots = tree.parent[i], 0
    while tree.code[node] == FIELD_ACCESS and tree.stop[i] < tree.stop[node]:
        last = tree.stop[node] - 1
        if tree.code[last] != IDENTIFIER:
            return False
        if not _starts_lower_case(tree, last):
            return dots > 0 or _is_capitalised(tree, last)
        i, node = node, tree.parent[node]
        dots += 1
    return False


# Codes of nodes for the kernels below.
SWITCH, PARENTHESES = 1, 2
REFERENCE_CODES = {"switch_expression": SWITCH, "parenthesized_expression": PARENTHESES}
# A flag of members, as in hierarchy, and a value of ``denotes``, as in members.
IS_PRIVATE, IS_SUPER = 1, 3


class ReferenceColumns(NamedTuple):
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
def resolve_references(
    sites: ReferenceColumns, idents: Any, use: Any, indices: Any, string_type: int
) -> None:
    """Set roles and declarations of method references and of names after ``case``.

    ``indices`` are those of the names in method references and after ``case``; ``string_type`` is
    the value of the type String.
    """
    for k in indices:
        i = idents[k]
        if use[k] != REFERRED:
            _resolve_case(sites, k, i, string_type)
        elif i != sites.parent[i] + 1:  # the name after ::
            sites.role[k] = R_METHOD
            receiver = sites.parent[i] + 1
            t = (sites.value[receiver] >> 8) - FILE
            if 0 <= t < len(sites.offsets) - 1 and sites.value[receiver] & 255 == 0:
                with_own = sites.denotes[receiver] != IS_SUPER
                m = _find_in_hierarchy(sites, t, METHODS, sites.word[i], with_own)
                keys, names = sites.members.key, sites.members.name
                # Only inference could choose among overloads.
                is_unique = m + 1 == len(keys) or keys[m + 1] != keys[m] or names[m + 1] == names[m]
                if m >= 0 and is_unique:
                    sites.declaration[k] = names[m]


@kernel
def _find_in_hierarchy(
    sites: ReferenceColumns, t: int, namespace: int, word: int, with_own: bool
) -> int:
    """Return the member of a name that a type declares or inherits; -1 if there is none.

    Without ``with_own`` the search begins at the superclass, as after ``super::``.
    """
    members, first_ancestor = sites.members, sites.offsets[t]
    # k < first_ancestor stands for the type itself, which comes before its ancestors.
    for k in range(first_ancestor - with_own, sites.offsets[t + 1]):
        owner = sites.ancestors[k] if k >= first_ancestor else t
        key = (3 * owner + namespace) * sites.words + word
        m = np.searchsorted(members.key, key)
        is_member = m < len(members.key) and members.key[m] == key
        if is_member and (k < first_ancestor or not members.flags[m] & IS_PRIVATE or not with_own):
            return int(m)
    return -1


@kernel
def _resolve_case(sites: ReferenceColumns, k: int, i: int, string_type: int) -> None:
    """Resolve a name after ``case``.

    In a switch over an enum the name means the enum's constant, even if a variable in scope has the
    same name.
    """
    switch = sites.parent[i]
    while switch >= 0 and sites.code[switch] != SWITCH:
        switch = sites.parent[switch]
    selector, child = 0, switch + 1
    while switch >= 0 and child < sites.stop[switch]:
        if sites.code[child] == PARENTHESES:
            selector = sites.value[child]
            break
        child = sites.stop[child]
    sites.access[k] = READS
    t, count = (selector >> 8) - FILE, len(sites.offsets) - 1
    if 0 <= t < count:
        m = _find_in_hierarchy(sites, t, FIELDS, sites.word[i], True)
        sites.declaration[k] = sites.members.name[m] if m >= 0 else -1
        sites.role[k] = R_CONSTANT
    elif t >= count and selector != string_type:
        sites.declaration[k], sites.role[k] = -1, R_CONSTANT
    elif selector == 0 and sites.role[k] != R_FIELD:
        # A constant in scope belongs to the enum around, which need not be the selector's.
        sites.declaration[k], sites.role[k] = -1, R_CONSTANT
    elif sites.declaration[k] < 0:
        sites.role[k] = R_FIELD
