"""Translation of expressions and conditions into instructions.

The translation of an expression returns the register that holds its value; that of a condition
jumps to one of two labels. Part of the chain of classes that ``instructions`` describes.
"""

from __future__ import annotations

from collections.abc import Callable

from codeacumen.languages.java.nulls.translation import instructions as ir
from codeacumen.languages.java.nulls.translation import tree as t
from codeacumen.languages.java.nulls.translation.instructions import (
    DEEPEST_NESTING,
    NUMBERS,
    PRIMITIVES,
    ROOT,
    THIS,
    UnreadableError,
)
from codeacumen.languages.java.nulls.translation.invocations import InvocationTranslator


class ExpressionTranslator(InvocationTranslator):
    """Translate expressions; each method returns the register of the value."""

    def translate_expression(self, node: int) -> int:
        self.depth += 1
        if self.depth > DEEPEST_NESTING:
            raise UnreadableError
        register = _TRANSLATORS.get(self.tree.kind[node], _translate_other_expression)(self, node)
        self.depth -= 1
        return register

    def translate_array_creation(self, node: int) -> int:
        tree = self.tree
        initializer = tree.child(node, t.VALUE)
        if initializer >= 0:
            self.translate_elements(initializer)
            return self.emit_array(0, node)
        sizes = [
            child for child in tree.named_children(node) if tree.kind[child] == "dimensions_expr"
        ]
        for size in sizes:
            for length in tree.named_children(size):
                self.emit_unboxing(length, self.translate_expression(length))
        # The elements of ``new T[n]`` are null, also those of ``new int[n][]``, which are arrays.
        # In ``new T[n][m]`` the inner arrays exist.
        has_open_dimensions = tree.first_child_of_kind(node, "dimensions") >= 0
        type_ = tree.child(node, t.TYPE)
        holds_references = type_ >= 0 and tree.kind[type_] not in PRIMITIVES
        starts_null = has_open_dimensions or (holds_references and len(sizes) == 1)
        has_length_zero = len(sizes) == 1 and tree.text(sizes[0]).strip("[] ") == "0"
        return self.emit_array(
            1 if starts_null and len(sizes) == 1 and not has_length_zero else 0, node
        )

    def translate_elements(self, node: int) -> None:
        """Translate the elements of an array initialiser, for their calls and dereferences."""
        for element in self.tree.named_children(node):
            if self.tree.kind[element] == "array_initializer":
                self.translate_elements(element)
            else:
                self.translate_expression(element)

    def emit_array(self, starts_null: int, node: int) -> int:
        """Emit a new array; ``starts_null`` is 1 if its elements are null until they are set."""
        result = self.new_register()
        self.emit(ir.ARRAY, result, starts_null, offset=self.tree.start[node])
        return result

    def translate_array_initializer(self, node: int) -> int:
        self.translate_elements(node)
        return self.emit_array(0, node)

    def translate_ternary(self, node: int) -> int:
        tree = self.tree
        parts = [tree.child(node, w) for w in (t.CONDITION, t.CONSEQUENCE, t.ALTERNATIVE)]
        if min(parts) < 0:
            return self.emit_constant(ir.UNKNOWN)
        if_true, if_false, end = self.new_label(), self.new_label(), self.new_label()
        result = self.new_register()
        self.translate_condition(parts[0], if_true, if_false)
        for label, arm in ((if_true, parts[1]), (if_false, parts[2])):
            self.place_label(label)
            register = self.translate_expression(arm)
            self.emit(ir.COPY, result, register, offset=tree.start[arm])
            self.emit_jump(end)
        self.place_label(end)
        return result

    def translate_binary(self, node: int) -> int:
        """Translate a binary operation; conditions become true or false on separate paths."""
        tree = self.tree
        operator = tree.child(node, t.OPERATOR)
        operator_text = tree.kind[operator] if operator >= 0 else ""
        left, right = tree.child(node, t.LEFT), tree.child(node, t.RIGHT)
        if left < 0 or right < 0:
            return self.emit_constant(ir.UNKNOWN)
        is_condition = operator_text in ("|", "&") and self.joins_conditions(node)
        if (
            is_condition
            or operator_text in ("&&", "||")
            or (operator_text in ("==", "!=") and self.compares_with_null(left, right))
        ):
            return self.translate_to_boolean(node)
        # A sum may have thousands of operands, so translate it from the left, without recursion.
        chain = [node]
        while tree.kind[left] == "binary_expression":
            inner = tree.child(left, t.OPERATOR)
            if inner < 0 or tree.kind[inner] in ("&&", "||", "==", "!="):
                break
            chain.append(left)
            next_left = tree.child(left, t.LEFT)
            if next_left < 0:
                break
            left = next_left
        left_register = self.translate_expression(left)
        left_node = left
        while chain:
            operation = chain.pop()
            operator, right = tree.child(operation, t.OPERATOR), tree.child(operation, t.RIGHT)
            if operator < 0 or right < 0:
                continue
            right_register = self.translate_expression(right)
            self.unbox_operands(
                tree.kind[operator], left_node, left_register, right, right_register
            )
            left_node = operation
        return self.emit_constant(ir.NONNULL)

    def unbox_operands(
        self, operator_text: str, left: int, left_register: int, right: int, right_register: int
    ) -> None:
        """Emit the unboxing of operands; ``+`` and ``==`` unbox only beside a number."""
        tree = self.tree
        unboxes = operator_text not in ("+", "==", "!=", "instanceof")
        are_numbers = (
            tree.kind[tree.unwrap_expression(left)] in NUMBERS,
            tree.kind[tree.unwrap_expression(right)] in NUMBERS,
        )
        if unboxes or are_numbers[1]:
            self.emit_unboxing(left, left_register)
        if unboxes or are_numbers[0]:
            self.emit_unboxing(right, right_register)

    def compares_with_null(self, left: int, right: int) -> bool:
        """Return whether one operand of a comparison is the literal null."""
        return self.is_null(left) or self.is_null(right)

    def translate_unary(self, node: int) -> int:
        operator, operand = self.tree.child(node, t.OPERATOR), self.tree.child(node, t.OPERAND)
        if operand < 0:
            return self.emit_constant(ir.UNKNOWN)
        if operator >= 0 and self.tree.kind[operator] == "!":
            return self.translate_to_boolean(node)
        register = self.translate_expression(operand)
        self.emit_unboxing(operand, register)
        if self.tree.kind[operand] in NUMBERS and self.tree.text(node)[:1] == "-":
            return self.translate_literal(node)
        return self.emit_constant(ir.NONNULL)

    def translate_literal(self, node: int) -> int:
        """Translate a literal as a constant that its text identifies."""
        result = self.new_register()
        self.emit(ir.TEXT, result, c=self.pool.intern_text(self.tree.text(node)))
        return result

    def translate_cast(self, node: int) -> int:
        value = self.tree.child(node, t.VALUE)
        if value < 0:
            return self.emit_constant(ir.UNKNOWN)
        register = self.translate_expression(value)
        type_ = self.tree.child(node, t.TYPE)
        if type_ >= 0 and self.tree.kind[type_] in PRIMITIVES:
            self.emit_unboxing(value, register)
            return self.emit_constant(ir.NONNULL)
        return register

    def translate_parenthesized(self, node: int) -> int:
        while self.tree.kind[node] == "parenthesized_expression":
            inner = self.tree.named_children(node)
            if not inner:
                return self.emit_constant(ir.UNKNOWN)
            node = inner[0]
        return self.translate_expression(node)

    def translate_switch_expression(self, node: int) -> int:
        result = self.new_register()
        self.translate_switch(node, result)
        return result

    def translate_switch(self, node: int, result: int) -> None:
        raise NotImplementedError


