"""Expressions, translated: each gives the register that holds its value."""

from __future__ import annotations

from collections.abc import Callable

from acumen.lang.java.nulls import _tree as t
from acumen.lang.java.nulls import code
from acumen.lang.java.nulls._builder import DEEPEST, UnreadableError
from acumen.lang.java.nulls._invocations import Invocations
from acumen.lang.java.nulls._names import NUMBERS, PRIMITIVES
from acumen.lang.java.nulls.code import ROOT, THIS


class Expressions(Invocations):
    def value(self, node: int) -> int:
        self.depth += 1
        if self.depth > DEEPEST:
            raise UnreadableError
        found = _VALUES.get(self.tree.kind[node], _other)(self, node)
        self.depth -= 1
        return found

    def array_creation(self, node: int) -> int:
        tree = self.tree
        filled = tree.child(node, t.VALUE)
        if filled >= 0:
            self.elements(filled)
            return self.array(0, node)
        sizes = [one for one in tree.kids(node) if tree.kind[one] == "dimensions_expr"]
        for size in sizes:
            for one in tree.kids(size):
                self.number(one, self.value(one))
        open_ = tree.first(node, "dimensions") >= 0
        type_ = tree.child(node, t.TYPE)
        references = type_ >= 0 and tree.kind[type_] not in PRIMITIVES
        empty = open_ or (references and len(sizes) == 1)
        zero = len(sizes) == 1 and tree.text(sizes[0]).strip("[] ") == "0"
        return self.array(1 if empty and len(sizes) == 1 and not zero else 0, node)

    def elements(self, node: int) -> None:
        for one in self.tree.kids(node):
            if self.tree.kind[one] == "array_initializer":
                self.elements(one)
            else:
                self.value(one)

    def array(self, empty: int, node: int) -> int:
        made = self.new()
        self.emit(code.ARRAY, made, empty, at=self.tree.start[node])
        return made

    def initializer(self, node: int) -> int:
        self.elements(node)
        return self.array(0, node)

    def ternary(self, node: int) -> int:
        tree = self.tree
        parts = [tree.child(node, w) for w in (t.CONDITION, t.CONSEQUENCE, t.ALTERNATIVE)]
        if min(parts) < 0:
            return self.constant(code.UNKNOWN)
        yes, no, end = self.label(), self.label(), self.label()
        made = self.new()
        self.decide(parts[0], yes, no)
        for label, arm in ((yes, parts[1]), (no, parts[2])):
            self.place(label)
            register = self.value(arm)
            self.emit(code.COPY, made, register, at=tree.start[arm])
            self.jump(end)
        self.place(end)
        return made

    def binary(self, node: int) -> int:
        tree = self.tree
        operator = tree.child(node, t.OPERATOR)
        spelt = tree.kind[operator] if operator >= 0 else ""
        left, right = tree.child(node, t.LEFT), tree.child(node, t.RIGHT)
        if left < 0 or right < 0:
            return self.constant(code.UNKNOWN)
        joined = spelt in ("|", "&") and self.joins_conditions(node)
        if joined or spelt in ("&&", "||") or (spelt in ("==", "!=") and self.tells(left, right)):
            return self.truth(node)
        # Sums may have thousands of parts: from the left, without going down.
        chain = [node]
        while tree.kind[left] == "binary_expression":
            inner = tree.child(left, t.OPERATOR)
            if inner < 0 or tree.kind[inner] in ("&&", "||", "==", "!="):
                break
            chain.append(left)
            below = tree.child(left, t.LEFT)
            if below < 0:
                break
            left = below
        register = self.value(left)
        first = left
        while chain:
            one = chain.pop()
            operator, right = tree.child(one, t.OPERATOR), tree.child(one, t.RIGHT)
            if operator < 0 or right < 0:
                continue
            other = self.value(right)
            self.operands(tree.kind[operator], first, register, right, other)
            first = one
        return self.constant(code.NONNULL)

    def operands(self, spelt: str, left: int, first: int, right: int, second: int) -> None:
        """Operators on numbers open boxes; ``+`` and comparisons by identity may not."""
        tree = self.tree
        unboxes = spelt not in ("+", "==", "!=", "instanceof")
        plain = (tree.kind[tree.bare(left)] in NUMBERS, tree.kind[tree.bare(right)] in NUMBERS)
        if unboxes or plain[1]:
            self.number(left, first)
        if unboxes or plain[0]:
            self.number(right, second)

    def tells(self, left: int, right: int) -> bool:
        """Whether a comparison is one with null."""
        return self.is_null(left) or self.is_null(right)

    def unary(self, node: int) -> int:
        operator, operand = self.tree.child(node, t.OPERATOR), self.tree.child(node, t.OPERAND)
        if operand < 0:
            return self.constant(code.UNKNOWN)
        if operator >= 0 and self.tree.kind[operator] == "!":
            return self.truth(node)
        register = self.value(operand)
        self.number(operand, register)
        if self.tree.kind[operand] in NUMBERS and self.tree.text(node)[:1] == "-":
            return self.literal(node)
        return self.constant(code.NONNULL)

    def literal(self, node: int) -> int:
        made = self.new()
        self.emit(code.TEXT, made, c=self.pool.text(self.tree.text(node)))
        return made

    def cast(self, node: int) -> int:
        value = self.tree.child(node, t.VALUE)
        if value < 0:
            return self.constant(code.UNKNOWN)
        register = self.value(value)
        type_ = self.tree.child(node, t.TYPE)
        if type_ >= 0 and self.tree.kind[type_] in PRIMITIVES:
            self.number(value, register)
            return self.constant(code.NONNULL)
        return register

    def parenthesized(self, node: int) -> int:
        while self.tree.kind[node] == "parenthesized_expression":
            inner = self.tree.kids(node)
            if not inner:
                return self.constant(code.UNKNOWN)
            node = inner[0]
        return self.value(node)

    def switch(self, node: int) -> int:
        result = self.new()
        self.choose(node, result)
        return result

    def choose(self, node: int, result: int) -> None:
        raise NotImplementedError


