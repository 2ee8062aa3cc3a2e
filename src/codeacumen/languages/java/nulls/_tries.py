"""Ways out: return, throw, and the blocks that run or catch on the way."""

from __future__ import annotations

from codeacumen.languages.java.nulls import _tree as t
from codeacumen.languages.java.nulls import code
from codeacumen.languages.java.nulls._expressions import Conditions
from codeacumen.languages.java.nulls.code import Frame
from codeacumen.languages.java.nulls.models import NEVER_THROWN, catches


class Tries(Conditions):
    def returning(self, node: int) -> None:
        inner = self.tree.kids(node)
        register = -1
        if inner:
            register = self.value(inner[0])
            if self.returns_primitive:
                self.number(inner[0], register)
        self.leave(None)
        if self.in_function():
            self.emit(code.HALT)
            return
        at = self.tree.start[inner[0]] if inner else self.tree.start[node]
        self.emit(code.RETURN, a=register, at=at)

    def in_function(self) -> bool:
        at: Frame | None = self.frame
        while at is not None:
            if at.kind == "function":
                return True
            at = at.outer
        return False

    def leave(self, goal: Frame | None) -> None:
        """Runs each finally block between here and a frame that is left for."""
        here = self.frame
        at: Frame | None = here
        while at is not None and at is not goal:
            if at.kind == "finally" and at.outer is not None:
                self.frame = at.outer
                self.finish(at.node)
            at = at.outer
        self.frame = here

    def finish(self, node: int) -> None:
        body = self.tree.first(node, "block")
        if body >= 0:
            self.statement(body)

    def throwing(self, node: int) -> None:
        tree = self.tree
        inner = tree.kids(node)
        thrown = ""
        if inner:
            register = self.value(inner[0])
            self.deref(inner[0], register, code.BY_THROW)
            bare = tree.bare(inner[0])
            if tree.kind[bare] == "object_creation_expression":
                type_ = tree.child(bare, t.TYPE)
                thrown = tree.text(self.simple(type_)) if type_ >= 0 else ""
        self.raised(thrown, tree.start[node])

    def raised(self, thrown: str, at: int) -> None:
        """To the first catch that is sure to take it; to any that may."""
        here = self.frame
        frame: Frame | None = here
        while frame is not None:
            if frame.kind == "try":
                for clause, label in self.clauses.get(frame.node, ()):
                    sure = catches(self.caught_types(clause), thrown)
                    if sure is None or sure:
                        self.leave(frame)
                        if sure:
                            self.jump(label)
                            return
                        after = self.label()
                        self.emit(code.EITHER, c=label, e=after)
                        self.place(after)
            elif frame.kind == "finally":
                self.frame = frame
                self.emit(code.THROW, c=self.pool.text(thrown) if thrown else -1, at=at)
                self.frame = here
                return
            frame = frame.outer
        self.frame = Frame("method", None, -1)
        self.emit(code.THROW, c=self.pool.text(thrown) if thrown else -1, at=at)
        self.frame = here

    def caught_types(self, clause: int) -> list[str]:
        tree = self.tree
        formal = tree.first(clause, "catch_formal_parameter")
        listed = tree.first(formal, "catch_type") if formal >= 0 else -1
        if listed < 0:
            return []
        return [tree.text(one).rpartition(".")[2] for one in tree.kids(listed)]

    def trying(self, node: int) -> None:
        tree = self.tree
        here = self.frame
        clauses = [one for one in tree.kids(node) if tree.kind[one] == "catch_clause"]
        last = tree.first(node, "finally_clause")
        done = self.label()
        outer = here
        failed = self.label() if last >= 0 else -1
        if last >= 0:
            outer = Frame("finally", here, failed, last)
        hub = self.label() if clauses else -1
        inner = Frame("try", outer, hub, node) if clauses else outer
        self.clauses[node] = [(one, self.label()) for one in clauses]
        caught = any("NullPointerException" in self.caught_types(one) for one in clauses)
        self.caught += caught
        self.frame = inner
        resources = tree.child(node, t.RESOURCES)
        if resources >= 0:
            self.resources(resources)
        self.body_of(node)
        self.caught -= caught
        self.frame = outer
        self.jump(done)
        if clauses:
            self.place(hub)
            for clause, label in self.clauses[node]:
                following = self.label()
                types = self.pool.text("|".join(self.caught_types(clause)))
                self.emit(code.IF_CAUGHT, a=types, c=label, e=following)
                self.place(following)
            self.emit(code.THROW)
            for clause, label in self.clauses[node]:
                self.place(label)
                self.catching(clause)
                self.jump(done)
        self.frame = here
        if last >= 0:
            self.place(failed)
            self.finish(last)
            self.emit(code.THROW)
        self.place(done)
        if last >= 0:
            self.finish(last)

    def catching(self, clause: int) -> None:
        formal = self.tree.first(clause, "catch_formal_parameter")
        name = self.tree.child(formal, t.NAME) if formal >= 0 else -1
        if set(self.caught_types(clause)) <= NEVER_THROWN:
            self.emit(code.HALT)
        if name >= 0:
            self.emit(code.CONST, self.register(name), code.NONNULL)
        self.body_of(clause)

    def resources(self, node: int) -> None:
        tree = self.tree
        for one in tree.kids(node):
            name, value = tree.child(one, t.NAME), tree.child(one, t.VALUE)
            if name >= 0 and value >= 0:
                register = self.value(value)
                self.emit(code.COPY, self.register(name), register, at=tree.start[name])

    def body_of(self, node: int) -> None:
        body = self.tree.child(node, t.BODY)
        if body >= 0 and self.tree.named[body]:
            self.statement(body)
