"""Translation of statements into instructions; switches become one test for each case.

``StatementTranslator`` is the last of the chain of classes that ``instructions`` describes;
``facts`` uses it.
"""

from __future__ import annotations

from collections.abc import Callable

from codeacumen.languages.java.nulls.translation import instructions as ir
from codeacumen.languages.java.nulls.translation import tree as t
from codeacumen.languages.java.nulls.translation.exits import ExitTranslator
from codeacumen.languages.java.nulls.translation.instructions import (
    DEEPEST_NESTING,
    PRIMITIVES,
    Frame,
    UnreadableError,
)


class SwitchTranslator(ExitTranslator):
    """Translate switch statements and switch expressions."""

    def translate_yield(self, node: int) -> None:
        inner = self.tree.named_children(node)
        register = self.translate_expression(inner[0]) if inner else -1
        self.emit_switch_result(register)

    def emit_switch_result(self, register: int) -> None:
        """Emit the result of the innermost switch expression, and the jump to its end.

        ``register`` holds the result (-1: none).
        """
        frame: Frame | None = self.frame
        while frame is not None and frame.kind != "answer":
            frame = frame.outer
        if frame is None:
            self.emit(ir.HALT)
            return
        if frame.result >= 0 and register >= 0:
            self.emit(ir.COPY, frame.result, register)
        self.run_finally_blocks(frame)
        self.emit_jump(frame.break_label)

    def translate_switch(self, node: int, result: int) -> None:
        """Translate a switch; ``result`` is the register of a switch expression, else -1."""
        tree = self.tree
        selector, block = tree.child(node, t.CONDITION), tree.child(node, t.BODY)
        if selector < 0 or block < 0:
            return
        outer_frame = self.frame
        register = self.translate_expression(selector)
        groups = tree.named_children(block)
        labels = [
            [child for child in tree.named_children(group) if tree.kind[child] == "switch_label"]
            for group in groups
        ]
        accepts_null = any(
            tree.kind[case] == "null_literal"
            for group_labels in labels
            for label in group_labels
            for case in tree.named_children(label)
        )
        unwrapped = tree.unwrap_expression(selector)
        if not accepts_null and not self.is_primitive(unwrapped):
            self.emit_dereference(selector, register, ir.BY_SWITCH)
        end = self.new_label()
        is_value = result >= 0
        self.frame = Frame(
            "answer" if is_value else "switch",
            outer_frame,
            outer_frame.handler,
            node,
            end,
            result=result,
        )
        starts = [self.new_label() for _ in groups]
        self.switch_at = tree.start[node]
        default = self.translate_labels(labels, starts, register)
        if default >= 0:
            self.emit_jump(default)
        elif is_value:
            # The cases of a switch expression without a default cover all values (JLS 15.28.1).
            self.emit(ir.HALT)
        else:
            self.emit_jump(end)
        for group, start in zip(groups, starts, strict=True):
            self.place_label(start)
            self.translate_group(group, end, is_value)
        self.place_label(end)
        self.frame = outer_frame

    def translate_labels(self, labels: list[list[int]], starts: list[int], register: int) -> int:
        """Emit one test for each case, in order; return the label of the default, or -1.

        ``labels`` holds the nodes of the case labels of each group, ``starts`` the label of the
        instructions of each group, and ``register`` the selector.
        """
        tree = self.tree
        default = -1
        for group_labels, start in zip(labels, starts, strict=True):
            for label in group_labels:
                cases = tree.named_children(label)
                if not cases or tree.first_child_of_kind(label, "default") >= 0:
                    default = start
                guard = next((case for case in cases if tree.kind[case] == "guard"), -1)
                for case in cases:
                    if tree.kind[case] != "guard":
                        self.translate_case(case, guard, start, register)
        return default

    def translate_case(self, case: int, guard: int, start: int, register: int) -> None:
        """Emit the test of one case, which jumps to ``start``; ``guard`` is -1 if there is none."""
        tree = self.tree
        kind = tree.kind[case]
        following = self.new_label()
        if kind == "null_literal":
            self.emit(ir.IF_NULL, a=register, c=start, e=following)
        elif kind in ("pattern", "type_pattern", "record_pattern"):
            matched = self.new_label()
            self.emit(ir.IF_KIND, a=register, c=matched, e=following)
            self.place_label(matched)
            pattern = case if kind != "pattern" else next(iter(tree.named_children(case)), case)
            self.bind_pattern(pattern, register)
            if guard >= 0 and tree.named_children(guard):
                self.translate_condition(tree.named_children(guard)[0], start, following)
            else:
                self.emit_jump(start)
        else:
            constant = self.new_register()
            self.emit(
                ir.TEXT, constant, c=self.pool.intern_text(tree.text(case).rpartition(".")[2])
            )
            self.emit(
                ir.IF_EQUAL, a=register, b=constant, c=start, e=following, offset=self.switch_at
            )
        self.place_label(following)

    def translate_group(self, group: int, end: int, is_value: bool) -> None:
        """Translate the statements of a group or rule; ``is_value`` is true in an expression."""
        tree = self.tree
        is_rule = tree.kind[group] == "switch_rule"
        for child in tree.named_children(group):
            kind = tree.kind[child]
            if kind == "switch_label":
                continue
            if is_rule and is_value and kind == "expression_statement":
                inner = tree.named_children(child)
                self.emit_switch_result(self.translate_expression(inner[0]) if inner else -1)
            else:
                self.translate_statement(child)
        if is_rule:
            self.emit_jump(end)

    def translate_switch_statement(self, node: int) -> None:
        self.translate_switch(node, -1)


