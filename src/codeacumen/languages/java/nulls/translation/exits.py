"""Translation of return, throw and try: exits, and the blocks that run or catch on the way."""

from __future__ import annotations

from codeacumen.languages.java.nulls.library_models import NEVER_THROWN, catches_exception
from codeacumen.languages.java.nulls.translation import instructions as ir
from codeacumen.languages.java.nulls.translation import tree as t
from codeacumen.languages.java.nulls.translation.expressions import ConditionTranslator
from codeacumen.languages.java.nulls.translation.instructions import Frame


class ExitTranslator(ConditionTranslator):
    """Translate statements that leave a block, and the handlers of exceptions.

    Before each exit the finally blocks on the way are translated again, as javac does.
    """

    def translate_return(self, node: int) -> None:
        """Translate ``return``; in a lambda it only ends the path."""
        inner = self.tree.named_children(node)
        register = -1
        if inner:
            register = self.translate_expression(inner[0])
            if self.returns_primitive:
                self.emit_unboxing(inner[0], register)
        self.run_finally_blocks(None)
        if self.is_in_lambda():
            self.emit(ir.HALT)
            return
        offset = self.tree.start[inner[0]] if inner else self.tree.start[node]
        self.emit(ir.RETURN, a=register, offset=offset)

    def is_in_lambda(self) -> bool:
        """Return whether the current code is in the body of a lambda (a frame ``function``)."""
        frame: Frame | None = self.frame
        while frame is not None:
            if frame.kind == "function":
                return True
            frame = frame.outer
        return False

    def run_finally_blocks(self, goal: Frame | None) -> None:
        """Translate each finally block from the current frame up to ``goal``, which stays out.

        None stands for all frames of the method.
        """
        current = self.frame
        frame: Frame | None = current
        while frame is not None and frame is not goal:
            if frame.kind == "finally" and frame.outer is not None:
                self.frame = frame.outer
                self.translate_finally(frame.node)
            frame = frame.outer
        self.frame = current

    def translate_finally(self, node: int) -> None:
        """Translate the block of a finally clause once."""
        body = self.tree.first_child_of_kind(node, "block")
        if body >= 0:
            self.translate_statement(body)

    def translate_throw(self, node: int) -> None:
        """Translate ``throw``; the class is known only for ``throw new``."""
        tree = self.tree
        inner = tree.named_children(node)
        class_name = ""
        if inner:
            register = self.translate_expression(inner[0])
            self.emit_dereference(inner[0], register, ir.BY_THROW)
            unwrapped = tree.unwrap_expression(inner[0])
            if tree.kind[unwrapped] == "object_creation_expression":
                type_ = tree.child(unwrapped, t.TYPE)
                class_name = tree.text(self.find_simple_type(type_)) if type_ >= 0 else ""
        self.emit_throw(class_name, tree.start[node])

    def emit_throw(self, class_name: str, offset: int) -> None:
        """Emit jumps to the catch clauses that may take an exception, up to the first that must.

        ``class_name`` is the simple name of the exception's class, empty if it is unknown.
        """
        current = self.frame
        frame: Frame | None = current
        while frame is not None:
            if frame.kind == "try":
                for clause, label in self.clauses.get(frame.node, ()):
                    is_caught = catches_exception(self.caught_types(clause), class_name)
                    if is_caught is None or is_caught:
                        self.run_finally_blocks(frame)
                        if is_caught:
                            self.emit_jump(label)
                            return
                        otherwise = self.new_label()
                        self.emit(ir.EITHER, c=label, e=otherwise)
                        self.place_label(otherwise)
            elif frame.kind == "finally":
                # ``emit`` takes the handler from ``self.frame``: here the label of the finally
                # block, where the exception goes on.
                self.frame = frame
                self.emit(
                    ir.THROW,
                    c=self.pool.intern_text(class_name) if class_name else -1,
                    offset=offset,
                )
                self.frame = current
                return
            frame = frame.outer
        # A frame without a handler: the exception leaves the method.
        self.frame = Frame("method", None, -1)
        self.emit(
            ir.THROW, c=self.pool.intern_text(class_name) if class_name else -1, offset=offset
        )
        self.frame = current

    def caught_types(self, clause: int) -> list[str]:
        """Return the simple names of the classes that a catch clause catches."""
        tree = self.tree
        parameter = tree.first_child_of_kind(clause, "catch_formal_parameter")
        type_list = tree.first_child_of_kind(parameter, "catch_type") if parameter >= 0 else -1
        if type_list < 0:
            return []
        return [tree.text(type_).rpartition(".")[2] for type_ in tree.named_children(type_list)]

    def translate_try(self, node: int) -> None:
        """Translate ``try``: resources and body, one test for each catch clause, then the clauses.

        An exception that no clause catches is thrown on. The finally block is translated twice: for
        exceptions, which are thrown on after it, and for the normal end.
        """
        tree = self.tree
        outer_frame = self.frame
        clauses = [
            child for child in tree.named_children(node) if tree.kind[child] == "catch_clause"
        ]
        finally_clause = tree.first_child_of_kind(node, "finally_clause")
        done_label = self.new_label()
        finally_frame = outer_frame
        failed_label = self.new_label() if finally_clause >= 0 else -1
        if finally_clause >= 0:
            finally_frame = Frame("finally", outer_frame, failed_label, finally_clause)
        dispatch_label = self.new_label() if clauses else -1
        try_frame = Frame("try", finally_frame, dispatch_label, node) if clauses else finally_frame
        self.clauses[node] = [(catch, self.new_label()) for catch in clauses]
        catches_null = any("NullPointerException" in self.caught_types(catch) for catch in clauses)
        # In a block whose NullPointerException is caught, ``emit_dereference`` emits nothing.
        self.caught += catches_null
        self.frame = try_frame
        resources = tree.child(node, t.RESOURCES)
        if resources >= 0:
            self.translate_resources(resources)
        self.translate_body(node)
        self.caught -= catches_null
        self.frame = finally_frame
        self.emit_jump(done_label)
        if clauses:
            self.place_label(dispatch_label)
            for clause, label in self.clauses[node]:
                following = self.new_label()
                types = self.pool.intern_text("|".join(self.caught_types(clause)))
                self.emit(ir.IF_CAUGHT, a=types, c=label, e=following)
                self.place_label(following)
            self.emit(ir.THROW)
            for clause, label in self.clauses[node]:
                self.place_label(label)
                self.translate_catch(clause)
                self.emit_jump(done_label)
        self.frame = outer_frame
        if finally_clause >= 0:
            self.place_label(failed_label)
            self.translate_finally(finally_clause)
            self.emit(ir.THROW)
        self.place_label(done_label)
        if finally_clause >= 0:
            self.translate_finally(finally_clause)

    def translate_catch(self, clause: int) -> None:
        """Translate the body of a catch clause, whose exception is never null."""
        parameter = self.tree.first_child_of_kind(clause, "catch_formal_parameter")
        name = self.tree.child(parameter, t.NAME) if parameter >= 0 else -1
        # The analysis assumes that these checked exceptions never occur, so the body never runs.
        if set(self.caught_types(clause)) <= NEVER_THROWN:
            self.emit(ir.HALT)
        if name >= 0:
            self.emit(ir.CONST, self.variable_register(name), ir.NONNULL)
        self.translate_body(clause)

    def translate_resources(self, node: int) -> None:
        tree = self.tree
        for resource in tree.named_children(node):
            name, value = tree.child(resource, t.NAME), tree.child(resource, t.VALUE)
            if name >= 0 and value >= 0:
                register = self.translate_expression(value)
                self.emit(ir.COPY, self.variable_register(name), register, offset=tree.start[name])

    def translate_body(self, node: int) -> None:
        """Translate the statement in the body of a loop, a try or a clause, if there is one."""
        body = self.tree.child(node, t.BODY)
        if body >= 0 and self.tree.is_named[body]:
            self.translate_statement(body)
