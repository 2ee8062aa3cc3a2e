"""Translation of assignments, calls, object creations and lambdas into instructions.

Part of the chain of classes that ``instructions`` describes.
"""

from __future__ import annotations

from codeacumen.languages.java.nulls.translation import instructions as ir
from codeacumen.languages.java.nulls.translation import tree as t
from codeacumen.languages.java.nulls.translation.instructions import (
    NEVER_NULL_KINDS,
    THIS,
    Frame,
    NameTranslator,
)


class AssignmentTranslator(NameTranslator):
    """Translate assignments, in the order of evaluation of JLS 15.26."""

    def translate_assignment(self, node: int) -> int:
        """Translate ``=`` and compound assignments; return the register of the new value."""
        tree = self.tree
        left, right = tree.child(node, t.LEFT), tree.child(node, t.RIGHT)
        operator = tree.child(node, t.OPERATOR)
        if left < 0 or right < 0 or operator < 0:
            return self.emit_constant(ir.UNKNOWN)
        is_simple = tree.kind[operator] == "="
        target = self.unwrap_target(left)
        kind = tree.kind[target]
        base_register = index_register = -1
        if kind == "field_access":
            owner = tree.child(target, t.OBJECT)
            if not is_simple:
                self.translate_expression(target)
            elif owner >= 0 and not self.is_class(owner):
                base_register = self.translate_expression(owner)
                self.emit_dereference(owner, base_register, ir.BY_FIELD)
        elif kind == "array_access":
            array, index_node = tree.child(target, t.ARRAY), tree.child(target, t.INDEX)
            if array < 0 or index_node < 0:
                return self.emit_constant(ir.UNKNOWN)
            base_register, index_register = (
                self.translate_expression(array),
                self.translate_expression(index_node),
            )
            self.emit_dereference(array, base_register, ir.BY_INDEX)
        if tree.kind[operator] in ("|=", "&=") and self.is_condition(right):
            register = self.translate_condition_update(target, right, tree.kind[operator])
            self.emit_write(target, register, base_register, index_register)
            return register
        register = self.translate_expression(right)
        if not is_simple:
            # The result of x += y is a number, a boolean or a string.
            if tree.kind[operator] != "+=":
                self.emit_unboxing(right, register)
            register = self.emit_constant(ir.NONNULL)
        elif kind == "identifier" and self.is_primitive(target):
            self.emit_unboxing(right, register)
        self.emit_write(target, register, base_register, index_register)
        return register

    def is_condition(self, node: int) -> bool:
        """Return whether the syntax of an expression shows that its value is a boolean."""
        tree = self.tree
        node = tree.unwrap_expression(node)
        if tree.kind[node] == "binary_expression":
            operator = tree.child(node, t.OPERATOR)
            operator_text = tree.kind[operator] if operator >= 0 else ""
            if operator_text in ("|", "&"):
                return self.joins_conditions(node)
            return operator_text in ("==", "!=", "&&", "||")
        return tree.kind[node] == "instanceof_expression"

    def joins_conditions(self, node: int) -> bool:
        """Return whether the operands of ``|`` or ``&`` are booleans, judged by their syntax."""
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

    def translate_condition_update(self, target: int, right: int, operator: str) -> int:
        """Translate ``x |= condition`` and ``x &= condition`` by jumps."""
        before = self.translate_expression(target)
        if_true, if_false, evaluate_right = (self.new_label() for _ in range(3))
        if operator == "|=":
            self.emit(ir.IF_TRUE, a=before, c=if_true, e=evaluate_right)
        else:
            self.emit(ir.IF_TRUE, a=before, c=evaluate_right, e=if_false)
        self.place_label(evaluate_right)
        self.translate_condition(right, if_true, if_false)
        return self.emit_boolean(if_true, if_false)

    def translate_to_boolean(self, node: int) -> int:
        """Translate a condition as a value; each result has a path with the implied facts."""
        if_true, if_false = self.new_label(), self.new_label()
        self.translate_condition(node, if_true, if_false)
        return self.emit_boolean(if_true, if_false)

    def emit_boolean(self, if_true: int, if_false: int) -> int:
        """Emit a register that is true on paths to one label and false on paths to the other."""
        result, end = self.new_register(), self.new_label()
        self.place_label(if_true)
        self.emit(ir.CONST, result, ir.TRUE)
        self.emit_jump(end)
        self.place_label(if_false)
        self.emit(ir.CONST, result, ir.FALSE)
        self.place_label(end)
        return result

    def unwrap_target(self, node: int) -> int:
        """Return the target of an assignment without parentheses."""
        while self.tree.kind[node] == "parenthesized_expression":
            inner = self.tree.named_children(node)
            if not inner:
                return node
            node = inner[0]
        return node

    def emit_write(
        self, target: int, register: int, base_register: int = -1, index_register: int = -1
    ) -> None:
        """Emit the write of a register to a variable, a field or an array element.

        ``base_register`` holds the object or array (-1: none), ``index_register`` the index.
        """
        tree = self.tree
        kind = tree.kind[target]
        offset = tree.start[target]
        if kind == "identifier":
            if tree.role.get(target, 0) in t.VARIABLE_ROLES:
                self.emit(ir.COPY, self.variable_register(target), register, offset=offset)
            else:
                # A static field belongs to no object, even where the class is not written.
                is_static = 1 if tree.declaration.get(target, -1) in self.statics else -1
                self.emit(
                    ir.STORE,
                    a=THIS,
                    b=register,
                    c=self.intern_name(target),
                    e=is_static,
                    offset=offset,
                )
        elif kind == "field_access":
            name = tree.child(target, t.FIELD)
            if name >= 0:
                self.emit(
                    ir.STORE,
                    a=base_register,
                    b=register,
                    c=self.intern_name(name),
                    offset=tree.start[name],
                )
        elif kind == "array_access":
            self.emit(ir.SET_INDEX, a=base_register, b=index_register, c=register, offset=offset)

    def intern_name(self, node: int) -> int:
        """Return the index of a node's text in the pool."""
        return self.pool.intern_text(self.tree.text(node))

    def translate_update(self, node: int) -> int:
        """Translate ``++`` and ``--``; return the register of the new value, also for ``x++``."""
        inner = self.tree.named_children(node)
        if not inner:
            return self.emit_constant(ir.UNKNOWN)
        target = self.unwrap_target(inner[0])
        register = self.translate_expression(target)
        self.emit_unboxing(target, register)
        result = self.new_register()
        text = self.tree.text(node)
        self.emit(ir.STEP, result, register, c=1 if "+" in text[:2] + text[-2:] else -1)
        if self.tree.kind[target] == "identifier":
            self.emit_write(target, result)
        return result


