"""Expressions, translated: each gives the register that holds its value.

Conditions, translated: where control goes, and what it knows there.
"""

from __future__ import annotations

from collections.abc import Callable

from codeacumen.languages.java.nulls import _tree as t
from codeacumen.languages.java.nulls import code
from codeacumen.languages.java.nulls._invocations import Invocations
from codeacumen.languages.java.nulls.code import (
    DEEPEST,
    NUMBERS,
    PRIMITIVES,
    ROOT,
    THIS,
    UnreadableError,
)


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


_FLIPPED = {">": True, "<=": True, "<": False, ">=": False}


class Conditions(Expressions):
    def decide(self, node: int, yes: int, no: int) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise UnreadableError
        self._decide(node, yes, no)
        self.depth -= 1

    def _decide(self, node: int, yes: int, no: int) -> None:
        tree = self.tree
        kind = tree.kind[node]
        while kind == "parenthesized_expression":
            inner = tree.kids(node)
            if not inner:
                self.emit(code.EITHER, c=yes, e=no)
                return
            node = inner[0]
            kind = tree.kind[node]
        if kind == "true" or kind == "false":
            self.jump(yes if kind == "true" else no)
            return
        if kind == "unary_expression":
            operator, operand = tree.child(node, t.OPERATOR), tree.child(node, t.OPERAND)
            if operator >= 0 and operand >= 0 and tree.kind[operator] == "!":
                self.decide(operand, no, yes)
                return
        if kind == "instanceof_expression":
            self.instance(node, yes, no)
            return
        if kind == "ternary_expression":
            parts = [tree.child(node, w) for w in (t.CONDITION, t.CONSEQUENCE, t.ALTERNATIVE)]
            if min(parts) >= 0:
                first, second = self.label(), self.label()
                self.decide(parts[0], first, second)
                self.place(first)
                self.decide(parts[1], yes, no)
                self.place(second)
                self.decide(parts[2], yes, no)
                return
        if kind == "binary_expression" and self.compare(node, yes, no):
            return
        register = self.value(node)
        self.number(node, register)
        self.emit(code.IF_TRUE, a=register, c=yes, e=no)

    def compare(self, node: int, yes: int, no: int) -> bool:
        tree = self.tree
        operator = tree.child(node, t.OPERATOR)
        left, right = tree.child(node, t.LEFT), tree.child(node, t.RIGHT)
        if operator < 0 or left < 0 or right < 0:
            return False
        spelt = tree.kind[operator]
        if spelt in ("&&", "||") or (spelt in ("|", "&") and self.joins_conditions(node)):
            self.connect(node, spelt, yes, no)
            return True
        if spelt in ("==", "!="):
            if spelt == "!=":
                yes, no = no, yes
            if self.is_null(left):
                left, right = right, left
            register = self.value(left)
            if self.is_null(right):
                self.emit(code.IF_NULL, a=register, c=yes, e=no, at=tree.start[node])
                return True
            other = self.value(right)
            self.operands(spelt, left, register, right, other)
            self.emit(code.IF_EQUAL, a=register, b=other, c=yes, e=no)
            return True
        if spelt in _FLIPPED:
            register = self.value(left)
            other = self.value(right)
            self.operands(spelt, left, register, right, other)
            if _FLIPPED[spelt]:
                register, other = other, register
            if spelt in ("<=", ">="):
                yes, no = no, yes
            self.emit(code.IF_LESS, a=register, b=other, c=yes, e=no)
            return True
        return False

    def connect(self, node: int, spelt: str, yes: int, no: int) -> None:
        """A chain of ``&&`` or of ``||``: from the left, without going down."""
        tree = self.tree
        parts = []
        while True:
            operator = tree.child(node, t.OPERATOR)
            left, right = tree.child(node, t.LEFT), tree.child(node, t.RIGHT)
            same = tree.kind[node] == "binary_expression" and operator >= 0
            if not same or tree.kind[operator] != spelt or left < 0 or right < 0:
                parts.append(node)
                break
            parts.append(right)
            node = left
        for part in reversed(parts[1:]):
            following = self.label()
            if spelt[0] == "&":
                self.decide(part, following, no)
            else:
                self.decide(part, yes, following)
            self.place(following)
        self.decide(parts[0], yes, no)

    def instance(self, node: int, yes: int, no: int) -> None:
        tree = self.tree
        left = tree.child(node, t.LEFT)
        if left < 0:
            self.emit(code.EITHER, c=yes, e=no)
            return
        register = self.value(left)
        name = tree.child(node, t.NAME)
        pattern = tree.first(node, "record_pattern", "type_pattern")
        right = tree.child(node, t.RIGHT)
        # With a pattern that looks into the object it says less than what class it is.
        kind = -1
        if right >= 0 and tree.kind[right] != "array_type":
            kind = self.pool.text(tree.text(self.simple(right)))
        if name < 0 and pattern < 0:
            self.emit(code.IF_KIND, a=register, b=kind, c=yes, e=no)
            return
        bound = self.label()
        self.emit(code.IF_KIND, a=register, b=kind if pattern < 0 else -1, c=bound, e=no)
        self.place(bound)
        if name >= 0:
            self.emit(code.COPY, self.register(name), register)
        else:
            self.bind(pattern, register)
        self.jump(yes)

    def bind(self, pattern: int, register: int) -> None:
        """The variable of a pattern is what was matched; those inside it are not known."""
        tree = self.tree
        if tree.kind[pattern] == "type_pattern":
            for one in tree.kids(pattern):
                if tree.kind[one] == "identifier":
                    self.emit(code.COPY, self.register(one), register)
