"""Kernels: names before and after dots, calls, and the names of types and packages (JLS 6.5,
15.11, 15.12).

A name after a dot needs the type of what stands before it, and a call the types of its arguments.
So the types of expressions are found in one walk in source order, as far as this file tells them:
from declared types and literals, without type arguments and without inference.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from acumen.lang.kernel import kernel

(
    OTHER, TYPE, BODY, IDENTIFIER, TYPE_IDENTIFIER, THIS, SUPER, FIELD_ACCESS, CALL, REFERENCE,
    PARENTHESES, CAST, CREATION, ARRAY_CREATION, ARRAY_ACCESS, BINARY, UNARY, UPDATE, ASSIGNMENT,
    CONDITIONAL, INTEGER, FLOATING, CHARACTER, STRING, BOOLEAN, NULL, CLASS_LITERAL, DECLARATOR,
    LAMBDA, FOREACH, SWITCH, COMMENT, BRACKET, DIMENSION, DIMENSIONS, PLUS, ARITHMETIC, SHIFT,
    COMPARISON, BITWISE, NOT, DOTTED, PACKAGE, IMPORT, STATIC, ASTERISK, PUNCTUATION, ANNOTATION,
    INSTANCEOF, ARGUMENTS, NEW, GENERIC, SCOPED, PARAMETERS, MODULE,
) = range(55)  # fmt: skip
CODES = {
    "class_declaration": TYPE, "interface_declaration": TYPE, "enum_declaration": TYPE,
    "annotation_type_declaration": TYPE, "record_declaration": TYPE, "class_body": BODY,
    "interface_body": BODY, "enum_body": BODY, "annotation_type_body": BODY,
    "identifier": IDENTIFIER, "type_identifier": TYPE_IDENTIFIER, "this": THIS, "super": SUPER,
    "field_access": FIELD_ACCESS, "method_invocation": CALL, "method_reference": REFERENCE,
    "parenthesized_expression": PARENTHESES, "cast_expression": CAST,
    "object_creation_expression": CREATION, "array_creation_expression": ARRAY_CREATION,
    "array_access": ARRAY_ACCESS, "binary_expression": BINARY, "unary_expression": UNARY,
    "update_expression": UPDATE, "assignment_expression": ASSIGNMENT,
    "ternary_expression": CONDITIONAL, "decimal_integer_literal": INTEGER,
    "hex_integer_literal": INTEGER, "octal_integer_literal": INTEGER,
    "binary_integer_literal": INTEGER, "decimal_floating_point_literal": FLOATING,
    "hex_floating_point_literal": FLOATING, "character_literal": CHARACTER,
    "string_literal": STRING, "true": BOOLEAN, "false": BOOLEAN, "null_literal": NULL,
    "class_literal": CLASS_LITERAL, "variable_declarator": DECLARATOR,
    "lambda_expression": LAMBDA, "enhanced_for_statement": FOREACH,
    "switch_expression": SWITCH, "line_comment": COMMENT, "block_comment": COMMENT,
    "dimensions": DIMENSIONS, "[": BRACKET, "dimensions_expr": DIMENSION, "+": PLUS,
    "-": ARITHMETIC, "*": ARITHMETIC, "/": ARITHMETIC, "%": ARITHMETIC, "<<": SHIFT, ">>": SHIFT,
    ">>>": SHIFT, "==": COMPARISON, "!=": COMPARISON, "<": COMPARISON, ">": COMPARISON,
    "<=": COMPARISON, ">=": COMPARISON, "&&": COMPARISON, "||": COMPARISON, "&": BITWISE,
    "|": BITWISE, "^": BITWISE, "!": NOT, "scoped_identifier": DOTTED,
    "package_declaration": PACKAGE, "import_declaration": IMPORT, "static": STATIC,
    "asterisk": ASTERISK, "(": PUNCTUATION, ")": PUNCTUATION, ",": PUNCTUATION,
    "annotation": ANNOTATION, "marker_annotation": ANNOTATION,
    "instanceof_expression": INSTANCEOF, "argument_list": ARGUMENTS, "new": NEW,
    "generic_type": GENERIC, "scoped_type_identifier": SCOPED, "formal_parameters": PARAMETERS,
    "module_declaration": MODULE, "requires_module_directive": MODULE,
    "exports_module_directive": PACKAGE, "opens_module_directive": PACKAGE,
}  # fmt: skip
# What the walk looks at.
EVENTS = (
    TYPE, BODY, PARAMETERS, IDENTIFIER, TYPE_IDENTIFIER, THIS, SUPER, CALL, PARENTHESES, CAST,
    CREATION, ARRAY_CREATION, ARRAY_ACCESS, BINARY, UNARY, UPDATE, ASSIGNMENT, CONDITIONAL,
    INTEGER, FLOATING, CHARACTER, STRING, BOOLEAN, NULL, CLASS_LITERAL, INSTANCEOF,
)  # fmt: skip

# How a name stands, and what it denotes, as in _scopes: a kernel's numbers are its own file's.
(
    EXPRESSION, VARIABLE, PARAMETER, LAMBDA_PARAMETER, CATCH, LOOP, RESOURCE, PATTERN, TYPE_NAME,
    METHOD_NAME, ELEMENT_NAME, CONSTANT_NAME, LABEL_NAME, LABEL, QUALIFIER, SELECTED, CALLED,
    REFERRED, ELEMENT, IN_DOTTED, CASE, TYPE_USE, TYPE_VARIABLE, OTHER_NAME,
) = range(24)  # fmt: skip
(
    R_UNKNOWN, R_PACKAGE, R_TYPE, R_TYPE_VARIABLE, R_METHOD, R_FIELD, R_CONSTANT, R_LOCAL,
    R_PARAMETER, R_LAMBDA_PARAMETER, R_CATCH_PARAMETER, R_PATTERN_VARIABLE, R_RESOURCE, R_LABEL,
    R_ELEMENT,
) = range(15)  # fmt: skip
NOTHING, DECLARES, READS = range(3)
# What a node denotes: nothing known, a value, a type, a package, an object as its superclass.
UNSEEN, VALUE, IS_TYPE, IS_PACKAGE, IS_SUPER = range(5)
# Namespaces and flags of members as in _hierarchy, values of types as in _types.
FIELDS, METHODS, TYPES = 0, 1, 2
IS_PRIVATE, IS_CONSTANT, IS_ACCESSOR = 1, 2, 4
FILE, EXTRA, MOST = 16, 32, 64
T_BOOLEAN, T_CHAR, T_INT, T_LONG, T_FLOAT, T_DOUBLE, T_NULL = 1, 4, 5, 6, 7, 8, 10
# Types that the language knows: places in ``known``.
K_VAR, K_STRING, K_CLASS = range(3)


class Tree(NamedTuple):
    code: Any
    parent: Any
    child: Any
    stop: Any
    word: Any
    start: Any
    end: Any
    source: Any


class Types(NamedTuple):
    """Of each type: its node, its name's, where its members are seen from, its ancestors in this
    file, whether it has some elsewhere; ``of`` tells the type a name's node declares."""

    node: Any
    name: Any
    begin: Any
    offsets: Any
    ancestors: Any
    open: Any
    of: Any


