"""Decides whether a value is a boolean by itself, independent of its context.

``boolean a = f();`` compiles for a method ``<T> T f()``, because T is inferred from the variable's
type. ``!f()`` does not compile, because the operand of ``!`` has no target type (JLS 15.12). A cast
helps: ``!(boolean) f()`` converts the result as the assignment did, with the same exceptions. The
type of a call is therefore looked up in its declaration in this file, or else derived from the
types of its receiver and arguments, where those belong to the project or the JDK.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from codeacumen.languages.java.resolve.attribution import Attribution
from codeacumen.languages.java.resolve.sites import rows, sites
from codeacumen.languages.java.resolve.static_types import Types
from codeacumen.languages.java.resolve.types import BOOLEAN, ClassType
from codeacumen.languages.java.resolve.world import label
from codeacumen.languages.java.syntax.declarations import NONE, MethodDeclaration
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.code import LAMBDA, SWITCH, Code

COMPARISONS = frozenset(("==", "!=", "<", ">", "<=", ">=", "&&", "||"))
_BOXED = "java.lang.Boolean"
_NAMES = ("boolean", "Boolean", _BOXED)
# A value is a boolean by itself (PLAIN), with a cast (CAST), or perhaps not even then (UNSURE).
PLAIN, CAST, UNSURE = range(3)


def results(code: Code, value: int) -> Iterator[int]:
    """Yield the expressions that a value evaluates to, one for each branch.

    Some expressions of switches may be no results.
    """
    waiting = [value]
    while waiting:
        node = code.unwrapped(waiting.pop())
        if code.kind[node] == "ternary_expression":
            waiting += (code.child(node, "consequence"), code.child(node, "alternative"))
        elif code.kind[node] == SWITCH:
            for one in code.of_kind(node, "yield_statement", "expression_statement"):
                rule = code.kind[code.parent[one]] == "switch_rule"
                if rule or code.kind[one] == "yield_statement":
                    waiting += [at for at in code.children(one) if code.kind[at] not in _MARKS]
        else:
            yield node


_MARKS = frozenset(("yield", ";"))


class Values:
    """Boolean types of the calls of a file, computed on demand."""

    def __init__(self, file: JavaFile) -> None:
        self.file = file
        self._told: dict[int, int] = {}

    def told(self, code: Code, value: int) -> int:
        """Return whether a value is a boolean without an assignment that expects one.

        PLAIN if so, CAST if not or not certainly, UNSURE if a cast may not be enough.
        """
        found = PLAIN
        for node in results(code, value):
            if code.kind[node] == "method_invocation":
                found = max(found, self._call(code, node))
        return found

    def _call(self, code: Code, call: int) -> int:
        """Return the evidence for a call, cached."""
        found = self._told.get(call)
        if found is None:
            found = self._told[call] = self._of_call(code, call)
        return found

    def _of_call(self, code: Code, call: int) -> int:
        """Return the evidence for a call: PLAIN, CAST or UNSURE."""
        name = code.child(call, "name")
        method = self.declared(code, name)
        if method is not None:
            if method.returns in _NAMES and not _generic(method):
                return PLAIN
            if any(" extends " in one for one in method.type_parameters):
                return UNSURE
        elif _is_equals(code, call, name):
            return PLAIN
        else:
            found = self._elsewhere(code, name)
            if found != CAST:
                return found
        return UNSURE if _depends(code, call) else CAST

    def declared(self, code: Code, name: int) -> MethodDeclaration | None:
        """Return the method of this file that a call's name refers to, if any."""
        declaration = code.declaration.get(name, NONE)
        return self._methods.get(code.parent[declaration]) if declaration != NONE else None

    @cached_property
    def _methods(self) -> dict[int, MethodDeclaration]:
        """Methods of this file by the node of their declaration."""
        return {one.node: one for one in self.file.declarations.methods}

    # ---- methods of other files

    def _elsewhere(self, code: Code, name: int) -> int:
        """Return the evidence for a call of a method in another file, from the types in the
        project."""
        attribution, calls = self._types
        row = calls.get(code.start[name])
        if row is None:
            return CAST
        meant = attribution.resolution(row)
        if meant.ambiguous or not meant.candidates:
            return CAST
        type_ = attribution.type_of(row)
        if type_ is BOOLEAN or (isinstance(type_, ClassType) and label(type_.cls) == _BOXED):
            return PLAIN
        bounded = any(" " in text for one in meant.candidates for text in one.method.row[3])
        return UNSURE if bounded else CAST

    @cached_property
    def _types(self) -> tuple[Attribution, dict[int, int]]:
        """Types of this file's expressions, and the rows of its calls by the offset of their
        names."""
        types = self.file.once(Types)
        unit = types.world.units[types.path]
        found = Attribution(types.world, rows(unit, sites(self.file)))
        return found, {found.rows.b[row]: row for row in found.rows.calls()}


def values_of(code: Code) -> Values:
    """Return the file's ``Values``, which are built once per file."""
    return code.file.once(Values)


def _is_equals(code: Code, call: int, name: int) -> bool:
    """Return whether a call is ``a.equals(b)``, which every object has."""
    arguments = code.children(code.child(call, "arguments"))
    return code.bytes(name) == b"equals" and len(arguments) == 3


def _generic(method: MethodDeclaration) -> bool:
    """Return whether a method's return type is one of its own type parameters."""
    return any(one.partition(" ")[0] == method.returns for one in method.type_parameters)


def _depends(code: Code, call: int) -> bool:
    """Return whether the type of an argument depends on the call's target type.

    That is so for a lambda without written types, a method reference, and ``new C<>() {}``.
    """
    arguments = code.child(call, "arguments")
    for node in code.of_kind(arguments, LAMBDA, "method_reference", "object_creation_expression"):
        kind = code.kind[node]
        if kind == "method_reference":
            return True
        if kind == LAMBDA and code.kind[code.child(node, "parameters")] != "formal_parameters":
            return True
        if kind == "object_creation_expression":
            body = any(code.kind[one] == "class_body" for one in code.children(node))
            type_ = code.child(node, "type")
            if body and type_ != NONE and code.bytes(type_).replace(b" ", b"").endswith(b"<>"):
                return True
    return False


def is_primitive(code: Code, value: int) -> bool:
    """Return whether a value is certainly a ``boolean`` and not a ``Boolean``."""
    waiting = [value]
    while waiting:
        node = code.unwrapped(waiting.pop())
        kind = code.kind[node]
        if kind == "ternary_expression":
            waiting += (code.child(node, "consequence"), code.child(node, "alternative"))
        elif kind == "binary_expression":
            operator = code.kind[code.child(node, "operator")]
            if operator in ("&", "|", "^"):
                # If one operand is a boolean, so is the other, and the result cannot be null.
                waiting.append(code.child(node, "left"))
            elif operator not in COMPARISONS:
                return False
        elif kind == "unary_expression":
            if code.kind[code.child(node, "operator")] != "!":
                return False
        elif kind == "identifier":
            declaration = code.declaration.get(node, NONE)
            if declaration == NONE or code.declared_type(declaration) != "boolean":
                return False
        elif kind == "method_invocation":
            method = values_of(code).declared(code, code.child(node, "name"))
            if method is None or method.returns != "boolean":
                return False
        elif kind == "cast_expression":
            if code.kind[code.child(node, "type")] != "boolean_type":
                return False
        elif kind not in ("true", "false", "instanceof_expression"):
            return False
    return True
