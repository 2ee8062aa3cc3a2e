"""Conditions, translated: where control goes, and what it knows there."""

from __future__ import annotations

from acumen.lang.java.nulls import _tree as t
from acumen.lang.java.nulls import code
from acumen.lang.java.nulls._builder import DEEPEST, UnreadableError
from acumen.lang.java.nulls._expressions import Expressions

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