class Facts(NamedTuple):
    """What is known before the walk and what it finds: of each node the value of its type and
    what it denotes; of each name its role, declaration and access."""

    members: Any
    signatures: Any
    imports: Any
    package: Any
    known: Any
    of_object: Any
    words: int
    value: Any
    denotes: Any
    role: Any
    declaration: Any
    access: Any


class Calls(NamedTuple):
    """Calls whose methods are those of a type of this file: the name's place among the names, the
    call's node, the type; whether it is called as the superclass, and whether a class that
    inherits from elsewhere stands between."""

    place: Any
    node: Any
    type: Any
    as_super: Any
    crossed: Any


@kernel
def _find(facts: Facts, t: int, space: int, word: int) -> int:
    """The first member of that name declared in the type itself; -1: none."""
    keys = facts.members.key
    key = (3 * t + space) * facts.words + word
    at = np.searchsorted(keys, key)
    return int(at) if at < len(keys) and keys[at] == key else -1


@kernel
def _member(facts: Facts, types: Types, t: int, space: int, word: int, own: bool) -> int:
    """The member a type has of that name: its own, or the nearest it inherits. Not ``own``: as
    its superclass, of which even the private ones can be named."""
    if own:
        m = _find(facts, t, space, word)
        if m >= 0:
            return m
    for k in range(types.offsets[t], types.offsets[t + 1]):
        m = _find(facts, types.ancestors[k], space, word)
        if m >= 0 and (
            not facts.members.flags[m] & IS_PRIVATE or (not own and k == types.offsets[t])
        ):
            return m
    return -1


