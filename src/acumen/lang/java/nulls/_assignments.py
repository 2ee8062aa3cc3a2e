"""Assignments, translated: what is evaluated first, what is written where."""

from __future__ import annotations

from acumen.lang.java.nulls import _tree as t
from acumen.lang.java.nulls import code
from acumen.lang.java.nulls._names import Names
from acumen.lang.java.nulls.code import THIS


class Assignments(Names):
    def assignment(self, node: int) -> int:
        tree = self.tree
        left, right = tree.child(node, t.LEFT), tree.child(node, t.RIGHT)
        operator = tree.child(node, t.OPERATOR)
        if left < 0 or right < 0 or operator < 0:
            return self.constant(code.UNKNOWN)
        plain = tree.kind[operator] == "="
        target = self.bare_target(left)
        kind = tree.kind[target]
        base = place = -1
        if kind == "field_access":
            owner = tree.child(target, t.OBJECT)
            if not plain:
                self.value(target)
            elif owner >= 0 and not self.is_class(owner):
                base = self.value(owner)
                self.deref(owner, base, code.BY_FIELD)
        elif kind == "array_access":
            array, index = tree.child(target, t.ARRAY), tree.child(target, t.INDEX)
            if array < 0 or index < 0:
                return self.constant(code.UNKNOWN)
            base, place = self.value(array), self.value(index)
            self.deref(array, base, code.BY_INDEX)
        if tree.kind[operator] in ("|=", "&=") and self.is_condition(right):
            register = self.gathered(target, right, tree.kind[operator])
            self.write(target, register, base, place)
            return register
        register = self.value(right)
        if not plain:
            # What x += y gives is a number, a truth value or a string.
            if tree.kind[operator] != "+=":
                self.number(right, register)
            register = self.constant(code.NONNULL)
        elif kind == "identifier" and self.is_primitive(target):
            self.number(right, register)
        self.write(target, register, base, place)
        return register

    def is_condition(self, node: int) -> bool:
        """Whether an expression is a truth value, by what it looks like."""
        tree = self.tree
        node = tree.bare(node)
        if tree.kind[node] == "binary_expression":
            operator = tree.child(node, t.OPERATOR)
            spelt = tree.kind[operator] if operator >= 0 else ""
            if spelt in ("|", "&"):
                return self.joins_conditions(node)
            return spelt in ("==", "!=", "&&", "||")
        return tree.kind[node] == "instanceof_expression"

    def joins_conditions(self, node: int) -> bool:
        """Whether ``|`` or ``&`` stands between truth values, as far as one can see."""
        tree = self.tree
        while tree.kind[node] == "binary_expression":
            operator = tree.child(node, t.OPERATOR)
            left, right = tree.child(node, t.LEFT), tree.child(node, t.RIGHT)
            if min(operator, left, right) < 0 or tree.kind[operator] not in ("|", "&"):
                return self.is_condition(node)
            if tree.kind[right] != "binary_expression":
                node = left
            else:
                return self.is_condition(right)
        return False

    def gathered(self, target: int, right: int, operator: str) -> int:
        """``x |= condition``: which way was taken tells what it was."""
        before = self.value(target)
        yes, no, more = (self.label() for _ in range(3))
        if operator == "|=":
            self.emit(code.IF_TRUE, a=before, c=yes, e=more)
        else:
            self.emit(code.IF_TRUE, a=before, c=more, e=no)
        self.place(more)
        self.decide(right, yes, no)
        return self.truth_at(yes, no)

    def truth(self, node: int) -> int:
        """A condition as a value: what it tells is kept by which way was taken."""
        yes, no = self.label(), self.label()
        self.decide(node, yes, no)
        return self.truth_at(yes, no)

    def truth_at(self, yes: int, no: int) -> int:
        """True for those who go to one label, false for those who go to the other."""
        made, end = self.new(), self.label()
        self.place(yes)
        self.emit(code.CONST, made, code.TRUE)
        self.jump(end)
        self.place(no)
        self.emit(code.CONST, made, code.FALSE)
        self.place(end)
        return made

    def bare_target(self, node: int) -> int:
        while self.tree.kind[node] == "parenthesized_expression":
            inner = self.tree.kids(node)
            if not inner:
                return node
            node = inner[0]
        return node

    def write(self, target: int, register: int, base: int = -1, place: int = -1) -> None:
        tree = self.tree
        kind = tree.kind[target]
        at = tree.start[target]
        if kind == "identifier":
            if tree.role.get(target, 0) in t.VARIABLES:
                self.emit(code.COPY, self.register(target), register, at=at)
            else:
                # A class's field is nobody's own, even where no class is named.
                shared = 1 if tree.declared.get(target, -1) in self.statics else -1
                self.emit(code.STORE, a=THIS, b=register, c=self.name(target), e=shared, at=at)
        elif kind == "field_access":
            name = tree.child(target, t.FIELD)
            if name >= 0:
                self.emit(code.STORE, a=base, b=register, c=self.name(name), at=tree.start[name])
        elif kind == "array_access":
            self.emit(code.SET_INDEX, a=base, b=place, c=register, at=at)

    def name(self, node: int) -> int:
        return self.pool.text(self.tree.text(node))

    def update(self, node: int) -> int:
        inner = self.tree.kids(node)
        if not inner:
            return self.constant(code.UNKNOWN)
        target = self.bare_target(inner[0])
        register = self.value(target)
        self.number(target, register)
        made = self.new()
        text = self.tree.text(node)
        self.emit(code.STEP, made, register, c=1 if "+" in text[:2] + text[-2:] else -1)
        if self.tree.kind[target] == "identifier":
            self.write(target, made)
        return made