class StatementTranslator(SwitchTranslator):
    """Translate statements; ``_TRANSLATORS`` maps each kind of node to its method."""

    def translate_statement(self, node: int) -> None:
        self.depth += 1
        if self.depth > DEEPEST_NESTING:
            raise UnreadableError
        _TRANSLATORS.get(self.tree.kind[node], _translate_other_statement)(self, node)
        self.depth -= 1

    def translate_declaration(self, node: int) -> None:
        """Translate the declaration of local variables with their initial values."""
        tree = self.tree
        type_ = tree.child(node, t.TYPE)
        has_primitive_type = type_ >= 0 and tree.kind[type_] in PRIMITIVES
        for declarator in tree.named_children(node):
            if tree.kind[declarator] != "variable_declarator":
                continue
            name, value = tree.child(declarator, t.NAME), tree.child(declarator, t.VALUE)
            if name < 0:
                continue
            is_primitive = has_primitive_type and tree.child(declarator, t.DIMENSIONS) < 0
            if is_primitive:
                self.primitive_symbols.add(tree.symbol.get(name, -1))
            if value >= 0:
                register = self.translate_expression(value)
                if is_primitive:
                    self.emit_unboxing(value, register)
                self.emit(ir.COPY, self.variable_register(name), register, offset=tree.start[name])

    def translate_expression_statement(self, node: int) -> None:
        for expression in self.tree.named_children(node):
            self.translate_expression(expression)

    def translate_block(self, node: int) -> None:
        self.translate_statements(self.tree.named_children(node))

    def translate_assert(self, node: int) -> None:
        """Translate ``assert`` as if assertions were enabled: the path ends if it fails."""
        inner = self.tree.named_children(node)
        if not inner:
            return
        holds, fails = self.new_label(), self.new_label()
        self.translate_condition(inner[0], holds, fails)
        self.place_label(fails)
        self.emit(ir.HALT)
        self.place_label(holds)

    def translate_synchronized(self, node: int) -> None:
        tree = self.tree
        lock = tree.first_child_of_kind(node, "parenthesized_expression")
        if lock >= 0:
            self.emit_dereference(lock, self.translate_expression(lock), ir.BY_LOCK)
        body = tree.child(node, t.BODY)
        if body >= 0:
            self.translate_statement(body)

    def translate_if(self, node: int) -> None:
        """Translate ``if`` and the chain of ``else if`` after it, without recursion."""
        tree = self.tree
        end = self.new_label()
        while True:
            condition = tree.child(node, t.CONDITION)
            consequence, alternative = (
                tree.child(node, t.CONSEQUENCE),
                tree.child(node, t.ALTERNATIVE),
            )
            if condition < 0:
                break
            if_true, if_false = self.new_label(), self.new_label()
            self.translate_condition(condition, if_true, if_false)
            self.place_label(if_true)
            if consequence >= 0:
                self.translate_statement(consequence)
            self.emit_jump(end)
            self.place_label(if_false)
            if alternative < 0:
                break
            if tree.kind[alternative] != "if_statement":
                self.translate_statement(alternative)
                break
            node = alternative
        self.place_label(end)

    def translate_loop(self, node: int) -> None:
        """Translate ``while`` and ``for``."""
        tree = self.tree
        outer_frame = self.frame
        for expression in self.children_in_field(node, t.INIT):
            if tree.kind[expression] == "local_variable_declaration":
                self.translate_statement(expression)
            else:
                self.translate_expression(expression)
        condition_label, body_label, step_label, end_label = (self.new_label() for _ in range(4))
        self.frame = self.make_loop_frame(node, end_label, step_label)
        self.place_label(condition_label)
        condition = tree.child(node, t.CONDITION)
        if condition >= 0:
            self.translate_condition(condition, body_label, end_label)
        self.place_label(body_label)
        self.translate_body(node)
        self.place_label(step_label)
        for expression in self.children_in_field(node, t.UPDATE):
            self.translate_expression(expression)
        self.emit_jump(condition_label)
        self.place_label(end_label)
        self.frame = outer_frame

    def children_in_field(self, node: int, field: int) -> list[int]:
        """Return the children in a field, without tokens and comments."""
        return [
            child for child in self.tree.named_children(node) if self.tree.field[child] == field
        ]

    def make_loop_frame(self, node: int, end: int, step: int) -> Frame:
        """Return the frame of a loop, with the loop's name if it is a labelled statement.

        ``end`` and ``step`` are the labels at which ``break`` and ``continue`` go on.
        """
        outer_frame = self.frame
        label = ""
        parent = self.tree.parent[node]
        if self.tree.kind[parent] == "labeled_statement":
            # The first child of a labelled statement is its label.
            label = self.tree.text(parent + 1)
        return Frame("loop", outer_frame, outer_frame.handler, node, end, step, label)

    def translate_do(self, node: int) -> None:
        outer_frame = self.frame
        again, step, end = self.new_label(), self.new_label(), self.new_label()
        self.frame = self.make_loop_frame(node, end, step)
        self.place_label(again)
        self.translate_body(node)
        self.place_label(step)
        condition = self.tree.child(node, t.CONDITION)
        if condition >= 0:
            self.translate_condition(condition, again, end)
        self.place_label(end)
        self.frame = outer_frame

    def translate_foreach(self, node: int) -> None:
        tree = self.tree
        name, value = tree.child(node, t.NAME), tree.child(node, t.VALUE)
        if value < 0:
            return
        outer_frame = self.frame
        register = self.translate_expression(value)
        self.emit_dereference(value, register, ir.BY_LOOP)
        again, body, end = self.new_label(), self.new_label(), self.new_label()
        self.frame = self.make_loop_frame(node, end, again)
        # The body runs at least once if the collection is known to be non-empty.
        self.emit(ir.EITHER, a=register, c=body, e=again)
        self.place_label(again)
        self.emit(ir.EITHER, c=body, e=end)
        self.place_label(body)
        if name >= 0:
            element = self.variable_register(name)
            self.emit(ir.EACH, element, register, offset=tree.start[name])
            type_ = tree.child(node, t.TYPE)
            if type_ >= 0 and tree.kind[type_] in PRIMITIVES:
                self.primitive_symbols.add(tree.symbol.get(name, -1))
        self.translate_body(node)
        self.emit_jump(again)
        self.place_label(end)
        self.frame = outer_frame

    def translate_labeled(self, node: int) -> None:
        """Translate a labelled statement; only a ``break`` with the label can target its frame."""
        inner = self.tree.named_children(node)
        if len(inner) < 2:
            return
        outer_frame = self.frame
        end = self.new_label()
        label = self.tree.text(inner[0])
        self.frame = Frame("label", outer_frame, outer_frame.handler, node, end, -1, label)
        self.translate_statement(inner[1])
        self.frame = outer_frame
        self.place_label(end)

    def translate_jump(self, node: int) -> None:
        """Translate ``break`` and ``continue``."""
        tree = self.tree
        inner = tree.named_children(node)
        label_name = tree.text(inner[0]) if inner else ""
        is_break = tree.kind[node] == "break_statement"
        frame: Frame | None = self.frame
        while frame is not None:
            target = frame.break_label if is_break else frame.continue_label
            matches_name = label_name and frame.label == label_name
            is_innermost = not label_name and (
                frame.kind == "loop" or (is_break and frame.kind == "switch")
            )
            if target >= 0 and (matches_name or is_innermost):
                self.run_finally_blocks(frame)
                self.emit_jump(target)
                return
            frame = frame.outer
        self.emit(ir.HALT)