@kernel
def _shape(tree: Tree, ident: int) -> int:
    """How a name is written: 0 like a variable or package, 1 like a type, 2 like a constant."""
    first = tree.source[tree.start[ident]]
    if 97 <= first <= 122 or first == 95 or first == 36:
        return 0
    for at in range(tree.start[ident] + 1, tree.end[ident]):
        if 97 <= tree.source[at] <= 122:
            return 1
    return 2


@kernel
def _as_type(tree: Tree, facts: Facts, types: Types, k: int, i: int) -> None:
    """A name that is a type's: the type its value tells."""
    base = (facts.value[i] >> 8) - FILE
    count = len(types.node)
    facts.denotes[i] = IS_TYPE
    facts.access[k] = NOTHING
    facts.role[k] = R_TYPE
    if 0 <= base < count:
        facts.declaration[k] = types.name[base]
    elif base >= count + facts.words + EXTRA:
        facts.role[k] = R_TYPE_VARIABLE
        facts.declaration[k] = base - count - facts.words - EXTRA


@kernel
def _as_field(facts: Facts, k: int, i: int, m: int) -> None:
    facts.denotes[i] = VALUE
    facts.role[k] = R_FIELD
    facts.value[i] = 0
    if m >= 0:
        facts.declaration[k] = facts.members.name[m]
        facts.value[i] = facts.value[facts.members.name[m]]
        if facts.members.flags[m] & IS_CONSTANT:
            facts.role[k] = R_CONSTANT


@kernel
def _site(tree: Tree, node: int) -> int:
    """What stands before the dot; in ``A.super.x`` the super."""
    second = tree.stop[node + 1] + 1
    if second < tree.stop[node] and tree.code[second] == SUPER:
        return int(second)
    return int(node + 1)


@kernel
def _package_ahead(tree: Tree, i: int) -> bool:
    """Does a type's name follow after dots?"""
    node = tree.parent[i]
    while tree.code[node] == FIELD_ACCESS and tree.stop[i] < tree.stop[node]:
        last = tree.stop[node] - 1
        if tree.code[last] != IDENTIFIER:
            return False
        if _shape(tree, last) > 0:
            return _shape(tree, last) == 1 or tree.code[tree.parent[node]] == FIELD_ACCESS
        i, node = node, tree.parent[node]
    return False


@kernel
def _is_package(tree: Tree, node: int, package: Any) -> bool:
    """Are the names below a node the words of the file's package?"""
    seen = 0
    for at in range(node, tree.stop[node]):
        if tree.code[at] == IDENTIFIER:
            if seen == len(package) or tree.word[at] != package[seen]:
                return False
            seen += 1
    return seen == len(package)


