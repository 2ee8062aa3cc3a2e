"""What a boolean value is, where that depends on more than its form.

``boolean a = f();`` compiles for a method ``<T> T f()``, because the variable's type tells what T
is; ``!f()`` does not, because the operand of ``!`` is told nothing (JLS 15.12). A cast helps:
``!(boolean) f()`` converts what comes back as the assignment did, with the same exceptions. So it
must be known of a call whether it gives a boolean by itself: from its declaration in this file,
or else from the types of its receiver and arguments, where those are the project's or the JDK's.
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
# What a value says about itself: a boolean by itself, or one if a cast says so, or neither.
PLAIN, CAST, UNSURE = range(3)


def results(code: Code, value: int) -> Iterator[int]:
    """The expressions that one or other branch of a value gives; of switches perhaps more."""
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
    """Calls and names of one file, as far as they are asked for."""

    def __init__(self, file: JavaFile) -> None:
        self.file = file
        self._told: dict[int, int] = {}

    def told(self, code: Code, value: int) -> int:
        """Whether a value is a boolean without an assignment that expects one: PLAIN, CAST if
        not or not certainly, UNSURE if a cast may not be enough."""
        found = PLAIN
        for node in results(code, value):
            if code.kind[node] == "method_invocation":
                found = max(found, self._call(code, node))
        return found

    def _call(self, code: Code, call: int) -> int:
        found = self._told.get(call)
        if found is None:
            found = self._told[call] = self._of_call(code, call)
        return found

    def _of_call(self, code: Code, call: int) -> int:
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
        """The method of this file that a call's name means."""
        declaration = code.declaration.get(name, NONE)
        return self._methods.get(code.parent[declaration]) if declaration != NONE else None

    @cached_property
    def _methods(self) -> dict[int, MethodDeclaration]:
        return {one.node: one for one in self.file.declarations.methods}

    # ---- what other files tell

    def _elsewhere(self, code: Code, name: int) -> int:
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
        """The types of this file's expressions, and its calls by the bytes of their names."""
        types = self.file.once(Types)
        unit = types.world.units[types.path]
        found = Attribution(types.world, rows(unit, sites(self.file)))
        return found, {found.rows.b[row]: row for row in found.rows.calls()}


def values_of(code: Code) -> Values:
    return code.file.once(Values)


def _is_equals(code: Code, call: int, name: int) -> bool:
    """``a.equals(b)``, which every object has."""
    arguments = code.children(code.child(call, "arguments"))
    return code.bytes(name) == b"equals" and len(arguments) == 3


def _generic(method: MethodDeclaration) -> bool:
    """Whether what a method gives is a type parameter of its own, by whatever name."""
    return any(one.partition(" ")[0] == method.returns for one in method.type_parameters)


def _depends(code: Code, call: int) -> bool:
    """Whether an argument takes its type from what the call is expected to give: a lambda
    without written types, a method reference, ``new C<>() {}``."""
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
    """Whether a value evidently is a boolean and no Boolean."""
    waiting = [value]
    while waiting:
        node = code.unwrapped(waiting.pop())
        kind = code.kind[node]
        if kind == "ternary_expression":
            waiting += (code.child(node, "consequence"), code.child(node, "alternative"))
        elif kind == "binary_expression":
            operator = code.kind[code.child(node, "operator")]
            if operator in ("&", "|", "^"):
                # Of booleans if the one side is; then it is none that may be null.
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
