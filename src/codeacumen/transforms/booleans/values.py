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
from codeacumen.languages.java.resolve.call_sites import build_rows, extract_sites
from codeacumen.languages.java.resolve.static_types import StaticTypes
from codeacumen.languages.java.resolve.types import BOOLEAN, ClassType
from codeacumen.languages.java.resolve.world import qualified_name
from codeacumen.languages.java.syntax.declarations import NONE, MethodDeclaration
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.code import LAMBDA, SWITCH, Code

COMPARISONS = frozenset(("==", "!=", "<", ">", "<=", ">=", "&&", "||"))
_BOXED = "java.lang.Boolean"
_NAMES = ("boolean", "Boolean", _BOXED)
# Evidence for a value: a boolean by itself (PLAIN), with a cast (CAST), or perhaps not even then
# (UNSURE). The order counts: the highest one is the worst.
PLAIN, CAST, UNSURE = range(3)


def result_expressions(code: Code, value: int) -> Iterator[int]:
    """Yield the expressions that a value evaluates to, one for each branch.

    Some expressions of switches may be no results.
    """
    stack = [value]
    while stack:
        node = code.strip_parentheses(stack.pop())
        if code.kind[node] == "ternary_expression":
            stack += (code.child(node, "consequence"), code.child(node, "alternative"))
        elif code.kind[node] == SWITCH:
            for statement in code.descendants_of_kind(
                node, "yield_statement", "expression_statement"
            ):
                is_rule = code.kind[code.parent[statement]] == "switch_rule"
                if is_rule or code.kind[statement] == "yield_statement":
                    stack += [
                        child
                        for child in code.children(statement)
                        if code.kind[child] not in _MARKS
                    ]
        else:
            yield node


_MARKS = frozenset(("yield", ";"))


class BooleanEvidence:
    """Boolean types of the calls of a file, computed on demand."""

    def __init__(self, file: JavaFile) -> None:
        self.file = file
        self._evidence_by_call: dict[int, int] = {}

    def of_value(self, code: Code, value: int) -> int:
        """Return the evidence that a value is a boolean without an assignment that expects one.

        It is that of the worst of the calls that provide the value, PLAIN if no call does.
        """
        evidence = PLAIN
        for node in result_expressions(code, value):
            if code.kind[node] == "method_invocation":
                evidence = max(evidence, self._of_call_cached(code, node))
        return evidence

    def _of_call_cached(self, code: Code, call: int) -> int:
        """Return the evidence for a call, cached."""
        evidence = self._evidence_by_call.get(call)
        if evidence is None:
            evidence = self._evidence_by_call[call] = self._infer_call(code, call)
        return evidence

    def _infer_call(self, code: Code, call: int) -> int:
        """Return the evidence for a call: PLAIN, CAST or UNSURE."""
        name = code.child(call, "name")
        method = self.declared_method(code, name)
        if method is not None:
            if method.returns in _NAMES and not _returns_type_parameter(method):
                return PLAIN
            if any(" extends " in parameter for parameter in method.type_parameters):
                return UNSURE
        elif _is_equals(code, call, name):
            return PLAIN
        else:
            evidence = self._evidence_from_project(code, name)
            if evidence != CAST:
                return evidence
        return UNSURE if _has_context_dependent_argument(code, call) else CAST

    def declared_method(self, code: Code, name: int) -> MethodDeclaration | None:
        """Return the method of this file that a call's name refers to, if any."""
        declaration = code.declaration.get(name, NONE)
        return self._methods_by_node.get(code.parent[declaration]) if declaration != NONE else None

    @cached_property
    def _methods_by_node(self) -> dict[int, MethodDeclaration]:
        """Methods of this file by the node of their declaration."""
        return {method.node: method for method in self.file.declarations.methods}

    # ---- methods of other files

    def _evidence_from_project(self, code: Code, name: int) -> int:
        """Return the evidence for a call of a method in another file, from the types in the
        project."""
        attribution, calls = self._attribution_and_calls
        row = calls.get(code.start[name])
        if row is None:
            return CAST
        resolution = attribution.resolution_of(row)
        if resolution.is_ambiguous or not resolution.candidates:
            return CAST
        type_ = attribution.type_of(row)
        if type_ is BOOLEAN or (
            isinstance(type_, ClassType) and qualified_name(type_.cls) == _BOXED
        ):
            return PLAIN
        # Item 3 of a method's declaration lists its type parameters (see ``FileFacts``); one with a
        # blank has a bound, as in ``T extends Base``.
        is_bounded = any(
            " " in type_parameter
            for candidate in resolution.candidates
            for type_parameter in candidate.method.declaration[3]
        )
        return UNSURE if is_bounded else CAST

    @cached_property
    def _attribution_and_calls(self) -> tuple[Attribution, dict[int, int]]:
        """Attribution of this file's expressions, and its rows of calls by the byte offset of the
        called name."""
        types = self.file.compute_once(StaticTypes)
        unit = types.world.units[types.path]
        attribution = Attribution(types.world, build_rows(unit, extract_sites(self.file)))
        return attribution, {attribution.rows.b[row]: row for row in attribution.rows.list_calls()}


def boolean_evidence(code: Code) -> BooleanEvidence:
    """Return the file's ``BooleanEvidence``, which is built once per file."""
    return code.file.compute_once(BooleanEvidence)


def _is_equals(code: Code, call: int, name: int) -> bool:
    """Return whether a call is ``a.equals(b)``, which every object has."""
    # The parentheses and one argument.
    arguments = code.children(code.child(call, "arguments"))
    return code.node_bytes(name) == b"equals" and len(arguments) == 3


def _returns_type_parameter(method: MethodDeclaration) -> bool:
    """Return whether a method's return type is one of its own type parameters."""
    return any(
        parameter.partition(" ")[0] == method.returns for parameter in method.type_parameters
    )


def _has_context_dependent_argument(code: Code, call: int) -> bool:
    """Return whether the type of an argument depends on the call's target type.

    That is so for a lambda without written types, a method reference, and ``new C<>() {}``.
    """
    arguments = code.child(call, "arguments")
    for node in code.descendants_of_kind(
        arguments, LAMBDA, "method_reference", "object_creation_expression"
    ):
        kind = code.kind[node]
        if kind == "method_reference":
            return True
        if kind == LAMBDA and code.kind[code.child(node, "parameters")] != "formal_parameters":
            return True
        if kind == "object_creation_expression":
            has_body = any(code.kind[child] == "class_body" for child in code.children(node))
            type_ = code.child(node, "type")
            if (
                has_body
                and type_ != NONE
                and code.node_bytes(type_).replace(b" ", b"").endswith(b"<>")
            ):
                return True
    return False


def is_primitive_boolean(code: Code, value: int) -> bool:
    """Return whether a value is certainly a ``boolean`` and not a ``Boolean``."""
    stack = [value]
    while stack:
        node = code.strip_parentheses(stack.pop())
        kind = code.kind[node]
        if kind == "ternary_expression":
            stack += (code.child(node, "consequence"), code.child(node, "alternative"))
        elif kind == "binary_expression":
            operator = code.kind[code.child(node, "operator")]
            if operator in ("&", "|", "^"):
                # If one operand is a boolean, so is the other, and the result cannot be null.
                stack.append(code.child(node, "left"))
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
            method = boolean_evidence(code).declared_method(code, code.child(node, "name"))
            if method is None or method.returns != "boolean":
                return False
        elif kind == "cast_expression":
            if code.kind[code.child(node, "type")] != "boolean_type":
                return False
        elif kind not in ("true", "false", "instanceof_expression"):
            return False
    return True