@kernel
def _selected(tree: Tree, facts: Facts, types: Types, k: int, i: int) -> None:
    """The name after a dot; the whole gets its type and denotation."""
    p, w = tree.parent[i], tree.word[i]
    site = _site(tree, p)
    denotes, base, count = facts.denotes[site], facts.value[site] >> 8, len(types.node)
    of_file = FILE <= base < FILE + count and facts.value[site] & 255 == 0
    if denotes == IS_PACKAGE:
        if _shape(tree, i) == 0:
            facts.role[k], facts.denotes[i], facts.access[k] = R_PACKAGE, IS_PACKAGE, NOTHING
        else:
            facts.value[i] = 256 * (FILE + count + w)
            if facts.imports.tops[w] >= 0 and _is_package(tree, site, facts.package):
                facts.value[i] = 256 * (FILE + facts.imports.tops[w])
            _as_type(tree, facts, types, k, i)
    elif denotes != IS_TYPE:
        m = -1
        if of_file:
            m = _member(facts, types, base - FILE, FIELDS, w, denotes != IS_SUPER)
        _as_field(facts, k, i, m)
    else:
        m = _member(facts, types, base - FILE, FIELDS, w, True) if of_file else -1
        inner = _member(facts, types, base - FILE, TYPES, w, True) if of_file and m < 0 else -1
        up = tree.parent[p]
        before_dot = tree.code[up] == FIELD_ACCESS or tree.code[up] == CALL
        before_dot = (before_dot and p == up + 1) or tree.code[up] == REFERENCE
        if inner >= 0:
            facts.value[i] = 256 * (FILE + types.of[facts.members.name[inner]])
            _as_type(tree, facts, types, k, i)
        elif m < 0 and before_dot and _shape(tree, i) == 1:
            facts.value[i] = 256 * (FILE + count + w)
            _as_type(tree, facts, types, k, i)
        else:
            _as_field(facts, k, i, m)
    facts.denotes[p], facts.value[p] = facts.denotes[i], facts.value[i]


@kernel
def _arguments(tree: Tree, call: int, name: int) -> int:
    """How many arguments a call has; -1: none can be seen."""
    code, stop = tree.code, tree.stop
    at = stop[name]
    while at < stop[call] and code[at] != ARGUMENTS:
        at = stop[at]
    if at >= stop[call]:
        return -1
    found, inner = 0, at + 1
    while inner < stop[at]:
        found += code[inner] != PUNCTUATION and code[inner] != COMMENT
        inner = stop[inner]
    return found


@kernel
def _returned(facts: Facts, types: Types, t: int, word: int, given: int, own: bool) -> int:
    """What the nearest methods of a name and a number of arguments return, if all the same."""
    keys, flags, calls = facts.members.key, facts.members.flags, facts.signatures
    for k in range(types.offsets[t] - own, types.offsets[t + 1]):
        m = _find(facts, t if k < types.offsets[t] else types.ancestors[k], METHODS, word)
        found, several = 0, False
        while m >= 0:
            wanted = calls.offsets[m + 1] - calls.offsets[m]
            fits = wanted == given or (calls.varargs[m] and given >= wanted - 1)
            if fits and (k < types.offsets[t] or not own or not flags[m] & IS_PRIVATE):
                several = several or (found != 0 and found != calls.returns[m])
                found = calls.returns[m]
            m = m + 1 if m + 1 < len(keys) and keys[m + 1] == keys[m] else -1
        if found:
            return 0 if several else found
    return 0


@kernel
def _called(
    tree: Tree, facts: Facts, types: Types, node: int, k: int, name: int, inside: Any,
    levels: int, calls: Calls, count: int,
) -> int:  # fmt: skip
    """The type whose methods a call may mean is noted; the call gets its type."""
    w = tree.word[name]
    t, own, crossed = -1, True, False
    if name == node + 1:
        # The innermost class that has a method of that name (JLS 15.12.1).
        for x in range(levels - 1, max(-1, levels - MOST), -1):
            if types.begin[inside[x]] > name:
                continue
            if _member(facts, types, inside[x], METHODS, w, True) >= 0:
                t = inside[x]
                break
            if facts.of_object[w]:
                break
            crossed = crossed or types.open[inside[x]]
        if t < 0 and not facts.of_object[w]:
            for n in range(len(facts.imports.all_of)):
                if _member(facts, types, facts.imports.all_of[n], METHODS, w, True) >= 0:
                    t = facts.imports.all_of[n]
            for n in range(len(facts.imports.one_of)):
                if tree.word[facts.imports.one_name[n]] == w:
                    t = facts.imports.one_of[n]
    else:
        site = _site(tree, node)
        base = facts.value[site] >> 8
        if FILE <= base < FILE + len(types.node) and facts.value[site] & 255 == 0:
            t, own = base - FILE, facts.denotes[site] != IS_SUPER
    facts.denotes[node] = VALUE
    given = _arguments(tree, node, name)
    if t < 0 or given < 0:
        return count
    facts.value[node] = _returned(facts, types, t, w, given, own)
    calls.place[count], calls.node[count], calls.type[count] = k, node, t
    calls.as_super[count], calls.crossed[count] = not own, crossed
    return count + 1


