"""Calls, new objects and functions, translated.

Assignments, translated: what is evaluated first, what is written where.
"""

from __future__ import annotations

from codeacumen.languages.java.nulls import _tree as t
from codeacumen.languages.java.nulls import code
from codeacumen.languages.java.nulls.code import SOLID, THIS, Frame, Names


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


# Of a call: the receiver or the arguments make a new object; it is the object's own constructor
# or its superclass's.
CREATES, CONSTRUCTS, SUPER = 1, 2, 4


_PRIMITIVE_NAMES = frozenset(("int", "long", "boolean", "char", "byte", "short", "float", "double"))


class Invocations(Assignments):
    def invocation(self, node: int) -> int:
        """A chain of calls from the inside out: chains may be long."""
        tree = self.tree
        chain = [node]
        while True:
            base = tree.child(chain[-1], t.OBJECT)
            if base < 0 or tree.kind[base] != "method_invocation":
                break
            chain.append(base)
        base = tree.child(chain[-1], t.OBJECT)
        receiver = -1
        if base >= 0 and not self.is_class(base):
            receiver = THIS if tree.kind[base] in ("this", "super") else self.value(base)
        while chain:
            call = chain.pop()
            receiver = self.call(call, base, receiver)
            base = call
        return receiver

    def call(self, node: int, base: int, receiver: int) -> int:
        tree = self.tree
        name, listed = tree.child(node, t.NAME), tree.child(node, t.ARGUMENTS)
        if name < 0:
            return self.constant(code.UNKNOWN)
        flags = 0
        if base < 0:
            receiver = THIS
        elif tree.kind[base] == "super":
            flags = SUPER
        nodes = tree.kids(listed) if listed >= 0 else []
        arguments = [self.value(one) for one in nodes]
        if base >= 0 and receiver > 0:
            site = self.sites.get(tree.start[name])
            if site is None or site.kind != "S":
                self.deref(base, receiver, code.BY_CALL)
        return self.called(node, name, receiver, nodes, arguments, flags)

    def called(
        self,
        node: int,
        name: int,
        receiver: int,
        nodes: list[int],
        arguments: list[int],
        flags: int,
    ) -> int:
        tree, pool = self.tree, self.pool
        site = self.sites.get(tree.start[name])
        made = self.new()
        label, targets = pool.text(tree.text(name)), 0
        if site is not None and not (site.ambiguous and not site.inside):
            label = pool.text(site.callee)
            if not site.ambiguous and site.inside:
                targets = pool.target(site.targets)
            if "(" in site.callee:
                types = site.callee.rpartition("(")[2].rstrip(")").split(",")
                for one, register, type_ in zip(nodes, arguments, types, strict=False):
                    if type_ in _PRIMITIVE_NAMES:
                        self.number(one, register)
        row = len(pool.calls)
        pool.calls += (label, targets, flags, receiver, self.call_expression(node, name))
        pool.calls.append(len(arguments))
        for one, register in zip(nodes, arguments, strict=True):
            bare = tree.bare(one)
            solid = tree.kind[bare] in SOLID
            pool.calls.append(register)
            pool.calls.append(-1 if solid or self.caught else self.expression(one))
        self.emit(code.CALL, made, c=row, at=tree.start[name])
        return made

    def call_expression(self, node: int, name: int) -> int:
        tree, pool = self.tree, self.pool
        text = f"{tree.text(name)}()"
        pool.expressions += (pool.text(text), pool.text(tree.text(name)), tree.start[name], 1)
        return len(pool.expressions) // 4 - 1

    def creation(self, node: int) -> int:
        tree = self.tree
        type_, listed = tree.child(node, t.TYPE), tree.child(node, t.ARGUMENTS)
        if type_ < 0:
            return self.constant(code.NONNULL)
        first = node + 1
        if tree.named[first] and tree.kind[first] not in ("annotation", "marker_annotation"):
            outer = self.value(first)
            self.deref(first, outer, code.BY_CALL)
        nodes = tree.kids(listed) if listed >= 0 else []
        arguments = [self.value(one) for one in nodes]
        return self.called(node, self.simple(type_), -1, nodes, arguments, CREATES)

    def simple(self, node: int) -> int:
        """The node of a type's simple name."""
        tree = self.tree
        while True:
            parts = [
                one
                for one in tree.kids(node)
                if tree.kind[one] in ("type_identifier", "scoped_type_identifier", "generic_type")
            ]
            if not parts:
                return node
            node = parts[-1]

    def construction(self, node: int) -> None:
        """``this(...)`` and ``super(...)``."""
        tree = self.tree
        word, listed = tree.child(node, t.CONSTRUCTOR), tree.child(node, t.ARGUMENTS)
        if word < 0:
            return
        nodes = tree.kids(listed) if listed >= 0 else []
        arguments = [self.value(one) for one in nodes]
        flags = CONSTRUCTS if tree.kind[word] == "this" else CONSTRUCTS | SUPER
        self.called(node, word, THIS, nodes, arguments, flags)

    def function(self, node: int) -> int:
        """A reference to a method of an object needs the object."""
        if self.tree.kind[node] == "lambda_expression":
            self.lambda_body(node)
        elif not self.is_class(node + 1) and self.tree.named[node + 1]:
            kind = self.tree.kind[node + 1]
            if kind not in ("super", "array_type", "this"):
                self.deref(node + 1, self.value(node + 1), code.BY_CALL)
        return self.constant(code.NONNULL)

    def lambda_body(self, node: int) -> None:
        """A lambda runs some other time, or never: what it sees of local variables is what they
        are now, and what it does is gone when it ends."""
        tree = self.tree
        body, listed = tree.child(node, t.BODY), tree.child(node, t.PARAMETERS)
        if body < 0:
            return
        here, caught, primitive = self.frame, self.caught, self.returns_primitive
        inside, after = self.label(), self.label()
        self.emit(code.EITHER, c=inside, e=after)
        self.place(inside)
        self.emit(code.AWAY)
        self.frame = Frame("function", None, -1, node)
        self.caught, self.returns_primitive = 0, False
        for name in self.lambda_names(listed):
            self.emit(code.CONST, self.register(name), code.UNKNOWN)
        if tree.kind[body] == "block":
            self.statement(body)
        else:
            self.value(body)
        self.emit(code.HALT)
        self.frame, self.caught, self.returns_primitive = here, caught, primitive
        self.place(after)

    def lambda_names(self, listed: int) -> list[int]:
        tree = self.tree
        if listed < 0:
            return []
        if tree.kind[listed] == "identifier":
            return [listed]
        found = []
        for one in tree.kids(listed):
            name = one if tree.kind[one] == "identifier" else tree.child(one, t.NAME)
            if name >= 0:
                found.append(name)
        return found
