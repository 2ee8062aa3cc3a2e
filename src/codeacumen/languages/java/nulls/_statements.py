"""Statements, translated.

Switches, translated: one test for each label.
"""

from __future__ import annotations

from collections.abc import Callable

from codeacumen.languages.java.nulls import _tree as t
from codeacumen.languages.java.nulls import code
from codeacumen.languages.java.nulls._tries import Tries
from codeacumen.languages.java.nulls.code import DEEPEST, PRIMITIVES, Frame, UnreadableError


class Switches(Tries):
    def yielding(self, node: int) -> None:
        inner = self.tree.kids(node)
        register = self.value(inner[0]) if inner else -1
        self.answer(register)

    def answer(self, register: int) -> None:
        at: Frame | None = self.frame
        while at is not None and at.kind != "answer":
            at = at.outer
        if at is None:
            self.emit(code.HALT)
            return
        if at.result >= 0 and register >= 0:
            self.emit(code.COPY, at.result, register)
        self.leave(at)
        self.jump(at.broken)

    def choose(self, node: int, result: int) -> None:
        tree = self.tree
        selector, block = tree.child(node, t.CONDITION), tree.child(node, t.BODY)
        if selector < 0 or block < 0:
            return
        here = self.frame
        register = self.value(selector)
        groups = tree.kids(block)
        labels = [
            [one for one in tree.kids(group) if tree.kind[one] == "switch_label"]
            for group in groups
        ]
        accepts_null = any(
            tree.kind[case] == "null_literal"
            for listed in labels
            for one in listed
            for case in tree.kids(one)
        )
        bare = tree.bare(selector)
        if not accepts_null and not self.is_primitive(bare):
            self.deref(selector, register, code.BY_SWITCH)
        end = self.label()
        is_value = result >= 0
        self.frame = Frame(
            "answer" if is_value else "switch", here, here.handler, node, end, result=result
        )
        starts = [self.label() for _ in groups]
        self.switch_at = tree.start[node]
        default = self.heads(labels, starts, register)
        if default >= 0:
            self.jump(default)
        elif is_value:
            self.emit(code.HALT)
        else:
            self.jump(end)
        for group, start in zip(groups, starts, strict=True):
            self.place(start)
            self.group(group, end, is_value)
        self.place(end)
        self.frame = here

    def heads(self, labels: list[list[int]], starts: list[int], register: int) -> int:
        """One test for each label, in order; the label of the default, -1 if there is none."""
        tree = self.tree
        default = -1
        for listed, start in zip(labels, starts, strict=True):
            for one in listed:
                cases = tree.kids(one)
                if not cases or tree.first(one, "default") >= 0:
                    default = start
                guard = next((case for case in cases if tree.kind[case] == "guard"), -1)
                for case in cases:
                    if tree.kind[case] != "guard":
                        self.head(case, guard, start, register)
        return default

    def head(self, case: int, guard: int, start: int, register: int) -> None:
        tree = self.tree
        kind = tree.kind[case]
        following = self.label()
        if kind == "null_literal":
            self.emit(code.IF_NULL, a=register, c=start, e=following)
        elif kind in ("pattern", "type_pattern", "record_pattern"):
            bound = self.label()
            self.emit(code.IF_KIND, a=register, c=bound, e=following)
            self.place(bound)
            pattern = case if kind != "pattern" else next(iter(tree.kids(case)), case)
            self.bind(pattern, register)
            if guard >= 0 and tree.kids(guard):
                self.decide(tree.kids(guard)[0], start, following)
            else:
                self.jump(start)
        else:
            constant = self.new()
            self.emit(code.TEXT, constant, c=self.pool.text(tree.text(case).rpartition(".")[2]))
            self.emit(
                code.IF_EQUAL, a=register, b=constant, c=start, e=following, at=self.switch_at
            )
        self.place(following)

    def group(self, group: int, end: int, is_value: bool) -> None:
        tree = self.tree
        rule = tree.kind[group] == "switch_rule"
        for one in tree.kids(group):
            kind = tree.kind[one]
            if kind == "switch_label":
                continue
            if rule and is_value and kind == "expression_statement":
                inner = tree.kids(one)
                self.answer(self.value(inner[0]) if inner else -1)
            else:
                self.statement(one)
        if rule:
            self.jump(end)

    def switch_statement(self, node: int) -> None:
        self.choose(node, -1)