def _translate_other_statement(translator: StatementTranslator, node: int) -> None:
    kind = translator.tree.kind[node]
    if kind.endswith("_expression") or kind == "method_invocation":
        translator.translate_expression(node)


_TRANSLATORS: dict[str, Callable[[StatementTranslator, int], None]] = {
    "block": StatementTranslator.translate_block,
    "constructor_body": StatementTranslator.translate_block,
    "local_variable_declaration": StatementTranslator.translate_declaration,
    "expression_statement": StatementTranslator.translate_expression_statement,
    "explicit_constructor_invocation": StatementTranslator.translate_constructor_call,
    "return_statement": StatementTranslator.translate_return,
    "throw_statement": StatementTranslator.translate_throw,
    "assert_statement": StatementTranslator.translate_assert,
    "synchronized_statement": StatementTranslator.translate_synchronized,
    "if_statement": StatementTranslator.translate_if,
    "while_statement": StatementTranslator.translate_loop,
    "for_statement": StatementTranslator.translate_loop,
    "do_statement": StatementTranslator.translate_do,
    "enhanced_for_statement": StatementTranslator.translate_foreach,
    "labeled_statement": StatementTranslator.translate_labeled,
    "break_statement": StatementTranslator.translate_jump,
    "continue_statement": StatementTranslator.translate_jump,
    "yield_statement": StatementTranslator.translate_yield,
    "switch_expression": StatementTranslator.translate_switch_statement,
    "try_statement": StatementTranslator.translate_try,
    "try_with_resources_statement": StatementTranslator.translate_try,
}
