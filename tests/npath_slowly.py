"""NPath a second time: recursive, on the parser's own nodes, rule by rule as the tables have them.

It shares nothing with the kernels but the parser, has numbers without end, and walks inner bodies
again for each body around them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from tree_sitter import Node, Parser

from codeacumen.languages.java import language
from codeacumen.languages.java.measures.npath import BINS, MOST, RULES

BODIES = ("class_body", "enum_body", "interface_body", "annotation_type_body")
METHODS = ("method_declaration", "constructor_declaration", "compact_constructor_declaration")
LOOPS = ("while_statement", "do_statement", "for_statement", "enhanced_for_statement")


def evaluated(node: Node) -> list[Node]:
    return [child for child in node.named_children if "comment" not in child.type]


def bare(node: Node) -> Node:
    while node.type == "parenthesized_expression":
        node = evaluated(node)[0]
    return node


def part(node: Node, name: str) -> Node | None:
    return node.child_by_field_name(name)


def statements(group: Node) -> list[Node]:
    return [
        child
        for child in group.children
        if child.type == ";" or (child in evaluated(group) and child.type != "switch_label")
    ]


def labels(group: Node) -> list[Node]:
    return [child for child in group.children if child.type == "switch_label"]


def named(label: Node) -> int:
    if any(child.text == b"default" for child in label.children):
        return 1
    return max(1, sum(child.type != "guard" for child in evaluated(label)))


def operators(node: Node) -> int:
    """&& and || below an expression; lambdas and classes are not entered."""
    if node.type in ("&&", "||"):
        return 1
    inside = [c for c in node.children if c.type not in ("lambda_expression", *BODIES)]
    return sum(map(operators, inside))


class Six:
    """PMD 6."""

    def product(self, nodes: list[Node]) -> int:
        total = 1
        for node in nodes:
            total *= self.value(node)
        return total

    def asked(self, node: Node | None) -> int:
        return 0 if node is None or node.type == "lambda_expression" else operators(node)

    def value(self, node: Node) -> int:
        rule = getattr(self, node.type, None)
        return rule(node) if rule else self.product(node.children)

    def if_statement(self, node: Node) -> int:
        then, other = part(node, "consequence"), part(node, "alternative")
        assert then is not None
        rest = 1 if other is None else self.value(other)
        return self.value(then) + rest + self.asked(part(node, "condition"))

    def loop(self, node: Node, asked: int) -> int:
        body = part(node, "body")
        assert body is not None
        return self.value(body) + 1 + asked

    def while_statement(self, node: Node) -> int:
        return self.loop(node, self.asked(part(node, "condition")))

    do_statement = while_statement

    def for_statement(self, node: Node) -> int:
        return self.loop(node, self.asked(next(self.expressions(node), None)))

    enhanced_for_statement = for_statement

    def expressions(self, node: Node) -> Iterator[Node]:
        """What PMD 6 calls Expression, as a search meets it."""
        for i, child in enumerate(node.children):
            where, mother = node.field_name_for_child(i), node.type
            if child.is_named and "comment" not in child.type:
                whole = mother in (
                    "parenthesized_expression",
                    "argument_list",
                    "dimensions_expr",
                    "return_statement",
                    "throw_statement",
                    "yield_statement",
                    "assert_statement",
                ) or (mother, where) in (
                    ("array_access", "index"),
                    ("assignment_expression", "right"),
                    ("for_statement", "condition"),
                    ("enhanced_for_statement", "value"),
                )
                initial = mother == "array_initializer" or (
                    mother in ("variable_declarator", "resource") and where == "value"
                )
                if whole or (initial and child.type != "array_initializer"):
                    yield child
            if child.type not in ("lambda_expression", *BODIES):
                yield from self.expressions(child)

    def return_statement(self, node: Node) -> int:
        for given_ in evaluated(node):
            inner = self.value(given_)
            return self.asked(given_) + (inner if inner > 1 else 0) or 1
        return 1

    def ternary_expression(self, node: Node) -> int:
        parts = [part(node, name) for name in ("condition", "consequence", "alternative")]
        return sum(self.value(one) for one in parts if one) + self.asked(parts[0]) - 1

    def try_statement(self, node: Node) -> int:
        kinds = ("resource_specification", "block", "catch_clause", "finally_clause")
        return sum(self.value(child) for child in node.children if child.type in kinds)

    try_with_resources_statement = try_statement

    def switch_expression(self, node: Node) -> int:
        body = part(node, "body")
        assert body is not None
        total = self.cases(body) + self.asked(part(node, "condition"))
        return total or MOST["pmd6"]

    def cases(self, block: Node) -> int:
        total = 0
        for group in block.named_children:
            if group.type == "switch_rule":
                (body,) = statements(group)
                throws = body.type == "throw_statement"
                total += 1 if throws else named(labels(group)[0]) * self.value(body)
            elif group.type == "switch_block_statement_group":
                total += len(labels(group)) - 1 + self.product(statements(group))
        return total


class Seven(Six):
    """PMD 7.0 to 7.13: what is different."""

    def asked(self, node: Node | None) -> int:
        if node is None:
            return 0
        node = bare(node)
        if node.type != "ternary_expression":
            return operators(node)
        parts = [part(node, name) for name in ("condition", "consequence", "alternative")]
        return sum(map(self.asked, parts)) + 2

    def for_statement(self, node: Node) -> int:
        return self.loop(node, self.asked(part(node, "condition")))

    def enhanced_for_statement(self, node: Node) -> int:
        return self.loop(node, 0)

    def return_statement(self, node: Node) -> int:
        for given_ in evaluated(node):
            return self.product(bare(given_).children) + self.asked(given_)
        return 1

    def switch_label(self, node: Node) -> int:
        return named(node)

    def switch_expression(self, node: Node) -> int:
        body = part(node, "body")
        assert body is not None
        return self.cases(body) + self.asked(part(node, "condition"))

    def cases(self, block: Node) -> int:
        total = waiting = 0
        for group in block.named_children:
            waiting += sum(map(named, labels(group)))
            body = statements(group) if labels(group) else []
            if group.type == "switch_rule":
                body = body[:1]
            if body:
                total += waiting * self.product(body)
                waiting = 0
        return total


@dataclass
class Frame:
    """What can be left: by which labels, how."""

    labels: set[bytes]
    breaks: bool = False
    loop: bool = False
    yields: bool = False
    broken: int = 0
    continued: int = 0


@dataclass
class Walk:
    """PMD 7.14."""

    enums: list[set[bytes]]
    left: int = 0
    frames: list[Frame] = field(default_factory=list)

    def test(self, node: Node | None, p: int) -> tuple[int, int, int]:
        """Ways that end an expression, that make it true, that make it false."""
        if node is None:
            return p, p, p
        node = bare(node)
        if node.type in ("lambda_expression", *BODIES):
            return p, p, p
        if node.type == "ternary_expression":
            _, yes, no = self.test(part(node, "condition"), p)
            first = self.test(part(node, "consequence"), yes)
            second = self.test(part(node, "alternative"), no)
            return first[0] + second[0], first[1] + second[1], first[2] + second[2]
        operator = part(node, "operator")
        sign = operator.type if operator is not None else ""
        if sign in ("&&", "||"):
            end, yes, no = self.test(part(node, "left"), p)
            end2, yes2, no2 = self.test(part(node, "right"), yes if sign == "&&" else no)
            return (end + end2, yes2, no2 + no) if sign == "&&" else (end + end2, yes2 + yes, no2)
        if sign == "!":
            end, yes, no = self.test(part(node, "operand"), p)
            return end, no, yes
        for child in node.named_children:
            p = self.test(child, p)[0]
        return p, p, p

    def walk(self, node: Node | None, p: int) -> int:
        if node is None:
            return p
        rule = getattr(self, node.type, None)
        if rule is not None:
            return int(rule(node, p))
        expressions = ("_expression", "_invocation", "_access", "_reference", "array_initializer")
        if node.type.endswith(expressions) and node.type != "explicit_constructor_invocation":
            return self.test(node, p)[0]
        for child in node.named_children:
            p = self.walk(child, p)
        return p

    def parenthesized_expression(self, node: Node, p: int) -> int:
        return self.walk(bare(node), p)

    def framed(self, node: Node, **how: bool) -> Frame:
        names: set[bytes] = set()
        above = node.parent
        while above is not None and above.type == "labeled_statement":
            names.add(evaluated(above)[0].text or b"")
            above = above.parent
        self.frames.append(Frame(names, **how))
        return self.frames[-1]

    def if_statement(self, node: Node, p: int) -> int:
        frame = self.framed(node)
        _, yes, no = self.test(part(node, "condition"), p)
        p = self.walk(part(node, "consequence"), yes) + self.walk(part(node, "alternative"), no)
        self.frames.pop()
        return p + frame.broken

    def while_statement(self, node: Node, p: int) -> int:
        asked = part(node, "value" if node.type == "enhanced_for_statement" else "condition")
        for init in node.children_by_field_name("init"):
            p = self.walk(init, p)
        if node.type == "enhanced_for_statement":
            p = self.walk(asked, p)
        _, yes, no = self.test(asked, p)
        frame = self.framed(node, breaks=True, loop=True)
        p = self.walk(part(node, "body"), yes)
        for update in node.children_by_field_name("update"):
            p = self.walk(update, p)
        self.frames.pop()
        endless = asked is None or bare(asked).type == "true"
        return p + frame.broken + frame.continued + (0 if endless else no)

    for_statement = enhanced_for_statement = while_statement

    def do_statement(self, node: Node, p: int) -> int:
        frame = self.framed(node, breaks=True, loop=True)
        p = self.walk(part(node, "body"), p)
        self.frames.pop()
        _, yes, no = self.test(part(node, "condition"), p + frame.continued)
        self.left += yes
        return no + frame.broken

    def switch_expression(self, node: Node, p: int) -> int:
        body, above = part(node, "body"), node.parent
        assert body is not None
        assert above is not None
        if above.type == "expression_statement" and above.parent is not None:
            above = above.parent
        statement = above.type in (
            "block",
            "constructor_body",
            "switch_block_statement_group",
            "labeled_statement",
            "if_statement",
            *LOOPS,
        )
        p = self.walk(part(node, "condition"), p)
        frame = self.framed(node, breaks=statement, yields=not statement)
        falls = 0
        values: list[Node] = []
        sure = not statement
        for group in body.named_children:
            entry = p * sum(map(named, labels(group)))
            for label in labels(group):
                values += evaluated(label)
                sure |= any(child.text == b"default" for child in label.children)
            if group.type == "switch_rule":
                ends = self.walk_all(statements(group), entry)
                frame.broken += ends
            elif labels(group):
                falls = self.walk_all(statements(group), falls + entry)
        self.frames.pop()
        sure |= any(one.type in ("pattern", "null_literal") for one in values)
        sure |= {one.text or b"" for one in values} in self.enums
        return falls + frame.broken + (0 if sure else p)

    def walk_all(self, nodes: list[Node], p: int) -> int:
        for node in nodes:
            p = self.walk(node, p)
        return p

    def return_statement(self, node: Node, p: int) -> int:
        p = self.walk_all(evaluated(node), p)
        self.left += p
        return 0

    throw_statement = return_statement

    def yield_statement(self, node: Node, p: int) -> int:
        p = self.walk_all(evaluated(node), p)
        for frame in reversed(self.frames):
            if frame.yields:
                frame.broken += p
                break
        return 0

    def break_statement(self, node: Node, p: int) -> int:
        label = evaluated(node)
        for frame in reversed(self.frames):
            if label[0].text in frame.labels if label else frame.breaks:
                frame.broken += p
                break
        return 0

    def continue_statement(self, node: Node, p: int) -> int:
        label = evaluated(node)
        for frame in reversed(self.frames):
            if frame.loop and (not label or label[0].text in frame.labels):
                frame.continued += p
                break
        return 0


@cache
def parser() -> Parser:
    return Parser(language())


def every(node: Node, *kinds: str) -> Iterator[Node]:
    if node.type in kinds:
        yield node
    for child in node.named_children:
        yield from every(child, *kinds)


def slowly(source: bytes) -> list[tuple[int, int, int]]:
    """The three values of each body of a file, in the order of the methods."""
    root = parser().parse(source).root_node
    enums: dict[Node, set[bytes]] = {}
    for constant in every(root, "enum_constant"):
        name = part(constant, "name")
        assert constant.parent is not None
        assert name is not None
        enums.setdefault(constant.parent, set()).add(name.text or b"")
    found = []
    for method in every(root, *METHODS):
        body = part(method, "body")
        if body is not None:
            walk = Walk(list(enums.values()))
            exact = (Six().value(body), Seven().value(body), walk.walk(body, 1) + walk.left)
            found.append(tuple(min(n, MOST[r]) for n, r in zip(exact, RULES, strict=True)))
    return found  # type: ignore[return-value]


def bin_of(value: int) -> str | None:
    """Return the class that holds an NPath value, read from the names of the classes."""
    for name in BINS:
        low, _, high = name.partition("-")
        if int(low) <= value <= int(high or low):
            return name
    return None
