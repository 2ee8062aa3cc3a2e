"""Switches, translated: one test for each label."""

from __future__ import annotations

from acumen.lang.java.nulls import _tree as t
from acumen.lang.java.nulls import code
from acumen.lang.java.nulls._builder import Frame
from acumen.lang.java.nulls._tries import Tries


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
            for listed in labels for one in listed for case in tree.kids(one)
        )  # fmt: skip
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