@kernel
def _operator(tree: Tree, node: int) -> int:
    """The code of a binary expression's operator."""
    at = tree.stop[node + 1]
    while at < tree.stop[node] and tree.code[at] == COMMENT:
        at += 1
    return int(tree.code[at]) if at < tree.stop[node] else OTHER


@kernel
def _second(tree: Tree, node: int) -> int:
    """The second child that is no comment."""
    at = node + 2
    while at < tree.stop[node] - 1 and tree.code[at] == COMMENT:
        at += 1
    return int(at)


@kernel
def _last(tree: Tree, node: int) -> int:
    at = node + 1
    while at < tree.stop[node] and tree.stop[at] < tree.stop[node]:
        at = tree.stop[at]
    return int(at)


@kernel
def _expression(tree: Tree, facts: Facts, types: Types, node: int) -> int:
    """The value of an expression's type, from those of its parts."""
    code, stop, value = tree.code, tree.stop, facts.value
    kind = code[node]
    left = value[node + 1]
    if kind == PARENTHESES:
        return int(value[_second(tree, node)])
    if kind == CAST:
        return int(value[_second(tree, node)])
    if kind == ARRAY_ACCESS:
        return int(left - 1 if left & 255 else 0)
    if kind == ASSIGNMENT:
        return int(left)
    if kind == UPDATE:
        return int(left if left else value[_last(tree, node)])
    if kind == INSTANCEOF:
        return 256 * T_BOOLEAN
    right = value[_last(tree, node)]
    if kind == UNARY:
        if code[node + 1] == NOT:
            return 256 * T_BOOLEAN
        return int(max(right, 256 * T_INT) if 0 < right <= 256 * T_DOUBLE else 0)
    if kind == CONDITIONAL:
        middle = _second(tree, node)
        at = stop[node + 1]
        while at < stop[node] and (code[at] == OTHER or code[at] == COMMENT) and value[at] == 0:
            at += 1
        middle = at
        return int(right if middle < stop[node] and value[middle] == right else 0)
    if kind == BINARY:
        operator = _operator(tree, node)
        text = 256 * facts.known[K_STRING]
        if operator == COMPARISON:
            return 256 * T_BOOLEAN
        if operator == PLUS and (left == text or right == text):
            return text
        if operator == SHIFT:
            return int(max(left, 256 * T_INT) if 0 < left <= 256 * T_DOUBLE else 0)
        if operator == BITWISE and left == 256 * T_BOOLEAN:
            return int(left)
        if 256 * T_BOOLEAN < left <= 256 * T_DOUBLE and 256 * T_BOOLEAN < right <= 256 * T_DOUBLE:
            return int(max(left, right, 256 * T_INT))
        return 0
    # new T(…), new T[…]
    found, at = 0, node + 1
    if code[at] != NEW:
        at = stop[at]
    while at < stop[node] and code[at] != ARGUMENTS:
        if value[at] != 0:
            found = value[at]
        elif code[at] == DIMENSION:
            found += 1
        elif code[at] == DIMENSIONS:
            inner = at + 1
            while inner < stop[at]:
                found += code[inner] == BRACKET
                inner = stop[inner]
        at = stop[at]
    if kind == CREATION and code[_last(tree, node)] == BODY:
        t = np.searchsorted(types.node, _last(tree, node))
        if t < len(types.node) and types.node[t] == _last(tree, node):
            found = 256 * (FILE + t)
    return int(found)