def _translate_other_expression(translator: ExpressionTranslator, node: int) -> int:
    return translator.emit_constant(ir.UNKNOWN)


def _translate_null(translator: ExpressionTranslator, node: int) -> int:
    return translator.emit_constant(ir.NULL, translator.tree.start[node])


def _translate_this(translator: ExpressionTranslator, node: int) -> int:
    return THIS


def _translate_true(translator: ExpressionTranslator, node: int) -> int:
    return translator.emit_constant(ir.TRUE)


def _translate_false(translator: ExpressionTranslator, node: int) -> int:
    return translator.emit_constant(ir.FALSE)


def _translate_class_literal(translator: ExpressionTranslator, node: int) -> int:
    """Translate a class literal; only ``Object.class`` is distinguished from other classes."""
    return (
        translator.translate_literal(node)
        if translator.tree.text(node) in ROOT
        else translator.emit_constant(ir.NONNULL)
    )


_TRANSLATORS: dict[str, Callable[[ExpressionTranslator, int], int]] = {
    "identifier": ExpressionTranslator.translate_identifier,
    "field_access": ExpressionTranslator.translate_field_access,
    "array_access": ExpressionTranslator.translate_array_access,
    "assignment_expression": ExpressionTranslator.translate_assignment,
    "update_expression": ExpressionTranslator.translate_update,
    "method_invocation": ExpressionTranslator.translate_call_chain,
    "object_creation_expression": ExpressionTranslator.translate_creation,
    "array_creation_expression": ExpressionTranslator.translate_array_creation,
    "array_initializer": ExpressionTranslator.translate_array_initializer,
    "ternary_expression": ExpressionTranslator.translate_ternary,
    "binary_expression": ExpressionTranslator.translate_binary,
    "unary_expression": ExpressionTranslator.translate_unary,
    "instanceof_expression": ExpressionTranslator.translate_to_boolean,
    "cast_expression": ExpressionTranslator.translate_cast,
    "parenthesized_expression": ExpressionTranslator.translate_parenthesized,
    "lambda_expression": ExpressionTranslator.translate_function,
    "method_reference": ExpressionTranslator.translate_function,
    "switch_expression": ExpressionTranslator.translate_switch_expression,
    "null_literal": _translate_null,
    "this": _translate_this,
    "super": _translate_this,
    "true": _translate_true,
    "false": _translate_false,
    "string_literal": ExpressionTranslator.translate_literal,
    "class_literal": _translate_class_literal,
    **dict.fromkeys(NUMBERS, ExpressionTranslator.translate_literal),
}


