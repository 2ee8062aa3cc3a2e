"""Instructions for the null analysis, and the builder that emits them.

A method is a list of instructions. Each is WIDTH numbers: operation, destination ``d``, operands
``a``, ``b``, ``c``, ``e``, the position of the instruction that handles an exception (-1: none),
and the byte offset in the source. The position of an instruction is its index in the method. An
operand that an operation does not use is -1. Registers hold values; register THIS is the object
itself, then the parameters follow, then variables and intermediate values. Jumps name instructions
by their positions, and before ``resolve_labels`` by labels. Texts and calls are rows of the tables
of TranslationPool.

The builder is the base of a chain of classes, one file each: ``invocations``, ``expressions``,
``exits`` and last ``statements``, whose ``StatementTranslator`` translates a method.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from codeacumen.languages.java.nulls.translation import tree as t
from codeacumen.languages.java.nulls.translation.tree import FIELD, LEFT, NAME, NodeTree
from codeacumen.languages.java.syntax.lexical import NUMBER_LITERALS

WIDTH = 8
THIS = 0

(
    CONST,  # d := a value of kind a
    TEXT,  # d := the constant whose text is c
    COPY,  # d := a
    LOAD,  # d := field c of a (-1: static); b: kind of the field's declaration
    STORE,  # field c of a := b; e: 1 if the field is static
    INDEX,  # d := a[b]
    SET_INDEX,  # a[b] := c
    ARRAY,  # d := a new array; a: its elements are null at first
    EACH,  # d := some element of a
    STEP,  # d := a + c
    AWAY,  # the following code, the body of a lambda, runs at another time
    CALL,  # d := call c
    DEREF,  # a must not be null; b: why, an index of REASONS; c: the expression
    JUMP,  # to c
    IF_NULL,  # a is null: to c, else to e
    IF_TRUE,  # a is true: to c, else to e
    IF_EQUAL,  # a and b are the same: to c, else to e
    IF_LESS,  # a < b: to c, else to e
    IF_KIND,  # a is an instance of the class in text b (-1: of something): to c, else to e
    IF_CAUGHT,  # the exception is of a class in text a: to c, else to e
    EITHER,  # to c or to e; with a: to c if the collection is non-empty, else to e
    RETURN,  # a (-1: nothing)
    THROW,  # a new object of class c (-1: the caught exception) to the handler, or out
    HALT,  # the path ends without leaving the method
) = range(24)

# Texts of the class literal of Object, the class without a superclass.
ROOT = ("Object.class", "java.lang.Object.class")
# Kinds of constants.
UNKNOWN, NONNULL, NULL, TRUE, FALSE = range(5)
# Kinds of field declarations: plain; may be null; primitive; never null; never null, static and
# final. A map in a TABLE field is assumed to hold each key that is looked up.
PLAIN, NULLABLE, PRIMITIVE, FILLED, TABLE = range(5)
# Reasons why a value must not be null, in the words of a report.
REASONS = (
    "is dereferenced by a call",
    "is dereferenced for a field",
    "is dereferenced as an array",
    "is unboxed",
    "is thrown",
    "is locked",
    "is iterated over",
    "is switched on",
)
BY_CALL, BY_FIELD, BY_INDEX, BY_UNBOXING, BY_THROW, BY_LOCK, BY_LOOP, BY_SWITCH = range(
    len(REASONS)
)


# Larger methods, and more deeply nested ones, are generated code; they are left out.
MOST_INSTRUCTIONS, DEEPEST_NESTING = 6000, 80
# Maximum number of characters of an expression in a report.
_LONGEST_TEXT = 80


class UnreadableError(Exception):
    """Raised for a body that is left out: too large, too deep, or with an unexpected tree."""


class LinkedCall(NamedTuple):
    """A call that ``resolve.link`` has linked to the methods that may run.

    ``offset`` is the byte of the method's name, ``callee`` the label of the method. ``targets`` are
    the methods that may run, as paths and indices in their files. ``ambiguous``: the call may mean
    several methods. ``inside``: the method belongs to the project. ``kind`` is S for a static
    method.
    """

    offset: int
    callee: str
    targets: tuple[tuple[str, int], ...]
    ambiguous: bool
    inside: bool
    kind: str = ""


class Frame(NamedTuple):
    """A construct around the code that is being translated.

    ``kind`` is method, function (a lambda), loop, switch, answer (a switch expression), label, try
    or finally. ``handler`` is the label at which an exception continues. ``label`` is the name of a
    labelled statement, ``result`` the register of a switch expression. Labels, nodes and registers
    that a construct does not have are -1.
    """

    kind: str
    outer: Frame | None
    handler: int
    node: int = -1
    break_label: int = -1
    continue_label: int = -1
    label: str = ""
    result: int = -1


class TranslationPool:
    """Tables that the methods of a file share: texts, expressions, calls, sets of targets.

    ``expressions`` and ``calls`` have the rows that NullFacts describes; ``texts`` and ``targets``
    map each entry to its index.
    """

    def __init__(self) -> None:
        self.texts: dict[str, int] = {}
        self.expressions: list[int] = []
        self.calls: list[int] = []
        self.targets: dict[tuple[tuple[str, int], ...], int] = {(): 0}

    def intern_text(self, text: str) -> int:
        """Return the index of a text, and add the text if it is new."""
        return self.texts.setdefault(text, len(self.texts))

    def intern_targets(self, targets: tuple[tuple[str, int], ...]) -> int:
        """Return the index of a set of targets (0: empty), and add the set if it is new."""
        return self.targets.setdefault(targets, len(self.targets))


class InstructionBuilder:
    """State of a translation; the subclasses translate the constructs of the language.

    ``sites`` holds the linked calls by offset.
    """

    def __init__(
        self, tree: NodeTree, pool: TranslationPool, sites: Mapping[int, LinkedCall]
    ) -> None:
        self.tree = tree
        self.pool = pool
        self.sites = sites
        # Kinds of the file's fields, values of constant fields (TRUE or FALSE, and the texts of
        # numbers), and the static fields, by the declaring name's node.
        self.fields: dict[int, int] = {}
        self.truths: dict[int, int] = {}
        self.numbers: dict[int, str] = {}
        self.statics: set[int] = set()
        self.begin_method()

    def begin_method(self) -> None:
        """Reset the state for the next method."""
        # Instructions without a break between them; position of each label (-1: not placed yet).
        self.instructions: list[int] = []
        self.label_positions: list[int] = []
        # Registers of variables by symbol, and the symbols of variables with a primitive type.
        self.registers: dict[int, int] = {}
        self.primitive_symbols: set[int] = set()
        self.register_count = 1
        # Nesting depth of the tree, and number of blocks around that catch NullPointerException.
        self.depth = 0
        self.caught = 0
        # Offset of the switch whose labels are translated.
        self.switch_at = 0
        self.returns_primitive = False
        # The catch clauses of each try, with their labels, by the node of the try.
        self.clauses: dict[int, list[tuple[int, int]]] = {}
        self.frame = Frame("method", None, -1)

    # ---- instructions

    def emit(
        self,
        op: int,
        d: int = -1,
        a: int = -1,
        b: int = -1,
        c: int = -1,
        e: int = -1,
        offset: int = 0,
    ) -> None:
        """Add an instruction; jumps are labels until ``resolve_labels``."""
        if len(self.instructions) > MOST_INSTRUCTIONS * WIDTH:
            raise UnreadableError
        handler = self.frame.handler if op in (CALL, THROW) else -1
        self.instructions += (op, d, a, b, c, e, handler, offset)

    def new_label(self) -> int:
        """Return a new label, for ``place_label`` to give it a position."""
        self.label_positions.append(-1)
        return len(self.label_positions) - 1

    def place_label(self, label: int) -> None:
        """Let a label name the next instruction."""
        self.label_positions[label] = len(self.instructions) // WIDTH

    def emit_jump(self, label: int) -> None:
        self.emit(JUMP, c=label)

    def resolve_labels(self) -> list[int]:
        """Return the instructions with positions for labels, after adding a last RETURN."""
        self.emit(RETURN)
        instructions, positions = self.instructions, self.label_positions
        # Of the numbers of an instruction, 4 is operand c, 5 operand e and 6 the handler.
        for start in range(0, len(instructions), WIDTH):
            op = instructions[start]
            if op == JUMP:
                instructions[start + 4] = positions[instructions[start + 4]]
            elif IF_NULL <= op <= EITHER:
                instructions[start + 4] = positions[instructions[start + 4]]
                instructions[start + 5] = positions[instructions[start + 5]]
            elif instructions[start + 6] >= 0:
                instructions[start + 6] = positions[instructions[start + 6]]
        return instructions

    # ---- values

    def new_register(self) -> int:
        self.register_count += 1
        return self.register_count - 1

    def emit_constant(self, kind: int, offset: int = 0) -> int:
        """Emit a constant of a kind (UNKNOWN, NONNULL, …) and return its register."""
        result = self.new_register()
        self.emit(CONST, result, kind, offset=offset)
        return result

    def variable_register(self, node: int) -> int:
        """Return the register of a local variable, from a node that names it.

        A name without a symbol gets a register of its own.
        """
        symbol = self.tree.symbol.get(node, -1)
        if symbol < 0:
            return self.new_register()
        register = self.registers.get(symbol)
        if register is None:
            register = self.registers[symbol] = self.new_register()
        return register

    # ---- expressions as a report shows them

    def add_expression(self, node: int) -> int:
        """Add an expression to the pool and return its row.

        A row holds the text, its last identifier, the byte offset of that, and whether the value
        is the result of a call.
        """
        tree, pool = self.tree, self.pool
        node = tree.unwrap_expression(node)
        token, is_returned = self.find_token(node)
        text = " ".join(tree.text(node).split())
        if len(text) > _LONGEST_TEXT:
            text = text[: _LONGEST_TEXT - 3] + "..."
        pool.expressions += (
            pool.intern_text(text),
            pool.intern_text(tree.text(token)),
            tree.start[token],
            is_returned,
        )
        return len(pool.expressions) // 4 - 1

    def find_token(self, node: int) -> tuple[int, int]:
        """Return the node of an expression's last identifier, and 1 if it names a call, else 0.

        The name of a call is that of a method or of a created class.
        """
        tree = self.tree
        while True:
            node = tree.unwrap_expression(node)
            kind = tree.kind[node]
            if kind in ("method_invocation", "object_creation_expression"):
                name = tree.child(node, NAME)
                return (name if name >= 0 else node), 1
            if kind == "field_access":
                name = tree.child(node, FIELD)
                return (name if name >= 0 else node), 0
            if kind == "array_access":
                # The array, which is the first child.
                node += 1
            elif kind == "assignment_expression":
                node = tree.child(node, LEFT)
            else:
                return node, 0

    # ---- defined by subclasses

    def translate_expression(self, node: int) -> int:
        raise NotImplementedError

    def translate_condition(self, node: int, if_true: int, if_false: int) -> None:
        raise NotImplementedError

    def translate_statement(self, node: int) -> None:
        raise NotImplementedError

    def translate_statements(self, nodes: Sequence[int]) -> None:
        for node in nodes:
            self.translate_statement(node)


PRIMITIVES = frozenset(("integral_type", "floating_point_type", "boolean_type"))
NUMBERS = frozenset((*NUMBER_LITERALS, "character_literal"))
# Kinds of expressions that are never null, so their dereference needs no check.
NEVER_NULL_KINDS = frozenset(
    (
        "string_literal",
        "class_literal",
        "this",
        "super",
        "object_creation_expression",
        "array_creation_expression",
        "lambda_expression",
        "method_reference",
        *NUMBERS,
        "true",
        "false",
        "binary_expression",
        "unary_expression",
        "update_expression",
        "instanceof_expression",
    )
)


class NameTranslator(InstructionBuilder):
    """Translate names, field accesses and array accesses."""

    def emit_dereference(self, node: int, register: int, reason: int) -> None:
        """Emit the requirement that the value of an expression is not null.

        ``reason`` is an index of REASONS. Nothing is emitted where NullPointerException is caught.
        """
        unwrapped = self.tree.unwrap_expression(node)
        if self.caught or self.tree.kind[unwrapped] in NEVER_NULL_KINDS:
            return
        offset = self.tree.start[node]
        self.emit(DEREF, a=register, b=reason, c=self.add_expression(node), offset=offset)

    def emit_unboxing(self, node: int, register: int) -> None:
        """Emit the requirement that a value used as a number or boolean is not null (JLS 5.1.8)."""
        unwrapped = self.tree.unwrap_expression(node)
        kind = self.tree.kind[unwrapped]
        if kind == "identifier" and self.is_primitive(unwrapped):
            return
        if kind in (
            "identifier",
            "method_invocation",
            "field_access",
            "array_access",
            "null_literal",
            "ternary_expression",
        ):
            self.emit_dereference(node, register, BY_UNBOXING)

    def is_primitive(self, node: int) -> bool:
        """Return whether a name is a variable or field of this file with a primitive type."""
        tree = self.tree
        symbol = tree.symbol.get(node, -1)
        declared = tree.declaration.get(node, -1)
        return symbol in self.primitive_symbols or self.fields.get(declared) == PRIMITIVE

    def is_null(self, node: int) -> bool:
        """Return whether an expression is the literal null."""
        return self.tree.kind[self.tree.unwrap_expression(node)] == "null_literal"

    def translate_identifier(self, node: int) -> int:
        role = self.tree.role.get(node, 0)
        if role in t.VARIABLE_ROLES:
            return self.variable_register(node)
        if role == t.CONSTANT or role in t.TYPE_ROLES:
            result = self.new_register()
            self.emit(TEXT, result, c=self.pool.intern_text(self.tree.text(node)))
            return result
        return self.emit_load(THIS, node, node)

    def emit_load(self, base_register: int, name: int, node: int) -> int:
        """Emit the load of a field (``base_register`` -1: static) and return the register."""
        result = self.new_register()
        declared = self.tree.declaration.get(name, -1)
        if declared in self.truths:
            self.emit(CONST, result, self.truths[declared])
            return result
        if declared in self.numbers:
            self.emit(TEXT, result, c=self.pool.intern_text(self.numbers[declared]))
            return result
        declared_kind = self.fields.get(declared, PLAIN)
        if declared < 0 and base_register <= THIS and _is_constant(self.tree.text(name)):
            declared_kind = FILLED
        text = self.pool.intern_text(self.tree.text(name))
        self.emit(LOAD, result, base_register, declared_kind, text, offset=self.tree.start[name])
        return result

    def is_class(self, node: int) -> bool:
        """Return whether an expression names a type or a package."""
        tree = self.tree
        if tree.kind[node] == "field_access":
            name = tree.child(node, t.FIELD)
            return name >= 0 and tree.role.get(name, 0) in t.TYPE_ROLES
        if tree.kind[node] in (
            "scoped_identifier",
            "type_identifier",
            "scoped_type_identifier",
            "generic_type",
        ):
            return True
        return tree.kind[node] == "identifier" and tree.role.get(node, 0) in t.TYPE_ROLES

    def translate_field_access(self, node: int) -> int:
        tree = self.tree
        base, name = tree.child(node, t.OBJECT), tree.child(node, t.FIELD)
        if base < 0 or name < 0:
            return self.emit_constant(UNKNOWN)
        if tree.kind[name] == "this":
            # Fields of an enclosing object are treated as the object's own.
            return THIS
        if self.is_class(base):
            if tree.role.get(name, 0) == t.CONSTANT:
                return self.translate_identifier(name)
            return self.emit_load(-1, name, node)
        register = self.translate_expression(base)
        self.emit_dereference(base, register, BY_FIELD)
        return self.emit_load(register, name, node)

    def translate_array_access(self, node: int) -> int:
        tree = self.tree
        array, index = tree.child(node, t.ARRAY), tree.child(node, t.INDEX)
        if array < 0 or index < 0:
            return self.emit_constant(UNKNOWN)
        base_register, index_register = (
            self.translate_expression(array),
            self.translate_expression(index),
        )
        self.emit_unboxing(index, index_register)
        self.emit_dereference(array, base_register, BY_INDEX)
        result = self.new_register()
        self.emit(INDEX, result, base_register, index_register, offset=tree.start[node])
        return result


def _is_constant(name: str) -> bool:
    """Return whether a field's name is spelt like a constant: capitals, at least two characters.

    Such a field of another file is assumed not to be null.
    """
    return len(name) > 1 and name.isupper()