class Statements(Switches):
    def statement(self, node: int) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise UnreadableError
        _STATEMENTS.get(self.tree.kind[node], _other)(self, node)
        self.depth -= 1

    def declaration(self, node: int) -> None:
        tree = self.tree
        type_ = tree.child(node, t.TYPE)
        plain = type_ >= 0 and tree.kind[type_] in PRIMITIVES
        for one in tree.kids(node):
            if tree.kind[one] != "variable_declarator":
                continue
            name, value = tree.child(one, t.NAME), tree.child(one, t.VALUE)
            if name < 0:
                continue
            primitive = plain and tree.child(one, t.DIMENSIONS) < 0
            if primitive:
                self.primitive.add(tree.symbol.get(name, -1))
            if value >= 0:
                register = self.value(value)
                if primitive:
                    self.number(value, register)
                self.emit(code.COPY, self.register(name), register, at=tree.start[name])

    def expression_statement(self, node: int) -> None:
        for one in self.tree.kids(node):
            self.value(one)

    def block(self, node: int) -> None:
        self.statements(self.tree.kids(node))

    def asserting(self, node: int) -> None:
        inner = self.tree.kids(node)
        if not inner:
            return
        yes, no = self.label(), self.label()
        self.decide(inner[0], yes, no)
        self.place(no)
        self.emit(code.HALT)
        self.place(yes)

    def synchronized(self, node: int) -> None:
        tree = self.tree
        lock = tree.first(node, "parenthesized_expression")
        if lock >= 0:
            self.deref(lock, self.value(lock), code.BY_LOCK)
        body = tree.child(node, t.BODY)
        if body >= 0:
            self.statement(body)

    def choice(self, node: int) -> None:
        """``if``, and the chain of ``else if`` after it without going down."""
        tree = self.tree
        end = self.label()
        while True:
            condition = tree.child(node, t.CONDITION)
            then, other = tree.child(node, t.CONSEQUENCE), tree.child(node, t.ALTERNATIVE)
            if condition < 0:
                break
            yes, no = self.label(), self.label()
            self.decide(condition, yes, no)
            self.place(yes)
            if then >= 0:
                self.statement(then)
            self.jump(end)
            self.place(no)
            if other < 0:
                break
            if tree.kind[other] != "if_statement":
                self.statement(other)
                break
            node = other
        self.place(end)

    def loop(self, node: int) -> None:
        """``while`` and ``for``."""
        tree = self.tree
        here = self.frame
        for one in self.parts(node, t.INIT):
            if tree.kind[one] == "local_variable_declaration":
                self.statement(one)
            else:
                self.value(one)
        again, body, step, end = (self.label() for _ in range(4))
        self.frame = self.looping(node, end, step)
        self.place(again)
        condition = tree.child(node, t.CONDITION)
        if condition >= 0:
            self.decide(condition, body, end)
        self.place(body)
        self.body_of(node)
        self.place(step)
        for one in self.parts(node, t.UPDATE):
            self.value(one)
        self.jump(again)
        self.place(end)
        self.frame = here

    def parts(self, node: int, which: int) -> list[int]:
        return [one for one in self.tree.kids(node) if self.tree.field[one] == which]

    def looping(self, node: int, end: int, step: int) -> Frame:
        here = self.frame
        word = ""
        above = self.tree.parent[node]
        if self.tree.kind[above] == "labeled_statement":
            word = self.tree.text(above + 1)
        return Frame("loop", here, here.handler, node, end, step, word)

    def doing(self, node: int) -> None:
        here = self.frame
        again, step, end = self.label(), self.label(), self.label()
        self.frame = self.looping(node, end, step)
        self.place(again)
        self.body_of(node)
        self.place(step)
        condition = self.tree.child(node, t.CONDITION)
        if condition >= 0:
            self.decide(condition, again, end)
        self.place(end)
        self.frame = here

    def each(self, node: int) -> None:
        tree = self.tree
        name, value = tree.child(node, t.NAME), tree.child(node, t.VALUE)
        if value < 0:
            return
        here = self.frame
        register = self.value(value)
        self.deref(value, register, code.BY_LOOP)
        again, body, end = self.label(), self.label(), self.label()
        self.frame = self.looping(node, end, again)
        # What is not empty is entered.
        self.emit(code.EITHER, a=register, c=body, e=again)
        self.place(again)
        self.emit(code.EITHER, c=body, e=end)
        self.place(body)
        if name >= 0:
            made = self.register(name)
            self.emit(code.EACH, made, register, at=tree.start[name])
            type_ = tree.child(node, t.TYPE)
            if type_ >= 0 and tree.kind[type_] in PRIMITIVES:
                self.primitive.add(tree.symbol.get(name, -1))
        self.body_of(node)
        self.jump(again)
        self.place(end)
        self.frame = here

    def labeled(self, node: int) -> None:
        inner = self.tree.kids(node)
        if len(inner) < 2:
            return
        here = self.frame
        end = self.label()
        word = self.tree.text(inner[0])
        self.frame = Frame("label", here, here.handler, node, end, -1, word)
        self.statement(inner[1])
        self.frame = here
        self.place(end)

    def jumping(self, node: int) -> None:
        """break, continue."""
        tree = self.tree
        inner = tree.kids(node)
        word = tree.text(inner[0]) if inner else ""
        breaks = tree.kind[node] == "break_statement"
        at: Frame | None = self.frame
        while at is not None:
            label = at.broken if breaks else at.continued
            named = word and at.word == word
            plain = not word and (at.kind == "loop" or (breaks and at.kind == "switch"))
            if label >= 0 and (named or plain):
                self.leave(at)
                self.jump(label)
                return
            at = at.outer
        self.emit(code.HALT)


def _other(self: Statements, node: int) -> None:
    kind = self.tree.kind[node]
    if kind.endswith("_expression") or kind == "method_invocation":
        self.value(node)


_STATEMENTS: dict[str, Callable[[Statements, int], None]] = {
    "block": Statements.block,
    "constructor_body": Statements.block,
    "local_variable_declaration": Statements.declaration,
    "expression_statement": Statements.expression_statement,
    "explicit_constructor_invocation": Statements.construction,
    "return_statement": Statements.returning,
    "throw_statement": Statements.throwing,
    "assert_statement": Statements.asserting,
    "synchronized_statement": Statements.synchronized,
    "if_statement": Statements.choice,
    "while_statement": Statements.loop,
    "for_statement": Statements.loop,
    "do_statement": Statements.doing,
    "enhanced_for_statement": Statements.each,
    "labeled_statement": Statements.labeled,
    "break_statement": Statements.jumping,
    "continue_statement": Statements.jumping,
    "yield_statement": Statements.yielding,
    "switch_expression": Statements.switch_statement,
    "try_statement": Statements.trying,
    "try_with_resources_statement": Statements.trying,
}