@kernel
def _case(tree: Tree, facts: Facts, types: Types, k: int, i: int) -> None:
    """A name after ``case``: of an enum it is the constant, whatever else has the name."""
    switch = tree.parent[i]
    while switch >= 0 and tree.code[switch] != SWITCH:
        switch = tree.parent[switch]
    selector = 0
    at = switch + 1
    while switch >= 0 and at < tree.stop[switch]:
        if tree.code[at] == PARENTHESES:
            selector = facts.value[at]
            break
        at = tree.stop[at]
    base, count = selector >> 8, len(types.node)
    text = facts.known[K_STRING]
    if FILE <= base < FILE + count:
        m = _member(facts, types, base - FILE, FIELDS, tree.word[i], True)
        facts.declaration[k] = -1
        _as_field(facts, k, i, m)
        facts.role[k] = R_CONSTANT
    elif (base == 0 and facts.role[k] != R_FIELD) or (base >= FILE + count and base != text):
        facts.declaration[k] = -1
        facts.role[k] = R_CONSTANT
    elif facts.declaration[k] < 0:
        facts.role[k] = R_FIELD
    facts.access[k] = READS


@kernel
def _dotted(tree: Tree, facts: Facts, types: Types, k: int, i: int, hints: Any) -> None:
    """A part of a name of a package, an import, a module or an annotation."""
    code, parent = tree.code, tree.parent
    p, w = parent[i], tree.word[i]
    whole = p if code[p] == DOTTED else i
    while code[parent[whole]] == DOTTED:
        whole = parent[whole]
    context = parent[whole]
    last = tree.stop[whole] == tree.stop[i]
    first = i == whole or (i == p + 1 and code[p] == DOTTED)
    kind = code[context]
    if kind == PACKAGE or kind == MODULE:
        facts.role[k] = R_PACKAGE
        if first:
            hints[w] |= 1
        return
    role = R_PACKAGE if _shape(tree, i) == 0 else R_TYPE
    if kind == IMPORT and facts.value[i] > 0:
        _as_type(tree, facts, types, k, i)
        return
    if kind == IMPORT:
        for n in range(len(facts.imports.one_name)):
            if facts.imports.one_name[n] == i:
                for space in range(2):
                    m = _find(facts, facts.imports.one_of[n], space, w)
                    if m >= 0:
                        facts.role[k] = R_FIELD if space == FIELDS else R_METHOD
                        facts.declaration[k] = facts.members.name[m]
                        if facts.members.flags[m] & IS_CONSTANT:
                            facts.role[k] = R_CONSTANT
                        return
        static, all_ = code[context + 2] == STATIC, code[_last(tree, context) - 1] == ASTERISK
        for at in range(context + 1, tree.stop[context]):
            static = static or code[at] == STATIC
            all_ = all_ or code[at] == ASTERISK
        if first and not last:
            hints[w] |= 1
        if last and not all_:
            role = R_TYPE
            hints[w] |= 4 if static else 2
            if static:
                role = R_UNKNOWN  # by use
        if last and all_ and static:
            role = R_TYPE
        facts.role[k] = role
        return
    # An annotation's name, or a module's service.
    if first and facts.value[i] > 0:
        _as_type(tree, facts, types, k, i)
    elif not first and facts.denotes[p + 1] == IS_TYPE:
        base = facts.value[p + 1] >> 8
        facts.value[i] = 256 * (FILE + len(types.node) + w)
        if FILE <= base < FILE + len(types.node):
            m = _member(facts, types, base - FILE, TYPES, w, True)
            if m >= 0:
                facts.value[i] = 256 * (FILE + types.of[facts.members.name[m]])
        _as_type(tree, facts, types, k, i)
    else:
        facts.role[k] = R_TYPE if last else role
        facts.denotes[i] = IS_TYPE if facts.role[k] == R_TYPE else IS_PACKAGE
    if i != whole:
        facts.denotes[p], facts.value[p] = facts.denotes[i], facts.value[i]