# Flags of a call: it creates an object; it is ``this(...)`` or ``super(...)``; it is written with
# ``super``, as ``super(...)`` or ``super.run()``.
CREATES, CONSTRUCTS, SUPER = 1, 2, 4


_PRIMITIVE_NAMES = frozenset(("int", "long", "boolean", "char", "byte", "short", "float", "double"))


class InvocationTranslator(AssignmentTranslator):
    """Translate calls, object creations, lambdas and method references."""

    def translate_call_chain(self, node: int) -> int:
        """Translate a chain such as ``a.b().c()`` from the inside out, without recursion.

        Chains of builders may be longer than DEEPEST_NESTING.
        """
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
            receiver = (
                THIS if tree.kind[base] in ("this", "super") else self.translate_expression(base)
            )
        while chain:
            call = chain.pop()
            receiver = self.translate_call(call, base, receiver)
            base = call
        return receiver

    def translate_call(self, node: int, base: int, receiver: int) -> int:
        """Translate one call of a chain.

        ``base`` is the node before the dot (-1: none), ``receiver`` its register (-1: a class).
        """
        tree = self.tree
        name, argument_list = tree.child(node, t.NAME), tree.child(node, t.ARGUMENTS)
        if name < 0:
            return self.emit_constant(ir.UNKNOWN)
        flags = 0
        if base < 0:
            receiver = THIS
        elif tree.kind[base] == "super":
            flags = SUPER
        argument_nodes = tree.named_children(argument_list) if argument_list >= 0 else []
        arguments = [self.translate_expression(argument) for argument in argument_nodes]
        # ``this`` is never null, and a static call does not use the object that stands before it.
        if base >= 0 and receiver > 0:
            site = self.sites.get(tree.start[name])
            if site is None or site.kind != "S":
                self.emit_dereference(base, receiver, ir.BY_CALL)
        return self.emit_call(node, name, receiver, argument_nodes, arguments, flags)

    def emit_call(
        self,
        node: int,
        name: int,
        receiver: int,
        argument_nodes: list[int],
        arguments: list[int],
        flags: int,
    ) -> int:
        """Emit a call, and the unboxing of arguments for primitive parameters.

        ``name`` is the node at whose offset the call is linked. An unlinked call, or an ambiguous
        one outside the project, has only the method's simple name as its label.
        """
        tree, pool = self.tree, self.pool
        site = self.sites.get(tree.start[name])
        result = self.new_register()
        label, targets = pool.intern_text(tree.text(name)), 0
        if site is not None and not (site.ambiguous and not site.inside):
            label = pool.intern_text(site.callee)
            if not site.ambiguous and site.inside:
                targets = pool.intern_targets(site.targets)
            if "(" in site.callee:
                types = site.callee.rpartition("(")[2].rstrip(")").split(",")
                for argument, register, type_ in zip(
                    argument_nodes, arguments, types, strict=False
                ):
                    if type_ in _PRIMITIVE_NAMES:
                        self.emit_unboxing(argument, register)
        row = len(pool.calls)
        pool.calls += (label, targets, flags, receiver, self.add_call_expression(node, name))
        pool.calls.append(len(arguments))
        for argument, register in zip(argument_nodes, arguments, strict=True):
            unwrapped = tree.unwrap_expression(argument)
            is_never_null = tree.kind[unwrapped] in NEVER_NULL_KINDS
            pool.calls.append(register)
            pool.calls.append(-1 if is_never_null or self.caught else self.add_expression(argument))
        self.emit(ir.CALL, result, c=row, offset=tree.start[name])
        return result

    def add_call_expression(self, node: int, name: int) -> int:
        """Add the row of a call, shown as ``name()``, to the expressions and return it."""
        tree, pool = self.tree, self.pool
        text = f"{tree.text(name)}()"
        pool.expressions += (
            pool.intern_text(text),
            pool.intern_text(tree.text(name)),
            tree.start[name],
            1,
        )
        return len(pool.expressions) // 4 - 1

    def translate_creation(self, node: int) -> int:
        """Translate ``new T(…)``, also with an outer object, as in ``outer.new T(…)``."""
        tree = self.tree
        type_, argument_list = tree.child(node, t.TYPE), tree.child(node, t.ARGUMENTS)
        if type_ < 0:
            return self.emit_constant(ir.NONNULL)
        # The first child is the outer object, an annotation, or the token ``new``.
        first = node + 1
        if tree.is_named[first] and tree.kind[first] not in ("annotation", "marker_annotation"):
            outer = self.translate_expression(first)
            self.emit_dereference(first, outer, ir.BY_CALL)
        argument_nodes = tree.named_children(argument_list) if argument_list >= 0 else []
        arguments = [self.translate_expression(argument) for argument in argument_nodes]
        return self.emit_call(
            node, self.find_simple_type(type_), -1, argument_nodes, arguments, CREATES
        )

    def find_simple_type(self, node: int) -> int:
        """Return the node of a type's simple name."""
        tree = self.tree
        while True:
            parts = [
                child
                for child in tree.named_children(node)
                if tree.kind[child] in ("type_identifier", "scoped_type_identifier", "generic_type")
            ]
            if not parts:
                return node
            node = parts[-1]

    def translate_constructor_call(self, node: int) -> None:
        """Translate ``this(...)`` and ``super(...)``."""
        tree = self.tree
        keyword, argument_list = tree.child(node, t.CONSTRUCTOR), tree.child(node, t.ARGUMENTS)
        if keyword < 0:
            return
        argument_nodes = tree.named_children(argument_list) if argument_list >= 0 else []
        arguments = [self.translate_expression(argument) for argument in argument_nodes]
        flags = CONSTRUCTS if tree.kind[keyword] == "this" else CONSTRUCTS | SUPER
        self.emit_call(node, keyword, THIS, argument_nodes, arguments, flags)

    def translate_function(self, node: int) -> int:
        """Translate a lambda or a method reference; the latter dereferences its object.

        The first child of a method reference, ``node + 1``, is the object or the class.
        """
        if self.tree.kind[node] == "lambda_expression":
            self.translate_lambda_body(node)
        elif not self.is_class(node + 1) and self.tree.is_named[node + 1]:
            kind = self.tree.kind[node + 1]
            if kind not in ("super", "array_type", "this"):
                self.emit_dereference(node + 1, self.translate_expression(node + 1), ir.BY_CALL)
        return self.emit_constant(ir.NONNULL)

    def translate_lambda_body(self, node: int) -> None:
        """Translate the body of a lambda as a branch that does not return to the method.

        A lambda may run later or never. It sees the local variables as they are here.
        """
        tree = self.tree
        body, parameter_list = tree.child(node, t.BODY), tree.child(node, t.PARAMETERS)
        if body < 0:
            return
        outer_frame, outer_caught, outer_returns_primitive = (
            self.frame,
            self.caught,
            self.returns_primitive,
        )
        body_label, after = self.new_label(), self.new_label()
        self.emit(ir.EITHER, c=body_label, e=after)
        self.place_label(body_label)
        self.emit(ir.AWAY)
        self.frame = Frame("function", None, -1, node)
        self.caught, self.returns_primitive = 0, False
        for name in self.list_lambda_parameters(parameter_list):
            self.emit(ir.CONST, self.variable_register(name), ir.UNKNOWN)
        if tree.kind[body] == "block":
            self.translate_statement(body)
        else:
            self.translate_expression(body)
        self.emit(ir.HALT)
        self.frame, self.caught, self.returns_primitive = (
            outer_frame,
            outer_caught,
            outer_returns_primitive,
        )
        self.place_label(after)

    def list_lambda_parameters(self, parameter_list: int) -> list[int]:
        """Return the name nodes of a lambda's parameters."""
        tree = self.tree
        if parameter_list < 0:
            return []
        if tree.kind[parameter_list] == "identifier":
            return [parameter_list]
        names = []
        for child in tree.named_children(parameter_list):
            name = child if tree.kind[child] == "identifier" else tree.child(child, t.NAME)
            if name >= 0:
                names.append(name)
        return names
