"""A second implementation of NPath: recursive, on the parser's own nodes, rule by rule as in the
tables.

It shares only the parser with the kernels, has unlimited integers, and walks inner bodies again for
each body around them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from tree_sitter import Node, Parser

from codeacumen.languages.java import load_grammar
from codeacumen.languages.java.measures.npath import BINS, MOST, RULES

BODIES = ("class_body", "enum_body", "interface_body", "annotation_type_body")
METHODS = ("method_declaration", "constructor_declaration", "compact_constructor_declaration")
LOOPS = ("while_statement", "do_statement", "for_statement", "enhanced_for_statement")


def list_operands(node: Node) -> list[Node]:
    return [child for child in node.named_children if "comment" not in child.type]


def strip_parentheses(node: Node) -> Node:
    while node.type == "parenthesized_expression":
        node = list_operands(node)[0]
    return node


def get_field(node: Node, name: str) -> Node | None:
    return node.child_by_field_name(name)


def list_statements(group: Node) -> list[Node]:
    return [
        child
        for child in group.children
        if child.type == ";" or (child in list_operands(group) and child.type != "switch_label")
    ]


def list_labels(group: Node) -> list[Node]:
    return [child for child in group.children if child.type == "switch_label"]


def count_label_values(label: Node) -> int:
    if any(child.text == b"default" for child in label.children):
        return 1
    return max(1, sum(child.type != "guard" for child in list_operands(label)))


def count_operators(node: Node) -> int:
    """Count && and || below an expression, without lambdas and classes."""
    if node.type in ("&&", "||"):
        return 1
    inside = [c for c in node.children if c.type not in ("lambda_expression", *BODIES)]
    return sum(map(count_operators, inside))


class PmdSix:
    """The rules of PMD 6."""

    def multiply(self, nodes: list[Node]) -> int:
        total = 1
        for node in nodes:
            total *= self.compute(node)
        return total

    def count_condition(self, node: Node | None) -> int:
        return 0 if node is None or node.type == "lambda_expression" else count_operators(node)

    def compute(self, node: Node) -> int:
        rule = getattr(self, node.type, None)
        return rule(node) if rule else self.multiply(node.children)

    def if_statement(self, node: Node) -> int:
        then, other = get_field(node, "consequence"), get_field(node, "alternative")
        assert then is not None
        rest = 1 if other is None else self.compute(other)
        return self.compute(then) + rest + self.count_condition(get_field(node, "condition"))

    def compute_loop(self, node: Node, condition_count: int) -> int:
        body = get_field(node, "body")
        assert body is not None
        return self.compute(body) + 1 + condition_count

    def while_statement(self, node: Node) -> int:
        return self.compute_loop(node, self.count_condition(get_field(node, "condition")))

    do_statement = while_statement

    def for_statement(self, node: Node) -> int:
        return self.compute_loop(
            node, self.count_condition(next(self.iterate_expressions(node), None))
        )

    enhanced_for_statement = for_statement

    def iterate_expressions(self, node: Node) -> Iterator[Node]:
        """Yield the nodes that PMD 6 calls Expression, in the order of a search."""
        for i, child in enumerate(node.children):
            field_name, parent_type = node.field_name_for_child(i), node.type
            if child.is_named and "comment" not in child.type:
                is_whole_expression = parent_type in (
                    "parenthesized_expression",
                    "argument_list",
                    "dimensions_expr",
                    "return_statement",
                    "throw_statement",
                    "yield_statement",
                    "assert_statement",
                ) or (parent_type, field_name) in (
                    ("array_access", "index"),
                    ("assignment_expression", "right"),
                    ("for_statement", "condition"),
                    ("enhanced_for_statement", "value"),
                )
                is_initializer = parent_type == "array_initializer" or (
                    parent_type in ("variable_declarator", "resource") and field_name == "value"
                )
                if is_whole_expression or (is_initializer and child.type != "array_initializer"):
                    yield child
            if child.type not in ("lambda_expression", *BODIES):
                yield from self.iterate_expressions(child)

    def return_statement(self, node: Node) -> int:
        for operand in list_operands(node):
            inner = self.compute(operand)
            return self.count_condition(operand) + (inner if inner > 1 else 0) or 1
        return 1

    def ternary_expression(self, node: Node) -> int:
        parts = [get_field(node, name) for name in ("condition", "consequence", "alternative")]
        return (
            sum(self.compute(operand) for operand in parts if operand)
            + self.count_condition(parts[0])
            - 1
        )

    def try_statement(self, node: Node) -> int:
        kinds = ("resource_specification", "block", "catch_clause", "finally_clause")
        return sum(self.compute(child) for child in node.children if child.type in kinds)

    try_with_resources_statement = try_statement

    def switch_expression(self, node: Node) -> int:
        body = get_field(node, "body")
        assert body is not None
        total = self.count_cases(body) + self.count_condition(get_field(node, "condition"))
        return total or MOST["pmd6"]

    def count_cases(self, block: Node) -> int:
        total = 0
        for group in block.named_children:
            if group.type == "switch_rule":
                (body,) = list_statements(group)
                throws = body.type == "throw_statement"
                total += (
                    1 if throws else count_label_values(list_labels(group)[0]) * self.compute(body)
                )
            elif group.type == "switch_block_statement_group":
                total += len(list_labels(group)) - 1 + self.multiply(list_statements(group))
        return total


class PmdSeven(PmdSix):
    """The rules of PMD 7.0 to 7.13 that differ from PMD 6."""

    def count_condition(self, node: Node | None) -> int:
        if node is None:
            return 0
        node = strip_parentheses(node)
        if node.type != "ternary_expression":
            return count_operators(node)
        parts = [get_field(node, name) for name in ("condition", "consequence", "alternative")]
        return sum(map(self.count_condition, parts)) + 2

    def for_statement(self, node: Node) -> int:
        return self.compute_loop(node, self.count_condition(get_field(node, "condition")))

    def enhanced_for_statement(self, node: Node) -> int:
        return self.compute_loop(node, 0)

    def return_statement(self, node: Node) -> int:
        for operand in list_operands(node):
            return self.multiply(strip_parentheses(operand).children) + self.count_condition(
                operand
            )
        return 1

    def switch_label(self, node: Node) -> int:
        return count_label_values(node)

    def switch_expression(self, node: Node) -> int:
        body = get_field(node, "body")
        assert body is not None
        return self.count_cases(body) + self.count_condition(get_field(node, "condition"))

    def count_cases(self, block: Node) -> int:
        total = waiting = 0
        for group in block.named_children:
            waiting += sum(map(count_label_values, list_labels(group)))
            body = list_statements(group) if list_labels(group) else []
            if group.type == "switch_rule":
                body = body[:1]
            if body:
                total += waiting * self.multiply(body)
                waiting = 0
        return total


@dataclass
class Frame:
    """A statement that can be left, with its labels and the ways to leave it."""

    labels: set[bytes]
    breaks: bool = False
    loop: bool = False
    yields: bool = False
    broken: int = 0
    continued: int = 0


@dataclass
class Walk:
    """The rules of PMD 7.14."""

    enums: list[set[bytes]]
    left: int = 0
    frames: list[Frame] = field(default_factory=list)

    def split_paths(self, node: Node | None, p: int) -> tuple[int, int, int]:
        """Return the number of paths that end an expression, that make it true, and that make it
        false."""
        if node is None:
            return p, p, p
        node = strip_parentheses(node)
        if node.type in ("lambda_expression", *BODIES):
            return p, p, p
        if node.type == "ternary_expression":
            _, yes, no = self.split_paths(get_field(node, "condition"), p)
            first = self.split_paths(get_field(node, "consequence"), yes)
            second = self.split_paths(get_field(node, "alternative"), no)
            return first[0] + second[0], first[1] + second[1], first[2] + second[2]
        operator = get_field(node, "operator")
        sign = operator.type if operator is not None else ""
        if sign in ("&&", "||"):
            end, yes, no = self.split_paths(get_field(node, "left"), p)
            end2, yes2, no2 = self.split_paths(
                get_field(node, "right"), yes if sign == "&&" else no
            )
            return (end + end2, yes2, no2 + no) if sign == "&&" else (end + end2, yes2 + yes, no2)
        if sign == "!":
            end, yes, no = self.split_paths(get_field(node, "operand"), p)
            return end, no, yes
        for child in node.named_children:
            p = self.split_paths(child, p)[0]
        return p, p, p

    def count_paths(self, node: Node | None, p: int) -> int:
        if node is None:
            return p
        rule = getattr(self, node.type, None)
        if rule is not None:
            return int(rule(node, p))
        expressions = ("_expression", "_invocation", "_access", "_reference", "array_initializer")
        if node.type.endswith(expressions) and node.type != "explicit_constructor_invocation":
            return self.split_paths(node, p)[0]
        for child in node.named_children:
            p = self.count_paths(child, p)
        return p

    def parenthesized_expression(self, node: Node, p: int) -> int:
        return self.count_paths(strip_parentheses(node), p)

    def push_frame(self, node: Node, **options: bool) -> Frame:
        names: set[bytes] = set()
        above = node.parent
        while above is not None and above.type == "labeled_statement":
            names.add(list_operands(above)[0].text or b"")
            above = above.parent
        self.frames.append(Frame(names, **options))
        return self.frames[-1]

    def if_statement(self, node: Node, p: int) -> int:
        frame = self.push_frame(node)
        _, yes, no = self.split_paths(get_field(node, "condition"), p)
        p = self.count_paths(get_field(node, "consequence"), yes) + self.count_paths(
            get_field(node, "alternative"), no
        )
        self.frames.pop()
        return p + frame.broken

    def while_statement(self, node: Node, p: int) -> int:
        condition = get_field(
            node, "value" if node.type == "enhanced_for_statement" else "condition"
        )
        for init in node.children_by_field_name("init"):
            p = self.count_paths(init, p)
        if node.type == "enhanced_for_statement":
            p = self.count_paths(condition, p)
        _, yes, no = self.split_paths(condition, p)
        frame = self.push_frame(node, breaks=True, loop=True)
        p = self.count_paths(get_field(node, "body"), yes)
        for update in node.children_by_field_name("update"):
            p = self.count_paths(update, p)
        self.frames.pop()
        endless = condition is None or strip_parentheses(condition).type == "true"
        return p + frame.broken + frame.continued + (0 if endless else no)

    for_statement = enhanced_for_statement = while_statement

    def do_statement(self, node: Node, p: int) -> int:
        frame = self.push_frame(node, breaks=True, loop=True)
        p = self.count_paths(get_field(node, "body"), p)
        self.frames.pop()
        _, yes, no = self.split_paths(get_field(node, "condition"), p + frame.continued)
        self.left += yes
        return no + frame.broken

    def switch_expression(self, node: Node, p: int) -> int:
        body, above = get_field(node, "body"), node.parent
        assert body is not None
        assert above is not None
        if above.type == "expression_statement" and above.parent is not None:
            above = above.parent
        is_statement = above.type in (
            "block",
            "constructor_body",
            "switch_block_statement_group",
            "labeled_statement",
            "if_statement",
            *LOOPS,
        )
        p = self.count_paths(get_field(node, "condition"), p)
        frame = self.push_frame(node, breaks=is_statement, yields=not is_statement)
        falls = 0
        values: list[Node] = []
        is_exhaustive = not is_statement
        for group in body.named_children:
            entry = p * sum(map(count_label_values, list_labels(group)))
            for label in list_labels(group):
                values += list_operands(label)
                is_exhaustive |= any(child.text == b"default" for child in label.children)
            if group.type == "switch_rule":
                ends = self.count_paths_of_all(list_statements(group), entry)
                frame.broken += ends
            elif list_labels(group):
                falls = self.count_paths_of_all(list_statements(group), falls + entry)
        self.frames.pop()
        is_exhaustive |= any(value.type in ("pattern", "null_literal") for value in values)
        is_exhaustive |= {value.text or b"" for value in values} in self.enums
        return falls + frame.broken + (0 if is_exhaustive else p)

    def count_paths_of_all(self, nodes: list[Node], p: int) -> int:
        for node in nodes:
            p = self.count_paths(node, p)
        return p

    def return_statement(self, node: Node, p: int) -> int:
        p = self.count_paths_of_all(list_operands(node), p)
        self.left += p
        return 0

    throw_statement = return_statement

    def yield_statement(self, node: Node, p: int) -> int:
        p = self.count_paths_of_all(list_operands(node), p)
        for frame in reversed(self.frames):
            if frame.yields:
                frame.broken += p
                break
        return 0

    def break_statement(self, node: Node, p: int) -> int:
        label = list_operands(node)
        for frame in reversed(self.frames):
            if label[0].text in frame.labels if label else frame.breaks:
                frame.broken += p
                break
        return 0

    def continue_statement(self, node: Node, p: int) -> int:
        label = list_operands(node)
        for frame in reversed(self.frames):
            if frame.loop and (not label or label[0].text in frame.labels):
                frame.continued += p
                break
        return 0


@cache
def get_parser() -> Parser:
    return Parser(load_grammar())


def find_nodes(node: Node, *kinds: str) -> Iterator[Node]:
    if node.type in kinds:
        yield node
    for child in node.named_children:
        yield from find_nodes(child, *kinds)


def compute_npath(source: bytes) -> list[tuple[int, int, int]]:
    """Return the three values of each body of a file, in the order of the methods."""
    root = get_parser().parse(source).root_node
    enums: dict[Node, set[bytes]] = {}
    for constant in find_nodes(root, "enum_constant"):
        name = get_field(constant, "name")
        assert constant.parent is not None
        assert name is not None
        enums.setdefault(constant.parent, set()).add(name.text or b"")
    results = []
    for method in find_nodes(root, *METHODS):
        body = get_field(method, "body")
        if body is not None:
            walk = Walk(list(enums.values()))
            exact = (
                PmdSix().compute(body),
                PmdSeven().compute(body),
                walk.count_paths(body, 1) + walk.left,
            )
            results.append(
                tuple(min(count, MOST[rule]) for count, rule in zip(exact, RULES, strict=True))
            )
    return results  # type: ignore[return-value]


def bin_of(value: int) -> str | None:
    """Return the class that contains an NPath value, read from the names of the classes."""
    for name in BINS:
        low, _, high = name.partition("-")
        if int(low) <= value <= int(high or low):
            return name
    return None