@kernel
def qualified_names(
    tree: Tree, facts: Facts, types: Types, events: Any, idents: Any, use: Any, most_calls: int
) -> Any:
    """Completes the roles and declarations that simple names have got; gives the calls of which
    the method is still to be chosen."""
    code, parent, child, stop, word = tree.code, tree.parent, tree.child, tree.stop, tree.word
    value, denotes, role = facts.value, facts.denotes, facts.role
    declaration, access = facts.declaration, facts.access
    count, words = len(types.node), facts.words
    hints = np.zeros(words, np.uint8)
    calls = Calls(
        np.empty(most_calls, np.int32), np.empty(most_calls, np.int32),
        np.empty(most_calls, np.int32), np.zeros(most_calls, np.bool_),
        np.zeros(most_calls, np.bool_),
    )  # fmt: skip
    called = 0
    pending, target = np.empty(len(events) + 2, np.int32), np.empty(len(events) + 2, np.int32)
    inside = np.empty(count + 1, np.int32)
    top, levels, fresh, k = -1, 0, 0, -1
    var = 256 * facts.known[K_VAR]
    for e in range(len(events) + 1):
        i = events[e] if e < len(events) else len(code)
        while top >= 0 and stop[pending[top]] <= i:
            node, name = pending[top], target[top]
            if code[node] == CALL and name >= -1:
                if name >= 0:
                    called = _called(
                        tree, facts, types, node, name, idents[name], inside, levels, calls, called
                    )
            elif name < -1:  # var: the type of what it is initialised with
                name = -2 - name
                found = value[node]
                if code[parent[node]] == FOREACH:
                    found = found - 1 if found & 255 else 0
                value[name] = found
            else:
                value[node] = _expression(tree, facts, types, node)
                denotes[node] = VALUE
            top -= 1
        if e == len(events):
            break
        while levels > 0 and stop[types.node[inside[levels - 1]]] <= i:
            levels -= 1
        kind = code[i]
        if fresh < count and types.node[fresh] == i:
            inside[levels] = fresh
            fresh += 1
            levels += 1
            continue
        if CALL <= kind <= CONDITIONAL or kind == INSTANCEOF:
            top += 1
            pending[top], target[top] = i, -1
            continue
        if INTEGER <= kind <= CLASS_LITERAL:
            denotes[i] = VALUE
            last = tree.source[tree.end[i] - 1] | 32 if tree.end[i] > tree.start[i] else 0
            if kind == INTEGER:
                value[i] = 256 * (T_LONG if last == 108 else T_INT)
            elif kind == FLOATING:
                value[i] = 256 * (T_FLOAT if last == 102 else T_DOUBLE)
            elif kind == CHARACTER:
                value[i] = 256 * T_CHAR
            elif kind == BOOLEAN:
                value[i] = 256 * T_BOOLEAN
            elif kind == NULL:
                value[i] = 256 * T_NULL
            else:
                value[i] = 256 * facts.known[K_STRING if kind == STRING else K_CLASS]
            continue
        p = parent[i]
        if kind == THIS or kind == SUPER:
            denotes[i] = VALUE if kind == THIS else IS_SUPER
            if levels > 0:
                value[i] = 256 * (FILE + inside[levels - 1])
            if i != p + 1 and (code[p] == FIELD_ACCESS or code[p] == CALL):
                value[i] = value[p + 1]
                if kind == THIS:  # Outer.this
                    value[p], denotes[p] = value[i], VALUE
                else:  # Interface.super, or Outer.super
                    denotes[i] = VALUE
                    for x in range(levels):
                        if value[i] == 256 * (FILE + inside[x]):
                            denotes[i] = IS_SUPER
            continue
        if kind != IDENTIFIER and kind != TYPE_IDENTIFIER:
            continue
        k += 1
        how = use[k]
        if how == CASE:
            _case(tree, facts, types, k, i)
            how = EXPRESSION
        if how == REFERRED and child[i] == 0:
            how = QUALIFIER
        if (how == EXPRESSION or how == QUALIFIER) and declaration[k] >= 0:
            denotes[i] = VALUE
            value[i] = value[declaration[k]]
        elif how == EXPRESSION:
            denotes[i], value[i] = VALUE, 0
        elif how == QUALIFIER:
            shape, w_ = _shape(tree, i), word[i]
            if value[i] > 0:
                _as_type(tree, facts, types, k, i)
            elif hints[w_] & 4 and not hints[w_] & 2:
                _as_field(facts, k, i, -1)
                access[k] = READS
            elif hints[w_] & 2 or shape == 1:
                value[i] = 256 * (FILE + count + w_)
                _as_type(tree, facts, types, k, i)
            elif shape == 0 and code[p] == FIELD_ACCESS and (
                hints[w_] & 1 or _package_ahead(tree, i)
            ):
                role[k], denotes[i] = R_PACKAGE, IS_PACKAGE
            else:
                _as_field(facts, k, i, -1)
                access[k] = READS
        elif how == SELECTED:
            _selected(tree, facts, types, k, i)
        elif how == CALLED:
            role[k] = R_METHOD
            if top >= 0 and pending[top] == p:
                target[top] = k
        elif how == REFERRED:
            role[k] = R_METHOD
            base = value[p + 1] >> 8
            if FILE <= base < FILE + count and value[p + 1] & 255 == 0:
                m = _member(facts, types, base - FILE, METHODS, word[i], denotes[p + 1] != IS_SUPER)
                keys, name_ = facts.members.key, facts.members.name
                if m >= 0 and (
                    m + 1 == len(keys) or keys[m + 1] != keys[m] or name_[m + 1] == name_[m]
                ):
                    declaration[k] = name_[m]
        elif how == ELEMENT:
            role[k] = R_ELEMENT
            annotation = parent[parent[p]]
            if annotation >= 0 and code[annotation] == ANNOTATION:
                base = value[annotation + 2] >> 8
                if FILE <= base < FILE + count:
                    m = _find(facts, base - FILE, METHODS, word[i])
                    if m >= 0:
                        declaration[k] = facts.members.name[m]
        elif how == IN_DOTTED:
            _dotted(tree, facts, types, k, i, hints)
        elif how == TYPE_USE:
            _type_use(tree, facts, types, k, i, var)
        elif VARIABLE <= how <= PATTERN and (value[i] == var or value[i] == 0):
            value[i] = 0
            at = -1
            if how == VARIABLE or how == RESOURCE:
                at = _last(tree, p)
            elif how == LOOP:
                at = stop[i]
                while at < stop[p] and (code[at] == OTHER or code[at] == COMMENT):
                    at += 1
            if at > i and at < stop[p]:
                top += 1
                pending[top], target[top] = at, -2 - i
    for k in range(len(idents)):
        if use[k] == IN_DOTTED and role[k] == R_UNKNOWN:
            role[k] = R_FIELD
    return Calls(
        calls.place[:called], calls.node[:called], calls.type[:called], calls.as_super[:called],
        calls.crossed[:called],
    )  # fmt: skip