def _other(self: Expressions, node: int) -> int:
    return self.constant(code.UNKNOWN)


def _null(self: Expressions, node: int) -> int:
    return self.constant(code.NULL, self.tree.start[node])


def _this(self: Expressions, node: int) -> int:
    return THIS


def _true(self: Expressions, node: int) -> int:
    return self.constant(code.TRUE)


def _false(self: Expressions, node: int) -> int:
    return self.constant(code.FALSE)


def _class(self: Expressions, node: int) -> int:
    """Of all classes only the one that has none above it is told from others."""
    return self.literal(node) if self.tree.text(node) in ROOT else self.constant(code.NONNULL)


_VALUES: dict[str, Callable[[Expressions, int], int]] = {
    "identifier": Expressions.identifier,
    "field_access": Expressions.field_access,
    "array_access": Expressions.array_access,
    "assignment_expression": Expressions.assignment,
    "update_expression": Expressions.update,
    "method_invocation": Expressions.invocation,
    "object_creation_expression": Expressions.creation,
    "array_creation_expression": Expressions.array_creation,
    "array_initializer": Expressions.initializer,
    "ternary_expression": Expressions.ternary,
    "binary_expression": Expressions.binary,
    "unary_expression": Expressions.unary,
    "instanceof_expression": Expressions.truth,
    "cast_expression": Expressions.cast,
    "parenthesized_expression": Expressions.parenthesized,
    "lambda_expression": Expressions.function,
    "method_reference": Expressions.function,
    "switch_expression": Expressions.switch,
    "null_literal": _null,
    "this": _this,
    "super": _this,
    "true": _true,
    "false": _false,
    "string_literal": Expressions.literal,
    "class_literal": _class,
    **dict.fromkeys(NUMBERS, Expressions.literal),
}
