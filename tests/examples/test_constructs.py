"""Tests that the example projects contain all constructs that analyses of Java must support."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import pytest

from codeacumen.languages.java.syntax.declarations import NONE, MethodDeclaration, TypeDeclaration
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import symbol_name

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
LOOPS = {"for_statement", "enhanced_for_statement", "while_statement", "do_statement"}
JUMPS = {"break_statement", "continue_statement", "return_statement", "throw_statement"}
COMMENTS = {"line_comment", "block_comment"}

Signature = tuple[str, int]


class JavaSource:
    """A file with the kinds of its nodes by name."""

    def __init__(self, path: Path) -> None:
        self.file = JavaFile(path.read_bytes())
        self.syntax = self.file.syntax
        self.kinds = [symbol_name(int(kind)) for kind in self.syntax.kind]
        self.types = self.file.declarations.types
        self.methods = self.file.declarations.methods

    def get_parent_kind(self, node: int) -> str:
        parent = int(self.syntax.parent[node])
        return self.kinds[parent] if parent >= 0 else ""

    def list_children(self, node: int) -> list[int]:
        return [child for child in self.syntax.children(node) if self.kinds[child] not in COMMENTS]

    def iterate_nodes(self, *kinds: str) -> Iterator[int]:
        return (node for node, kind in enumerate(self.kinds) if kind in kinds)

    def get_descendants(self, node: int) -> range:
        return range(node + 1, int(self.syntax.stop[node]))

    @cached_property
    def kind_pairs(self) -> set[tuple[str, str]]:
        """Kinds of nodes with the kinds of their parents."""
        return {(self.get_parent_kind(node), kind) for node, kind in enumerate(self.kinds)}

    def list_switch_groups(self, switch: int) -> list[int]:
        """Return the statement groups of a switch with colons."""
        return [
            group
            for block in self.list_children(switch)
            if self.kinds[block] == "switch_block"
            for group in self.list_children(block)
            if self.kinds[group] == "switch_block_statement_group"
        ]

    def is_default(self, group: int) -> bool:
        return any(
            self.syntax.text(label) == "default"
            for label in self.list_children(group)
            if self.kinds[label] == "switch_label"
        )

    def list_own_calls(self, method: MethodDeclaration) -> set[Signature]:
        """Return the calls without a receiver in a method, by name and number of arguments."""
        signatures: set[Signature] = set()
        for node in self.get_descendants(method.body) if method.body != NONE else ():
            parts = self.list_children(node)
            if self.kinds[node] == "method_invocation" and len(parts) == 2:
                argument_nodes = self.list_children(parts[1])
                # Parentheses and commas are children too: (), (a), (a, b).
                signatures.add((self.syntax.text(parts[0]), (len(argument_nodes) - 1) // 2))
        return signatures


@pytest.fixture(scope="module")
def sources() -> list[JavaSource]:
    return [JavaSource(path) for path in sorted(EXAMPLES.glob("*/src/**/*.java"))]


KINDS = {
    "a record": "record_declaration",
    "a compact constructor": "compact_constructor_declaration",
    "this(…) and super(…)": "explicit_constructor_invocation",
    "a static initialiser": "static_initializer",
    "varargs": "spread_parameter",
    "a lambda": "lambda_expression",
    "a method reference": "method_reference",
    "an arrow in a switch": "switch_rule",
    "yield": "yield_statement",
    "for": "for_statement",
    "while": "while_statement",
    "do": "do_statement",
    "for each": "enhanced_for_statement",
    "a ternary": "ternary_expression",
    "catch": "catch_clause",
    "finally": "finally_clause",
    "try with resources": "try_with_resources_statement",
    "throws": "throws",
    "throw": "throw_statement",
    "a synchronized block": "synchronized_statement",
    "an array made": "array_creation_expression",
    "an array's initialiser": "array_initializer",
    "an array's element": "array_access",
    "a cast": "cast_expression",
    "assert": "assert_statement",
    "permits": "permits",
}

# Parent and child.
PAIRS = {
    "a bounded type parameter": ("type_parameter", "type_bound"),
    "a wildcard with a bound": ("wildcard", "extends"),
    "a wildcard with a lower bound": ("wildcard", "super"),
    "a generic method": ("method_declaration", "type_parameters"),
    "a generic class": ("class_declaration", "type_parameters"),
    "a generic interface": ("interface_declaration", "type_parameters"),
    "a text block": ("string_literal", "multiline_string_fragment"),
    "several exceptions caught at once": ("catch_type", "|"),
    "an instance initialiser": ("class_body", "block"),
    "a label left": ("break_statement", "identifier"),
    "a label's loop continued": ("continue_statement", "identifier"),
    "a call of super's method": ("method_invocation", "super"),
}

OPERATORS = {
    "binary_expression": (
        "+", "-", "*", "/", "%", "<", ">", "<=", ">=", "==", "!=", "&&", "||",
        "&", "|", "^", "<<", ">>", ">>>",
    ),
    "unary_expression": ("!", "-", "~"),
    "update_expression": ("++", "--"),
    "assignment_expression": (
        "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", ">>>=",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", KINDS)
def test_every_kind_of_node_occurs(what: str, sources: list[JavaSource]) -> None:
    assert any(KINDS[what] in source.kinds for source in sources)


@pytest.mark.parametrize("what", PAIRS)
def test_every_pair_of_nodes_occurs(what: str, sources: list[JavaSource]) -> None:
    assert any(PAIRS[what] in source.kind_pairs for source in sources)


@pytest.mark.parametrize("expression", OPERATORS)
def test_every_operator_occurs(expression: str, sources: list[JavaSource]) -> None:
    expected = {(expression, operator) for operator in OPERATORS[expression]}
    assert expected - set().union(*(source.kind_pairs for source in sources)) == set()


TYPES: dict[str, Callable[[TypeDeclaration], bool]] = {
    "an abstract class": lambda t: t.kind == "class" and "abstract" in t.modifiers,
    "a final class": lambda t: "final" in t.modifiers,
    "a sealed interface": lambda t: t.kind == "interface" and "sealed" in t.modifiers,
    "an enum": lambda t: t.kind == "enum",
    "a constant's own body": lambda t: t.kind == "enum constant",
    "an anonymous class": lambda t: t.kind == "anonymous",
    "a local class": lambda t: t.kind == "class" and t.method != NONE,
    "a static nested class": lambda t: t.owner != NONE and "static" in t.modifiers,
    "an inner class": lambda t: (
        t.kind == "class" and t.owner != NONE and t.method == NONE and "static" not in t.modifiers
    ),
    "a nested record": lambda t: t.kind == "record" and t.owner != NONE,
    "a nested enum": lambda t: t.kind == "enum" and t.owner != NONE,
}

METHODS: dict[str, Callable[[MethodDeclaration], bool]] = {
    "a default method": lambda m: "default" in m.modifiers,
    "an abstract method": lambda m: "abstract" in m.modifiers,
    "a synchronized method": lambda m: "synchronized" in m.modifiers,
    "equals": lambda m: m.name == "equals" and m.parameters[0].type == "Object",
    "hashCode": lambda m: m.name == "hashCode",
    "toString": lambda m: m.name == "toString",
    "compareTo": lambda m: m.name == "compareTo",
    "a getter": lambda m: m.name.startswith("get") and not m.parameters,
    "a setter": lambda m: m.name.startswith("set") and m.returns == "void",
    "an iterator": lambda m: m.name == "iterator",
}


@pytest.mark.parametrize("what", TYPES)
def test_every_kind_of_type_occurs(what: str, sources: list[JavaSource]) -> None:
    assert any(TYPES[what](type_) for source in sources for type_ in source.types)


@pytest.mark.parametrize("what", METHODS)
def test_every_kind_of_method_occurs(what: str, sources: list[JavaSource]) -> None:
    assert any(METHODS[what](method) for source in sources for method in source.methods)


def test_static_methods_of_interfaces_occur(sources: list[JavaSource]) -> None:
    assert any(
        "static" in method.modifiers and source.types[method.type].kind == "interface"
        for source in sources
        for method in source.methods
    )


def test_methods_are_overloaded_by_number_and_by_type(sources: list[JavaSource]) -> None:
    signatures: dict[tuple[int, int, str], set[tuple[str, ...]]] = defaultdict(set)
    for number, source in enumerate(sources):
        for method in source.methods:
            types = tuple(parameter.type for parameter in method.parameters)
            signatures[number, method.type, method.name].add(types)
    overloads = [types for types in signatures.values() if len(types) > 1]
    by_number = [
        types for types in overloads if len({len(parameter_types) for parameter_types in types}) > 1
    ]
    by_type = [
        types
        for types in overloads
        if len({len(parameter_types) for parameter_types in types}) < len(types)
    ]
    assert len(by_number) >= 10
    assert len(by_type) >= 5
    # Overloads may differ only in boxing.
    assert any({("int",), ("Integer",)} <= types for types in overloads)


def test_switches_fall_through_and_have_a_default_in_the_middle(sources: list[JavaSource]) -> None:
    falling = middle = texts = constants = 0
    for source in sources:
        for switch in source.iterate_nodes("switch_expression"):
            groups = source.list_switch_groups(switch)
            for group, following in pairwise(groups):
                last = source.list_children(group)[-1]
                falls = source.kinds[last] not in JUMPS | {":", "try_statement"}
                falling += falls and following in groups
                middle += source.is_default(group)
            labels = [
                source.kinds[source.list_children(label)[1]]
                for label in source.iterate_nodes("switch_label")
                if label in source.get_descendants(switch) and len(source.list_children(label)) > 1
            ]
            texts += "string_literal" in labels
            constants += "identifier" in labels
    assert falling >= 2
    assert middle >= 2
    assert texts >= 2
    assert constants >= 5


def test_loops_are_nested_and_labelled(sources: list[JavaSource]) -> None:
    nested = sum(
        source.kinds[inner] in LOOPS
        for source in sources
        for loop in source.iterate_nodes(*LOOPS)
        for inner in source.get_descendants(loop)
    )
    assert nested >= 10
    assert sum(1 for source in sources for _ in source.iterate_nodes("labeled_statement")) >= 4


def test_instanceof_patterns_and_inferred_types_occur(
    sources: list[JavaSource],
) -> None:
    bound = sum(
        source.kinds[source.list_children(node)[-1]] == "identifier"
        for source in sources
        for node in source.iterate_nodes("instanceof_expression")
        if len(source.list_children(node)) > 3
    )
    assert bound >= 10
    inferred = sum(
        source.syntax.text(node) == "var"
        for source in sources
        for node in source.iterate_nodes("type_identifier")
    )
    assert inferred >= 5


def test_null_is_returned_and_compared(sources: list[JavaSource]) -> None:
    returned = compared = 0
    for source in sources:
        for null in source.iterate_nodes("null_literal"):
            parent = int(source.syntax.parent[null])
            operators = {source.syntax.text(node) for node in source.list_children(parent)}
            returned += source.kinds[parent] == "return_statement"
            compared += source.kinds[parent] == "binary_expression" and bool(
                operators & {"==", "!="}
            )
    assert returned >= 30
    assert compared >= 30


def test_direct_and_mutual_recursion_occur(sources: list[JavaSource]) -> None:
    direct = mutual = 0
    for source in sources:
        calls: dict[tuple[int, Signature], set[tuple[int, Signature]]] = {}
        for method in source.methods:
            callees = {(method.type, signature) for signature in source.list_own_calls(method)}
            calls.setdefault((method.type, (method.name, len(method.parameters))), set()).update(
                callees
            )
        for method_, callees in calls.items():
            direct += method_ in callees
            # Methods of the same type from which a chain of calls returns here.
            reached, waiting = set(), [callee for callee in callees if callee != method_]
            while waiting:
                callee = waiting.pop()
                if callee not in reached:
                    reached.add(callee)
                    waiting += calls.get(callee, ())
            mutual += method_ in reached
    assert direct >= 4
    assert mutual >= 6


def test_compound_conditions_and_various_method_lengths_occur(sources: list[JavaSource]) -> None:
    both = sum(
        source.kinds[node] in ("&&", "||") and source.get_parent_kind(node) == "binary_expression"
        for source in sources
        for node in range(len(source.kinds))
    )
    assert both >= 50
    lines = sorted(
        source.syntax.text(method.body).count("\n") - 1
        for source in sources
        for method in source.methods
        if method.body != NONE
    )
    assert lines[0] <= 1
    assert lines[len(lines) // 2] <= 5
    assert 35 <= lines[-1] <= 60