@kernel
def _type_use(tree: Tree, facts: Facts, types: Types, k: int, i: int, var: int) -> None:
    code, parent = tree.code, tree.parent
    p = parent[i]
    if code[i] == IDENTIFIER and facts.value[i] == 0:
        facts.value[i] = 256 * (FILE + len(types.node) + tree.word[i])
    if facts.value[i] == var:
        return
    creation = parent[p] if code[p] == GENERIC else p
    if code[creation] == CREATION and i != creation + 1 and facts.denotes[creation + 1] == VALUE:
        # outer.new Inner()
        base = facts.value[creation + 1] >> 8
        facts.value[i] = 256 * (FILE + len(types.node) + tree.word[i])
        if FILE <= base < FILE + len(types.node):
            m = _member(facts, types, base - FILE, TYPES, tree.word[i], True)
            if m >= 0:
                facts.value[i] = 256 * (FILE + types.of[facts.members.name[m]])
        if code[p] == GENERIC:
            facts.value[p] = facts.value[i]
    _as_type(tree, facts, types, k, i)
    inner = code[p] == SCOPED and (i == p + 1 or code[parent[p]] == SCOPED)
    if inner and facts.declaration[k] < 0 and _shape(tree, i) == 0:
        facts.role[k] = R_PACKAGE