# Relational operators, and whether a < b is tested with the operands swapped; <= and >= are tested
# as the opposite of > and <.
_SWAPS_OPERANDS = {">": True, "<=": True, "<": False, ">=": False}


class ConditionTranslator(ExpressionTranslator):
    """Translate conditions into jumps to ``if_true`` or ``if_false``."""

    def translate_condition(self, node: int, if_true: int, if_false: int) -> None:
        self.depth += 1
        if self.depth > DEEPEST_NESTING:
            raise UnreadableError
        self._translate_condition_by_kind(node, if_true, if_false)
        self.depth -= 1

    def _translate_condition_by_kind(self, node: int, if_true: int, if_false: int) -> None:
        tree = self.tree
        kind = tree.kind[node]
        while kind == "parenthesized_expression":
            inner = tree.named_children(node)
            if not inner:
                self.emit(ir.EITHER, c=if_true, e=if_false)
                return
            node = inner[0]
            kind = tree.kind[node]
        if kind == "true" or kind == "false":
            self.emit_jump(if_true if kind == "true" else if_false)
            return
        if kind == "unary_expression":
            operator, operand = tree.child(node, t.OPERATOR), tree.child(node, t.OPERAND)
            if operator >= 0 and operand >= 0 and tree.kind[operator] == "!":
                self.translate_condition(operand, if_false, if_true)
                return
        if kind == "instanceof_expression":
            self.translate_instanceof(node, if_true, if_false)
            return
        if kind == "ternary_expression":
            parts = [tree.child(node, w) for w in (t.CONDITION, t.CONSEQUENCE, t.ALTERNATIVE)]
            if min(parts) >= 0:
                first, second = self.new_label(), self.new_label()
                self.translate_condition(parts[0], first, second)
                self.place_label(first)
                self.translate_condition(parts[1], if_true, if_false)
                self.place_label(second)
                self.translate_condition(parts[2], if_true, if_false)
                return
        if kind == "binary_expression" and self.translate_comparison(node, if_true, if_false):
            return
        register = self.translate_expression(node)
        self.emit_unboxing(node, register)
        self.emit(ir.IF_TRUE, a=register, c=if_true, e=if_false)

    def translate_comparison(self, node: int, if_true: int, if_false: int) -> bool:
        """Translate a comparison, ``&&`` or ``||``, and return True; return False for others.

        ``|`` and ``&`` between booleans are translated as ``||`` and ``&&``.
        """
        tree = self.tree
        operator = tree.child(node, t.OPERATOR)
        left, right = tree.child(node, t.LEFT), tree.child(node, t.RIGHT)
        if operator < 0 or left < 0 or right < 0:
            return False
        operator_text = tree.kind[operator]
        if operator_text in ("&&", "||") or (
            operator_text in ("|", "&") and self.joins_conditions(node)
        ):
            self.translate_and_or(node, operator_text, if_true, if_false)
            return True
        if operator_text in ("==", "!="):
            if operator_text == "!=":
                if_true, if_false = if_false, if_true
            if self.is_null(left):
                left, right = right, left
            left_register = self.translate_expression(left)
            if self.is_null(right):
                self.emit(
                    ir.IF_NULL, a=left_register, c=if_true, e=if_false, offset=tree.start[node]
                )
                return True
            right_register = self.translate_expression(right)
            self.unbox_operands(operator_text, left, left_register, right, right_register)
            self.emit(ir.IF_EQUAL, a=left_register, b=right_register, c=if_true, e=if_false)
            return True
        if operator_text in _SWAPS_OPERANDS:
            left_register = self.translate_expression(left)
            right_register = self.translate_expression(right)
            self.unbox_operands(operator_text, left, left_register, right, right_register)
            if _SWAPS_OPERANDS[operator_text]:
                left_register, right_register = right_register, left_register
            if operator_text in ("<=", ">="):
                if_true, if_false = if_false, if_true
            self.emit(ir.IF_LESS, a=left_register, b=right_register, c=if_true, e=if_false)
            return True
        return False

    def translate_and_or(self, node: int, operator_text: str, if_true: int, if_false: int) -> None:
        """Translate a chain of ``&&`` or of ``||`` from the left, without recursion."""
        tree = self.tree
        parts = []
        while True:
            operator = tree.child(node, t.OPERATOR)
            left, right = tree.child(node, t.LEFT), tree.child(node, t.RIGHT)
            is_binary = tree.kind[node] == "binary_expression" and operator >= 0
            if not is_binary or tree.kind[operator] != operator_text or left < 0 or right < 0:
                parts.append(node)
                break
            parts.append(right)
            node = left
        for part in reversed(parts[1:]):
            following = self.new_label()
            if operator_text[0] == "&":
                self.translate_condition(part, following, if_false)
            else:
                self.translate_condition(part, if_true, following)
            self.place_label(following)
        self.translate_condition(parts[0], if_true, if_false)

    def translate_instanceof(self, node: int, if_true: int, if_false: int) -> None:
        """Translate ``instanceof``, and bind its variable if it has one."""
        tree = self.tree
        left = tree.child(node, t.LEFT)
        if left < 0:
            self.emit(ir.EITHER, c=if_true, e=if_false)
            return
        register = self.translate_expression(left)
        name = tree.child(node, t.NAME)
        pattern = tree.first_child_of_kind(node, "record_pattern", "type_pattern")
        right = tree.child(node, t.RIGHT)
        # A record pattern tests more than the class, so its failure does not exclude the class.
        class_text = -1
        if right >= 0 and tree.kind[right] != "array_type":
            class_text = self.pool.intern_text(tree.text(self.find_simple_type(right)))
        if name < 0 and pattern < 0:
            self.emit(ir.IF_KIND, a=register, b=class_text, c=if_true, e=if_false)
            return
        bound = self.new_label()
        self.emit(ir.IF_KIND, a=register, b=class_text if pattern < 0 else -1, c=bound, e=if_false)
        self.place_label(bound)
        if name >= 0:
            self.emit(ir.COPY, self.variable_register(name), register)
        else:
            self.bind_pattern(pattern, register)
        self.emit_jump(if_true)

    def bind_pattern(self, pattern: int, register: int) -> None:
        """Bind the variable of a type pattern to the matched value.

        The variables of record patterns get no value, so they stay unknown.
        """
        tree = self.tree
        if tree.kind[pattern] == "type_pattern":
            for child in tree.named_children(pattern):
                if tree.kind[child] == "identifier":
                    self.emit(ir.COPY, self.variable_register(child), register)
